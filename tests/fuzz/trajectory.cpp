// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the chunks of a file with the same index as a chain, each with the history of the ones before: of all
// fields, of some fields, and of some particles.
// Checksums, references and numbers of frames since the key frame are not looked at.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "gpz/chunk.hpp"
#include "gpz/format/selected.hpp"
#include "gpz/trajectory/chunk_reader.hpp"
#include "gpz/trajectory/other_fields.hpp"
#include "gpz_file.hpp"
#include "support.hpp"

namespace {

using gpz::Field;
using gpz::Status;
using gpz::fuzz::require;
using gpz::fuzz::status_of;

constexpr std::size_t most_frames = 16;
constexpr std::size_t most_chunks = 4;
// Selected ids: a range of as many, that begins below the first number.
constexpr std::uint64_t most_id = 5000;
constexpr std::int64_t some_ids = 40;

// The values of a field that is followed, as bits. `only`: of these particles.
std::uint64_t values_of(const gpz::trajectory::ChunkReader &reader, std::size_t f, const Field &field,
                        const gpz::trajectory::SelectedRows *only = nullptr) {
  const bool is_integer = field.type == gpz::ValueType::integer;
  const auto type = is_integer ? gpz::ConstArray::Type::int64 : gpz::ConstArray::Type::float64;
  const std::size_t particles = only == nullptr ? static_cast<std::size_t>(reader.particles()) : only->count();
  std::vector<std::vector<double>> columns(field.components.size(), std::vector<double>(particles));
  gpz::codec::Target target;
  for (std::size_t d = 0; d < columns.size(); ++d) target.components[d] = {columns[d].data(), sizeof(double), type};
  if (only != nullptr) {
    target.rows = only->rows();
    target.is_partial = true;
  }
  reader.write(f, target);
  std::uint64_t sum = 0;
  for (const auto &column : columns)
    if (particles != 0) sum = 31 * sum + gpz::chunk_checksum(column.data(), particles * sizeof(double));
  return sum;
}

// The values of every frame of a chain, of the fields that are followed (an empty list: all).
class Chain {
 public:
  using Values = std::vector<std::map<std::size_t, std::uint64_t>>;

  // With `limits`, only selected particles need to be followed.
  Chain(const gpz::Selection &selection, bool limits) : selection_(selection), limits_(limits) {}

  void next(const gpz::fuzz::Chunk &chunk, const std::vector<Field> &fields, const std::vector<bool> &wanted) {
    values_.emplace_back();
    selected_.emplace_back();
    // After an error the history starts again with an independent chunk.
    const Status status = status_of([&] {
      const bool was_usable = std::exchange(usable_, false);
      const bool builds_on = gpz::chunk_kind(chunk.bytes.data(), chunk.bytes.size()) == gpz::ChunkKind::difference;
      if (builds_on && !was_usable) return;
      const auto opened = gpz::format::open_chunk(chunk.bytes.data(), chunk.bytes.size(), fields.size());
      try {
        reader_.next(opened, chunk.particles, fields, wanted, 1, limits_ ? &selection_ : nullptr);
      } catch (const gpz::trajectory::FieldNotFollowed &) {
        // A section is predicted from another field. gpz::Reader then follows that one as well.
        needs_others_ = true;
        return;
      } catch (const gpz::trajectory::AllSlotsNeeded &) {
        // The same for other particles.
        needs_others_ = true;
        return;
      }
      usable_ = true;
      for (std::size_t f = 0; f < fields.size(); ++f)
        if (!limits_ && (wanted.empty() || wanted[f])) values_.back()[f] = values_of(reader_, f, fields[f]);
      if (!wanted.empty() || !gpz::format::has_columns(selection_, fields)) return;
      rows_.choose(selection_, fields, {}, static_cast<std::size_t>(reader_.particles()), nullptr,
                   [&](std::size_t f, const gpz::codec::Target &target) { reader_.write(f, target); });
      for (std::size_t f = 0; f < fields.size(); ++f) selected_.back()[f] = values_of(reader_, f, fields[f], &rows_);
    });
    require(status == Status::ok || !usable_, "values of a chunk cannot be written");
    whole_.push_back(usable_);
  }

  const Values &values() const { return values_; }
  // Of the selected particles.
  const Values &selected() const { return selected_; }
  const std::vector<bool> &whole() const { return whole_; }
  bool needs_others() const { return needs_others_; }

 private:
  const gpz::Selection &selection_;
  bool limits_;
  gpz::trajectory::ChunkReader reader_;
  gpz::trajectory::SelectedRows rows_;
  bool usable_ = false;
  bool needs_others_ = false;
  Values values_;
  Values selected_;
  std::vector<bool> whole_;
};

// Who follows some fields or particles gets what who follows all of them gets.
void compare(const Chain &all, const Chain &few, const Chain::Values &(Chain::*values)() const) {
  for (std::size_t i = 0; i < few.whole().size() && all.whole()[i]; ++i) {
    if (few.needs_others() && i + 1 == few.whole().size()) return;
    require(few.whole()[i], "a field of a sound chain is refused");
    for (const auto &[field, of_few] : (few.*values)()[i])
      require((all.*values)()[i].at(field) == of_few, "what is followed decides the values");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
  gpz::fuzz::File file = gpz::fuzz::take_apart(bytes, size);
  std::vector<gpz::fuzz::Frame *> frames = file.frames();
  if (frames.empty() || frames[0]->info.fields.empty()) return 0;
  frames.resize(std::min(frames.size(), most_frames));
  // Fields are told apart by their number: a chain ends where there are others.
  const std::size_t fields = frames[0]->info.fields.size();
  const auto other = [&](const gpz::fuzz::Frame *frame) { return frame->info.fields.size() != fields; };
  frames.erase(std::find_if(frames.begin(), frames.end(), other), frames.end());

  std::vector<bool> wanted(fields);
  const std::uint64_t number = gpz::chunk_checksum(bytes, size);
  // The first field, whose edges others count, and one more.
  wanted[0] = wanted[number % fields] = true;
  gpz::Selection selection;
  const auto least = static_cast<std::int64_t>(number % most_id);
  selection.ids.emplace().add(least, least + some_ids);
  for (std::size_t k = 0; k < most_chunks; ++k) {
    Chain all(selection, false);
    Chain few(selection, false);
    Chain some(selection, true);
    for (const gpz::fuzz::Frame *frame : frames) {
      if (k >= frame->chunks.size() || frame->chunks[k].particles > gpz::fuzz::most_particles) break;
      all.next(frame->chunks[k], frame->info.fields, {});
      if (!few.needs_others()) few.next(frame->chunks[k], frame->info.fields, wanted);
      if (!some.needs_others()) some.next(frame->chunks[k], frame->info.fields, {});
    }
    compare(all, few, &Chain::values);
    compare(all, some, &Chain::selected);
  }
  return 0;
}
