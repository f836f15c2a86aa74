// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>

#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/section_pass.hpp"

namespace gpz::lanes {

using format::corrupt;

namespace {

// This many words after the end of a block can be read.
constexpr std::size_t block_margin = codec::step_most_words;

}  // namespace

class SectionDecoder : public SectionPass {
 public:
  using SectionPass::SectionPass;

  void decode(const std::uint8_t *bytes, std::size_t size, const core::GridBox &axes, const codec::IndexOutput &q) {
    OpenedSection section = open_section([&](std::size_t offset, std::size_t) { return bytes + offset; }, size, axes,
                                         particles_, is_key(), state_.learned_.models, *state_.known_plans_, threads_);
    cell_ = section.cell;
    update_.rests = section.has(motion_ends);
    update_.models = section.models;
    models_ = state_.learned_.models;
    models_.take(std::move(section.models));
    if (followed_ != nullptr) find_followed();
    templates_ = std::move(section.templates);
    if (is_key())
      start_key();
    else
      start();
    decode_blocks(section.words, bytes + section.words_at, bytes + size);
    write(section.has(wraps), section.images, q);
  }

 private:
  // Once for a plan: the same particles are followed as long as the state has it.
  void find_followed() {
    format::Column<std::uint32_t> &found = state_.followed_blocks_;
    if (update_.models.plan == nullptr && !found.empty()) return;
    const auto &blocks = layout().blocks();
    std::vector<bool> has(blocks.size());
    std::size_t block = 0;
    codec::parallel_wanted(1, layout().particles(), followed_->blocks, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        const std::size_t step = layout().slot_of()[i] / core::step_lanes;
        if (step < blocks[block].first || step >= blocks[block].end)
          block = static_cast<std::size_t>(
              std::upper_bound(blocks.begin(), blocks.end(), step,
                               [](std::size_t s, const Layout::Block &b) { return s < b.end; }) -
              blocks.begin());
        has[block] = true;
      }
    });
    found.clear();
    for (std::size_t b = 0; b < has.size(); ++b)
      if (has[b]) found.push_back(static_cast<std::uint32_t>(b));
  }
  bool is_followed(std::size_t particle) const {
    return followed_ == nullptr || followed_->blocks.has(particle / core::default_block_size);
  }

  void decode_blocks(const std::vector<std::uint32_t> &count, const std::uint8_t *words_of_all,
                     const std::uint8_t *end) {
    const auto &blocks = layout().blocks();
    std::vector<const std::uint8_t *> from(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      from[b] = words_of_all;
      words_of_all += 2 * std::size_t{count[b]};
    }
    const codec::StepTable table = table_with(*models_.numbers);
    const codec::StepCodes codes = models_.codes->for_kernels();
    for_blocks([&](std::size_t b) {
      // Words are read in vectors, also after the last one. The last blocks are copied; one copy is kept, so that
      // frames do not need memory each.
      const auto *words = reinterpret_cast<const std::uint16_t *>(from[b]);
      format::Column<std::uint16_t> own;
      if (static_cast<std::size_t>(end - from[b]) < 2 * (count[b] + block_margin)) {
        format::Column<std::uint16_t> &copy = b + 1 == blocks.size() ? state_.last_words_ : own;
        copy.resize(count[b] + block_margin);
        std::memcpy(copy.data(), words, 2 * count[b]);
        words = copy.data();
      }
      if (!codec::kernels().steps.decode(table, codes, blocks[b].first, blocks[b].end, state_.rows_.data(), next(),
                                         means(state_.means_.data()), words, count[b]))
        corrupt("words of a block of steps", static_cast<std::size_t>(from[b] - from[0]));
    });
  }

  // Images of this frame, which are the last ones so far, and the indices that they give.
  void write(bool wraps, const ImageExceptions &exceptions, const codec::IndexOutput &q) {
    std::int32_t *const rows = state_.rows_.data() + next();
    const std::uint32_t *const slot_of = layout().slot_of().data();
    const auto put = [&](std::size_t i, const GridVector &at) {
      for (std::size_t d = 0; d < at.size(); ++d) q[d][i] = at[d];
    };
    const auto put_usual = [&](std::size_t i) {
      std::int32_t *const at = rows + 8 * std::size_t{slot_of[i]};
      const PositionInBox position = usual_position(cell_, wraps, at, image_in(at));
      store_image(at, position.image);
      put(i, position.at);
    };
    codec::StepFrame step_frame{rows, slot_of, {}, {}, {}};
    const bool is_usual = find_box(wraps, step_frame);
    const codec::WantedBlocks all;
    const codec::WantedBlocks &wanted = followed_ != nullptr ? followed_->blocks : all;
    codec::parallel_wanted(threads_, layout().particles(), wanted, [&](std::size_t first, std::size_t end) {
      if (!is_usual)
        for (std::size_t i = first; i < end; ++i) put_usual(i);
      std::array<std::uint32_t, 1024> left;
      for (std::size_t i = first; is_usual && i < end; i += left.size()) {
        const std::size_t count =
            codec::kernels().steps.find_positions(step_frame, i, std::min(i + left.size(), end), q, left.data());
        for (std::size_t k = 0; k < count; ++k) put_usual(left[k]);
      }
    });
    for (std::size_t k = 0; k < exceptions.slot.size(); ++k) {
      const std::uint32_t slot = exceptions.slot[k], particle = layout().particle_at()[slot];
      if (particle == Layout::nobody || !is_followed(particle)) continue;
      std::int32_t *const at = rows + 8 * std::size_t{slot};
      store_image(at, sum_of(image_in(at), image_of_code(exceptions.code[k])));
      put(particle, position_of(cell_, at, image_in(at)));
    }
  }

  // The edges, and the box in which images do not wrap. Returns false if they do not fit into `step_frame`.
  bool find_box(bool wraps, codec::StepFrame &step_frame) const {
    using Edge = core::Vector<std::int32_t>;
    bool fits = true;
    const auto narrow = [&](std::int64_t x, std::int64_t most) {
      fits = fits && x >= -most && x <= most;
      return static_cast<std::int32_t>(x);
    };
    for (std::size_t d = 0; d < core::max_components; ++d) {
      const GridVector &edge = cell_.edge(d);
      const auto of = [&](std::size_t c) { return narrow(edge[c], codec::StepFrame::most_edge); };
      step_frame.edges[d] = Edge{of(0), of(1), of(2)};
    }
    step_frame.least = {INT32_MIN, INT32_MIN, INT32_MIN};
    step_frame.most = {INT32_MAX, INT32_MAX, INT32_MAX};
    if (!wraps) return fits;
    const core::GridBox *const box = cell_.straight_axes();
    if (box == nullptr) return false;
    const auto limit = [&](std::size_t d, std::int32_t &least, std::int32_t &most) {
      const core::GridAxis &axis = (*box)[d];
      if (axis.period == 0) return;
      least = narrow(axis.lo, INT32_MAX);
      most = narrow(axis.lo + axis.period - 1, INT32_MAX);
    };
    limit(0, step_frame.least.x, step_frame.most.x);
    limit(1, step_frame.least.y, step_frame.most.y);
    limit(2, step_frame.least.z, step_frame.most.z);
    return fits;
  }
};

namespace {

void decode_and_commit(State &state, SectionDecoder &&coder, const std::uint8_t *bytes, std::size_t size,
                       const core::GridBox &axes, const codec::IndexOutput &q) {
  try {
    coder.decode(bytes, size, axes, q);
    state.commit(coder.update());
  } catch (...) {
    state.restart();
    throw;
  }
}

}  // namespace

void decode(State &state, const codec::DifferenceState &history, const std::uint8_t *bytes, std::size_t size,
            const core::GridBox &axes, int threads, const codec::IndexOutput &q,
            const codec::FollowedBlocks *followed) {
  decode_and_commit(state, SectionDecoder(state, history.particles, &history, threads, followed), bytes, size, axes, q);
}

void decode_key(State &state, std::size_t particles, const std::uint8_t *bytes, std::size_t size,
                const core::GridBox &axes, int threads, const codec::IndexOutput &q) {
  state.restart();
  decode_and_commit(state, SectionDecoder(state, particles, nullptr, threads, nullptr), bytes, size, axes, q);
}

}  // namespace gpz::lanes
