// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: number streams. Numbers that the input describes come back; streams that the input is, or changes, give
// numbers or an error.
#include <cstring>
#include <memory>
#include <vector>

#include "gpz/codec/number_coder.hpp"
#include "program.hpp"
#include "support.hpp"

namespace {

using gpz::Status;
using gpz::fuzz::Program;
using gpz::fuzz::require;
using gpz::fuzz::status_of;

constexpr std::size_t most_numbers = 5000;
// Few, mostly, as every one has a table.
constexpr unsigned numbers_of_contexts[] = {1, 2, 3, 5, 8, 24, 100, gpz::codec::max_number_contexts};

struct Numbers {
  unsigned contexts;
  std::vector<unsigned> context;
  std::vector<std::uint32_t> number;
};

// Runs of numbers: of one size, in contexts that follow each other.
Numbers described(Program &program) {
  Numbers numbers{program.one_of(numbers_of_contexts), {}, {}};
  std::uint64_t random = program.number<std::uint16_t>() | 1;
  while (program.left() != 0 && numbers.number.size() < most_numbers) {
    const std::size_t size = program.choice(33);
    const unsigned first = program.number<std::uint8_t>();
    const std::size_t spread = 1 + program.choice(4);
    for (std::size_t i = program.number<std::uint8_t>(); i-- > 0;) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      numbers.number.push_back(size == 0 ? 0 : static_cast<std::uint32_t>(random >> 32 >> (32 - size)));
      numbers.context.push_back((first + static_cast<unsigned>(random >> 24) % spread) % numbers.contexts);
    }
  }
  return numbers;
}

std::vector<std::uint8_t> encoded(const Numbers &numbers) {
  gpz::codec::NumberEncoder encoder(numbers.contexts);
  for (std::size_t i = 0; i < numbers.number.size(); ++i) encoder.put(numbers.context[i], numbers.number[i]);
  std::vector<std::uint8_t> bytes;
  encoder.finish(bytes);
  require(bytes.size() % 8 == 0, "a stream that is no multiple of 8 bytes");
  return bytes;
}

// In memory of just this size.
Status decode(const std::vector<std::uint8_t> &bytes, unsigned contexts, const std::vector<unsigned> &context,
              std::vector<std::uint32_t> &number) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
  if (!bytes.empty()) std::memcpy(exact.get(), bytes.data(), bytes.size());
  number.clear();
  return status_of([&] {
    gpz::codec::NumberDecoder decoder(exact.get(), bytes.size(), contexts);
    for (const unsigned c : context) number.push_back(decoder.get(c));
    decoder.end();
  });
}

void go_and_come_back(Program &program) {
  Program changes = program.part(program.choice(8));
  const Numbers numbers = described(program);
  std::vector<std::uint8_t> bytes = encoded(numbers);
  std::vector<std::uint32_t> out;
  require(decode(bytes, numbers.contexts, numbers.context, out) == Status::ok, "a stream is refused");
  require(out == numbers.number, "other numbers come back");
  while (changes.left() != 0) bytes[changes.number<std::uint16_t>() % bytes.size()] ^= changes.number<std::uint8_t>();
  const Status status = decode(bytes, numbers.contexts, numbers.context, out);
  require(status == Status::ok || status == Status::corrupt, "damage that is called something else");
}

void only_decode(Program &program) {
  const unsigned contexts = program.one_of(numbers_of_contexts);
  std::vector<unsigned> context(program.number<std::uint8_t>());
  for (std::size_t i = 0; i < context.size(); ++i) context[i] = static_cast<unsigned>(i) % contexts;
  const std::vector<std::uint8_t> bytes(program.rest(), program.rest() + program.left() / 8 * 8);
  std::vector<std::uint32_t> out;
  const Status status = decode(bytes, contexts, context, out);
  require(status == Status::ok || status == Status::corrupt, "a bad stream that is called something else");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  Program program(bytes, size);
  if (program.flag())
    only_decode(program);
  else
    go_and_come_back(program);
  return 0;
}
