# SPDX-License-Identifier: BSD-3-Clause
"""The programs gpz-archive, gpz-convert, gpz-plot, gpz-source and gpz-view. The first three start, and say what is missing, without
the packages that gpz.archive, gpz.convert and gpz.plot need."""
