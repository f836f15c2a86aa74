// SPDX-License-Identifier: BSD-3-Clause
// Chunks of bytes that nobody wrote: what reading them may end in, and cost.
#pragma once

#include <gtest/gtest.h>

#include "codec_support.hpp"
#include "container_support.hpp"
#include "largest_request.hpp"

namespace gpz::test {

// Decodes a chunk with the fields of `inputs`: values of all particles or an error without any, and no request for more
// than `most` bytes.
inline Status read_hostile(const std::vector<FieldInput> &inputs, const Bytes &bytes, std::uint64_t particles,
                           std::size_t most = std::size_t{1} << 20) {
  Frame frame = frame_for(inputs);
  largest_request = 0;
  const Status status = status_of([&] { decode_chunk(bytes.data(), bytes.size(), particles, frame); });
  EXPECT_LE(largest_request, most);
  const bool other_kind = bytes.size() > 4 && bytes[4] == 1;  // a difference chunk, which is not read here
  EXPECT_TRUE(status == Status::ok || status == Status::corrupt || status == Status::truncated ||
              (other_kind && status == Status::unsupported))
      << static_cast<int>(status);
  for (const Frame::Column &column : frame.columns)
    EXPECT_EQ(column.floats.size() + column.integers.size(), status == Status::ok ? particles : 0);
  return status;
}

// read(bytes), which returns a status, refuses every beginning of a chunk, and 8 zeros more at any place.
template <typename Read>
void expect_other_lengths_are_refused(const Bytes &bytes, const Read &read) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(read(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), Status::ok);
    Bytes longer = bytes;
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(size), 8, 0);
    EXPECT_NE(read(longer), Status::ok) << size;
  }
}

// read(bytes) refuses some of `rounds` chunks of one head with any bytes in the first section: in its first `near`
// bytes, or anywhere.
template <typename Read>
void expect_any_bytes_are_read_or_refused(const Bytes &bytes, std::size_t near, int rounds, const Read &read) {
  constexpr std::size_t head = 24;
  const auto section = static_cast<std::size_t>(format::load_little<std::uint64_t>(bytes.data() + 8));
  Random random(2);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    Bytes damaged = bytes;
    const std::size_t reach = random.below(2) == 0 ? near : section;
    const std::size_t count = random.below(8) == 0 ? reach : 1 + random.below(6);
    for (std::size_t k = 0; k < count; ++k)
      damaged[head + random.below(reach)] =
          static_cast<std::uint8_t>(random.below(2) == 0 ? random.below(40) : random.bits());
    refused += read(damaged) == Status::ok ? 0 : 1;
  }
  EXPECT_GT(refused, rounds / 16);
  EXPECT_LT(refused, rounds);
}

}  // namespace gpz::test
