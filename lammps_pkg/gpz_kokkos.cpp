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

unsigned mask_of(GPZProperty property) {
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
    case GPZProperty::v:
      return V_MASK;
    case GPZProperty::f:
      return F_MASK;
    case GPZProperty::q:
      return Q_MASK;
    default:
      return EMPTY_MASK;
  }
}

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
    default:
      return {};
  }
}

const int *gpz_kokkos::mask(LAMMPS *lmp) { return atoms(lmp)->k_mask.view<LMPDeviceType>().data(); }

const void *gpz_kokkos::image(LAMMPS *lmp) { return atoms(lmp)->k_image.view<LMPDeviceType>().data(); }

void gpz_kokkos::sync(LAMMPS *lmp, const std::vector<GPZProperty> &properties) {
  unsigned wanted = MASK_MASK;
  for (const GPZProperty property : properties) wanted |= mask_of(property);
  // Outside of the loop, LAMMPS takes the host's arrays for newer whenever the device wants them: first they have to be
  // as new as the device's, which after the set-up of rerun they are not.
  if (lmp->kokkos->auto_sync) atoms(lmp)->sync(Host, wanted);
  atoms(lmp)->sync(Device, wanted);
  Kokkos::fence("dump gpz");
}
