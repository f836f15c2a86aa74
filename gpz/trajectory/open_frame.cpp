// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/open_frame.hpp"

#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::trajectory {

using format::located;

OpenFrame::Rows OpenFrame::arrange(const FrameInfo &info, const Arrangement &arrangement, int threads) {
  Rows rows;
  rows.arrangement = arrangement;
  if (arrangement.sorted_by != format::no_field) rows.order = &id_order(arrangement.sorted_by, threads);
  if (arrangement.selection != nullptr) rows.selected = &select(info, arrangement, rows.order, threads);
  rows.count = rows.selected != nullptr ? rows.selected->count() : static_cast<std::size_t>(particles());
  return rows;
}

void OpenFrame::write_all(const std::vector<Field> &fields, const std::vector<codec::Target> &targets, const Rows &rows,
                          int threads) const {
  for (std::size_t f = 0; f < targets.size(); ++f) {
    if (!targets[f].is_wanted()) continue;
    codec::Target target = targets[f];
    if (rows.order != nullptr) target.rows = rows.order->rows();
    if (rows.selected != nullptr) {
      target.rows = rows.selected->rows();
      target.is_partial = true;
    }
    try {
      if (rows.order != nullptr && f == rows.arrangement.sorted_by)
        codec::store(codec::IntegerValues{rows.order->ids().data()}, rows.order->ids().size(), target);
      else
        write(f, target, threads);
    } catch (const Error &error) {
      if (error.status() != Status::limit_exceeded) throw;
      throw Error(error.status(), "field " + fields[f].components[0].name + ": " + error.cause(), error.file(),
                  error.position());
    }
  }
}

void KeyFrame::add(const format::OpenedChunk &chunk, std::uint64_t particles, std::uint64_t position) {
  located(position, [&] { chunks_.push_back({IndependentChunk(chunk, particles, *fields_, wanted_), position}); });
  particles_ += particles;
}

void KeyFrame::write(std::size_t field, const codec::Target &target, int threads) const {
  std::size_t first = 0;
  for (const Chunk &chunk : chunks_) {
    located(chunk.position, [&] { chunk.chunk.write(field, target.from(first), threads, memory_->indices); });
    first += static_cast<std::size_t>(chunk.chunk.particles());
  }
}

const IdOrder &KeyFrame::id_order(std::size_t field, int threads) {
  write(field, memory_->order.target(static_cast<std::size_t>(particles_)), threads);
  memory_->order.rank();
  return memory_->order;
}

const SelectedRows &KeyFrame::select(const FrameInfo &info, const Arrangement &arrangement, const IdOrder *order,
                                     int threads) {
  memory_->selected.choose(*arrangement.selection, info.fields, info.box, static_cast<std::size_t>(particles_),
                           order == nullptr ? nullptr : order->rows(),
                           [&](std::size_t field, const codec::Target &target) { write(field, target, threads); });
  return memory_->selected;
}

}  // namespace gpz::trajectory
