// SPDX-License-Identifier: BSD-3-Clause
// Kernel table of one instruction set (GPZ_ISA). Compiled once for each.
#include "gpz/core/config.hpp"
#include "gpz/kernels/block_kernels.hpp"
#include "gpz/kernels/bond_kernels.hpp"
#include "gpz/kernels/checksum_kernels.hpp"
#include "gpz/kernels/difference_kernels.hpp"
#include "gpz/kernels/fit_kernels.hpp"
#include "gpz/kernels/kernels.hpp"
#include "gpz/kernels/motion_kernels.hpp"
#include "gpz/kernels/ordered_kernels.hpp"
#include "gpz/kernels/pair_kernels.hpp"
#include "gpz/kernels/spring_kernels.hpp"
#include "gpz/kernels/step_kernels.hpp"

#define GPZ_TEXT_(x) #x
#define GPZ_TEXT(x) GPZ_TEXT_(x)

namespace gpz::codec {
namespace GPZ_ISA {

constexpr BlockKernels block_kernels{encode_block, decode_block};

extern const Kernels table;
constexpr Kernels table{GPZ_TEXT(GPZ_ISA), block_kernels, difference_kernels, ordered_kernels,
                        bond_kernels,      pair_kernels,  motion_kernels,     spring_kernels,
                        checksum_kernels,  step_kernels,  fit_kernels};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
