// SPDX-License-Identifier: BSD-3-Clause
// The class behind gpz_reader of the C API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpz/c/decoded.hpp"
#include "gpz/error.hpp"
#include "gpz/gpz.h"
#include "gpz/reader.hpp"
#include "gpz/selection.hpp"

struct gpz_reader {
  gpz_reader(gpz::Reader from, int thread_count)
      : reader(std::move(from)), threads(thread_count), metadata(reader.metadata()) {}

  const gpz::FrameInfo &info(std::size_t i) const {
    if (frame != i) {
      frame.reset();
      head = reader.info(i);
      frame = i;
    }
    return head;
  }

  // Decodes columns of all particles, or of those that are selected.
  void read(std::size_t i, const std::vector<gpz::ColumnOutput> &columns, std::size_t capacity, bool sort_by_id) const {
    const gpz::FrameInfo read = reader.read_columns(i, columns, capacity, {threads, sort_by_id, selection});
    if (selection != nullptr && read.particles != selected)
      throw gpz::Error(gpz::Status::not_found, "frame " + std::to_string(i) + " has " + std::to_string(read.particles) +
                                                   " particles with the " + std::to_string(selected) +
                                                   " ids that are selected");
  }

  const std::vector<gpz::RecordEntry> &records_before(std::size_t i) {
    if (records_frame != i) {
      records_frame.reset();
      records = reader.records(i);
      records_frame = i;
    }
    return records;
  }

  gpz::Reader reader;
  int threads;
  gpz::c::MetadataView metadata;
  // Selection set by gpz_reader_select_ids; nullptr: all particles.
  std::shared_ptr<const gpz::Selection> selection;
  std::uint64_t selected = 0;  // different ids
  // Head of the last requested frame, because callers ask for its columns one by one.
  mutable std::optional<std::size_t> frame;
  mutable gpz::FrameInfo head;
  // Records in front of a frame, and the record read last.
  std::optional<std::size_t> records_frame;
  std::vector<gpz::RecordEntry> records;
  gpz::StoredRecord record;
  // Observables of the frame that was asked for last.
  std::optional<std::size_t> observables_frame;
  std::vector<gpz::Observable> observables;
};
