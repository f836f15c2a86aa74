// SPDX-License-Identifier: BSD-3-Clause
// Finds the numbers that encode segments of molecules, a warp for each segment. All positions are known, so that lanes
// take particles side by side. Only sums are added in the order of particles.
#include "gpz/cuda/common/check.hpp"
#include "gpz/cuda/common/kernel_file.hpp"
#include "gpz/cuda/common/warp.cuh"
#include "gpz/cuda/molecule/kernels.hpp"
#include "gpz/cuda/molecule/particle_pass.cuh"
// Must follow the lane types and functions that its templates use.
#include "gpz/kernels/side_formulas.hpp"

namespace gpz::cuda {
namespace {

// The numbers of a particle, in the order in which they are coded.
class ParticleItems {
 public:
  // Lowest and highest levels of components so far.
  unsigned least_level = molecule::Contexts::most_levels - 1;
  unsigned most_level = 0;

  // For ParticlePass.
  __device__ __forceinline__ std::int32_t component(std::size_t step, const ComponentContext &context,
                                                    std::int64_t expected, std::int32_t given, std::int64_t) {
    const std::uint64_t number =
        core::residual_number(given - (expected >> 6), static_cast<std::int32_t>(expected & 63));
    const unsigned place = static_cast<unsigned>(context.group) * codec::places_of_group +
                           context.level * molecule::Contexts::parts + context.part;
    put(2 * step, place, static_cast<std::uint32_t>(number));
    least_level = min(least_level, context.level);
    most_level = max(most_level, context.level);
    return given;
  }
  __device__ __forceinline__ bool other_side(std::size_t step, unsigned level, const OneWay &batch) {
    const bool is_other = ways::is_other_side(batch);
    put(2 * step + 1, codec::place_of_sides + level, is_other ? 1 : 0);
    return is_other;
  }
  __device__ __forceinline__ void put_image(bool is_root, const molecule::ImageCode &code) {
    put(image, molecule::ContextTable::place_of_image(is_root, code.differs()), code.number());
  }

  __device__ __forceinline__ void clear() { used_ = 0; }
  __device__ __forceinline__ std::uint32_t count() const { return static_cast<std::uint32_t>(__popc(used_)); }
  __device__ __forceinline__ void store(std::uint64_t *to) const {
#pragma unroll
    for (std::size_t k = 0; k < most_molecule_items; ++k)
      if ((used_ >> k & 1) != 0) *to++ = item_[k];
  }

 private:
  static constexpr std::size_t image = most_molecule_items - 1;

  // No index that is known at run time only: items stay in registers.
  __device__ __forceinline__ void put(std::size_t k, unsigned place, std::uint32_t number) {
    item_[k] = std::uint64_t{place} << codec::item_place_shift | number;
    used_ |= 1u << k;
  }

  std::uint64_t item_[most_molecule_items];
  unsigned used_ = 0;
};

class SegmentEncoding {
 public:
  // A row for each member.
  using ObservedLanes = double[observed_members][warp_size + 1];  // without bank conflicts

  __device__ SegmentEncoding(const MoleculeEncode &params, std::uint32_t segment, ObservedLanes &observed)
      : p_(params),
        observed_(observed),
        segment_(segment),
        begin_(segment == 0 ? 0 : params.tree.ends[segment - 1]),
        end_(params.tree.ends[segment]),
        lane_(this_lane()) {}

  __device__ void run() {
    for (std::uint64_t first = begin_; first < end_; first += warp_size) take(first + lane_);
    const unsigned least = __reduce_min_sync(full_mask, items_.least_level);
    const unsigned most = __reduce_max_sync(full_mask, items_.most_level);
    if (has_exceptions_) p_.report->exceptions = 1;
    if (has_unusual_) p_.report->unusual = 1;
    if (lane_ != 0) return;
    p_.counts[segment_] = count_;
    atomicMin(&p_.report->least_level, least);
    atomicMax(&p_.report->most_level, most);
  }

 private:
  using Particle = molecule::Particle;

  // Encodes the particle of this lane.
  __device__ __forceinline__ void take(std::uint64_t i) {
    const bool is_active = i < end_;
    molecule::Links links;
    DeviceParticle last;
    DeviceParticle now{};
    ParticlePass particle(p_, i, links, last.state);
    if (is_active) {
      links = p_.tree.links[i].links;
      last = p_.last[i];
      find_way(particle, i, links, last.state, now.state);
    }
    __syncwarp();
    find_displacements(particle, i, is_active, links, last.state, now.state);
    items_.clear();
    if (is_active) {
      if (links.parent == 0)
        particle.move_root(items_, now.state);
      else
        particle.bind(items_, now.state);
      now.state.before = last.state.moved;
      put_image(particle, i, links, now.state);
      // Other lanes may still read bond vector and displacement, which are stored once more with the same bits.
      p_.now[i] = now;
    }
    add(particle, is_active, links.of_class);
    store_items();
  }

  __device__ __forceinline__ molecule::Way place_now(std::uint64_t i) const {
    return {p_.index[0][i], p_.index[1][i], p_.index[2][i]};
  }

