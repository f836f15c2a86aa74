// SPDX-License-Identifier: BSD-3-Clause
// Requirements on machine and compiler. Where they do not hold, gpz would write different bytes, miss an error bound or
// truncate a length, so compilation fails (docs/decisions/0002).
#pragma once

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "gpz needs a little-endian machine: words of the stream are copied as they are in memory"
#endif

#if __SIZEOF_SIZE_T__ < 8
#error "gpz needs a 64-bit machine: lengths of the format have 64 bits"
#endif

// x87 units have method 2.
#if __FLT_EVAL_METHOD__ != 0
#error "gpz needs float and double arithmetic without excess precision"
#endif

#if defined(__FAST_MATH__) || defined(__USE_FAST_MATH__) || __FINITE_MATH_ONLY__ != 0 || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "gpz needs arithmetic as IEEE 754 has it: compile without -ffast-math, -Ofast and what they consist of"
#endif
