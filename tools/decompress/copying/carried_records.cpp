// SPDX-License-Identifier: BSD-3-Clause
#include "copying/carried_records.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "gpz/error.hpp"

namespace gpz::tool {

void CarriedRecords::before(std::size_t i) {
  if (!begun_) {
    begun_ = true;
    move_tables_behind(i);
  }
  while (next_ <= i) {
    const std::size_t frame = next_++;
    for (const RecordEntry &entry : reader_.records(frame)) {
      // Those of a frame that is left out.
      if (entry.type == observables_record_type && frame != i) continue;
      if (std::find(moved_.begin(), moved_.end(), entry.offset) == moved_.end()) copy(reader_.stored(entry), i);
    }
  }
  if (part_ == nullptr || i >= reader_.frames()) return;
  if (const auto record = part_->before_frame(particles(i))) out_.copy(*record);
}

void CarriedRecords::move_tables_behind(std::size_t i) {
  const auto read = [&](const RecordEntry &entry) -> std::vector<Table> {
    if (entry.type != tables_record_type) return {};
    try {
      return tables_of(reader_.stored(entry), limits_);
    } catch (const Error &error) {
      if (error.status() != Status::corrupt) throw;
      return {};  // it is copied as it is
    }
  };
  std::map<std::string, Table> moved;
  for (const RecordEntry &entry : reader_.records(reader_.frames())) {
    std::vector<Table> tables = read(entry);
    if (!tables.empty()) moved_.push_back(entry.offset);
    for (Table &table : tables) moved[table.name] = std::move(table);
  }
  if (moved.empty()) return;
  for (std::size_t frame = 0; frame <= i && frame < reader_.frames(); ++frame)
    for (const RecordEntry &entry : reader_.records(frame))
      for (const Table &table : read(entry)) moved.erase(table.name);
  std::vector<Table> tables;
  tables.reserve(moved.size());
  for (auto &named : moved) tables.push_back(std::move(named.second));
  if (tables.empty()) return;
  copy(tables_record(tables), i);
}

// In front of frame i, or after the last frame.
void CarriedRecords::copy(const StoredRecord &record, std::size_t i) {
  out_.copy(part_ == nullptr ? record : part_->changed(record, particles(i)));
}

std::uint64_t CarriedRecords::particles(std::size_t i) const {
  const std::vector<IndexEntry> &frames = reader_.scan().frames;
  return frames.empty() ? 0 : frames[std::min(i, frames.size() - 1)].particles;
}

}  // namespace gpz::tool
