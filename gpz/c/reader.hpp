// SPDX-License-Identifier: BSD-3-Clause
// What a gpz_reader of the C API is.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "gpz/c/decoded.hpp"
#include "gpz/gpz.h"
#include "gpz/reader.hpp"

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
