# SPDX-License-Identifier: BSD-3-Clause
"""How particles are arranged, and how far they move."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import freud
import numpy as np

import gpz
from gpz import _positions
from gpz._box import inverse_of

GROUPS = 16  # of particles, between which the noise of g(r) is measured
BINS = 200


def heights(box: gpz.Box) -> np.ndarray:
    """(3,): the distances of opposite faces of the box; a 2-D box has no third one."""
    return 1 / np.linalg.norm(np.linalg.inv(box.matrix), axis=0)[: box.dimension]


def spacing(box: gpz.Box, particles: int) -> float:
    """The edge of the cube, or square, that a particle has for itself, distance units."""
    volume = abs(np.linalg.det(box.matrix[: box.dimension, : box.dimension]))
    return float((volume / max(particles, 1)) ** (1 / box.dimension))


def default_range(box: gpz.Box, particles: int) -> float:
    """Four particles far, and less than half of the box."""
    periodic = [height for height, wraps in zip(heights(box), box.periodic) if wraps]
    return min([4 * spacing(box, particles), *(0.45 * height for height in periodic)])


def neighbours(box: gpz.Box, positions: np.ndarray, reach: float) -> freud.locality.AABBQuery:
    """Finds pairs up to the distance `reach`, across periodic faces. Its points are float32: distances have an error of
    some 1e-7 of the box."""
    n = box.dimension
    fractions = np.linalg.solve(box.matrix[:n, :n].T, (positions[:, :n] - box.origin[:n]).T).T
    # The box as freud has it: its middle at 0, a along x, b in the plane of x and y.
    turned = np.linalg.qr(box.matrix[:n, :n].T)[1].T
    edges = turned * np.sign(np.diag(turned))
    high = heights(box)
    for axis in range(n):
        along = fractions[:, axis]
        if box.periodic[axis]:
            if high[axis] <= 2 * reach:
                raise gpz.ArgumentError(
                    f"the range {reach:g} is not less than half of the box, whose faces are {high[axis]:g} apart"
                )
            along -= np.floor(along)
        else:  # so long that no particle sees the next box
            size = np.ptp(along) + 2.1 * reach / high[axis]
            along[:] = (along - along.min()) / size
            edges[axis] *= size
    points = np.zeros((len(positions), 3), np.float32)
    points[:, :n] = (fractions - 0.5) @ edges
    lx, ly = edges[0, 0], edges[1, 1]
    if n == 2:
        made = freud.box.Box(lx, ly, 0, edges[1, 0] / ly, is2D=True)
    else:
        lz = edges[2, 2]
        made = freud.box.Box(lx, ly, lz, edges[1, 0] / ly, edges[2, 0] / lz, edges[2, 1] / lz)
    return freud.locality.AABBQuery(made, made.wrap(points))


def shortest_distance(box: gpz.Box, positions: np.ndarray, reach: float) -> float:
    """The shortest distance of two particles, in distance units; infinity if no two are within `reach`."""
    query = neighbours(box, positions, reach)
    near = (
        query.query(query.points, {"num_neighbors": 1, "r_max": reach, "exclude_ii": True}).toNeighborList().distances
    )
    return float(near.min()) if len(near) else np.inf


@dataclasses.dataclass(frozen=True)
class Radial:
    """The radial distribution function.

    radii: (bins,) middle of each bin, distance units. g: (bins,). noise: (bins,) standard error of g, from the
    differences between random groups of particles, and no less than that of independent pairs.
    """

    radii: np.ndarray
    g: np.ndarray
    noise: np.ndarray

    @property
    def peak(self) -> float:
        """The largest value of g(r)."""
        return float(self.g.max())


class RadialDistribution:
    """Sums g(r) over frames. All pairs are counted, or those with `centres` particles of each frame."""

    def __init__(self, reach: float, bins: int = BINS, centres: int | None = None):
        self.reach, self.bins, self.centres = reach, bins, centres
        self._counts = np.zeros((GROUPS, bins))
        self._ideal = np.zeros((GROUPS, bins))  # of a gas without order
        self._share = 1.0

    def add(self, box: gpz.Box, positions: np.ndarray) -> None:
        """Counts the pairs of a frame. positions: (N, 3), in the units of the box. Raises gpz.ArgumentError for too few particles."""
        count = len(positions)
        if count < 2 * GROUPS:
            raise gpz.ArgumentError(f"g(r) needs at least {2 * GROUPS} particles, not {count}")
        chosen = np.random.default_rng(1).permutation(count)[: self.centres]
        self._share = len(chosen) / count
        edges = np.linspace(0, self.reach, self.bins + 1)
        n = box.dimension
        shells = np.diff(np.pi * edges**2 if n == 2 else 4 / 3 * np.pi * edges**3)
        shells *= (count - 1) / abs(np.linalg.det(box.matrix[:n, :n]))
        query = neighbours(box, positions, self.reach)
        counter = freud.density.RDF(self.bins, self.reach)
        for group, members in enumerate(np.array_split(chosen, GROUPS)):
            counter.compute(query, query.points[members], {"mode": "ball", "r_max": self.reach})
            counts = counter.bin_counts.astype(np.float64)
            counts[0] -= len(members)  # each is its own neighbour
            self._counts[group] += counts
            self._ideal[group] += len(members) * shells

    def result(self) -> Radial:
        """g(r) of all frames that were added, with its standard error."""
        counts, ideal = self._counts.sum(axis=0), self._ideal.sum(axis=0)
        # A pair of two centres is counted from both ends: its two counts are no two observations.
        repeated = 1 + self._share
        between = (self._counts / self._ideal).var(axis=0, ddof=1) / GROUPS * repeated
        independent = np.maximum(counts, repeated) * repeated / ideal**2
        radii = (np.arange(self.bins) + 0.5) * self.reach / self.bins
        return Radial(radii, counts / ideal, np.sqrt(np.maximum(between, independent)))


def unwrapped(trajectory: gpz.Trajectory) -> Iterator[tuple[gpz.Frame, np.ndarray]]:
    """Frames and (N, 3) float64 positions without jumps at periodic faces: by image flags, or as they are in columns
    like xu. Without both a particle is taken to go the shortest way from each frame to the next."""
    previous = ids = None
    for frame in trajectory:
        if frame.ids is None:
            raise gpz.ArgumentError("displacements need ids: without them nothing says which particle is which")
        if ids is not None and not np.array_equal(frame.ids, ids):
            raise gpz.ArgumentError(
                f"displacements need the same particles in all frames; frame {frame.index} has others"
            )
        ids = frame.ids
        positions = frame.positions.astype(np.float64)
        if frame.box is not None and not is_unwrapped(frame):
            if frame.images is not None:
                positions = unwrapped_by_images(frame)
            elif previous is not None:
                steps = ((positions - previous) @ inverse_of(frame.box)).T
                steps[~np.array(frame.box.periodic)] = 0
                positions -= np.round(steps).T @ frame.box.matrix
        previous = positions
        yield frame, positions


def unwrapped_by_images(frame: gpz.Frame) -> np.ndarray:
    """(N, 3) float64. Coordinates in columns like xu stay as they are."""
    columns = frame.position_columns
    values = np.zeros((frame.n_particles, 3))
    for axis, name in enumerate(columns):
        values[:, axis] = frame[name]
    _positions.add_images(frame.box, columns, frame.images, values)
    if _positions.is_scaled(columns):
        _positions.to_cartesian(frame.box, columns, values)
    return values


def is_unwrapped(frame: gpz.Frame) -> bool:
    """Whether the positions of the frame are unwrapped (columns xu yu zu)."""
    return bool(frame.position_columns) and _positions.is_unwrapped(frame.position_columns)


def needs_all_frames(trajectory: gpz.Trajectory) -> bool:
    """Whether `unwrapped` follows particles from frame to frame."""
    first = trajectory[0]
    return first.images is None and not is_unwrapped(first)


@dataclasses.dataclass(frozen=True)
class Displacement:
    """The mean square displacement since the first of these frames.

    timesteps, times: (frames,), times NaN where the file has none. msd: (frames,) distance units squared. noise:
    (frames,) standard error of msd, if particles move independently.
    """

    timesteps: np.ndarray
    times: np.ndarray
    msd: np.ndarray
    noise: np.ndarray


def displacement(trajectory: gpz.Trajectory) -> Displacement:
    """Mean square displacement since the first frame, with its standard error: (frames,) arrays. Needs ids in all frames."""
    first, means, errors = None, [], []
    for _, positions in unwrapped(trajectory):
        first = positions if first is None else first
        squares = ((positions - first) ** 2).sum(axis=1)
        means.append(squares.mean())
        errors.append(squares.std() / np.sqrt(len(squares)))
    return Displacement(trajectory.timesteps, trajectory.times, np.array(means), np.array(errors))
