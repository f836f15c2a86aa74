# SPDX-License-Identifier: BSD-3-Clause
"""The programs gpz-plot and gpz-convert. They start, and say what is missing, without the packages that gpz.plot and
gpz.convert need."""
