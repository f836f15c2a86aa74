# SPDX-License-Identifier: BSD-3-Clause
"""The page of `gpz plot`: its numbers, and its drawing."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import gpz
from gpz.plot import draw, observables
from gpz.plot.accuracy import ColumnErrors, errors
from gpz.plot.advice import Advice
from gpz.plot.sources import Source, opened
from gpz.plot.storage import Sizes, sizes
from gpz.plot.thermo import Thermo, thermo
from gpz.remote.names import shown_path

PANELS = ("sizes", "gr", "msd", "thermo", "errors")
FRAMES_OF_RADIAL = 5
FRAMES_OF_DISPLACEMENT = 50


@dataclasses.dataclass(frozen=True)
class Numbers:
    """The numbers of a page; None where a panel was not asked for, or is not possible: `missing` says why."""

    name: str
    units: str
    sizes: Sizes | None
    radial: observables.Radial | None
    radial_frames: int
    displacement: observables.Displacement | None
    thermo: Thermo | None
    errors: list[ColumnErrors] | None
    missing: dict[str, str]


def radial_distribution(
    frames: Sequence[gpz.Frame] | gpz.Trajectory, reach: float | None = None, bins: int = observables.BINS
) -> observables.Radial:
    """g(r) of all pairs, a mean over frames. Boxes may be triclinic, periodic or not, 2-D or 3-D.

    reach: the largest distance, less than half of the box; None: four particles far.
    """
    counted = None
    for frame in frames:
        n = 3 if frame.box is None else frame.box.dimension
        if frame.box is None or not abs(np.linalg.det(frame.box.matrix[:n, :n])) > 0:
            what = "no box" if frame.box is None else "a box without volume"
            raise gpz.ArgumentError(f"frame {frame.index} has {what}, and g(r) needs a density")
        if counted is None:
            counted = observables.RadialDistribution(
                reach or observables.default_range(frame.box, frame.n_particles), bins
            )
        counted.add(frame.box, frame.positions)
    if counted is None:
        raise gpz.ArgumentError("g(r) of no frames")
    return counted.result()


def spread(trajectory: gpz.Trajectory, most: int) -> gpz.Trajectory:
    """At most `most` frames at equal distances, from the first on."""
    step = max(1, -(-(len(trajectory) - 1) // max(most - 1, 1)))
    return trajectory[::step]


def measure(
    source: Source,
    *,
    against: Source | None = None,
    panels: Sequence[str] = PANELS,
    frames: slice | None = None,
    reach: float | None = None,
    bins: int = observables.BINS,
    threads: int | None = None,
    units: str | None = None,
    names: Sequence[str] | None = None,
) -> Numbers:
    """The numbers of a page.

    frames: of g(r), of which up to 5 are taken, and of the displacement (up to 50, or all where particles have to be
        followed from frame to frame). None: g(r) of the second half of the file, the displacement of all.
    names: the observables of `thermo`; None: all. reach, bins: of g(r). units: LAMMPS's name, for the labels, of a file that names none.
    """
    missing: dict[str, str] = {}
    results: dict = dict.fromkeys(PANELS)
    with opened(source, threads=threads) as trajectory:
        if len(trajectory) == 0:
            raise gpz.ArgumentError(f"{shown_path(trajectory.path)}: no complete frame")
        chosen = trajectory[frames or slice(None)]
        if len(chosen) == 0:
            raise gpz.ArgumentError(f"{shown_path(trajectory.path)}: none of its {len(trajectory)} frames is among those chosen")
        # A simulation often begins with a lattice, which is not what it is about.
        for_radial = spread(chosen if frames is not None else chosen[len(chosen) // 2 :], FRAMES_OF_RADIAL)
        follow = observables.needs_all_frames(chosen)
        for_displacement = chosen if follow else spread(chosen, FRAMES_OF_DISPLACEMENT)

        def compare() -> list[ColumnErrors]:
            if against is None:
                raise gpz.ArgumentError("errors need the original: --against")
            with opened(against, threads=threads) as original:
                return errors(trajectory, original)

        makers = {
            "sizes": lambda: sizes(trajectory),
            "gr": lambda: radial_distribution(for_radial, reach, bins),
            "msd": lambda: observables.displacement(for_displacement),
            "thermo": lambda: thermo(trajectory, names),
            "errors": compare,
        }
        for panel in panels:
            if panel == "errors" and against is None and len(panels) > 1:
                continue
            if panel == "thermo" and names is None and len(panels) > 1 and not trajectory[0].observables:
                continue
            try:
                results[panel] = makers[panel]()
            except (gpz.ArgumentError, gpz.ColumnError) as error:
                if len(panels) == 1 or (panel == "errors" and against is not None):
                    raise
                missing[panel] = str(error)
        name = Path(os.fspath(source)).name if isinstance(source, (str, os.PathLike)) else "trajectory"
        return Numbers(
            name, units or trajectory.units, results["sizes"], results["gr"], len(for_radial), results["msd"],
            results["thermo"], results["errors"], missing,
        )  # fmt: skip


def overview(source: Source, **options) -> Figure:
    """A page about a file: sizes by frame and column, g(r), displacement, and errors if `against` names the original.
    Options are those of `measure`. Returns a matplotlib figure; savefig writes PNG, SVG or PDF."""
    return picture_of(measure(source, **options))


def picture_of(numbers: Numbers | Advice, title: str | None = None) -> Figure:
    """The page of these numbers."""
    if isinstance(numbers, Advice):
        distance = draw.names_of(numbers.units).distance
        found = (
            f"g(r) is unchanged up to a bound of {numbers.bound:g} {distance}"
            if numbers.bound is not None
            else f"g(r) changes with every bound from {numbers.trials[0].bound:g} {distance} on"
        )
        about = f"{numbers.particles:,} particles, {len(numbers.frames)} frames"
        return draw.advice(numbers, f"{title + ': ' if title else ''}{found} ({about})")
    panels = []
    if numbers.sizes is not None:
        panels.append(lambda axes: draw.sizes_of_frames(axes, numbers.sizes))
        panels.append(lambda axes: draw.sizes_of_columns(axes, numbers.sizes))
    if numbers.radial is not None:
        panels.append(lambda axes: draw.radial(axes, numbers.radial, numbers.units, numbers.radial_frames))
    if numbers.displacement is not None:
        panels.append(lambda axes: draw.displacement(axes, numbers.displacement, numbers.units))
    if numbers.thermo is not None:
        for name in numbers.thermo.values:
            panels.append(lambda axes, name=name: draw.observable(axes, numbers.thermo, name, numbers.units))
    if numbers.errors is not None:
        panels.append(lambda axes: draw.error_histograms(axes, numbers.errors))
    if not panels:
        raise gpz.ArgumentError("nothing to draw: " + "; ".join(numbers.missing.values()))
    return draw.overview(title or numbers.name, panels)


def as_json(value):
    """Numbers, lists, dicts and None of a result."""
    if dataclasses.is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
