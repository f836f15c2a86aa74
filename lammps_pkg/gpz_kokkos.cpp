// SPDX-License-Identifier: GPL-2.0-only
/* ----------------------------------------------------------------------
   LAMMPS - Large-scale Atomic/Molecular Massively Parallel Simulator
   https://www.lammps.org/, Sandia National Laboratories
   LAMMPS development team: developers@lammps.org

   Copyright (2003) Sandia Corporation.  Under the terms of Contract
   DE-AC04-94AL85000 with Sandia Corporation, the U.S. Government retains
   certain rights in this software.  This software is distributed under
   the GNU General Public License.

   See the README file in the top-level LAMMPS directory.
------------------------------------------------------------------------- */

#include "gpz_kokkos.h"

#include <type_traits>

#include "atom_kokkos.h"
#include "atom_masks.h"
#include "info.h"
#include "kokkos.h"
#include "kokkos_type.h"

using namespace LAMMPS_NS;
using gpz::ConstArray;

namespace {

#ifdef KOKKOS_ENABLE_CUDA
constexpr bool on_gpu = std::is_same<LMPDeviceType, Kokkos::Cuda>::value;
#else
constexpr bool on_gpu = false;
#endif

AtomKokkos *atoms(LAMMPS *lmp) { return lmp->atomKK; }

// Positions may be float (KOKKOS_PREC=mixed); layouts differ, so strides are asked for.
template <typename DualView>
ConstArray scalars(const DualView &values) {
  const auto view = values.template view<LMPDeviceType>();
  using T = typename std::remove_const<typename std::remove_pointer<decltype(view.data())>::type>::type;
  return {view.data(), static_cast<std::ptrdiff_t>(view.stride(0) * sizeof(T)), gpz_type_of<T>()};
}

template <typename DualView>
ConstArray vectors(const DualView &values, int component) {
  const auto view = values.template view<LMPDeviceType>();
  using T = typename std::remove_const<typename std::remove_pointer<decltype(view.data())>::type>::type;
  if (view.data() == nullptr) return {};
  return {view.data() + component * view.stride(1), static_cast<std::ptrdiff_t>(view.stride(0) * sizeof(T)),
          gpz_type_of<T>()};
}

std::uint64_t mask_of(GPZProperty property) {
  switch (property) {
    case GPZProperty::id:
      return TAG_MASK;
    case GPZProperty::molecule:
      return MOLECULE_MASK;
    case GPZProperty::type:
      return TYPE_MASK;
    case GPZProperty::image:
      return IMAGE_MASK;
    case GPZProperty::x:
      return X_MASK;
    case GPZProperty::xu:
      return X_MASK | IMAGE_MASK;
    case GPZProperty::v:
      return V_MASK;
    case GPZProperty::f:
      return F_MASK;
    case GPZProperty::q:
      return Q_MASK;
    case GPZProperty::mu:
      return MU_MASK;
    case GPZProperty::radius:
      return RADIUS_MASK;
    case GPZProperty::omega:
      return OMEGA_MASK;
    case GPZProperty::angmom:
      return ANGMOM_MASK;
    case GPZProperty::torque:
      return TORQUE_MASK;
  }
  return EMPTY_MASK;
}

// One of the vectors that are rows of an array of KOKKOS; class Atom points to the rows of its host copy.
template <typename DualView>
ConstArray row_of(const DualView &values, const void *host) {
  const auto copy = values.view_host();
  const auto view = values.template view<LMPDeviceType>();
  using T = typename std::remove_const<typename std::remove_pointer<decltype(view.data())>::type>::type;
  if (!host || !view.data() || copy.extent(1) == 0) return {};
  for (std::size_t row = 0; row < copy.extent(0); ++row)
    if (&copy(row, 0) == host)
      return {view.data() + row * view.stride(0), static_cast<std::ptrdiff_t>(view.stride(1) * sizeof(T)),
              gpz_type_of<T>()};
  return {};
}

#ifdef IVECTOR_MASK  // of later versions than 4 Feb 2025
constexpr std::uint64_t custom_mask = DVECTOR_MASK | IVECTOR_MASK;
ConstArray integers_of(const AtomKokkos *atom, const void *host) { return row_of(atom->k_ivector, host); }
#else
constexpr std::uint64_t custom_mask = DVECTOR_MASK;
ConstArray integers_of(const AtomKokkos *, const void *) { return {}; }
#endif

}  // namespace

int gpz_kokkos::device(LAMMPS *lmp) {
  if (!on_gpu || !lmp->kokkos || !lmp->kokkos->kokkos_exists || !lmp->atomKK) return -1;
  if (!Info::has_accelerator_feature("KOKKOS", "api", "cuda")) return -1;  // a plugin may be built for another KOKKOS
#ifdef KOKKOS_ENABLE_CUDA
  return Kokkos::Cuda().cuda_device();
#else
  return -1;
#endif
}

ConstArray gpz_kokkos::find(LAMMPS *lmp, GPZProperty property, int component) {
  const AtomKokkos *atom = atoms(lmp);
  switch (property) {
    case GPZProperty::id:
      return scalars(atom->k_tag);
    case GPZProperty::molecule:
      return scalars(atom->k_molecule);
    case GPZProperty::type:
      return scalars(atom->k_type);
    case GPZProperty::x:
      return vectors(atom->k_x, component);
    case GPZProperty::v:
      return vectors(atom->k_v, component);
    case GPZProperty::f:
      return vectors(atom->k_f, component);
    case GPZProperty::q:
      return scalars(atom->k_q);
    case GPZProperty::mu:
      return vectors(atom->k_mu, component);
    case GPZProperty::radius:
      return scalars(atom->k_radius);
    case GPZProperty::omega:
      return vectors(atom->k_omega, component);
    case GPZProperty::angmom:
      return vectors(atom->k_angmom, component);
    case GPZProperty::torque:
      return vectors(atom->k_torque, component);
    case GPZProperty::image:
    case GPZProperty::xu:
      break;  // made of image()
  }
  return {};
}

ConstArray gpz_kokkos::find_custom(LAMMPS *lmp, const void *host) {
  const ConstArray real = row_of(atoms(lmp)->k_dvector, host);
  return real.data ? real : integers_of(atoms(lmp), host);
}

const int *gpz_kokkos::mask(LAMMPS *lmp) { return atoms(lmp)->k_mask.view<LMPDeviceType>().data(); }

const void *gpz_kokkos::image(LAMMPS *lmp) { return atoms(lmp)->k_image.view<LMPDeviceType>().data(); }

void gpz_kokkos::sync(LAMMPS *lmp, const std::vector<GPZProperty> &properties, bool custom) {
  std::uint64_t wanted = MASK_MASK | (custom ? custom_mask : 0);
  for (const GPZProperty property : properties) wanted |= mask_of(property);
  // Outside of the loop, LAMMPS takes the host's arrays for newer whenever the device wants them: first they have to be
  // as new as the device's, which after the set-up of rerun they are not.
  if (lmp->kokkos->auto_sync) atoms(lmp)->sync(Host, wanted);
  atoms(lmp)->sync(Device, wanted);
  fence();
}

void gpz_kokkos::sync_host(LAMMPS *lmp, std::uint64_t mask) {
  atoms(lmp)->sync(Host, mask);
  fence();
}

void gpz_kokkos::fence() { Kokkos::fence("dump gpz"); }

bool gpz_kokkos::in_loop(LAMMPS *lmp) { return !lmp->kokkos->auto_sync; }
