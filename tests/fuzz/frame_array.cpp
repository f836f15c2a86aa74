// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: frame arrays. Bytes that the input is, with a checksum that holds, are an array or an error, the same
// for each frame alone as for all; arrays that the input describes come back within their bound.
#include "gpz/frame_array.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "gpz/chunk.hpp"
#include "program.hpp"
#include "support.hpp"

namespace {

using gpz::FrameArrayShape;
using gpz::Status;
using gpz::fuzz::Program;
using gpz::fuzz::require;
using gpz::fuzz::status_of;

constexpr std::size_t checksum_size = 8;
constexpr double spreads[] = {0.0, 0.5, 10.0, 1e6};
constexpr double speeds[] = {0.0, 0.001, 0.1, 20.0};
constexpr double bounds[] = {0.0, 1e-6, 0.001, 0.1, 3.0};
constexpr gpz::Effort efforts[] = {gpz::Effort::fast, gpz::Effort::standard, gpz::Effort::dense};
constexpr std::size_t most_values = 4000;
constexpr std::size_t most_bytes = std::size_t{1} << 20;  // of values that are worth decoding twice

gpz::FrameArrayReadOptions with_threads(int threads) { return {threads, gpz::fuzz::limits}; }

Status decompress(const gpz::Bytes &bytes, std::uint64_t first, std::uint64_t count, std::vector<std::uint8_t> &values,
                  int threads) {
  return status_of([&] {
    gpz::decompress_frames(bytes.data(), bytes.size(), first, count, values.data(), values.size(),
                           with_threads(threads));
  });
}

// An error about the bytes, and not about the call.
bool is_of_bytes(Status status) {
  return status == Status::corrupt || status == Status::truncated || status == Status::limit_exceeded ||
         status == Status::unsupported_version || status == Status::not_gpz || status == Status::unsupported;
}

void decode(const gpz::Bytes &bytes) {
  gpz::FrameArrayInfo info;
  Status status = status_of([&] { info = gpz::frame_array_info(bytes.data(), bytes.size(), gpz::fuzz::limits); });
  if (status != Status::ok) {
    require(is_of_bytes(status), "a head that is refused for another reason");
    return;
  }
  FrameArrayShape frame = info.shape;
  frame.frames = 1;
  std::size_t size = 0;
  std::size_t all = 0;
  status = status_of([&] { size = frame.bytes(), all = info.shape.bytes(); });
  if (status != Status::ok || all > most_bytes) return;

  std::vector<std::uint8_t> whole(all);
  status = decompress(bytes, 0, info.shape.frames, whole, 1);
  require(status == Status::ok || is_of_bytes(status), "frames that are refused for another reason");
  if (status != Status::ok || all == 0) return;
  std::vector<std::uint8_t> again(all);
  require(decompress(bytes, 0, info.shape.frames, again, 2) == Status::ok && again == whole,
          "the number of threads decides what is decoded");
  const std::uint64_t t = gpz::chunk_checksum(bytes.data(), bytes.size()) % info.shape.frames;
  std::vector<std::uint8_t> alone(size);
  require(decompress(bytes, t, 1, alone, 1) == Status::ok, "a frame of a sound array is refused");
  require(std::memcmp(alone.data(), whole.data() + static_cast<std::size_t>(t) * size, size) == 0,
          "a frame alone has other values");
}

// With the checksum that the input has instead of its last bytes. In memory of just this size.
void only_decode(Program &program) {
  gpz::Bytes bytes(program.rest(), program.rest() + program.left());
  if (bytes.size() > checksum_size) {
    const std::uint64_t sum = gpz::chunk_checksum(bytes.data(), bytes.size() - checksum_size);
    std::memcpy(bytes.data() + bytes.size() - checksum_size, &sum, checksum_size);
  }
  decode(bytes);
}

template <typename T>
std::vector<T> described(Program &program, const FrameArrayShape &shape) {
  constexpr double strange[] = {HUGE_VAL, -HUGE_VAL, 1e30, -0.0, 1e-40, 4e14, 1e9, 0.25};
  std::minstd_rand random(program.number<std::uint16_t>() + 1u);
  const double spread = program.one_of(spreads);
  const double speed = program.one_of(speeds);
  const auto part = [&] { return static_cast<double>(random() % 4096) / 2048 - 1; };
  const std::size_t row = static_cast<std::size_t>(shape.particles) * shape.components;
  std::vector<T> values;
  for (std::size_t k = 0; k < row; ++k) values.push_back(static_cast<T>(spread * part()));
  for (std::size_t k = row; k < row * shape.frames; ++k)
    values.push_back(static_cast<T>(values[k - row] + speed * part()));
  values.resize(row * static_cast<std::size_t>(shape.frames));
  for (std::size_t k = program.choice(8); k-- > 0 && !values.empty();) {
    const std::size_t at = program.number<std::uint16_t>() % values.size();
    values[at] = program.flag() ? program.number<T>() : static_cast<T>(program.one_of(strange));
  }
  return values;
}

template <typename T>
bool is_kept(T before, T after, double bound) {
  if (std::memcmp(&before, &after, sizeof before) == 0) return true;
  if (!std::isfinite(before) || !std::isfinite(after)) return false;
  return bound > 0 && std::fabs(static_cast<long double>(before) - static_cast<long double>(after)) <= bound;
}

template <typename T>
void go_and_come_back(Program &program) {
  FrameArrayShape shape;
  shape.type = sizeof(T) == 4 ? gpz::ValueType::float32 : gpz::ValueType::float64;
  shape.components = 1 + static_cast<unsigned>(program.choice(3));
  shape.frames = program.choice(7);
  shape.particles = program.flag() ? program.choice(8) : program.number<std::uint8_t>();
  if (shape.frames * shape.particles * shape.components > most_values) return;
  gpz::FrameArrayOptions options;
  options.bound = program.one_of(bounds);
  options.effort = program.one_of(efforts);
  options.key_interval = 1 + static_cast<unsigned>(program.choice(4));
  options.threads = 1 + static_cast<int>(program.choice(2));
  if (program.flag()) {
    gpz::Box box;
    box.kind = gpz::Box::Kind::orthogonal;
    box.boundary.fill('p');
    box.values = {-5, 5, -5, 5, -5, 5};
    options.boxes = {box};
  }
  const std::vector<T> values = described<T>(program, shape);
  const gpz::Bytes bytes = gpz::compress_frames(values.data(), shape, options);
  const gpz::FrameArrayInfo info = gpz::frame_array_info(bytes.data(), bytes.size());
  require(info.shape == shape && std::memcmp(&info.bound, &options.bound, sizeof info.bound) == 0,
          "a head that says otherwise");
  std::vector<T> found(values.size());
  gpz::decompress_frames(bytes.data(), bytes.size(), 0, shape.frames, found.data(), found.size() * sizeof(T));
  for (std::size_t k = 0; k < values.size(); ++k)
    require(is_kept(values[k], found[k], options.bound), "a value that is not within its bound");
  decode(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  Program program(bytes, size);
  switch (program.choice(4)) {
    case 0:
      go_and_come_back<double>(program);
      break;
    case 1:
      go_and_come_back<float>(program);
      break;
    default:
      only_decode(program);
  }
  return 0;
}
