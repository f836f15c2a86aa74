// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/open_frame.hpp"

#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::trajectory {

using format::located;

void OpenFrame::write_all(const std::vector<Field> &fields, const std::vector<codec::Target> &targets,
                          std::size_t sorted_by, int threads) {
  const IdOrder *const order = sorted_by == format::no_field ? nullptr : &id_order(sorted_by, threads);
  for (std::size_t f = 0; f < targets.size(); ++f) {
    if (!targets[f].is_wanted()) continue;
    codec::Target target = targets[f];
    if (order != nullptr) target.rows = order->rows();
    try {
      if (f == sorted_by)
        codec::store(codec::IntegerValues{order->ids().data()}, order->ids().size(), target);
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

}  // namespace gpz::trajectory
