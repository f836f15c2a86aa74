// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/molecules.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpz/codec/number_coder.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/difference/state.hpp"
#include "gpz/cuda/molecule/kernels.hpp"
#include "gpz/format/corrupt.hpp"

namespace gpz::cuda {

using format::corrupt;

namespace {

void copy_to_host(void *to, const void *from, std::size_t size, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, stream), "copy from the device");
}

}  // namespace

void DeviceMolecules::decode(DeviceDifferenceState &state, const Call &call) {
  const ChunkBytes &section = call.section;
  const auto n = static_cast<std::size_t>(state.particles);
  const std::size_t first = std::min(section.size(), molecule::first_bytes);
  const std::size_t opened = molecule::bytes_to_open(section.host(0, first), section.size());
  const molecule::OpenedSection head = molecule::open_section(section.host(0, opened), opened, call.box, n);
  std::size_t at = head.size;
  if (head.has_tree)
    at += take_tree(state, head.cell, section.part(at, section.size() - at), call.stream);
  else if (empty() || tree_.particles() != n)
    corrupt("molecules that were never given", 0);
  if (head.has_tree) launch_rest(tree_on_device(), state.last, head.cell, states(last_), call.stream);
  if (head.has_tree) at += take_classes(state, head.cell, section.part(at, section.size() - at), call.stream);
  if (head.has_tree) frames_ = state.frames;

  const std::size_t segments = tree_.segment_ends().size();
  const ChunkBytes numbers = section.part(at, section.size() - at);
  const std::size_t tables_size = codec::segment_tables_size(
      numbers.host(0, std::min(numbers.size(), (segments + 2) * sizeof(std::uint32_t))), numbers.size(), segments);
  const codec::SegmentTables tables =
      codec::open_segment_tables(numbers.host(0, tables_size), numbers.size(), head.contexts.count(), segments);

  MoleculeDecode params{};
  static_cast<MoleculePass &>(params) = begin(state, head.cell, call.stream);
  clear_sums(params, call.stream);
  params.is_quiet = head.is_quiet;
  params.contexts = head.contexts;
  params.context_count = head.contexts.count();
  std::vector<std::uint64_t> ends;
  std::uint64_t end = 0;
  for (const std::size_t length : tables.lengths) ends.push_back(end += length);
  const codec::NumberSlots &slots = *tables.slots;
  const auto cut = [&](Carver carver) {
    params.slots = carver.take<std::uint8_t>(slots.slot.size());
    params.tokens = carver.take<codec::NumberSlots::Token>(slots.token.size());
    params.stream_ends = carver.take<std::uint64_t>(ends.size());
    return carver.used();
  };
  reserve(tables_, cut(Carver(nullptr)));
  cut(Carver(tables_.data()));
  const auto send = [&](const auto &from, const auto *to) {
    sent_.send(from.data(), from.size() * sizeof(from[0]), const_cast<void *>(static_cast<const void *>(to)),
               call.stream);
  };
  send(slots.slot, params.slots);
  send(slots.token, params.tokens);
  send(ends, params.stream_ends);
  params.numbers = static_cast<const std::uint8_t *>(numbers.device(tables.size));
  params.stored = static_cast<const StoredParticle *>(section.device(head.stored_at));
  params.stored_count = head.stored_count;
  params.status = call.status;
  check(cudaMemsetAsync(call.status, 0, sizeof(*call.status), call.stream), "clearing");
  launch_decode_segments(params, call.stream);
  finish(state, params, call.box, call.crossings, call.stream);
}

MoleculePass DeviceMolecules::begin(DeviceDifferenceState &state, const molecule::Cell &cell, cudaStream_t stream) {
  if (frames_ != state.frames) launch_rest(tree_on_device(), state.last, cell, states(last_), stream);
  frames_ = state.frames;
  MoleculePass pass{};
  pass.tree = tree_on_device();
  pass.last = states(last_);
  pass.now = states(1 - last_);
  pass.classes = static_cast<const molecule::ClassRecord *>(classes_.data());
  pass.sums = reserve<molecule::ClassSums>(sums_, tree_.segment_ends().size() * tree_.classes());
  reserve(index_, 3 * state.capacity * sizeof(std::int32_t));
  for (std::size_t d = 0; d < core::max_components; ++d) {
    pass.last_index[d] = state.last[d];
    pass.index[d] = static_cast<std::int32_t *>(index_.data()) + d * state.capacity;
  }
  pass.cell = cell;
  return pass;
}

void DeviceMolecules::clear_sums(const MoleculePass &pass, cudaStream_t stream) const {
  const std::size_t sums = tree_.segment_ends().size() * tree_.classes();
  check(cudaMemsetAsync(pass.sums, 0, sums * sizeof(molecule::ClassSums), stream), "clearing");
}

