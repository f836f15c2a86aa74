# SPDX-License-Identifier: BSD-3-Clause
"""The programs gpz-archive, gpz-convert, gpz-plot, gpz-record, gpz-source and gpz-view. The first four start, and say what is missing,
without the packages that gpz.archive, gpz.convert, gpz.plot and gpz.imd need."""
