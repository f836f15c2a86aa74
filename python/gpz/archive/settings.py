# SPDX-License-Identifier: BSD-3-Clause
"""Settings of an archive that change the bytes of its outputs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import gpz
from gpz._arguments import checked_choice
from gpz._coding import AUTO, EFFORTS, KEY_INTERVAL, ORDERS, checked_key_interval

PIECE_SIZE = 256 * 2**20  # bytes


@dataclass(frozen=True)
class Settings:
    """The options of gpz encode, and how inputs are cut.

    eb, rel: bounds of positions. bounds: of other columns, "NAME=V" each. Numbers become texts. piece_size: in bytes; a LAMMPS dump is cut into
    pieces of at least this size.
    """

    eb: float | str | None = None
    rel: float | str | None = None
    lossless: bool = False
    bounds: Sequence[str] = ()
    units: str | None = None
    dt: float | str | None = None
    elements: str | None = None
    effort: str | None = None
    key: int | str | None = None
    order: str | None = None
    allow_truncated: bool = False
    piece_size: int = PIECE_SIZE

    def __post_init__(self) -> None:
        """Raises gpz.ArgumentError."""
        if isinstance(self.bounds, str):
            raise gpz.ArgumentError(f"bounds: a list of texts, as [{self.bounds!r}]")
        texts = {name: repr(value) for name in ("eb", "rel", "dt") if isinstance(value := getattr(self, name), (int, float))}
        for name, value in {**texts, "bounds": tuple(self.bounds)}.items():
            object.__setattr__(self, name, value)
        if sum((self.eb is not None, self.rel is not None, self.lossless)) > 1:
            raise gpz.ArgumentError("give one of eb, rel and lossless")
        if self.effort is not None:
            checked_choice("effort", self.effort, EFFORTS)
        if self.order is not None:
            checked_choice("order", self.order, ORDERS)
        if self.key is not None:
            checked_key_interval("key", self.key)
        if self.piece_size < 1:
            raise gpz.ArgumentError(f"piece_size: a number of bytes from 1, not {self.piece_size!r}")

    @property
    def key_interval(self) -> int | None:
        """The key interval in frames; None: the sizes of the first frames of an input give it."""
        return None if self.key_argument == AUTO else int(self.key_argument)

    @property
    def key_argument(self) -> int | str:
        """The option --key of gpz encode and gpz convert. Not AUTO by default: pieces begin where key intervals begin, which has to be known before
        anything is encoded."""
        return KEY_INTERVAL if self.key is None else self.key

    @property
    def of_first_frame(self) -> bool:
        """Whether a bound depends on the first frame of an input."""
        return self.rel is not None or any(bound.endswith("=thermal") for bound in self.bounds)

    @property
    def recodes(self) -> bool:
        """Whether they ask for something of the bytes of an output; .gpz inputs are copied otherwise."""
        return (
            self.lossless
            or bool(self.bounds)
            or any(option is not None for option in (self.eb, self.rel, self.effort, self.key, self.order))
        )

    def with_bounds(self, eb: str | None, bounds: tuple[str, ...]) -> Settings:
        """The same with bounds that no longer depend on a frame."""
        return replace(self, eb=eb, rel=None, bounds=bounds)

    def as_json(self) -> dict[str, object]:
        """The settings that differ from their defaults."""
        plain = asdict(Settings())
        given = {name: value for name, value in asdict(self).items() if value != plain[name]}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}

    @property
    def digest(self) -> str:
        """A digest of the settings alone: two runs with equal digests make equal outputs."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    def encode_arguments(self) -> list[str]:
        """The options of gpz encode, without input and output."""
        given: list[str] = []
        values = {"--eb": self.eb, "--rel": self.rel, "--units": self.units, "--dt": self.dt, "--elements": self.elements,
                  "--effort": self.effort, "--key": self.key_argument, "--order": self.order}  # fmt: skip
        for name, value in values.items():
            if value is not None:
                given += [name, str(value)]
        for bound in self.bounds:
            given += ["--bound", bound]
        if self.lossless:
            given.append("--lossless")
        if self.allow_truncated:
            given.append("--allow-truncated")
        return given
