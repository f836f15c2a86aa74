# SPDX-License-Identifier: BSD-3-Clause
"""Where an engine listens."""

from __future__ import annotations

import re
from typing import NamedTuple

from gpz._arguments import shown
from gpz._errors import ArgumentError

SCHEME = "imd://"


class Address(NamedTuple):
    """host: a name or an address, without the brackets of IPv6. port: 1 to 65535."""

    host: str
    port: int

    @classmethod
    def parse(cls, url: str) -> Address:
        """The address in imd://host:port or imd://[::1]:port. TypeError, or ArgumentError for other texts."""
        if not isinstance(url, str):
            raise TypeError(f"url: a text such as imd://localhost:8888, not {shown(url)}")
        found = re.fullmatch(r"imd://(\[[0-9A-Fa-f:.%]+\]|[^\s:/@\[\]]+):([0-9]{1,5})/?", url)
        if found is None or not 0 < int(found[2]) < 65536:
            raise ArgumentError(f"url: imd://HOST:PORT, such as imd://localhost:8888, not {shown(url)}")
        return cls(found[1].strip("[]"), int(found[2]))

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{SCHEME}{host}:{self.port}"
