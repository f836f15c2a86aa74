// SPDX-License-Identifier: BSD-3-Clause
#include "gpz/kernels/way_kernels.hpp"

#include "gpz/kernels/lanes.hpp"
// Behind the lanes that it is for.
#include "gpz/kernels/way_formulas.hpp"

namespace gpz::codec {
namespace GPZ_ISA {

constexpr WayKernels way_kernels{lanes,
                                 find_axes<WayBatch>,
                                 expect<WayBatch>,
                                 cut<WayBatch, most_lanes>,
                                 settle<WayBatch>,
                                 cut_again<WayBatch, most_lanes>,
                                 settle_last<WayBatch>,
                                 remember<WayBatch>,
                                 learn<WayBatch>,
                                 expect_move<WayBatch>,
                                 number_of_move<WayBatch>,
                                 learn_move<WayBatch>};

}  // namespace GPZ_ISA
}  // namespace gpz::codec
