// SPDX-License-Identifier: BSD-3-Clause
// Table of all functions that are compiled once per instruction set, and the choice of a table at run time.
#pragma once

namespace gpz::codec {

struct BlockKernels;       // gpz/kernels/block_kernels.hpp
struct DifferenceKernels;  // gpz/kernels/difference_kernels.hpp
struct OrderedKernels;     // gpz/kernels/ordered_kernels.hpp
struct BondKernels;        // gpz/kernels/bond_kernels.hpp
struct PairKernels;        // gpz/kernels/pair_kernels.hpp
struct MotionKernels;      // gpz/kernels/motion_kernels.hpp
struct SpringKernels;      // gpz/kernels/spring_kernels.hpp
struct ChecksumKernels;    // gpz/kernels/checksum_kernels.hpp
struct StepKernels;        // gpz/kernels/step_kernels.hpp
struct FitKernels;         // gpz/kernels/fit_kernels.hpp

struct Kernels {
  const char *name;  // instruction set: generic, avx2, avx512
  const BlockKernels &block;
  const DifferenceKernels &difference;
  const OrderedKernels &ordered;
  const BondKernels &bonds;
  const PairKernels &pairs;
  const MotionKernels &motion;
  const SpringKernels &springs;
  const ChecksumKernels &checksum;
  const StepKernels &steps;
  const FitKernels &fit;
};

// Kernels of the best instruction set that this processor supports.
const Kernels &kernels();
// Kernels of the named instruction set, for tests. nullptr if this processor cannot run them.
const Kernels *kernels(const char *name);

}  // namespace gpz::codec
