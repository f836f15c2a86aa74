// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/cuda/trajectory/molecule_encoder.hpp"

#include "gpz/core/config.hpp"
#include "gpz/cuda/common/carver.hpp"
#include "gpz/cuda/molecule/kernels.hpp"
#include "gpz/format/bytes.hpp"

namespace gpz::cuda {

bool MoleculeEncoder::encode(DeviceMolecules &molecules, DeviceDifferenceState &state, const Call &call) {
  const std::uint64_t n = state.particles;
  if (molecules.empty() || molecules.particles() != n) return false;
  const std::vector<std::uint32_t> &ends = molecules.segment_ends();
  std::vector<std::uint64_t> begins;
  std::uint64_t first = 0;
  for (const std::uint32_t end : ends) {
    if ((end - first) * most_molecule_items >= DeviceNumbers::most_of_segment) return false;
    begins.push_back(first * most_molecule_items);
    first = end;
  }
  MoleculeEncode params{};
  static_cast<MoleculePass &>(params) = molecules.begin(state, molecule::Cell(call.box), call.stream);
  Report *on_device = nullptr;
  std::uint64_t *begins_on_device = nullptr;
  const auto cut = [&](Carver carver) {
    on_device = carver.take<Report>(1);
    begins_on_device = carver.take<std::uint64_t>(begins.size());
    params.counts = carver.take<std::uint32_t>(begins.size());
    return carver.used();
  };
  reserve(lists_, cut(Carver(nullptr)));
  cut(Carver(lists_.data()));
  reserve(items_, n * most_molecule_items * sizeof(std::uint64_t));
  params.items = static_cast<std::uint64_t *>(items_.data());
  params.report = &on_device->molecules;
  sent_.send(begins.data(), begins.size() * sizeof(begins[0]), begins_on_device, call.stream);
  Report found{};
  found.molecules.least_level = molecule::Contexts::most_levels - 1;
  sent_.send(&found, sizeof(found), on_device, call.stream);
  find_indices(call.values, n, static_cast<int>(core::max_components), params.index, &on_device->values, call.stream);

  // Nearly always, images that are neither of the candidates are few, and the candidates differ.
  for (params.is_quiet = true;; params.is_quiet = false) {
    molecules.clear_sums(params, call.stream);
    launch_encode_molecules(params, call.stream);
    check(cudaMemcpyAsync(&found, on_device, sizeof(found), cudaMemcpyDeviceToHost, call.stream), "results");
    check(cudaStreamSynchronize(call.stream), "molecules");
    if (found.values.invalid != 0 || found.values.wide != 0 || found.molecules.exceptions != 0) return false;
    if (found.molecules.unusual == 0 || !params.is_quiet) break;
  }
  largest_error_ = core::bit_cast<double>(std::uint64_t{found.values.error});
  const molecule::Contexts contexts = molecule::Contexts::over(found.molecules.least_level, found.molecules.most_level);
  const molecule::ContextTable table(contexts);
  numbers_size_ = numbers_.encode({params.items, begins_on_device, params.counts,
                                   static_cast<std::uint32_t>(begins.size()), n * most_molecule_items},
                                  contexts.count(), table.by_place(), molecule::ContextTable::places, call.stream);
  head_.clear();
  molecule::append_start(params.is_quiet ? molecule::quiet : 0, contexts, head_);
  format::ByteWriter(head_).u64(0);  // exceptions
  molecules.finish(state, params, call.box, call.crossings, call.stream);
  return true;
}

void MoleculeEncoder::write(void *out, cudaStream_t stream) {
  sent_.send(head_.data(), head_.size(), out, stream);
  numbers_.write(static_cast<char *>(out) + head_.size(), stream);
}

void MoleculeEncoder::reserve(DeviceBuffer &buffer, std::size_t size) {
  if (grow(buffer, size)) ++allocations_;
}

void MoleculeEncoder::release() {
  numbers_.release();
  for (DeviceBuffer *buffer : {&items_, &lists_}) buffer->release();
  sent_.release();
}

std::size_t MoleculeEncoder::device_bytes() const {
  return numbers_.device_bytes() + items_.capacity() + lists_.capacity();
}

}  // namespace gpz::cuda
