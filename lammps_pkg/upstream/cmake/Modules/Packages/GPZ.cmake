# SPDX-License-Identifier: GPL-2.0-only
# The library of gpz: https://arxiv.org/abs/2508.10305. -D gpz_DIR=... names the folder of its gpz-config.cmake where CMake
# does not find it by itself.
find_package(gpz 1.0 REQUIRED)
find_package(Threads REQUIRED)
target_link_libraries(lammps PRIVATE gpz::gpz Threads::Threads)
