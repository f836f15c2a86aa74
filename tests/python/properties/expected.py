# SPDX-License-Identifier: BSD-3-Clause
"""What has to come back of a frame, after any number of files."""

from __future__ import annotations

import dataclasses

import numpy as np

import compare


@dataclasses.dataclass
class Expected:
    """A frame of the first original, whatever files it went through.

    original: values by column, rows as they were given. tags: the numbers of the rows that are left, if not all are.
    ordered: whether rows come back as they were given, or by id where there are ids. slack: by column, how far the original may
    be from what it should be, because it was computed in floats. quiet: whether signalling NaN became quiet (float32 in streams).
    changed: whether the values are others than those that were given first.
    """

    original: dict[str, np.ndarray]
    timestep: int
    box: object
    ordered: bool = True
    tags: np.ndarray | None = None
    slack: dict[str, float] = dataclasses.field(default_factory=dict)
    quiet: bool = False
    changed: bool = False

    @classmethod
    def of(cls, given, order):
        made = cls(given.original, given.timestep, given.box)
        made.note_order(order)
        return made

    def note_order(self, order):
        """The frame was written in this order."""
        ids = self.original.get("id")
        if order == "place" and (ids is None or len(np.unique(ids)) < len(ids)):
            self.ordered = False

    @property
    def rows(self):
        """The rows that are left, in the order in which they come back."""
        count = len(next(iter(self.original.values()), ()))
        rows = np.arange(count) if self.tags is None else self.tags
        return rows[np.argsort(self.original["id"][rows], kind="stable")] if "id" in self.original else rows

    def rows_of(self, values, what):
        """The original rows of the values that were read, by column."""
        rows = self.rows
        if "tag" not in values:
            assert self.ordered, "made wrongly: without tags an order that is not kept cannot be checked"
            return rows
        tags = values["tag"].astype(np.int64)  # a binary dump has floats
        assert sorted(tags) == sorted(rows), f"{what}: rows {tags}, not {rows}"
        if self.ordered:
            assert tags.tolist() == rows.tolist(), f"{what}: rows come back as {tags}, not {rows}"
        return tags

    def check(self, values, bounds, errors, what):
        """values: by column, sorted by id where there are ids. bounds: as recorded, 0: exact. errors: largest ones, as recorded."""
        wanted = set(self.original)
        assert wanted <= set(values) <= wanted | {"id"}, f"{what}: columns {list(values)}, not {wanted}"
        rows = self.rows_of(values, what)
        if "id" not in self.original and "id" in values:
            assert values["id"].tolist() == list(range(1, len(rows) + 1)), f"{what}: ids {values['id']}"
        for name, original in self.original.items():
            self.check_column(name, values[name], original[rows], bounds[name] or 0, errors[name], what)

    def check_column(self, name, values, original, bound, error, what):
        said, slack = f"{what}: {name}", self.slack.get(name, 0)
        if not len(original):
            return  # text does not tell its type
        if original.dtype.kind == "i":
            assert bound == 0 and values.dtype.kind == "i" and values.tolist() == original.tolist(), said
        elif not bound and not slack and values.dtype == original.dtype:
            compare.require_bits(values, original, said, self.quiet)
        else:
            assert error <= bound, f"{said}: the largest error {error!r} is above the bound {bound!r}"
            compare.require_within(values, original, bound, f"{said}, bound", slack)
            compare.require_within(values, original, error, f"{said}, largest error", slack)
