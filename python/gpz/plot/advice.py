# SPDX-License-Identifier: BSD-3-Clause
"""Which error bound one's own data allow: sample frames, compressed with one bound after the other."""

from __future__ import annotations

import dataclasses
import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

import gpz
from gpz._coding import KEY_INTERVAL
from gpz.plot import observables
from gpz.plot.sources import Source, opened
from gpz.remote.names import shown_path

FRAMES = 5
MOST_PAIRS = 20_000_000  # are counted for each bound, some seconds on one core; beyond, fewer centres
IMAGES = ("ix", "iy", "iz")
NOISES = 2.0  # standard errors: a change within them is not told from noise


@dataclasses.dataclass(frozen=True)
class Trial:
    """The sample frames with one bound.

    bound: of the positions, distance units. bits: a particle and frame, for positions, ids and types. ratio: plain
    values (8 bytes for a float64 or an integer, 4 for a float32) over compressed ones. Both are for a key frame every
    100 frames.
    change: the largest difference of g(r) from that of the sample, over two standard errors of it: below 1
    it cannot be told from noise. change_of_peak: the largest difference, over the peak of g(r). radial: g(r) itself.
    msd_change: relative difference of the mean square displacement between first and last frame of the sample;
    msd_noise: two standard errors of it, relative. NaN if nothing moves, or without ids.
    shortest: distance of any two particles, distance units.
    """

    bound: float
    bits: float
    ratio: float
    change: float
    change_of_peak: float
    radial: observables.Radial
    msd_change: float
    msd_noise: float
    shortest: float


@dataclasses.dataclass(frozen=True)
class Advice:
    """bound: the loosest one with which, and with all tighter ones, g(r) of the sample is unchanged within its noise;
    None if the tightest changes it already.

    trials: from the tightest bound to the loosest. radial, shortest: of the sample as it is. frames: indices of the
    sample. source_bound: of its positions in the file that it came from; None: exact. units: LAMMPS's name.
    """

    bound: float | None
    trials: list[Trial]
    radial: observables.Radial
    shortest: float
    frames: list[int]
    particles: int
    source_bound: float | None
    units: str

    @property
    def noise_of_peak(self) -> float:
        """Two standard errors of g(r) at its peak, over the peak."""
        return NOISES * float(self.radial.noise[self.radial.g.argmax()]) / self.radial.peak


@dataclasses.dataclass(frozen=True)
class Figures:
    """Quantities of a trajectory that are compared: g(r), mean square displacement of the last frame with its standard error (distance²; NaN
    without ids), and the shortest distance of two particles."""

    radial: observables.Radial
    msd: float
    msd_noise: float
    shortest: float


