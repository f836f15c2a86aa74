// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/molecules.hpp"

#include <algorithm>
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
  if (head.has_tree) {
    const std::size_t rest = section.size() - at;
    const std::size_t lags = take_tree(state, head.cell, section.host(at, rest), rest, call.stream);
    at += lags;
  } else if (tree_.empty() || tree_.particles() != n) {
    corrupt("molecules that were never given", 0);
  }
  if (head.has_tree || frames_ != state.frames)
    launch_rest(tree_on_device(), state.last, head.cell, particles(last_), call.stream);
  if (head.has_tree) {
    const std::size_t rest = section.size() - at;
    at += take_classes(section.host(at, rest), rest, call.stream);
  }

  const std::size_t segments = tree_.segment_ends().size();
  const ChunkBytes numbers = section.part(at, section.size() - at);
  const std::size_t tables_size = codec::segment_tables_size(
      numbers.host(0, std::min(numbers.size(), (segments + 2) * sizeof(std::uint32_t))), numbers.size(), segments);
  const codec::SegmentTables tables =
      codec::open_segment_tables(numbers.host(0, tables_size), numbers.size(), head.contexts.count(), segments);

  MoleculeDecode params{};
  params.tree = tree_on_device();
  params.last = particles(last_);
  params.now = particles(1 - last_);
  params.classes = static_cast<const molecule::ClassRecord *>(classes_.data());
  const std::size_t sums = segments * tree_.classes();
  params.sums = reserve<molecule::ClassSums>(sums_, sums);
  check(cudaMemsetAsync(params.sums, 0, sums * sizeof(molecule::ClassSums), call.stream), "clearing");
  reserve(index_, 3 * state.capacity * sizeof(std::int32_t));
  for (std::size_t d = 0; d < core::max_components; ++d) {
    params.last_index[d] = state.last[d];
    params.index[d] = static_cast<std::int32_t *>(index_.data()) + d * state.capacity;
  }
  params.cell = head.cell;
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
  launch_learn(params.sums, static_cast<std::uint32_t>(segments), static_cast<molecule::ClassRecord *>(classes_.data()),
               static_cast<std::uint32_t>(tree_.classes()), call.stream);
  launch_follow(history_of(state, call.box, call.crossings), params.index, call.stream);
  count_frame(state);
  last_ = 1 - last_;
  frames_ = state.frames;
}

std::size_t DeviceMolecules::take_tree(const DeviceDifferenceState &state, const molecule::Cell &cell,
                                       const std::uint8_t *bytes, std::size_t size, cudaStream_t stream) {
  const auto n = static_cast<std::size_t>(state.particles);
  format::Column<std::uint8_t> lags;
  const std::size_t read = molecule::Tree::read(bytes, size, n, lags);
  std::vector<std::int32_t> narrow(n);
  std::array<format::Column<std::int64_t>, core::max_components> last;
  for (std::size_t d = 0; d < last.size(); ++d) {
    copy_to_host(narrow.data(), state.last[d], n * sizeof(std::int32_t), stream);
    check(cudaStreamSynchronize(stream), "copy from the device");
    last[d].assign(narrow.begin(), narrow.end());
  }
  tree_.build(lags, {last[0].data(), last[1].data(), last[2].data()}, cell);
  send_tree(stream);
  return read;
}

void DeviceMolecules::send_tree(cudaStream_t stream) {
  const std::size_t n = tree_.particles();
  std::vector<DeviceLinks> links(n);
  for (std::size_t i = 0; i < n; ++i) links[i].links = tree_[i];
  std::vector<std::uint32_t> members;
  for (std::size_t c = 0; c < tree_.classes(); ++c) members.push_back(static_cast<std::uint32_t>(tree_.members(c)));
  const auto send = [&](DeviceBuffer &buffer, const auto &from) {
    reserve(buffer, from.size() * sizeof(from[0]));
    if (!from.empty()) sent_.send(from.data(), from.size() * sizeof(from[0]), buffer.data(), stream);
  };
  send(links_, links);
  send(ends_, tree_.segment_ends());
  send(members_, members);
  for (DeviceBuffer &buffer : particles_) reserve(buffer, n * sizeof(DeviceParticle));
}

std::size_t DeviceMolecules::take_classes(const std::uint8_t *levels, std::size_t size, cudaStream_t stream) {
  const std::size_t n = tree_.particles();
  launch_lengths(particles(last_), n, reserve<float>(lengths_, n), stream);
  std::vector<float> lengths(n);
  copy_to_host(lengths.data(), lengths_.data(), n * sizeof(float), stream);
  check(cudaStreamSynchronize(stream), "copy from the device");
  std::vector<molecule::ClassRecord> classes =
      molecule::first_classes(tree_, [&](std::size_t i) { return lengths[i]; });
  format::ByteReader in(levels, size);
  molecule::read_levels(in, classes);
  reserve(classes_, classes.size() * sizeof(molecule::ClassRecord));
  sent_.send(classes.data(), classes.size() * sizeof(molecule::ClassRecord), classes_.data(), stream);
  return in.position();
}

MoleculeTree DeviceMolecules::tree_on_device() const {
  return {static_cast<const DeviceLinks *>(links_.data()),         static_cast<const std::uint32_t *>(ends_.data()),
          static_cast<const std::uint32_t *>(members_.data()),     tree_.particles(),
          static_cast<std::uint32_t>(tree_.segment_ends().size()), static_cast<std::uint32_t>(tree_.classes())};
}

void DeviceMolecules::keep(const std::uint32_t *kept, const std::uint32_t *on_device, std::size_t count,
                           cudaStream_t stream) {
  if (tree_.empty()) return;
  tree_.keep(kept, count);
  launch_keep(particles(last_), on_device, count, count, particles(1 - last_), stream);
  last_ = 1 - last_;
  send_tree(stream);
}

void DeviceMolecules::add(std::size_t count, cudaStream_t stream) {
  if (tree_.empty()) return;
  const std::size_t before = tree_.particles();
  tree_.add(count);
  // Growth frees memory, which waits for the copy.
  reserve(particles_[1 - last_], tree_.particles() * sizeof(DeviceParticle));
  launch_keep(particles(last_), nullptr, before, tree_.particles(), particles(1 - last_), stream);
  last_ = 1 - last_;
  send_tree(stream);
}

void DeviceMolecules::reserve(DeviceBuffer &buffer, std::size_t size) {
  if (size <= buffer.capacity()) return;
  buffer.release();
  buffer.allocate(size);
  ++allocations_;
}

void DeviceMolecules::forget() {
  tree_.clear();
  frames_ = 0;
}

void DeviceMolecules::release() {
  forget();
  for (DeviceBuffer *buffer :
       {&particles_[0], &particles_[1], &links_, &ends_, &members_, &classes_, &sums_, &index_, &tables_, &lengths_})
    buffer->release();
  sent_.release();
}

std::size_t DeviceMolecules::device_bytes() const {
  std::size_t bytes = 0;
  for (const DeviceBuffer *buffer :
       {&particles_[0], &particles_[1], &links_, &ends_, &members_, &classes_, &sums_, &index_, &tables_, &lengths_})
    bytes += buffer->capacity();
  return bytes;
}

}  // namespace gpz::cuda
