# SPDX-License-Identifier: BSD-3-Clause
"""The parser of arguments of the programs."""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

from gpz.programs.exit_codes import USAGE


class Parser(argparse.ArgumentParser):
    """Errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Ends the program as other errors of usage do: one line and the exit code of usage."""
        message = re.sub(r"^argument (\S+?):", r"\1:", " ".join(message.split()))
        self.exit(USAGE, f"{self.prog}: {message} ({self.prog} --help)\n")
