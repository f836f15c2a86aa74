# SPDX-License-Identifier: BSD-3-Clause
"""The map in HACKING.md, the tables of docs/architecture.md and lists of limitations have what the repository has."""
import re
import unittest

from pages import ROOT, tracked_files


def rows_below(page, heading):
    """The cells of the rows of the table with this heading."""
    text = (ROOT / page).read_text()
    lines = text[text.index(heading) :].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


class Map(unittest.TestCase):
    text = re.search(r"\n## Map\n(.*?)\n## ", (ROOT / "HACKING.md").read_text(), re.DOTALL)[1]

    def test_what_it_names_is_there(self):
        """A name in code is a path, or one in the folder with which its bullet begins."""
        files = tracked_files()
        for bullet in re.findall(r"^- .*", self.text, re.MULTILINE):
            names = re.findall(r"`([\w./*]+)`", bullet)
            folders = [""]
            for name in names:
                found = [folder for folder in folders if any(re.match(re.escape(folder + name).replace(r"\*", ".*") + r"(/|\.|$)", file) for file in files)]
                self.assertTrue(found or name.startswith(("gpz.", "build/")) or name in ("Reader", "Writer"), f"{name} in: {bullet}")
                folders += [f"{folder}{name}/" for folder in found if (ROOT / folder / name).is_dir()]

    def test_every_folder_and_room_is_named(self):
        folders = {path.split("/")[0] for path in tracked_files() if "/" in path and not path.startswith(".")}
        rooms = set(re.findall(r"^(\w+):", (ROOT / "gpz/rooms.txt").read_text(), re.MULTILINE)) & {path.name for path in (ROOT / "gpz").iterdir()}
        self.assertGreater(len(rooms), 8)
        for name in [*folders, *(f"gpz/{room}" for room in rooms)]:
            self.assertRegex(self.text, rf"`{name}[`/]")

    def test_rooms_are_a_chain(self):
        rows = re.search(r"core:\n(.*?api:.*?)\n", (ROOT / "gpz/rooms.txt").read_text(), re.DOTALL)[1].splitlines()
        above = ["include", "core"]
        for name, seen in (row.split(":") for row in rows):
            self.assertEqual(seen.split(), above)
            above.append(name)
        self.assertGreater(len(above), 8)


class Core(unittest.TestCase):
    @staticmethod
    def reached(sources):
        """The headers of gpz that these files include, also through others."""
        found = set()
        while sources:
            for name in re.findall(r'#include "(gpz/[^"]+)"', sources.pop().read_text()):
                path = next((path for path in (ROOT / name, ROOT / "gpz/include" / name) if path.is_file()), None)
                if path is not None and path not in found:
                    found.add(path)
                    sources.append(path)
        return found

    def test_cpu_and_gpu_share_it(self):
        folder = ROOT / "gpz"
        on_device = self.reached([path for ending in ("cu", "cuh") for path in folder.glob(f"cuda/**/*.{ending}")])
        on_host = self.reached([path for path in folder.glob("**/*.cpp") if "cuda" not in path.parts])
        headers = set((folder / "core").iterdir())
        self.assertGreater(len(headers), 15)
        self.assertEqual(sorted(path.name for path in headers - (on_device & on_host)), [])


class Pages(unittest.TestCase):
    def test_files_are_there(self):
        endings = {"/" + path for path in tracked_files()}
        for page in ("HACKING.md", "docs/architecture.md"):
            names = set(re.findall(r"`([\w./]+\.(?:[ch]pp|cuh?|h|py|sh|txt|rst))`", (ROOT / page).read_text())) - {"abc.cpp"}
            self.assertGreater(len(names), 40)
            self.assertEqual([name for name in sorted(names) if not any(path.endswith("/" + name) for path in endings)], [], page)


class DumpStyle(unittest.TestCase):
    def test_each_file_has_a_row(self):
        rows = rows_below("docs/architecture.md", "| file of `lammps_pkg` |")
        named = set(re.findall(r"`(\w+)`", " ".join(row[0] for row in rows)))
        in_rows = set(re.findall(r"\w+", " ".join(sum(rows, []))))
        files = {path.split("/")[1].rpartition(".")[0] for path in tracked_files() if re.fullmatch(r"lammps_pkg/\w+\.(cpp|h)", path)}
        self.assertEqual(files - in_rows, {"dump_gpz"})
        self.assertEqual(named - files, set())

    def test_keywords_that_it_refuses_are_listed(self):
        page = re.search(r"no meaning in a .gpz file \(([^)]*)\)", (ROOT / "docs/limitations.md").read_text())[1]
        settings = (ROOT / "lammps_pkg/gpz_settings.cpp").read_text()
        refused = re.findall(r'\{"(\w+)", "', re.search(r"refused_keywords\[\] = \{(.*?)\};", settings, re.DOTALL)[1])
        refused += re.findall(r"dump_modify (\w+)(?: no)? is not possible", (ROOT / "lammps_pkg/dump_gpz.cpp").read_text())
        # LAMMPS itself refuses buffer where text is never buffered.
        self.assertEqual(set(re.findall(r"`(\w+)`", page)), {*refused, "buffer"})


class Codings(unittest.TestCase):
    rows = rows_below("docs/architecture.md", "| coding | chunks |")

    def test_each_coding_has_a_row(self):
        source = (ROOT / "gpz/format/codings.hpp").read_text()
        listed = re.search(r"enum FieldCodingKind[^{]*\{([^}]*)\}", source)
        numbers = [int(number) for name, number in re.findall(r"(\w+) = (\d+)", listed.group(1)) if not name.startswith("left_out")]
        self.assertGreater(len(numbers), 5)
        self.assertEqual([int(row[0]) for row in self.rows], numbers)

    def test_files_are_there(self):
        folder = ROOT / "gpz/trajectory/codings"
        named = set()
        for number, _, *cells in self.rows:
            for path in re.findall(r"`([^`]+)`", " ".join(cells[:-1])):
                if "/" in path:
                    self.assertTrue((ROOT / "gpz" / path).is_file(), f"coding {number}: {path}")
            named.add(cells[-1].strip("`"))
        self.assertEqual(named, {path.name for path in folder.iterdir()})


if __name__ == "__main__":
    unittest.main()
