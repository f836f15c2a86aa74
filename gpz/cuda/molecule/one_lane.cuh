// SPDX-License-Identifier: BSD-3-Clause
// What gpz/kernels/lanes.hpp provides, for one particle of a thread: the formulas of gpz/kernels/way_formulas.hpp on a
// GPU. Every operation is a single IEEE 754 operation.
#pragma once

#include <cstdint>

#include "gpz/core/config.hpp"

namespace gpz::codec {
namespace GPZ_ISA {
namespace {

using Real = double;
using Bits = std::int64_t;
using Mask = bool;

GPZ_HD Real load(const double *from) { return *from; }
GPZ_HD Real load(const float *from) { return static_cast<double>(*from); }
GPZ_HD Real load(const std::int32_t *from) { return *from; }
GPZ_HD void store(double *to, Real x) { *to = x; }
GPZ_HD void store(float *to, Real x) { *to = static_cast<float>(x); }
GPZ_HD void store(std::int32_t *to, Real x) { *to = static_cast<std::int32_t>(x); }
GPZ_HD Real all(double x) { return x; }

GPZ_HD Mask less(Real a, Real b) { return a < b; }
GPZ_HD Mask equal(Real a, Real b) { return a == b; }
GPZ_HD Real select(Mask mask, Real a, Real b) { return mask ? a : b; }
GPZ_HD bool any(Mask mask) { return mask; }
GPZ_HD Mask both(Mask a, Mask b) { return a && b; }
GPZ_HD Mask either(Mask a, Mask b) { return a || b; }
GPZ_HD Mask no(Mask a) { return !a; }
GPZ_HD Real min(Real a, Real b) { return b < a ? b : a; }
GPZ_HD Real max(Real a, Real b) { return a < b ? b : a; }
GPZ_HD Real root(Real x) { return sqrt(x); }
GPZ_HD Bits bits_of(Real x) { return core::bit_cast<Bits>(x); }
GPZ_HD Real magnitude(Real x) { return fabs(x); }

}  // namespace
}  // namespace GPZ_ISA
}  // namespace gpz::codec
