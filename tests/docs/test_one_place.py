# SPDX-License-Identifier: BSD-3-Clause
"""Lists that several programs need stand in one header of the library, and nowhere else in sources."""
import ast
import functools
import re
import unittest

from pages import ROOT, tracked_files

ROOMS = ("gpz", "tools", "lammps_pkg", "molfile", "hdf5", "python", "bench")
NEAR = 400  # characters from the first to the last name of a list
COMMENTS = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


@functools.cache
def sources(*endings):
    """(path, text) of the sources with these endings."""
    chosen = [path for path in tracked_files() if path.startswith(tuple(f"{room}/" for room in ROOMS)) and path.endswith(endings)]
    return [(path, (ROOT / path).read_text()) for path in chosen]


@functools.cache
def without_comments(text):
    """C++, with lines where they were."""
    return COMMENTS.sub(lambda found: found[0] if found[0][0] == '"' else "\n" * found[0].count("\n"), text)


def lists_in_cpp(text, names):
    """Lines where all of the names are literals, close to each other."""
    if not all(name in text for name in names):
        return []
    found = [(match.start(), match[1]) for match in re.finditer(r'"([^"\n]*)"', text) if match[1] in names]
    for k, (start, _) in enumerate(found):
        if {name for at, name in found[k:] if at < start + NEAR} == names:
            return [text.count("\n", 0, start) + 1]
    return []


def lists_in_python(text, names):
    """Lines where all of the names are literals of one list, tuple, set, dict or call. Texts for people may name them."""
    if not all(name in text for name in names):
        return []
    lines = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Call)):
            literals = {child.value for child in ast.walk(node) if isinstance(child, ast.Constant) and isinstance(child.value, str)}
            if literals >= names:
                lines.append(node.lineno)
    return lines


def places(names):
    """FILE:LINE of each list of these names."""
    found = []
    for path, text in sources(".cpp", ".hpp", ".h", ".cu", ".cuh"):
        found += [f"{path}:{line}" for line in lists_in_cpp(without_comments(text), names)]
    for path, text in sources(".py"):
        found += [f"{path}:{line}" for line in lists_in_python(text, names)]
    return found


def lines_with(number, about):
    """The file of each line of code that has this number, and one of the words of `about`: of programs and public headers."""
    found = []
    for path, text in sources(".cpp", ".hpp", ".h", ".cu", ".cuh", ".py"):
        if path.startswith("gpz/") and not path.startswith("gpz/include/"):
            continue
        code = text if path.endswith(".py") else without_comments(text)
        lines = [line.replace("_", "").replace("'", "") for line in code.splitlines()]
        found += [path for line in lines if re.search(rf"\b{number}\b", line) and re.search(about, line, re.IGNORECASE)]
    return found