def advise(
    source: Source,
    *,
    box: gpz.Box | npt.ArrayLike | None = None,
    bounds: Sequence[float] | None = None,
    frames: int = FRAMES,
    reach: float | None = None,
    bins: int = observables.BINS,
    threads: int = 1,
    units: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Advice:
    """Compresses sample frames with bounds from tight to loose, and says from which one on g(r) changes.

    source: a .gpz file, a dump that `gpz encode` reads, a gpz.Trajectory, or positions (frames, N, 3) with their
        `box`. The more exact, the better: bounds tighter than that of the file cannot be judged.
    bounds: to try, distance units; None: 1, 2, 5, 10, ... of a power of ten, from 1e-5 to 1e-1 of the distance between
        particles.
    frames: of the sample, one after the other, in the middle of the file. More frames make the noise smaller, and the
        advice stricter. reach: of g(r), distance units. units: for the labels, of a file that names none. progress:
        called with a line for each bound.
    """
    with opened(source, box, threads) as trajectory:
        if len(trajectory) == 0:
            raise gpz.ArgumentError(f"{shown_path(trajectory.path)}: no complete frame")
        start = max(0, (len(trajectory) - frames) // 2)
        sample = trajectory[start : start + frames]
        first = sample[0]
        if first.box is None or first.position_columns is None:
            raise gpz.ArgumentError(f"{shown_path(trajectory.path)}: the adviser needs positions and a box")
        source_bound = first.position_bound
        reach = reach or observables.default_range(first.box, first.n_particles)
        ladder = sorted(set(bounds)) if bounds is not None else default_bounds(first)
        ladder = [bound for bound in ladder if source_bound is None or bound > source_bound]
        if not ladder:
            raise gpz.ArgumentError(f"{shown_path(trajectory.path)}: its bound {source_bound:g} is not tighter than those to try")
        centres = centres_of(first, reach, len(sample))
        original = figures(sample, reach, bins, centres)
        trials = []
        with tempfile.TemporaryDirectory(prefix="gpz-") as folder:
            for bound in ladder:
                path = Path(folder) / "trial.gpz"
                trials.append(trial(sample, bound, original, path, reach, bins, centres, threads))
                if progress is not None:
                    progress(f"bound {bound:g}: g(r) changes by {trials[-1].change:.3g} times its noise")
        unchanged = [t.bound for i, t in enumerate(trials) if all(u.change <= 1 for u in trials[: i + 1])]
        return Advice(
            unchanged[-1] if unchanged else None, trials, original.radial, original.shortest,
            list(range(start, start + len(sample))), first.n_particles, source_bound, units or trajectory.units,
        )  # fmt: skip


def default_bounds(frame: gpz.Frame) -> list[float]:
    """Bounds from 1e-5 to 0.1 of the mean spacing of particles, in the frame's units of length: 1, 2 and 5 times powers of 10."""
    distance = observables.spacing(frame.box, frame.n_particles)
    first = math.ceil(math.log10(1e-5 * distance))
    bounds = [digit * 10.0**power for power in range(first - 1, first + 6) for digit in (1, 2, 5)]
    return [float(f"{bound:.0e}") for bound in bounds if 1e-5 * distance <= bound <= 1e-1 * distance]


def centres_of(frame: gpz.Frame, reach: float, frames: int) -> int:
    """How many particles of each frame g(r) is counted around."""
    per_spacing = reach / observables.spacing(frame.box, frame.n_particles)
    around = math.pi * per_spacing**2 if frame.box.dimension == 2 else 4 / 3 * math.pi * per_spacing**3
    return max(1000, int(MOST_PAIRS / (frames * max(around, 1))))


def figures(frames: gpz.Trajectory, reach: float, bins: int, centres: int) -> Figures:
    """The figures of these frames. reach: of g(r), in units of length. centres: so many particles are centres of g(r)."""
    radial = observables.RadialDistribution(reach, bins, centres)
    shortest = math.inf
    for frame in frames:
        radial.add(frame.box, frame.positions)
        shortest = min(shortest, observables.shortest_distance(frame.box, frame.positions, reach))
    msd, noise = math.nan, math.nan
    if frames[0].ids is not None and len(frames) > 1:
        moved = observables.displacement(frames)
        msd, noise = float(moved.msd[-1]), float(moved.noise[-1])
    return Figures(radial.result(), msd, noise, shortest)


def trial(
    sample: gpz.Trajectory, bound: float, original: Figures, path: Path, reach: float, bins: int, centres: int,
    threads: int,
) -> Trial:  # fmt: skip
    """The size and the figures of `sample` after writing with this bound to `path`, compared with `original`."""
    with gpz.Writer(path, bound=bound, threads=threads) as writer:
        for frame in sample:
            writer.write(
                positions=frame.positions, ids=frame.ids, types=frame.types, images=frame.images, box=frame.box,
                timestep=frame.timestep,
            )  # fmt: skip
    with gpz.open(path, threads=threads) as decoded:
        columns = [column for name, column in decoded[0].column_info.items() if name not in IMAGES]
        bits = expected_bits(decoded)
        now = figures(decoded, reach, bins, centres)
    difference = np.abs(now.radial.g - original.radial.g)
    # A bin that was empty has the noise of the pairs that are new in it.
    noise = NOISES * np.maximum(original.radial.noise, np.where(original.radial.g > 0, 0, now.radial.noise))
    moved = original.msd if original.msd > 0 else math.nan
    return Trial(
        bound, bits, 8 * sum(column.dtype.itemsize for column in columns) / bits, float((difference / noise).max()),
        float(difference.max()) / original.radial.peak, now.radial, abs(now.msd - original.msd) / moved,
        NOISES * original.msd_noise / moved, now.shortest,
    )  # fmt: skip


def expected_bits(trajectory: gpz.Trajectory) -> float:
    """Bits a particle and frame of a long file: a key frame as the first one, and differences as the others. Image
    flags, which are in the sample for displacements, are not counted."""
    sizes = trajectory.sizes.copy()
    for index in range(len(trajectory)):
        fields = trajectory.field_sizes(index)
        sizes[index] -= sum(size for names, size in fields.items() if names[0] in IMAGES)
    bits = 8 * sizes / trajectory.counts
    if len(bits) == 1 or trajectory.key_frames.all():
        return float(bits.mean())
    return float((bits[0] + (KEY_INTERVAL - 1) * bits[1:].mean()) / KEY_INTERVAL)
