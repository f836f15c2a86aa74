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

}  // namespace gpz::test
