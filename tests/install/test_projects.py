# SPDX-License-Identifier: BSD-3-Clause
"""Outside projects in C, C++ and CUDA: configured by find_package and by pkg-config, built, run."""
import os
import shutil
import unittest

from staged import LIBDIR, SOURCE, STAGE, VERSION, StagedCase, run

COMPILERS = ["-D", f"CMAKE_C_COMPILER={os.environ['GPZ_CC']}", "-D", f"CMAKE_CXX_COMPILER={os.environ['GPZ_CXX']}"]


def needed(program):
    """The shared libraries that a program asks for."""
    return [line.split("[")[1].rstrip("]") for line in run("readelf", "-d", program).splitlines() if "(NEEDED)" in line]


def links_shared(program):
    return any(name.startswith("libgpz") for name in needed(program))


class FindPackage(StagedCase):
    def build(self, language, *options):
        build = self.folder / "build"
        cmake = os.environ["GPZ_CMAKE"]
        run(cmake, "-S", SOURCE / language, "-B", build, "-D", f"CMAKE_PREFIX_PATH={STAGE}", "-D",
            f"GPZ_VERSION={VERSION}", "-D", "CMAKE_BUILD_TYPE=Release", *COMPILERS, *options)
        run(cmake, "--build", build)
        for kind in ("shared", "static"):
            program = build / f"with_{kind}"
            self.assertEqual(run(program, self.folder / f"{kind}.gpz"), VERSION + "\n")
            self.assertEqual(links_shared(program), kind == "shared", needed(program))

    def check_files(self):
        for kind in ("shared", "static"):
            run(STAGE / "bin" / "gpz", "verify", self.folder / f"{kind}.gpz")
        self.assertEqual((self.folder / "shared.gpz").read_bytes(), (self.folder / "static.gpz").read_bytes())

    def test_c(self):
        self.build("c")
        self.check_files()

    def test_cpp(self):
        self.build("cpp")
        self.check_files()

    @unittest.skipUnless("GPZ_CUDA_COMPILER" in os.environ, "gpz was built without CUDA")
    def test_cuda(self):
        self.build("cuda", "-D", f"CMAKE_CUDA_COMPILER={os.environ['GPZ_CUDA_COMPILER']}", "-D",
                   "CMAKE_CUDA_ARCHITECTURES=" + os.environ["GPZ_CUDA_ARCHITECTURES"].replace(",", ";"))


@unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
class PkgConfig(StagedCase):
    def flags(self, *options, library="gpz"):
        return run("pkg-config", *options, library, env={"PKG_CONFIG_PATH": str(LIBDIR / "pkgconfig")}).split()

    def check(self, compiler, source, *options):
        program = self.folder / "program"
        run(compiler, SOURCE / source, "-o", program, *options)
        output = run(program, self.folder / "file.gpz", env={"LD_LIBRARY_PATH": str(LIBDIR)})
        self.assertEqual(output, VERSION + "\n")
        run(STAGE / "bin" / "gpz", "verify", self.folder / "file.gpz")
        return program

    def test_version_and_folders(self):
        self.assertEqual(self.flags("--modversion"), [VERSION])
        plugin_dir, = self.flags("--variable=plugindir")
        self.assertEqual(os.path.realpath(plugin_dir), os.path.realpath(LIBDIR / "gpz"))

    def test_c(self):
        self.assertTrue(links_shared(self.check(os.environ["GPZ_CC"], "c/main.c", *self.flags("--cflags", "--libs"), "-lm")))

    def test_cpp(self):
        self.assertTrue(links_shared(self.check(os.environ["GPZ_CXX"], "cpp/main.cpp", "-std=c++17", *self.flags("--cflags", "--libs"))))

    def test_static_c(self):
        """All of it static: what gpz needs itself is in Libs.private."""
        program = self.check(os.environ["GPZ_CC"], "c/main.c", "-static", *self.flags("--static", "--cflags", "--libs"))
        self.assertEqual(needed(program), [])

    @unittest.skipUnless("GPZ_CUDA_COMPILER" in os.environ, "gpz was built without CUDA")
    def test_cuda(self):
        program = self.folder / "program"
        run(os.environ["GPZ_CUDA_COMPILER"], "-std=c++17", SOURCE / "cuda" / "main.cu", "-o", program,
            *self.flags("--cflags", "--libs", library="gpz_cuda"))
        self.assertEqual(run(program, self.folder / "file.gpz", env={"LD_LIBRARY_PATH": str(LIBDIR)}), VERSION + "\n")


if __name__ == "__main__":
    unittest.main()
