# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons without rounding."""

from fractions import Fraction

import numpy as np

# Differences of two float64 as long doubles have a relative error below this.
UNIT = np.longdouble(2) ** -60


def bits(array):
    return array.view({4: np.uint32, 8: np.uint64}[array.dtype.itemsize])


def quiet_bits(array):
    """Bits, of NaN with the bit that makes them quiet."""
    quiet = np.array({4: 2**22, 8: 2**51}[array.dtype.itemsize], bits(array).dtype)
    return np.where(np.isnan(array), bits(array) | quiet, bits(array))


def require_bits(values, original, what, quiet=False):
    """One type, and equal bits. quiet: signalling NaN of float32 went through doubles (docs/limitations.md)."""
    assert values.dtype == original.dtype, f"{what}: {values.dtype}, not {original.dtype}"
    wanted = quiet_bits if quiet else bits
    wrong = np.flatnonzero(wanted(values) != wanted(original))
    assert not len(wrong), f"{what}: row {wrong[0]}: {values[wrong[0]]!r} for {original[wrong[0]]!r}"


def require_within(values, original, bound, what, slack=0):
    """Finite values are within the bound of the original; NaN and infinities stay what they are. slack: beside the bound, what
    the original values themselves may be wrong by."""
    assert len(values) == len(original), f"{what}: {len(values)} values, not {len(original)}"
    finite = np.isfinite(original)
    others = np.flatnonzero(~finite)
    same = (np.isnan(values) & np.isnan(original)) | (values == original)
    assert same[others].all(), f"{what}: {values[others]} for {original[others]}"
    assert np.isfinite(values[finite]).all(), f"{what}: {values[finite]} for {original[finite]}"
    with np.errstate(over="ignore", under="ignore"):
        error = np.abs(values[finite].astype(np.longdouble) - original[finite].astype(np.longdouble))
        limit = np.longdouble(bound) + np.longdouble(slack)
    for row in np.flatnonzero(error > limit * (1 - 4 * UNIT)):
        value, true = values[finite][row], original[finite][row]
        exact = abs(exactly(value) - exactly(true))
        assert exact <= exactly(bound) + exactly(slack), (
            f"{what}: {value!r} for {true!r}: an error of {float(exact)!r}, which is above {bound!r}"
        )


def exactly(number):
    """Also of a long double, whose digits float() would lose."""
    mantissa, exponent = np.frexp(np.longdouble(number))
    return Fraction(int(np.ldexp(mantissa, 64))) * Fraction(2) ** (int(exponent) - 64)
