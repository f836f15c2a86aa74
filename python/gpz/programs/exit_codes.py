# SPDX-License-Identifier: BSD-3-Clause
"""How the programs end: with the exit codes of `gpz` (tools/decompress/exit_code.hpp)."""

from __future__ import annotations

import gpz

USAGE = 2
HELP = (
    "Exit codes: 0 success; 1 internal error; 2 usage; 3 input or output; 4 corrupt; 5 truncated (complete frames were "
    "written); 6 out of memory, over a limit, or not supported. Errors are one line on standard error."
)
# The first that fits.
_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (gpz.TruncatedError, 5),
    (gpz.ArgumentError, USAGE),
    (gpz.FileError, 3),
    (gpz.CorruptError, 4),
    (gpz.NotGpzError, 4),
    (gpz.VersionError, 4),
    (gpz.UnsupportedError, 6),
    (MemoryError, 6),
    (gpz.Error, 1),
    (OSError, 3),
)


def exit_code(error: BaseException) -> int:
    """The exit code that the program gpz has for such an error; 1 for unknown ones."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), 1)