void DeviceMolecules::finish(DeviceDifferenceState &state, const MoleculePass &pass, const core::GridBox &box,
                             const DeviceCrossings &crossings, cudaStream_t stream) {
  launch_learn(pass.sums, pass.tree.segments, static_cast<molecule::ClassRecord *>(classes_.data()), pass.tree.classes,
               stream);
  launch_follow(history_of(state, box, crossings), pass.index, stream);
  count_frame(state);
  last_ = 1 - last_;
  frames_ = state.frames;
}

void DeviceMolecules::start_from(const molecule::State &state, cudaStream_t stream) {
  tree_ = state.tree();
  lags_.clear();
  send_tree(stream);
  send(classes_, state.classes(), stream);
  const format::Column<molecule::Particle> &from = state.particles();
  check(cudaMemcpy2DAsync(states(last_), sizeof(DeviceParticle), from.data(), sizeof(from[0]), sizeof(from[0]),
                          from.size(), cudaMemcpyHostToDevice, stream),
        "copy to the device");
  check(cudaStreamSynchronize(stream), "copy to the device");
  frames_ = state.frames();
  is_valid_ = true;
}

std::size_t DeviceMolecules::take_tree(const DeviceDifferenceState &state, const molecule::Cell &cell,
                                       const ChunkBytes &section, cudaStream_t stream) {
  const auto n = static_cast<std::size_t>(state.particles);
  // The bytes at the start of the lags state where they end.
  has_lags_of_before_ = !lags_.empty() && tree_.particles() == n && lags_.size() <= section.size() &&
                        std::memcmp(section.host(0, lags_.size()), lags_.data(), lags_.size()) == 0;
  is_valid_ = has_lags_of_before_;
  if (has_lags_of_before_) return lags_.size();
  lags_.clear();
  const std::size_t first = std::min(section.size(), molecule::Tree::first_bytes);
  const std::size_t size = molecule::Tree::bytes_to_read(section.host(0, first), section.size());
  const std::uint8_t *const bytes = section.host(0, size);
  format::Column<std::uint8_t> lags;
  const std::size_t read = molecule::Tree::read(bytes, size, n, lags);
  std::vector<std::uint8_t> lag_bytes(bytes, bytes + read);
  std::vector<std::int32_t> narrow(n);
  std::array<format::Column<std::int64_t>, core::max_components> last;
  for (std::size_t d = 0; d < last.size(); ++d) {
    copy_to_host(narrow.data(), state.last[d], n * sizeof(std::int32_t), stream);
    check(cudaStreamSynchronize(stream), "copy from the device");
    last[d].assign(narrow.begin(), narrow.end());
  }
  tree_.build(lags, {last[0].data(), last[1].data(), last[2].data()}, cell);
  send_tree(stream);
  lags_ = std::move(lag_bytes);
  is_valid_ = true;
  return read;
}

void DeviceMolecules::send_tree(cudaStream_t stream) {
  const std::size_t n = tree_.particles();
  std::vector<DeviceLinks> links(n);
  for (std::size_t i = 0; i < n; ++i) {
    links[i].links = tree_[i];
    if (tree_[i].parent != 0) ++links[i - tree_[i].parent].children;
  }
  has_classes_on_device_ = false;
  send(links_, links, stream);
  send(ends_, tree_.segment_ends(), stream);
  send_members(stream);
  for (DeviceBuffer &buffer : particles_) reserve(buffer, n * sizeof(DeviceParticle));
}

void DeviceMolecules::send_members(cudaStream_t stream) {
  std::vector<std::uint32_t> members;
  for (std::size_t c = 0; c < tree_.classes(); ++c) members.push_back(static_cast<std::uint32_t>(tree_.members(c)));
  send(members_, members, stream);
}

std::size_t DeviceMolecules::take_classes(const DeviceDifferenceState &state, const molecule::Cell &cell,
                                          const ChunkBytes &section, cudaStream_t stream) {
  std::vector<molecule::ClassRecord> classes =
      has_lags_of_before_ ? classify(state, cell, stream) : classes_by_lengths(stream);
  const std::size_t size = std::min(section.size(), molecule::levels_size(classes.size()));
  format::ByteReader in(section.host(0, size), size);
  molecule::read_levels(in, classes);
  send(classes_, classes, stream);
  return in.position();
}

