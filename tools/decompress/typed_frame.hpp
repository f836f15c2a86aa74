// SPDX-License-Identifier: BSD-3-Clause
// A frame of a .gpz file with every column in its own type, so that all values keep their bits, those of NaNs too.
#pragma once

#include <cstddef>
#include <vector>

#include "gpz/reader.hpp"

namespace gpz::tool {

class TypedFrame {
 public:
  // Decodes frame i. Returns false, and holds none, if it has columns of one name, which cannot be told apart.
  bool read(const Reader &reader, std::size_t i, int threads);

  const FrameInfo &info() const { return info_; }
  // For an encoder; valid until the next call of read().
  const std::vector<FieldInput> &fields() const { return fields_; }

 private:
  struct Column {
    std::vector<std::int64_t> integers;
    std::vector<float> singles;
    std::vector<double> doubles;
  };

  static Array room_in(Column &column, ValueType type, std::size_t particles);

  FrameInfo info_;
  std::vector<Column> columns_;
  std::vector<FieldInput> fields_;
};

}  // namespace gpz::tool
