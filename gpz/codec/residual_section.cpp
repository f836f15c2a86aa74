// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/codec/residual_section.hpp"

#include <string>

#include "gpz/core/difference_section.hpp"
#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::codec {

using format::corrupt;

void append_words(Payloads &payloads, std::vector<std::uint8_t> &bytes) {
  std::size_t all = 0;
  for (const auto &words : payloads) all += words.size();
  if (all % 2 != 0) payloads.back().push_back(0);
  bytes.reserve(bytes.size() + (all + all % 2) * sizeof(std::uint32_t));
  for (const auto &words : payloads) {
    const auto *raw = reinterpret_cast<const std::uint8_t *>(words.data());
    bytes.insert(bytes.end(), raw, raw + words.size() * sizeof(std::uint32_t));
  }
}

ResidualSection::ResidualSection(const std::uint8_t *bytes, std::size_t size, std::size_t header,
                                 std::uint32_t record_bits, std::uint64_t blocks)
    : directory_(reinterpret_cast<const std::uint32_t *>(bytes + header)), header_(header) {
  if (!core::directory_fits(record_bits, blocks, size - header)) corrupt("block directory exceeds its section", header);
  const std::uint64_t words = core::directory_size(record_bits, blocks) / sizeof(std::uint32_t);
  for (std::uint64_t bit = blocks * record_bits; bit < words * 32; ++bit)
    if (core::get_bits(directory_, bit, 1) != 0) corrupt("padding of the block directory", header);
  payload_ = directory_ + words;
  left_ = (size - header) / sizeof(std::uint32_t) - words;
}

const std::uint32_t *ResidualSection::take(std::uint64_t words, std::uint64_t block) {
  if (words > left_) corrupt("block " + std::to_string(block) + " exceeds its section", header_);
  const std::uint32_t *const taken = payload_;
  payload_ += words;
  left_ -= words;
  return taken;
}

void ResidualSection::end() const {
  if (left_ > 1) corrupt("section longer than its blocks", header_);
  if (left_ == 1 && *payload_ != 0) corrupt("padding of the section", header_);
}

}  // namespace gpz::codec
