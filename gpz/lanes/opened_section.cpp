// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/lanes/opened_section.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpz/codec/memory.hpp"
#include "gpz/format/bytes.hpp"
#include "gpz/format/corrupt.hpp"
#include "gpz/lanes/tilted.hpp"

namespace gpz::lanes {

using format::corrupt;

namespace {

constexpr std::size_t tilted_bytes = 9 * sizeof(std::int64_t);

// Reads parts one after the other.
class Parts {
 public:
  Parts(const ReadBytes &read, std::size_t size) : read_(read), size_(size) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return size_ - position_; }
  // The next bytes, or those that are left. Their position does not change.
  format::ByteReader peek(std::uint64_t count) const {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(count, left()));
    return {read_(position_, most), most};
  }
  format::ByteReader take(std::size_t count) {
    if (count > left()) corrupt("a length is larger than what holds it", position_);
    const format::ByteReader bytes = peek(count);
    position_ += count;
    return bytes;
  }
  void skip(std::size_t count) { position_ += count; }
  std::uint64_t u64() { return take(sizeof(std::uint64_t)).u64(); }

  // A part that `use(bytes, size)` reads, which returns how many bytes it had. Its length follows after `before` bytes.
  template <typename Use>
  void table(std::size_t before, const Use &use) {
    format::located(position_, [&] {
      format::ByteReader start = peek(before + sizeof(std::uint64_t));
      start.take(before);
      const std::uint64_t length = std::min<std::uint64_t>(start.u64(), left());
      format::ByteReader bytes = peek(before + sizeof length + length);
      const std::size_t size = bytes.left();
      position_ += use(bytes.take(size), size);
    });
  }

 private:
  const ReadBytes &read_;
  std::size_t size_;
  std::size_t position_ = 0;
};

void read_words(Parts &in, std::size_t blocks, OpenedSection &section) {
  if (blocks > in.left() / sizeof(std::uint32_t)) corrupt("length of a section of steps", in.position());
  format::ByteReader counts = in.take(blocks * sizeof(std::uint32_t));
  section.words.resize(blocks);
  std::uint64_t sum = 0;
  for (std::uint32_t &words : section.words) sum += words = counts.u32();
  section.words_at = in.position();
  const std::uint64_t end = in.position() + 2 * sum;
  if (format::round_up_8(end) != in.position() + in.left()) corrupt("length of a section of steps", in.position());
  in.skip(static_cast<std::size_t>(2 * sum));
  format::ByteReader padding = in.take(in.left());
  while (padding.left() != 0)
    if (padding.u8() != 0) corrupt("padding of a section of steps", in.position() - 1);
}

}  // namespace

OpenedSection open_section(const ReadBytes &read, std::size_t size, const core::GridBox &axes, std::size_t particles,
                           bool is_key, Models &last, KnownPlans &known, int threads) {
  OpenedSection section;
  Parts in(read, size);
  const std::uint64_t flags = in.u64();
  section.flags = static_cast<unsigned>(flags & all_flags);
  if (flags > all_flags || (section.has(brick) && !section.has(tilted)) ||
      (section.has(new_plan) && !(section.has(new_constants) && section.has(new_codes))) ||
      (is_key && (!section.has(new_plan) || section.has(motion_ends))))
    corrupt("flags of a section of steps", 0);
  section.cell = Cell(axes);
  if (section.has(tilted)) {
    format::ByteReader box = in.take(tilted_bytes);
    section.cell = read_tilted(box, section.has(brick));
  }
  Models &models = section.models;
  if (section.has(new_plan)) {
    const std::uint64_t length = in.u64();
    const std::size_t at = in.position();
    if (length > in.left()) corrupt("a length is larger than what holds it", at);
    const auto count = static_cast<std::size_t>(length);
    format::ByteReader bytes = in.take(count);
    format::located(at, [&] { models.plan = known.read(bytes.take(count), count, particles, threads); });
  } else if (last.plan == nullptr) {
    corrupt("molecules that were never given", 0);
  }
  const Plan &plan = section.has(new_plan) ? *models.plan : *last.plan;
  if (plan.layout.particles() != particles) corrupt("molecules of other particles", 0);
  if (is_key && !plan.molecules.have_bonds()) corrupt("particles without bonds in a key frame", 0);
  if (section.has(new_constants)) {
    models.numbers =
        last.numbers != nullptr && last.numbers.use_count() == 1 ? last.numbers : std::make_shared<Numbers>();
    std::vector<ClassConstants> &constants = models.numbers->constants;
    if (section.has(new_plan))
      constants.assign(plan.molecules.kind.size(), {});
    else
      constants = last.numbers->constants;
    models.numbers->forget_columns();
    in.table(0, [&](const std::uint8_t *bytes, std::size_t most) { return read_constants(bytes, most, constants); });
  }
  if (section.has(new_codes)) {
    models.codes = last.codes != nullptr && last.codes.use_count() == 1 ? last.codes : std::make_shared<Codes>();
    in.table(0, [&](const std::uint8_t *bytes, std::size_t most) { return models.codes->read(bytes, most); });
  }
  if (is_key) {
    section.templates.heading.resize(plan.molecules.kind.size());
    in.table(0, [&](const std::uint8_t *bytes, std::size_t most) { return section.templates.read(bytes, most); });
  }
  const bool has_images = in.peek(sizeof(std::uint64_t)).u64() != 0;
  if (has_images)
    in.table(sizeof(std::uint64_t), [&](const std::uint8_t *bytes, std::size_t most) {
      return section.images.read(bytes, most, plan.layout.slots());
    });
  else
    in.u64();
  read_words(in, plan.layout.blocks().size(), section);
  return section;
}

}  // namespace gpz::lanes
