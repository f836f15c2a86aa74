# SPDX-License-Identifier: BSD-3-Clause
"""The programs gpz-archive, gpz-convert, gpz-plot, gpz-record, gpz-source and gpz-view. The first four also start without the
packages that gpz.archive, gpz.convert, gpz.plot and gpz.imd need, and say which package is missing."""
