// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/trajectory/interval_decoder.hpp"

#include <algorithm>

#include "gpz/error.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::trajectory {

bool IntervalDecoder::can_follow(const format::FrameHead &head) const {
  if (head.info.since_key == 0) return true;
  return complete_ && head.info.since_key == since_key_ + 1 && head.info.reference == checksum_ &&
         head.chunks.size() == count_;
}

void IntervalDecoder::begin(const format::FrameHead &head, const std::vector<bool> &wanted, int threads, Next next,
                            const std::shared_ptr<const Selection> &only) {
  if (!can_follow(head)) throw Error(Status::corrupt, "the frame that it builds on is missing");
  if (head.info.since_key == 0) {
    forget();
    const bool was_opened = is_opened_;
    is_opened_ = next == Next::nothing || (next == Next::unknown && stands_alone_);
    count_ = head.chunks.size();
    ordered_by_ = format::no_field;  // also for frames without chunks
    selected_as_ = {};
    only_ = only;
    if (is_opened_) {
      fields_ = head.info.fields;
      if (!was_opened) chunks_.clear();  // frees memory that key frames do not need
    } else {
      restart();
    }
  } else {
    complete_ = false;
    if (is_opened_) start(threads);
    serve(only);
  }
  wanted_ = wanted;
}

void IntervalDecoder::restart() {
  chunks_.resize(count_);
  for (ChunkReader &chunk : chunks_) chunk.restart();
}

void IntervalDecoder::start(int threads) {
  restart();
  for (std::size_t k = 0; k < opened_.size(); ++k)
    format::located(opened_[k].position, [&] {
      opened_[k].chunk.reset();  // frees what it has decoded
      chunks_[k].next(opened_[k].bytes, opened_[k].particles, fields_, wanted_, threads, only_.get());
    });
  opened_.clear();
  is_opened_ = false;
}

void IntervalDecoder::chunk(std::size_t k, const format::OpenedChunk &chunk, std::uint64_t particles,
                            const std::vector<Field> &fields, int threads, std::uint64_t position) {
  if (is_opened_)
    opened_.push_back({chunk, particles, position, IndependentChunk(chunk, particles, fields_, wanted_)});
  else
    chunks_[k].next(chunk, particles, fields, wanted_, threads, only_.get());
}

void IntervalDecoder::end(const format::FrameHead &head) {
  complete_ = true;
  since_key_ = head.info.since_key;
  checksum_ = head.checksum;
  if (is_opened_) return;
  if (ordered_by_ != format::no_field && !is_unchanged(ordered_by_)) ordered_by_ = format::no_field;
  const auto has_same = [&](std::size_t field) { return is_unchanged(field); };
  if (!std::all_of(selected_by_.begin(), selected_by_.end(), has_same)) selected_as_ = {};
}

void IntervalDecoder::forget() {
  if (complete_) stands_alone_ = since_key_ == 0;
  complete_ = false;
  opened_.clear();
}

bool IntervalDecoder::is_unchanged(std::size_t field) const {
  return std::all_of(chunks_.begin(), chunks_.end(),
                     [&](const ChunkReader &chunk) { return chunk.is_unchanged(field); });
}

bool IntervalDecoder::serves(const std::shared_ptr<const Selection> &selection) const {
  const auto has_all = [](const ChunkReader &chunk) { return chunk.has_all_slots(); };
  return is_opened_ || selection == only_ || std::all_of(chunks_.begin(), chunks_.end(), has_all);
}

void IntervalDecoder::serve(const std::shared_ptr<const Selection> &selection) {
  if (selection == only_) return;
  if (!is_opened_)
    for (ChunkReader &chunk : chunks_) chunk.follow_all_slots();
  only_.reset();  // later independent chunks follow all of theirs
}

bool IntervalDecoder::follows(const std::vector<bool> &wanted) const {
  if (wanted_.empty() || wanted.empty()) return wanted_.empty();
  for (std::size_t f = 0; f < wanted.size(); ++f)
    if (wanted[f] && !(f < wanted_.size() && wanted_[f])) return false;
  return true;
}

std::vector<bool> IntervalDecoder::joined(std::vector<bool> wanted) const {
  if (wanted_.empty() || wanted.empty()) return {};
  for (std::size_t f = 0; f < wanted.size() && f < wanted_.size(); ++f)
    if (wanted_[f]) wanted[f] = true;
  return wanted;
}

std::uint64_t IntervalDecoder::particles() const {
  std::uint64_t sum = 0;
  if (is_opened_)
    for (const Opened &opened : opened_) sum += opened.particles;
  else
    for (const ChunkReader &chunk : chunks_) sum += chunk.particles();
  return sum;
}

IntervalDecoder::Rows IntervalDecoder::arrange(const FrameInfo &info, const Arrangement &arrangement, int threads) {
  Rows rows;
  rows.arrangement = arrangement;
  if (arrangement.sorted_by != format::no_field) rows.order = &id_order(arrangement.sorted_by, threads);
  if (arrangement.selection != nullptr) rows.selected = &select(info, arrangement, rows.order, threads);
  rows.count = rows.selected != nullptr ? rows.selected->count() : static_cast<std::size_t>(particles());
  return rows;
}

void IntervalDecoder::write_all(const std::vector<Field> &fields, const std::vector<codec::Target> &targets,
                                const Rows &rows, int threads) {
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

void IntervalDecoder::write(std::size_t field, const codec::Target &target, int threads) {
  std::size_t first = 0;
  const auto part_of = [&](std::uint64_t particles) {
    first += static_cast<std::size_t>(particles);
    return target.from(first - static_cast<std::size_t>(particles));
  };
  if (is_opened_) {
    for (std::size_t k = 0; k < opened_.size(); ++k)
      format::located(opened_[k].position, [&] {
        const Opened &opened = opened_[k];
        lanes::State *steps = nullptr;
        if (opened.chunk->is_in_steps(field)) {
          // The difference frames that may follow know the molecules then.
          chunks_.resize(std::max(chunks_.size(), opened_.size()));
          steps = &chunks_[k].key_steps(field);
        }
        opened.chunk->write(field, part_of(opened.particles), threads, indices_, steps);
      });
    return;
  }
  for (const ChunkReader &chunk : chunks_) chunk.write(field, part_of(chunk.particles()), threads);
}

const IdOrder &IntervalDecoder::id_order(std::size_t field, int threads) {
  if (ordered_by_ == field) return order_;
  ordered_by_ = format::no_field;
  write(field, order_.target(static_cast<std::size_t>(particles())), threads);
  order_.rank();
  ordered_by_ = field;
  return order_;
}

const SelectedRows &IntervalDecoder::select(const FrameInfo &info, const Arrangement &arrangement, const IdOrder *order,
                                            int threads) {
  const Selection &selection = *arrangement.selection;
  // Positions depend on the box as well.
  if (!selection.region && selected_as_.selection == arrangement.selection &&
      selected_as_.sorted_by == arrangement.sorted_by)
    return selected_;
  selected_as_ = {};
  selected_by_.clear();
  if (arrangement.sorted_by != format::no_field) selected_by_.push_back(arrangement.sorted_by);
  selected_.choose(selection, info.fields, info.box, static_cast<std::size_t>(particles()),
                   order == nullptr ? nullptr : order->rows(), [&](std::size_t field, const codec::Target &target) {
                     selected_by_.push_back(field);
                     write(field, target, threads);
                   });
  selected_as_ = arrangement;
  return selected_;
}

}  // namespace gpz::trajectory