std::vector<molecule::ClassRecord> DeviceMolecules::classify(const DeviceDifferenceState &state,
                                                             const molecule::Cell &cell, cudaStream_t stream) {
  const std::size_t n = tree_.particles();
  auto *const links = static_cast<DeviceLinks *>(links_.data());
  std::uint32_t *first_slot = nullptr;
  std::uint8_t *class_of_key = nullptr;
  molecule::LengthSum *sums_of_class = nullptr;
  const auto cut = [&](Carver carver) {
    first_slot = carver.take<std::uint32_t>(molecule::class_keys);
    class_of_key = carver.take<std::uint8_t>(molecule::class_keys);
    sums_of_class = carver.take<molecule::LengthSum>(molecule::max_classes);
    return carver.used();
  };
  reserve(keys_, cut(Carver(nullptr)));
  cut(Carver(keys_.data()));
  launch_first_slots(links, n, state.last, cell, first_slot, stream);
  std::vector<std::uint32_t> slots(molecule::class_keys);
  copy_to_host(slots.data(), first_slot, slots.size() * sizeof(slots[0]), stream);
  check(cudaStreamSynchronize(stream), "copy from the device");
  const molecule::NumberedClasses numbered = molecule::number_classes(slots);
  std::vector<molecule::LengthSum> sums(molecule::max_classes);
  sent_.send(numbered.of_key.data(), numbered.of_key.size(), class_of_key, stream);
  sent_.send(sums.data(), sums.size() * sizeof(sums[0]), sums_of_class, stream);
  has_classes_on_device_ = true;
  launch_classify(links, n, state.last, cell, states(last_), class_of_key, sums_of_class, stream);
  copy_to_host(sums.data(), sums_of_class, sums.size() * sizeof(sums[0]), stream);
  check(cudaStreamSynchronize(stream), "copy from the device");

  sums.resize(numbered.count);
  std::vector<std::uint32_t> members;
  std::vector<double> lengths;
  std::vector<double> counts;
  for (const molecule::LengthSum &sum : sums) {
    members.push_back(sum.particles);
    lengths.push_back(sum.sum);
    counts.push_back(sum.particles);
  }
  tree_.set_members(members);
  send_members(stream);
  if (std::all_of(sums.begin(), sums.end(), molecule::is_exact)) return molecule::first_classes(lengths, counts);
  fetch_classes(stream);
  return classes_by_lengths(stream);
}

std::vector<molecule::ClassRecord> DeviceMolecules::classes_by_lengths(cudaStream_t stream) {
  const std::size_t n = tree_.particles();
  launch_lengths(states(last_), n, reserve<float>(lengths_, n), stream);
  std::vector<float> lengths(n);
  copy_to_host(lengths.data(), lengths_.data(), n * sizeof(float), stream);
  check(cudaStreamSynchronize(stream), "copy from the device");
  return molecule::first_classes(tree_, [&](std::size_t i) { return lengths[i]; });
}

void DeviceMolecules::fetch_classes(cudaStream_t stream) {
  if (!has_classes_on_device_) return;
  std::vector<DeviceLinks> links(tree_.particles());
  copy_to_host(links.data(), links_.data(), links.size() * sizeof(links[0]), stream);
  check(cudaStreamSynchronize(stream), "copy from the device");
  for (std::size_t i = 0; i < links.size(); ++i) tree_.set_class(i, links[i].links.of_class);
  has_classes_on_device_ = false;
}

MoleculeTree DeviceMolecules::tree_on_device() const {
  return {static_cast<const DeviceLinks *>(links_.data()),         static_cast<const std::uint32_t *>(ends_.data()),
          static_cast<const std::uint32_t *>(members_.data()),     tree_.particles(),
          static_cast<std::uint32_t>(tree_.segment_ends().size()), static_cast<std::uint32_t>(tree_.classes())};
}

void DeviceMolecules::keep(const std::uint32_t *kept, const std::uint32_t *on_device, std::size_t count,
                           cudaStream_t stream) {
  if (empty()) return;
  fetch_classes(stream);
  lags_.clear();
  tree_.keep(kept, count);
  launch_keep(states(last_), on_device, count, count, states(1 - last_), stream);
  last_ = 1 - last_;
  send_tree(stream);
}

void DeviceMolecules::add(std::size_t count, cudaStream_t stream) {
  if (empty()) return;
  fetch_classes(stream);
  lags_.clear();
  const std::size_t before = tree_.particles();
  tree_.add(count);
  // Growth frees memory, which waits for the copy.
  reserve(particles_[1 - last_], tree_.particles() * sizeof(DeviceParticle));
  launch_keep(states(last_), nullptr, before, tree_.particles(), states(1 - last_), stream);
  last_ = 1 - last_;
  send_tree(stream);
}

void DeviceMolecules::reserve(DeviceBuffer &buffer, std::size_t size) {
  if (grow(buffer, size)) ++allocations_;
}

void DeviceMolecules::forget() {
  is_valid_ = false;
  frames_ = 0;
}

void DeviceMolecules::release() {
  forget();
  tree_.clear();
  lags_.clear();
  for (DeviceBuffer *buffer : {&particles_[0], &particles_[1], &links_, &ends_, &members_, &classes_, &sums_, &index_,
                               &tables_, &lengths_, &keys_})
    buffer->release();
  sent_.release();
}

std::size_t DeviceMolecules::device_bytes() const {
  std::size_t bytes = 0;
  for (const DeviceBuffer *buffer : {&particles_[0], &particles_[1], &links_, &ends_, &members_, &classes_, &sums_,
                                     &index_, &tables_, &lengths_, &keys_})
    bytes += buffer->capacity();
  return bytes;
}

}  // namespace gpz::cuda
