# SPDX-License-Identifier: BSD-3-Clause
"""gpz for Spack: goes to repos/spack_repo/builtin/packages/gpz/package.py."""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Gpz(CMakePackage, CudaPackage):
    """gpz compresses trajectories of particles under an error bound that always holds: a library for C and C++, and a
    program that converts, checks and repairs its files."""

    homepage = "https://arxiv.org/abs/2508.10305"
    url = "https://gpz.invalid/releases/gpz-1.0.0.tar.gz"

    license("BSD-3-Clause")

    version("1.0.0", sha256="0" * 64)

    variant("tools", default=True, description="Build the gpz program")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("nlohmann-json@3.9:")
    depends_on("xxhash@0.8:")
    depends_on("cli11@2:", when="+tools")
    depends_on("fmt@8:", when="+tools")
    depends_on("cuda@12:", when="+cuda")

    requires("platform=linux", msg="gpz is tested on Linux only")

    def cmake_args(self):
        args = [
            self.define("GPZ_BUILD_TESTS", False),
            self.define("GPZ_BUILD_BENCH", False),
            self.define_from_variant("GPZ_BUILD_TOOLS", "tools"),
            self.define("GPZ_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
        ]
        # Without cuda_arch, gpz is compiled for all kinds of GPUs.
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
