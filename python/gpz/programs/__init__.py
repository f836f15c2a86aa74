# SPDX-License-Identifier: BSD-3-Clause
"""The programs gpz-plot, gpz-convert, gpz-view and gpz-source. The first two start, and say what is missing, without the packages that
gpz.plot and gpz.convert need."""