  // Stores the bond vector, and the displacement of a root: other lanes read them.
  __device__ __forceinline__ void find_way(const ParticlePass &particle, std::uint64_t i, const molecule::Links &links,
                                           const Particle &last, Particle &now) {
    const bool is_root = links.parent == 0;
    has_exceptions_ |= !molecule::find_move(p_.cell, is_root, molecule::difference_of(place_now(i), particle.origin()),
                                            Particle::Steps{}, last.way, now);
    if (is_root) p_.now[i].state.moved = now.moved;
    p_.now[i].state.way = now.way;
  }

  // Displacements of bound particles follow from those of their parents, which may be in other lanes.
  __device__ __forceinline__ void find_displacements(const ParticlePass &particle, std::uint64_t i, bool is_active,
                                                     const molecule::Links &links, const Particle &last,
                                                     Particle &now) const {
    bool is_known = !is_active || links.parent == 0;
    for (unsigned known; (known = __ballot_sync(full_mask, is_known)) != full_mask;) {
      const bool is_next = !is_known && (links.parent > lane_ || (known >> (lane_ - links.parent) & 1) != 0);
      if (is_next) {
        p_.now[i].state.moved = now.moved = molecule::moved_with(particle.parent_moved(), now.way, last.way);
        is_known = true;
      }
      __syncwarp();
    }
  }

  __device__ __forceinline__ void put_image(const ParticlePass &particle, std::uint64_t i, const molecule::Links &links,
                                            const Particle &now) {
    const molecule::ImageCode code = molecule::code_of_image(p_.cell, place_now(i), now.image, particle.usual_image(),
                                                             [&] { return particle.open_place(now); });
    has_unusual_ |= code.is_unusual() && !code.differs();
    if (code.differs() || !p_.is_quiet) items_.put_image(links.parent == 0, code);
  }

  // Adds the particles to the sums of their classes, those of a class in the order of lanes.
  __device__ __forceinline__ void add(const ParticlePass &particle, bool is_active, std::uint8_t of_class) const {
    constexpr unsigned no_class = 256;
    molecule::ClassSums *const sums = p_.sums + std::uint64_t{segment_} * p_.tree.classes;
    if (is_active) {
      const Observed observed = particle.observed();
#pragma unroll
      for (std::size_t k = 0; k < observed.size(); ++k) observed_[k][lane_] = observed[k];
    }
    const unsigned same = __match_any_sync(full_mask, is_active ? of_class : no_class);
    unsigned firsts = __ballot_sync(full_mask, is_active && lane_ == static_cast<unsigned>(__ffs(same)) - 1);
    __syncwarp();
    // A lane for each member of several classes at a time.
    while (firsts != 0) {
      const unsigned nth = lane_ / observed_lanes;
      const unsigned member = lane_ % observed_lanes;
      unsigned left = firsts;
      for (unsigned k = 0; k < nth; ++k) left &= left - 1;
      const unsigned first = left == 0 ? 0 : static_cast<unsigned>(__ffs(left)) - 1;
      unsigned lanes = __shfl_sync(full_mask, same, first);
      const unsigned its_class = __shfl_sync(full_mask, of_class, first);
      if (left != 0 && member < observed_members) {
        double &sum = reinterpret_cast<double *>(&sums[its_class])[first_observed + member];
        double all = sum;
        for (; lanes != 0; lanes &= lanes - 1) all += observed_[member][__ffs(lanes) - 1];
        sum = all;
      }
      for (unsigned k = 0; k < warp_size / observed_lanes; ++k) firsts &= firsts - 1;
    }
    __syncwarp();
    const bool is_sampled = is_active && particle.is_sampled();
    if (!__any_sync(full_mask, is_sampled)) return;
    const auto before = static_cast<unsigned>(__popc(same & ((1u << lane_) - 1)));
    for (unsigned turn = 0; __any_sync(full_mask, is_sampled && before >= turn); ++turn) {
      if (is_sampled && before == turn) particle.add_sample(sums[of_class]);
      __syncwarp();
    }
  }

  __device__ __forceinline__ void store_items() {
    std::uint32_t all = 0;
    const std::uint32_t before = warp_exclusive_sum(items_.count(), &all);
    items_.store(p_.items + begin_ * most_molecule_items + count_ + before);
    count_ += all;
  }

  static constexpr unsigned observed_lanes = 8;  // for each class
  static_assert(observed_members <= observed_lanes);

  const MoleculeEncode &p_;
  ObservedLanes &observed_;
  std::uint32_t segment_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint32_t lane_;
  std::uint32_t count_ = 0;  // items of the segment
  ParticleItems items_;
  bool has_exceptions_ = false;
  bool has_unusual_ = false;
};

__global__ void __launch_bounds__(warp_size) encode_molecules(const __grid_constant__ MoleculeEncode params) {
  __shared__ SegmentEncoding::ObservedLanes observed;
  SegmentEncoding(params, blockIdx.x, observed).run();
}

const KernelFile kernels(reinterpret_cast<const void *>(encode_molecules));

}  // namespace

void launch_encode_molecules(const MoleculeEncode &params, cudaStream_t stream) {
  if (params.tree.segments == 0) return;
  encode_molecules<<<params.tree.segments, warp_size, 0, stream>>>(params);
  check(cudaGetLastError(), "encoding of molecules");
}

}  // namespace gpz::cuda
