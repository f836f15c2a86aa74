// SPDX-License-Identifier: BSD-3-Clause
// The way of values through the library, from outside: gpz::Writer, a file in memory, gpz::Reader, and a comparison of
// every value.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bound_check.hpp"
#include "gpz/reader.hpp"
#include "gpz/writer.hpp"

namespace gpz::values {

// A field and its values, those of one particle next to each other.
struct FieldValues {
  Field field;
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>> values;

  FieldInput input() const;
};

// A field with components of these names, and the type of the values.
template <typename T>
FieldValues field_of(const std::vector<std::string> &names, std::vector<T> values, double bound = 0, double step = 0) {
  FieldValues out;
  out.field.type = std::is_same_v<T, double>  ? ValueType::float64
                   : std::is_same_v<T, float> ? ValueType::float32
                                              : ValueType::integer;
  out.field.bound = bound;
  out.field.step = step;
  for (const std::string &name : names) out.field.components.push_back({name, 0});
  out.values = std::move(values);
  return out;
}

struct FrameValues {
  std::vector<FieldValues> fields;  // one of them with the component "id"; ids ascend
  std::size_t particles = 0;
  Box box;
};

struct FileOptions {
  Order order = Order::place;
  unsigned key_interval = 1;  // frames
  int threads = 1;
  Effort effort = default_effort;
};

// Writes frames to memory, the particles in another order than that of their ids.
class FileInMemory {
 public:
  explicit FileInMemory(const FileOptions &options);

  void write(const FrameValues &frame);
  // Adds the frame as a chunk that something else has encoded: TrajectoryEncoder or its counterpart on a GPU.
  void write(const FrameValues &frame, const EncodedChunk &chunk);
  // Ends the file. Then a reader and the XXH3 of the whole file can be asked for.
  void close();
  const Reader &reader() const { return *reader_; }
  std::uint64_t digest() const;

  // Reads frame i and compares all its values with those that were written. A largest error in the head
  // of the frame that is less than one of the errors, or more than the bound, counts as a miss too.
  Tally compare_frame(std::size_t i, const FrameValues &given, const std::string &what) const;

 private:
  FrameInfo info_of(const FrameValues &frame) const;

  FileOptions options_;
  Bytes bytes_;
  Writer writer_;
  std::unique_ptr<Reader> reader_;
  std::vector<int> rows_;
};

}  // namespace gpz::values
