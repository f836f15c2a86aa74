#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks without running anything: shell scripts (shellcheck), formatting (clang-format), licence lines, the includes of each room, and static
# analysis (clang-tidy) of what is configured in build/: run scripts/test.sh first.
#
#   scripts/lint.sh [--fix] [--all]      --fix formats the files instead; --all: clang-tidy also looks at tests and benchmarks, and runs its
#                                        static analyzer
set -euo pipefail
for part in common progress packages; do . "$(dirname "$0")/lib/$part.sh"; done
install_packages clang-format-14 clang-tidy-14 shellcheck
cd "$repository"

say "shellcheck"
git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck --external-sources

mode=(--dry-run --Werror)
everything=
for word; do
  case $word in
    --fix) mode=(-i) ;;
    --all) everything=--all ;;
    *) die "unknown argument: $word" ;;
  esac
done
say "clang-format"
find bench evaluation gpz hdf5 lammps_pkg molfile python tests tools -type f -regex '.*\.\([ch]pp\|[ch]\|cuh?\)' -print0 |
  xargs -0 clang-format-14 --style=file "${mode[@]}"

say "licences"
scripts/lib/spdx.py || die "licence lines are missing: scripts/lib/spdx.py --fix adds them"

say "layers"
scripts/lib/layers.py || die "includes against gpz/rooms.txt"

[[ -f build/CMakeCache.txt ]] || die "build/ is not configured: run scripts/test.sh first"
# What build/ has, with every file for itself and without precompiled headers.
cached() { sed -n "s/^$1:[A-Z]*=//p" build/CMakeCache.txt; }
configure_lint() {
  cmake -S . -B build/lint -G Ninja -D CMAKE_UNITY_BUILD=OFF -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON -D GPZ_WERROR=ON -D GPZ_BUILD_EVALUATION=ON \
    -D "GPZ_CUDA=$(cached GPZ_CUDA)" -D "CMAKE_CUDA_ARCHITECTURES=$(cached CMAKE_CUDA_ARCHITECTURES)" \
    -D "LAMMPS_SOURCE_DIR=$(cached LAMMPS_SOURCE_DIR)" -D "LAMMPS_BINARY=$(cached LAMMPS_BINARY)"
}
step "Configuring clang-tidy's view" no_progress build/lint.configure.log configure_lint || die "cannot configure build/lint"
step "clang-tidy" no_progress build/clang-tidy.log scripts/lib/tidy.py build/lint $everything || die "clang-tidy has something to say: build/clang-tidy.log"
say "All of it took $(duration $SECONDS)"
