// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>

#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/section_pass.hpp"
#include "gpz/lanes/tilted.hpp"

namespace gpz::lanes {

using format::corrupt;

namespace {

// A block has this many words behind its end that can be read.
constexpr std::size_t block_margin = codec::step_most_words;

}  // namespace

class SectionDecoder : public SectionPass {
 public:
  using SectionPass::SectionPass;

  void decode(const std::uint8_t *bytes, std::size_t size, const core::GridBox &axes, const codec::IndexOutput &q) {
    format::ByteReader in(bytes, size);
    const std::uint64_t flags = in.u64();
    if (flags > all_flags || ((flags & brick) != 0 && (flags & tilted) == 0) ||
        ((flags & new_plan) != 0 && (flags & (new_constants | new_codes)) != (new_constants | new_codes)))
      corrupt("flags of a section of steps", 0);
    update_.rests = (flags & motion_ends) != 0;
    cell_ = Cell(axes);
    if ((flags & tilted) != 0) cell_ = read_tilted(in, (flags & brick) != 0);
    if ((flags & new_plan) != 0) {
      const std::uint64_t length = in.u64();
      const std::size_t at = in.position();
      const std::uint8_t *const plan = in.take(static_cast<std::size_t>(std::min<std::uint64_t>(length, SIZE_MAX)));
      format::located(at, [&] { read_plan(plan, static_cast<std::size_t>(length)); });
    } else if (state_.empty()) {
      corrupt("molecules that were never given", 0);
    }
    if (plan_->layout.particles() != history_.particles) corrupt("molecules of other particles", 0);
    const auto rest = [&](const auto &read) {
      const std::size_t at = in.position();
      in.take(format::located(at, [&] { return read(bytes + at, size - at); }));
    };
    if ((flags & new_constants) != 0) {
      update_.numbers = numbers_ = std::make_shared<Numbers>();
      if ((flags & new_plan) == 0) numbers_->constants = state_.numbers_->constants;
      numbers_->constants.resize(plan_->molecules.is_wide.size());
      rest([&](const std::uint8_t *from, std::size_t left) { return read_constants(from, left, numbers_->constants); });
      numbers_->columns.fill(plan_->layout, numbers_->constants);
    }
    if ((flags & new_codes) != 0) {
      // Tables are large: they are written over, unless a copy of the state has them too.
      if (codes_ == nullptr || codes_.use_count() > 2) codes_ = std::make_shared<Codes>();
      update_.codes = codes_;
      rest([&](const std::uint8_t *from, std::size_t left) { return codes_->read(from, left); });
    }
    ImageExceptions exceptions;
    rest(
        [&](const std::uint8_t *from, std::size_t left) { return exceptions.read(from, left, plan_->layout.slots()); });
    if (followed_ != nullptr) find_followed();
    start();
    decode_blocks(in);
    write((flags & wraps) != 0, exceptions, q);
  }

 private:
  void read_plan(const std::uint8_t *bytes, std::size_t size) {
    const bool is_known = state_.known_plan_ != nullptr && state_.plan_bytes_.size() == size &&
                          std::memcmp(state_.plan_bytes_.data(), bytes, size) == 0 &&
                          state_.known_plan_->layout.particles() == history_.particles;
    if (!is_known) {
      state_.known_plan_ = nullptr;
      state_.known_plan_ = lanes::read_plan(bytes, size, history_.particles, threads_);
      state_.plan_bytes_.assign(bytes, bytes + size);
    }
    update_.plan = plan_ = state_.known_plan_;
  }