def defaults_of_writers(text):
    """(argument, literal) of the functions that take a key interval or an effort."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        arguments = node.args
        given = dict(zip([each.arg for each in arguments.kwonlyargs], arguments.kw_defaults))
        given |= dict(zip([each.arg for each in reversed(arguments.args)], reversed(arguments.defaults)))
        if {"key_interval", "effort"} & given.keys():
            for name in {"key_interval", "order", "effort"} & given.keys():
                if isinstance(given[name], ast.Constant) and given[name].value is not None:
                    yield name, given[name].value


def names_in(header, table):
    """The names of a table of gpz::Named."""
    text = (ROOT / header).read_text()
    return set(re.findall(r'\{"(\w+)",', re.search(rf"{table} = (.*?);", text, re.DOTALL)[1]))


class Names(unittest.TestCase):
    header = "gpz/include/gpz/choices.hpp"

    def test_orders_and_efforts_are_listed_once(self):
        for table, known in (("order_names", "memory"), ("effort_names", "dense")):
            with self.subTest(table=table):
                names = names_in(self.header, table)
                self.assertIn(known, names)
                self.assertEqual([place.split(":")[0] for place in places(names)], [self.header])

    def test_limits_of_key_intervals_and_threads_are_written_once(self):
        for header, constant, about in (
            ("gpz/include/gpz/trajectory.hpp", "max_key_interval", "key|interval"),
            (self.header, "max_threads", "thread"),
        ):
            with self.subTest(constant=constant):
                number = re.search(rf"{constant} = (\d+);", (ROOT / header).read_text())[1]
                self.assertEqual(lines_with(number, about), [header])

    def test_defaults_in_python_are_those_of_the_library(self):
        header = (ROOT / "gpz/include/gpz/trajectory.hpp").read_text()
        tables = (ROOT / self.header).read_text()
        # Files choose it, as gpz encode does; frame arrays have that of the library.
        expected = {"key_interval": {"auto", int(re.search(r"default_key_interval = (\d+);", header)[1])}}
        for argument in ("order", "effort"):
            value = re.search(rf"default_{argument} = (\w+::\w+);", header)[1]
            expected[argument] = {re.search(rf'"(\w+)", {value}\}}', tables)[1]}
        found = [default for path, text in sources(".py") if path.startswith("python/") for default in defaults_of_writers(text)]
        self.assertGreater(len(found), 15)
        self.assertEqual({name: {value for other, value in found if other == name} for name in expected}, expected)

    def test_a_list_in_python_is_seen(self):
        for text in ('A = ("b", "a")', 'f(choices=["a", "b"])', 'A = {"a": 1, "b": 2}'):
            self.assertTrue(lists_in_python(text, {"a", "b"}), text)
        self.assertFalse(lists_in_python('"""a: "a" or "b"."""\nif x == "a": f("b")', {"a", "b"}))


class Units(unittest.TestCase):
    table = ["gpz/api/units.cpp", "gpz/include/gpz/units.hpp"]

    def test_measured_constants_are_in_one_table(self):
        found = set()
        for path, text in sources(".cpp", ".hpp", ".h", ".cu", ".cuh", ".py", ".js"):
            # Avogadro's constant, the electron charge, Hartree, dalton, Bohr. Benchmarks are studies of their own.
            if not path.startswith("bench/") and re.search(r"\b(6\.022|1\.602|4\.359|1\.660|5\.291|0\.529)\d+", text if path.endswith(".py") else without_comments(text)):
                found.add(path)
        self.assertEqual(sorted(found), self.table)

    def test_python_has_no_table_of_unit_styles(self):
        # What MDAnalysis calls units is of that program.
        styles = set(re.findall(r'\{"(\w+)",\s+"\w+",\s+\d', (ROOT / self.table[0]).read_text()))
        self.assertIn("metal", styles)
        found = {path for path, text in sources(".py") if lists_in_python(text, styles - {"lj"})}
        self.assertEqual(found, {"python/gpz/mdanalysis/units.py"})


class Rules(unittest.TestCase):
    def test_columns_of_positions_are_listed_once(self):
        self.assertEqual([place.split(":")[0] for place in places({"xs", "xu", "xsu"})], ["gpz/format/positions.cpp"])

    def test_advice_about_lossless_columns_is_given_once(self):
        found = {path for path, text in sources(".cpp", ".hpp", ".h", ".py") if "thousandth of their root mean square" in text}
        self.assertEqual(found, {"gpz/api/lossless.cpp"})

    def test_names_of_gpz_files_are_told_once(self):
        found = {path for path, text in sources(".cpp", ".hpp", ".h", ".py") if re.search(r"""(==|ending = |ending\[\] = |endswith\()\s*["']\.gpz["']""", text)}
        self.assertEqual(found, {Names.header})


class DifferenceFrames(unittest.TestCase):
    def test_encoders_ask_one_rule_where_histories_start(self):
        """On the CPU and on the GPU: which frames may be difference frames."""
        encoders = {path: text for path, text in sources(".cpp") if "format::may_follow(" in text}
        self.assertEqual(
            sorted(encoders), ["gpz/cuda/trajectory/standard.cpp", "gpz/cuda/trajectory/trajectory.cpp", "gpz/trajectory/trajectory_encoder.cpp"]
        )
        for path, text in encoders.items():
            self.assertNotRegex(text, "max_followed|have_same_grids", path)

    def test_readers_check_difference_chunks_in_one_function(self):
        found = {path for path, text in sources(".cpp") if re.search(r"\.before != |read_leaving_slots\(", text)}
        self.assertEqual(found, {"gpz/cuda/trajectory/chunk_decoder.cpp", "gpz/format/leaving_slots.cpp", "gpz/trajectory/chunk_reader.cpp"})

    def test_candidates_of_codes_are_listed_once(self):
        found = {path for path, text in sources(".cpp", ".hpp", ".cu", ".cuh") if re.search(r"residual_candidate\(int", text)}
        self.assertEqual(found, {"gpz/core/residual.hpp"})


class ThermalBound(unittest.TestCase):
    def test_it_has_one_subject(self):
        """Whose thermal speed it is: of the slowest species, of which there may be other words such as type."""
        subjects = []
        for path in tracked_files():
            if path.endswith((".md", ".rst", ".py", ".cpp", ".hpp", ".h")) and not path.startswith(("CHANGELOG", "docs/history/", "tests/", "bench/")):
                text = re.sub(r"[\s\"*/]+", " ", (ROOT / path).read_text())
                text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
                subjects += re.findall(r"thousandth of the thermal speed of the (\w+)", text)
        self.assertGreater(len(subjects), 4)
        self.assertEqual(set(subjects), {"slowest"})


if __name__ == "__main__":
    unittest.main()
