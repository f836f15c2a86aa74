# SPDX-License-Identifier: BSD-3-Clause
"""Sections of steps: arithmetic and schedule of the reference decoder, and whether the library decodes the same bits."""

import math
import unittest

from gpz_reference import reader as gpz_ref
from gpz_reference import steps as gpz_steps
from gpz_reference.floats import F32, clamp, inverse_root, larger, root, smaller
from gpz_reference.step_ways import NARROW, ROOT, SPHERE
import steps_by_chance
from library import HELPER, LibraryTest, each, listing, sample

NAN, INFINITY = math.nan, math.inf


class Arithmetic(unittest.TestCase):
    def check(self, vector, expected):
        self.assertEqual(list(map(repr, vector.lanes)), list(map(repr, expected)))

    def test_operations_are_rounded(self):
        large = F32([2.0**24, 2.0**127, -(2.0**127)])
        self.check(large + 1, [2.0**24, 2.0**127, -(2.0**127)])
        self.check(large * large, [2.0**48, INFINITY, INFINITY])
        self.check(large * 2, [2.0**25, INFINITY, -INFINITY])
        self.check(F32([1.0]) / 3, [11184811 / 2**25])
        self.check(root(F32([2.0, 0.0, -1.0])), [11863283 / 2**23, 0.0, NAN])
        self.check(F32([0.0]) + 0.1, [13421773 / 2**27])

    def test_division_by_zero(self):
        self.check(1 / F32([0.0]), [INFINITY])
        self.check(F32([0.0, -1.0]) / 0, [NAN, -INFINITY])
        self.check(inverse_root(F32([0.0, -1.0, INFINITY])), [INFINITY, NAN, 0.0])

    def test_nans_of_comparisons(self):
        nan, one = F32([NAN]), F32([1.0])
        self.check(smaller(nan, one), [1.0])
        self.check(smaller(one, nan), [NAN])
        self.check(larger(nan, one), [1.0])
        self.check(larger(one, nan), [NAN])
        self.check(clamp(nan, 4), [4.0])

    def test_expected_component(self):
        """N, whether d < 0, the place, and b."""
        nearest = 2.0**-4, 2.0**-4, 2.0, 2.0**14
        found = gpz_steps.Block.places(F32([2.5, 3.5, NAN, -1.25]), F32(nearest), 1)
        self.assertEqual(list(zip(*found)), [(2, False, 163, 0), (4, True, 163, 0), (2**22, False, 160 + 4 * 5, 0), (-1, True, 160 + 4 * 18, 6)])


class Schedule(unittest.TestCase):
    """The kind of a particle here is SPHERE if it has one reference, NARROW if more."""

    def steps(self, references, blocks=1):
        parents = [of[0] if of else None for of in references]
        kinds = [(ROOT, SPHERE, NARROW, NARROW)[len(of)] for of in references]
        heights = gpz_steps.find_heights(references)
        pieces = gpz_steps.find_pieces(parents, heights)
        found = gpz_steps.find_blocks(pieces, len(parents), len(parents) // blocks)
        return heights, [gpz_steps.find_steps(of, kinds, references, heights) for of in found]

    def test_heights(self):
        """The height of a particle is above those of all that refer to it, not of its children alone."""
        heights, (steps,) = self.steps([[], [0], [0, 1], [1, 0, 2], [2]])
        self.assertEqual(heights, [4, 3, 2, 1, 1])
        # The last two: of queues of equal length the kind that is named first.
        self.assertEqual(steps, [(ROOT, [0]), (SPHERE, [1]), (NARROW, [2]), (SPHERE, [4]), (NARROW, [3])])

    def test_higher_pieces_come_first(self):
        _, (steps,) = self.steps([[], [], [1], [2]])
        self.assertEqual(steps, [(ROOT, [0, 1]), (SPHERE, [2]), (SPHERE, [3])])
        _, steps = self.steps([[], [], [1], [2]], blocks=2)
        self.assertEqual(steps, [[(ROOT, [1]), (SPHERE, [2]), (SPHERE, [3])], [(ROOT, [0])]])

    def test_pieces_wait(self):
        """40 pairs: the first 32 roots are a step before the other pieces are admitted, and their children one before the last roots."""
        references = [of for i in range(40) for of in ([], [2 * i])]
        _, (steps,) = self.steps(references)
        roots, children = list(range(0, 80, 2)), list(range(1, 80, 2))
        self.assertEqual(steps, [(ROOT, roots[:32]), (SPHERE, children[:32]), (ROOT, roots[32:]), (SPHERE, children[32:])])

    def test_the_highest_queue_comes_first(self):
        """Of two queues of 32 or more, though the other one is longer and its kind is named first."""
        narrow, others = list(range(66, 98)), list(range(98, 130))
        _, (steps,) = self.steps([[]] + [[0]] * 65 + [[0, 1] for _ in narrow] + [[i] for i in narrow])
        spheres = [list(range(1, 33)), list(range(33, 65)), [65, *others[:31]], others[31:]]
        self.assertEqual(steps, [(ROOT, [0]), (SPHERE, spheres[0]), (NARROW, narrow), *((SPHERE, of) for of in spheres[1:])])


@unittest.skipUnless(HELPER, "GPZ_LIBRARY_HELPER is not set")
class Library(LibraryTest):
    def test_any_numbers(self):
        """Far from what an encoder writes: constants, ways and residuals of any size."""
        files = {f"{seed}.gpz": steps_by_chance.make(seed) for seed in sample(range(60), 6)}
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        for name, by_library in each(self.folder).items():
            with self.subTest(file=name):
                file = gpz_ref.read_bytes(files[name])
                self.assertEqual(file.damage, [])
                self.assertEqual(by_library, listing(file))


if __name__ == "__main__":
    unittest.main()
