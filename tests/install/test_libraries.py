# SPDX-License-Identifier: BSD-3-Clause
"""What the shared libraries export: the public interface, and nothing else."""
import os
import re
import unittest

from staged import LIBDIR, SOVERSION, STAGE, VERSION, StagedCase, public_headers, run

# Of gpz's C++ names, those of internal namespaces, and of nested classes that hide the implementation.
INTERNAL = re.compile(r"^gpz::(core|format|cpu|api|tool)::|::(State|Workspace)\b")
# For libgpz_cuda.so, under a version of its own.
PRIVATE = "gpz::c::failed(gpz::Status, char const*)"

# A class, or a function, at the start of a line.
UNMARKED = re.compile(r"class \w+( :| \{)|(?!GPZ_API|inline|static|constexpr|template|typedef|using|return)[\w:]+[^=(]* \*?\w+\(")


def exported(library):
    """(demangled name, symbol version) of everything that the library defines for others."""
    symbols = set()
    for line in run("nm", "-D", "--defined-only", "-C", "--with-symbol-versions", library).splitlines():
        kind, name = line.split(maxsplit=2)[1:]
        if kind == "A" or kind.islower():
            continue  # the versions themselves, and local symbols
        name, _, version = name.rpartition("@@")
        symbols.add((name, version))
    return symbols


def c_functions(of_cuda):
    """Names that the public C headers declare."""
    names = set()
    for header in public_headers():
        if header.suffix == ".h" and ("cuda" in header.name) == of_cuda:
            names.update(re.findall(r"^GPZ_API [^(;]*?\b(gpz_\w+)\(", header.read_text(), re.MULTILINE))
    return names


class Exports(StagedCase):
    def check(self, name, namespace, functions):
        library = LIBDIR / f"lib{name}.so"
        self.assertEqual(library.resolve().name, f"lib{name}.so.{VERSION}")
        self.assertIn(f"[lib{name}.so.{SOVERSION}]", run("readelf", "-d", library))
        node = f"{name.upper()}_{SOVERSION}"
        symbols = exported(library)
        private = {symbol for symbol in symbols if symbol[1] == f"GPZ_PRIVATE_{VERSION}"}
        self.assertLessEqual({symbol[0] for symbol in private}, {PRIVATE})
        in_c, in_cpp = set(), set()
        for symbol, version in symbols - private:
            self.assertEqual(version, node, symbol)
            (in_c if re.fullmatch(r"gpz_\w+", symbol) else in_cpp).add(symbol)
        self.assertEqual(in_c, functions)
        for symbol in in_cpp:
            self.assertRegex(symbol, rf"^((typeinfo|typeinfo name|vtable) for )?{namespace}::")
            self.assertNotRegex(symbol, INTERNAL)
        self.assertTrue(in_cpp)

    def test_gpz(self):
        functions = c_functions(of_cuda=False)
        self.assertIn("gpz_version_string", functions)
        self.check("gpz", "gpz", functions)

    def test_gpz_cuda(self):
        if not (LIBDIR / "libgpz_cuda.so").exists():
            self.skipTest("gpz was built without CUDA")
        self.check("gpz_cuda", "gpz::cuda", c_functions(of_cuda=True))


class Completeness(StagedCase):
    def test_gpz_over_the_shared_library(self):
        """It was linked, so all that it calls is exported. It writes what the static one writes."""
        source = self.folder / "in.xyz"
        source.write_text("".join(f"{n}\n\n" + "".join(f"C {i} {i % 7} {i % n}\n" for i in range(n)) for n in (100, 99)))
        files = []
        for program in (os.environ["GPZ_OVER_SHARED"], STAGE / "bin" / "gpz"):
            files.append(self.folder / f"{len(files)}.gpz")
            run(program, "encode", source, "--eb", "0.01", "-o", files[-1])
        self.assertIn(f"libgpz.so.{SOVERSION}", run("readelf", "-d", os.environ["GPZ_OVER_SHARED"]))
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())
        run(os.environ["GPZ_OVER_SHARED"], "verify", files[1])


class Headers(StagedCase):
    def test_all_that_is_public_is_marked(self):
        """Or it could not be called from a shared library."""
        for header in public_headers():
            for line in header.read_text().splitlines():
                self.assertIsNone(UNMARKED.match(line), f"{header.name}: {line}")


if __name__ == "__main__":
    unittest.main()
