// SPDX-License-Identifier: BSD-3-Clause
// All that is compiled once for each instruction set, as one table, and the choice of a table at run time.
#pragma once

namespace gpz::cpu {

struct BlockKernels;       // gpz/kernels/block_kernels.hpp
struct DifferenceKernels;  // gpz/kernels/difference_kernels.hpp
struct OrderedKernels;     // gpz/kernels/ordered_kernels.hpp
struct PairKernels;        // gpz/kernels/pair_kernels.hpp
struct ChecksumKernels;    // gpz/kernels/checksum_kernels.hpp
struct WayKernels;         // gpz/kernels/way_kernels.hpp

struct Kernels {
  const char *name;  // of the instruction set: generic, avx2, avx512
  const BlockKernels &block;
  const DifferenceKernels &difference;
  const OrderedKernels &ordered;
  const PairKernels &pairs;
  const ChecksumKernels &checksum;
  const WayKernels &ways;
};

// The kernels of the best instruction set that this processor has.
const Kernels &kernels();
// The kernels of the instruction set with this name, for tests; nullptr if this processor cannot run them.
const Kernels *kernels(const char *name);

}  // namespace gpz::cpu
