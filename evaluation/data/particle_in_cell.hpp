// SPDX-License-Identifier: BSD-3-Clause
// Electrons before a background of ions at rest in a periodic box: an electrostatic particle-in-cell code in three
// dimensions.
//
// Cloud-in-cell deposit and gather, Poisson's equation by FFT with the seven-point Laplacian, its central difference as
// field, leapfrog. Lengths are in cells, times in inverse plasma frequencies of density 1, charges in that of density 1
// in one cell. The charge of an electron is an integer and is deposited in integers: sums do not depend on their order,
// nor results on the number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft.hpp"

namespace gpz::bench::data {

constexpr std::int32_t unit_charge = 1 << 20;

struct Electron {
  std::array<float, 3> place{};     // 0 <= place[d] < cells of axis d
  std::array<float, 3> velocity{};  // half a step before the place
  std::int32_t charge = 0;          // in 1 / unit_charge
  float mobility = 1;               // 1 / mass, for its charge: below 1 in a beam that is hard to divert
};

class ParticleInCell {
 public:
  // `cells`: powers of two. A cell must not hold a density of 2048 or more.
  ParticleInCell(const std::array<std::size_t, 3> &cells, unsigned threads);

  // x fastest. Whoever changes places calls place_ions or deposit next.
  std::vector<Electron> &electrons() { return electrons_; }
  const std::vector<Electron> &electrons() const { return electrons_; }

  // Ions take the places that the electrons have now, so that there is no field.
  void place_ions();
  // The density of the electrons where they are now.
  void deposit();
  // The longest way of an electron in a step has to be below the shortest edge of the box.
  void step(double time);

  // As AMReX codes keep particles: in boxes of 32 cells an edge, one after the other, x fastest. sort_by_cell also
  // sorts each box by cells; redistribute, which comes later, puts electrons that left their box since then after
  // those of the box they are in, and changes no order besides.
  void sort_by_cell();
  void redistribute();

  // Sum of the densities of the electrons at all nodes, in 1 / unit_charge.
  std::int64_t deposited_charge() const;
  // Half the sum of the squared field over all nodes, of the last step.
  double field_energy() const;

 private:
  struct Field {
    float x, y, z, unused;  // 16 bytes: one cache line has four nodes
  };

  std::size_t node_count() const { return cells_[0] * cells_[1] * cells_[2]; }
  std::uint32_t box_of(const Electron &electron) const;
  std::uint32_t cell_key(const Electron &electron) const;
  void solve();
  void add_shares();
  template <class Work>
  void in_parts(std::size_t count, const Work &work);
  void begin_of_keys(std::size_t keys);
  template <class Key>
  void counting_sort(std::size_t keys, const Key &key);

  std::array<std::size_t, 3> cells_;
  unsigned threads_;
  Fft fft_;
  std::vector<Electron> electrons_;
  std::vector<Electron> sorted_;       // what a sort writes
  std::vector<std::size_t> box_ends_;  // of the last sort, in electrons_
  std::vector<std::vector<std::int32_t>>
      counts_;  // of each part of the electrons: charge at the nodes, or electrons of a key
  std::vector<std::int32_t> electron_density_;
  std::vector<std::int32_t> ion_density_;
  std::array<std::vector<float>, 3> waves_;  // the Laplacian of a wave along each axis
  std::vector<float> potential_;             // as fft_ has meshes
  std::vector<Field> acceleration_;          // of an electron
};

}  // namespace gpz::bench::data
