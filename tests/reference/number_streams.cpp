// SPDX-License-Identifier: BSD-3-Clause
// Number streams of the library, for test_numbers.py.
//
//   number_streams encode < CONTEXTS COUNT ITEMS > STREAM
//   number_streams decode < CONTEXTS COUNT CONTEXT... STREAM > NUMBERS
//
// CONTEXTS, COUNT and numbers are u32, an item is a context and its number, all in the order of bytes of this machine.
// decode ends with 1 if the stream is refused.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "gpz/codec/number_coder.hpp"
#include "gpz/error.hpp"

namespace {

std::vector<std::uint32_t> read_words(std::size_t count) {
  std::vector<std::uint32_t> words(count);
  words.resize(std::fread(words.data(), sizeof(std::uint32_t), count, stdin));
  return words;
}

int encode(std::uint32_t contexts, std::uint32_t count) {
  gpz::codec::NumberEncoder encoder(contexts);
  const std::vector<std::uint32_t> items = read_words(std::size_t{2} * count);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) encoder.put(items[i], items[i + 1]);
  std::vector<std::uint8_t> bytes;
  encoder.finish(bytes);
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 2;
}

int decode(std::uint32_t contexts, std::uint32_t count) {
  const std::vector<std::uint32_t> context = read_words(count);
  std::vector<std::uint8_t> bytes;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) bytes.push_back(static_cast<std::uint8_t>(c));
  std::vector<std::uint32_t> numbers;
  try {
    gpz::codec::NumberDecoder decoder(bytes.data(), bytes.size(), contexts);
    for (const std::uint32_t c : context) numbers.push_back(decoder.get(c));
    decoder.end();
  } catch (const gpz::Error &) {
    return 1;
  }
  return std::fwrite(numbers.data(), sizeof(std::uint32_t), numbers.size(), stdout) == numbers.size() ? 0 : 2;
}

}  // namespace

int main(int argc, char **argv) {
  const std::vector<std::uint32_t> head = read_words(2);
  if (argc != 2 || head.size() != 2) return 2;
  return std::strcmp(argv[1], "encode") == 0 ? encode(head[0], head[1]) : decode(head[0], head[1]);
}