  // Once for a plan: the same particles are followed as long as the state has it.
  void find_followed() {
    format::Column<std::uint32_t> &found = state_.followed_blocks_;
    if (update_.plan == nullptr && !found.empty()) return;
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

  void decode_blocks(format::ByteReader &in) {
    const auto &blocks = layout().blocks();
    std::vector<const std::uint8_t *> from(blocks.size());
    std::vector<std::size_t> count(blocks.size());
    for (std::size_t &words : count) words = in.u32();
    for (std::size_t b = 0; b < blocks.size(); ++b) from[b] = in.take(2 * count[b]);
    if (in.left() != format::round_up_8(in.position()) - in.position())
      corrupt("length of a section of steps", in.position());
    while (in.left() != 0)
      if (in.u8() != 0) corrupt("padding of a section of steps", in.position() - 1);
    const codec::StepTable table = layout().table(numbers_->columns.data());
    const codec::StepCodes codes = codes_->for_kernels();
    for_blocks([&](std::size_t b) {
      // Words are read in vectors, also behind the last one.
      format::Column<std::uint16_t> words(count[b] + block_margin);
      std::memcpy(words.data(), from[b], 2 * count[b]);
      if (!codec::kernels().steps.decode(table, codes, blocks[b].first, blocks[b].end, state_.rows_.data(), next(),
                                         means(state_.means_.data()), words.data(), count[b]))
        corrupt("words of a block of steps", static_cast<std::size_t>(from[b] - from[0]));
    });
  }

  // Images of this frame, which are the last ones so far, and the indices that they give.
  void write(bool wraps, const ImageExceptions &exceptions, const codec::IndexOutput &q) {
    std::int32_t *const rows = state_.rows_.data() + next();
    const std::uint32_t *const slot_of = layout().slot_of().data();
    const auto put = [&](std::size_t i, const Way &at) {
      for (std::size_t d = 0; d < at.size(); ++d) q[d][i] = at[d];
    };
    const auto put_usual = [&](std::size_t i) {
      std::int32_t *const at = rows + 8 * std::size_t{slot_of[i]};
      const Placed placed = usually_placed(cell_, wraps, at, image_in(at));
      store_image(at, placed.image);
      put(i, placed.at);
    };
    codec::StepPlaces places{rows, slot_of, {}, {}, {}};
    const bool is_usual = find_box(wraps, places);
    const codec::WantedBlocks all;
    const codec::WantedBlocks &wanted = followed_ != nullptr ? followed_->blocks : all;
    codec::parallel_wanted(threads_, layout().particles(), wanted, [&](std::size_t first, std::size_t end) {
      if (!is_usual)
        for (std::size_t i = first; i < end; ++i) put_usual(i);
      std::array<std::uint32_t, 1024> left;
      for (std::size_t i = first; is_usual && i < end; i += left.size()) {
        const std::size_t count =
            codec::kernels().steps.place(places, i, std::min(i + left.size(), end), q, left.data());
        for (std::size_t k = 0; k < count; ++k) put_usual(left[k]);
      }
    });
    for (std::size_t k = 0; k < exceptions.slot.size(); ++k) {
      const std::uint32_t slot = exceptions.slot[k], particle = layout().particle_at()[slot];
      if (particle == Layout::nobody || !is_followed(particle)) continue;
      std::int32_t *const at = rows + 8 * std::size_t{slot};
      store_image(at, sum_of(image_in(at), image_of_code(exceptions.code[k])));
      put(particle, place_of(cell_, at, image_in(at)));
    }
  }

  // The edges, and the box in which images do not wrap. Returns false if they do not fit into `places`.
  bool find_box(bool wraps, codec::StepPlaces &places) const {
    using Place = core::Vector<std::int32_t>;
    bool fits = true;
    const auto narrow = [&](std::int64_t x, std::int64_t most) {
      fits = fits && x >= -most && x <= most;
      return static_cast<std::int32_t>(x);
    };
    for (std::size_t d = 0; d < core::max_components; ++d) {
      const Way &edge = cell_.edge(d);
      const auto of = [&](std::size_t c) { return narrow(edge[c], codec::StepPlaces::most_edge); };
      places.edges[d] = Place{of(0), of(1), of(2)};
    }
    places.least = {INT32_MIN, INT32_MIN, INT32_MIN};
    places.most = {INT32_MAX, INT32_MAX, INT32_MAX};
    if (!wraps) return fits;
    const core::GridBox *const box = cell_.straight_axes();
    if (box == nullptr) return false;
    const auto limit = [&](std::size_t d, std::int32_t &least, std::int32_t &most) {
      const core::GridAxis &axis = (*box)[d];
      if (axis.period == 0) return;
      least = narrow(axis.lo, INT32_MAX);
      most = narrow(axis.lo + axis.period - 1, INT32_MAX);
    };
    limit(0, places.least.x, places.most.x);
    limit(1, places.least.y, places.most.y);
    limit(2, places.least.z, places.most.z);
    return fits;
  }
};

void decode(State &state, const codec::DifferenceState &history, const std::uint8_t *bytes, std::size_t size,
            const core::GridBox &axes, int threads, const codec::IndexOutput &q,
            const codec::FollowedBlocks *followed) {
  try {
    SectionDecoder coder(state, history, threads, followed);
    coder.decode(bytes, size, axes, q);
    state.commit(coder.update());
  } catch (...) {
    state.restart();
    throw;
  }
}

}  // namespace gpz::lanes
