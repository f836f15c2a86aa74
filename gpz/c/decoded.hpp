// SPDX-License-Identifier: BSD-3-Clause
// Files, frames and columns as C structures, and the destinations of columns, for readers and streams.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpz/gpz.h"
#include "gpz/reader.hpp"

namespace gpz::c {

// Metadata as a C structure, valid until `from` changes.
class MetadataView {
 public:
  explicit MetadataView(const Metadata &from);
  // Throws invalid_argument.
  void give(gpz_metadata *to) const;

 private:
  const Metadata &from_;
  std::vector<const char *> columns_;
  std::vector<const char *> elements_;
  std::vector<const char *> type_labels_;
};

// Throw invalid_argument; column_info throws not_found as well.
void give_frame(const FrameInfo &from, gpz_frame *to);
std::size_t column_count(const FrameInfo &frame);
void give_column(const FrameInfo &frame, std::size_t column, gpz_column_info *to);

// Throw invalid_argument.
std::vector<ColumnOutput> column_outputs(const gpz_output *outputs, std::size_t count, std::size_t capacity);
bool sorts_by_id(unsigned flags);

}  // namespace gpz::c
