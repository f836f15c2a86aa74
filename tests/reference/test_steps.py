# SPDX-License-Identifier: BSD-3-Clause
"""Sections of steps: arithmetic and schedule of the reference decoder, and whether the library decodes the same bits."""

import math
import unittest
from unittest import mock

from gpz_reference import reader as gpz_ref
from gpz_reference import step_classes as gpz_classes
from gpz_reference import step_tables as gpz_tables
from gpz_reference import steps as gpz_steps
from gpz_reference.floats import F32, clamp, inverse_root, larger, root, smaller
from gpz_reference.step_ways import KEY_WEIGHTS, NARROW, ROOT, SPHERE, WIDE, Means, Shape, Weights
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


class Shapes(unittest.TestCase):
    def frequencies(self, weights, place):
        """Of tokens, and None for the escape."""
        found = {}
        for token, _, _ in gpz_tables.table_of_shape(weights, place).slots:
            found[token] = found.get(token, 0) + 1
        return found

    def test_rounding(self):
        given = 0.5, 1.5, -0.5, -1.5, math.nextafter(0.5, 0), 2.0**52 + 1
        self.assertEqual([gpz_tables.rounded(x) for x in given], [1, 2, -1, -2, 0, 2**52 + 1])

    def test_normal_distribution(self):
        for x in (-5, -1, -0.1, 0, 0.3, 2, 7):
            self.assertAlmostEqual(gpz_tables.normal_below(x), (1 + math.erf(x / math.sqrt(2))) / 2, delta=4e-7)

    def test_one_distribution(self):
        """Level 5 has the deviation root(1.45 2), of which this distribution has a quarter times root(2)^k. Rare tokens have one slot, at the cost of the most
        frequent ones."""
        for k in (4, 5, 6, 7):
            weights = tuple(200 * (i == k) for i in range(10))
            deviation = math.sqrt(1.45 * 2) * math.sqrt(2) ** k / 4
            for part in (0, 3):
                middle, found = (part + 0.5) / 8, self.frequencies(weights, 5 * 4 + part)
                for token in (t for t, slots in found.items() if t is not None and slots < max(found.values()) / 2):
                    below, above = (math.erf((token - 0.5 - middle + end) / deviation / math.sqrt(2)) / 2 for end in (0, 1))
                    self.assertAlmostEqual(found[token], 512 * (above - below), delta=1)

    def test_all_tables_have_an_escape(self):
        for weights in ((255,) + (0,) * 9, (1,) * 10, (0,) * 9 + (1,)):
            for place in range(0, 480, 13):
                found = self.frequencies(weights, place)
                self.assertEqual((sum(found.values()), found[None] > 0), (512, True))
        self.assertEqual(self.frequencies((0,) * 10, 40), {None: 512})

    def test_which_places_have_them(self):
        tables = gpz_tables.Tables([((1,) * 10, range(4, 8)), ((1,) * 10, range(0)), ((1,) * 10, range(40))])
        tables.stored[3] = stored = gpz_tables.Table([(5, 7)])
        self.assertIs(tables[3], stored)
        with_table = [place for place in range(480) if tables[place] is not gpz_tables.ESCAPES]
        self.assertEqual(with_table, [3, *range(16, 24), 24, 28, *range(320, 344), *range(344, 480, 4)])


