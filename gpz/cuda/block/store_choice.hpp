// SPDX-License-Identifier: BSD-3-Clause
// Chooses the kernel for the arrays of a field: calls launch.template run<T, Store, D>() for values of T and D
// components.
#pragma once

#include <type_traits>

#include "gpz/cuda/block/block_store.cuh"

namespace gpz::cuda {

template <typename T, typename Launch>
void launch_for_arrays(const DecodeField &field, const Launch &launch) {
  if (field.components == 1) return launch.template run<T, AnyStore<T>, 1>();
  if (field.components == 2) return launch.template run<T, AnyStore<T>, 2>();
  if constexpr (!std::is_same_v<T, std::int64_t>) {
    const Layout layout = layout_of(field);
    if (layout == Layout::separate) return launch.template run<T, SeparateStore<T>, 3>();
    if (layout == Layout::interleaved) return launch.template run<T, InterleavedStore<T>, 3>();
  }
  launch.template run<T, AnyStore<T>, 3>();
}

template <typename Launch>
void launch_for_floats(const DecodeField &field, const Launch &launch) {
  if (field.value == core::Value::float32) return launch_for_arrays<float>(field, launch);
  launch_for_arrays<double>(field, launch);
}

}  // namespace gpz::cuda