class Classes(unittest.TestCase):
    def classes(self, parents, shorts=None):
        return gpz_classes.find_classes(parents, gpz_steps.find_links(parents), shorts or [0] * len(parents))

    def test_waters(self):
        """Of as many particles, those with the lower key are the first class."""
        waters = [p for i in range(0, 60, 3) for p in (None, i, i)]
        self.assertEqual(self.classes(waters), ([1, 0, 2] * 20, 3))

    def test_short_bonds_tell_classes(self):
        """A chain of three with a short bond at its beginning, and as many without; then the more frequent class comes first."""
        parents = [p for i in range(0, 120, 3) for p in (None, i, i + 1)]
        shorts = [1, 0, 0] * 20 + [0, 0, 0] * 20
        of_class, count = self.classes(parents, shorts)
        self.assertEqual((count, len(set(of_class[:60])), len(set(of_class))), (6, 3, 6))
        of_class, count = self.classes(parents, [1, 0, 0] * 17 + [0, 0, 0] * 23)
        self.assertEqual((count, sorted(of_class[60:63])), (6, [0, 1, 2]))

    def test_rare_particles_are_classed_by_less(self):
        """Ten chains of four with a short bond and ten without: the second particles share a class at last."""
        parents = [p for i in range(0, 80, 4) for p in (None, i, i + 1, i + 2)]
        of_class, _ = self.classes(parents, [0, 0, 0, 1] * 10 + [0] * 40)
        self.assertEqual(of_class[1], of_class[41])
        self.assertNotEqual(of_class[3], of_class[43])

    def test_no_more_than_there_is_room_for(self):
        """Of 300 kinds of particles, each as frequent: 208, then 16 for each level."""
        parents, profiles = [None] * 300 * 16, [i // 16 for i in range(300 * 16)]
        links = [(None, None)] * len(parents)
        with mock.patch.object(gpz_classes, "profiles_of", return_value=profiles):
            of_class, count = gpz_classes.find_classes(parents, links, None)
        self.assertEqual(count, 256)
        self.assertEqual(of_class[::16], [*range(255), *[255] * 45])


class KeySections(unittest.TestCase):
    """A particle whose parent is at the end of the axis, with the heading of its class."""

    CONSTANTS = 0, 0, 0, 0, 0, 0, 0, 0, 0, 5.0, 3.0, 1.0, 1.0, 2.0**-20, 2.0**-20

    def direction(self, heading, A1, S1):
        w, y, A0, S0 = gpz_steps.vectors_of_headings(WIDE, [heading])
        constants = [(*KEY_WEIGHTS, *self.CONSTANTS[9:])]
        axis, second = ((before, [F32([float(x)]) for x in now]) for before, now in ((A0, A1), (S0, S1)))
        shape = Shape(WIDE, Weights(WIDE, constants), Means([[0.0] * 4], 0), w, y, axis, second, is_key=True)
        return [a.lanes[0] * shape.a.lanes[0] + p.lanes[0] * shape.r.lanes[0] for a, p in zip(shape.A, shape.P)]

    def check(self, heading, A1, S1, expected):
        for x, y in zip(self.direction(heading, A1, S1), expected, strict=True):
            self.assertAlmostEqual(x, y, places=5)

    def test_directions(self):
        """Of length 5 and 3 along the axis."""
        self.check((64, 0), (10, 0, 0), (0, 7, 0), (3, 4, 0))
        self.check((-1, 0), (10, 0, 0), (5, 7, 0), (3, -4, 0))
        self.check((0, 9), (10, 0, 0), (0, 7, 0), (3, 0, 4))
        self.check((3, -4), (0, 0, -2), (0, 7, 0), (-3.2, 2.4, -3))

    def test_without_a_second(self):
        """Towards the axis of the least component, whatever the heading is."""
        for S in ((0, 0, 0), (20, 0, 0)):
            for heading in ((64, 0), (0, -64), (0, 0)):
                self.check(heading, (10, 0, 0), S, (3, 4, 0))
        self.check((1, 2), (0, -3, 4), (0, 0, 0), (4, -1.8, 2.4))


@unittest.skipUnless(HELPER, "GPZ_LIBRARY_HELPER is not set")
class Library(LibraryTest):
    def test_any_numbers(self):
        """Far from what an encoder writes: constants, ways and residuals of any size."""
        files = {f"{bonds} {seed}.gpz": steps_by_chance.make(seed, bonds) for bonds in (False, True) for seed in sample(range(60), 6)}
        for name, content in files.items():
            (self.folder / name).write_bytes(content)
        for name, by_library in each(self.folder).items():
            with self.subTest(file=name):
                file = gpz_ref.read_bytes(files[name])
                self.assertEqual(file.damage, [])
                self.assertEqual(by_library, listing(file))


if __name__ == "__main__":
    unittest.main()
