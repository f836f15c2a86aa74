#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Whether every compiler, optimisation and processor gives the same bytes. Builds the library with GCC, Clang, zig's Clang (the compiler of
# wheels) and a GCC for aarch64 (whose programs run in qemu) in build-compilers/. Each has to encode the golden files byte for byte, with
# every instruction set, and decode them to the pinned digests; and to give the bytes of the first compiler for some million values more.
# Where gpz cannot be right (big-endian and 32-bit machines, x87 arithmetic, -ffast-math), compiling has to fail, and say why.
#
#   scripts/compilers.sh [NAME...]      only the compilers with these names, which are those of the table
set -euo pipefail
for part in common progress packages zig; do . "$(dirname "$0")/lib/$part.sh"; done
[[ ${1:-} != -h && ${1:-} != --help ]] || show_help
only=("$@")

packages=(clang python3-venv g++-aarch64-linux-gnu qemu-user-static g++-s390x-linux-gnu g++-i686-linux-gnu g++-arm-linux-gnueabihf)
install_packages "${demo_packages[@]}" python3 "${packages[@]}"
builds=$repository/build-compilers
failed=no

# Of values that the golden files do not have; printed by value_check.
digests() { { "$1" edges 4e6 && "$1" drift 30 300; } 2>"$1.log" | sed -n 's/.*digest \([0-9a-f]*\).*/\1/p' | sha256sum | cut -c1-16; }

is_wanted() {
  local name
  ((${#only[@]})) || return 0
  for name in "${only[@]}"; do [[ $name != "$1" ]] || return 0; done
  return 1
}

# row NAME RESULT
row() { printf '%-24s %s\n' "$1" "$2" | tee -a "$builds/table"; }

# compile FOLDER CMAKE OPTIONS...
compile() {
  local folder=$1
  shift
  cmake -S "$repository/tests/compilers" -B "$folder" -G Ninja "$@" && cmake --build "$folder"
}

# try NAME COMPILER FLAGS [CMAKE OPTIONS...]: the programs run in the emulator $emulator, if that is set.
try() {
  local name=$1 compiler=$2 flags=$3 build=$builds/$1 result golden=DIFFERENT values
  shift 3
  is_wanted "$name" || return 0
  step "Building with $compiler $flags" ninja_progress "$build/build.log" compile "$build" \
    -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_CXX_FLAGS="$flags" "$@" || die "cannot build with $compiler $flags"
  rm -rf "$build/run"
  mkdir -p "$build/run"
  local program
  for program in golden_codec value_check; do
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${emulator:-}" "$build/bin/$program" >"$build/run/$program"
    chmod +x "$build/run/$program"
  done
  (cd "$repository/tests/golden" && GPZ_LONG=1 GPZ_GOLDEN_CODEC=$build/run/golden_codec python3 -B -m unittest test_encoded \
    test_decoded.Pinned.test_library test_decoded.Pinned.test_library_from_a_pipe) >"$build/golden.log" 2>&1 && golden=equal
  values=$(digests "$build/run/value_check") || values=FAILED
  first=${first:-$values}
  result="golden files $golden, values $values"
  if [[ $golden == equal && $values == "$first" && $values != FAILED ]]; then
    result+=" equal"
  else
    result+=" DIFFERENT"
    failed=yes
  fi
  row "$name" "$result"
}

# The compiler of wheels.
make_zig() {
  python3 -m venv "$builds/zig" && "$builds/zig/bin/python" -m pip install -q --disable-pip-version-check \
    "$(grep '^ziglang==' "$repository/scripts/lib/wheel-requirements.txt")" &&
    make_toolchain "$builds/zig/x86_64" "$builds/zig/bin/python" x86_64 2.28 && make_toolchain "$builds/zig/aarch64" "$builds/zig/bin/python" aarch64 2.28
}

# refuse NAME WHY COMPILER...: the compiler ends with an error that has the words WHY.
refuse() {
  local name=$1 why=$2 said
  shift 2
  is_wanted "$name" || return 0
  said=$(echo '#include "gpz/core/config.hpp"' | "$@" -std=c++17 -I "$repository" -fsyntax-only -x c++ - 2>&1 || true)
  if [[ $said == *error*"gpz needs $why"* ]]; then
    row "$name" "refused: gpz needs $why"
  else
    row "$name" "NOT REFUSED"
    failed=yes
  fi
}

mkdir -p "$builds"
: >"$builds/table"
try gcc-O3 g++ "-O3 -DNDEBUG"
try gcc-O0 g++ "" -D CMAKE_BUILD_TYPE=Debug
try gcc-O3-native g++ "-O3 -march=native -DNDEBUG"
try gcc-Ofast-native g++ "" -D "GPZ_COMPILE_OPTIONS=-Ofast;-march=native;-ffp-contract=fast"
try clang-O0 clang++ "" -D CMAKE_BUILD_TYPE=Debug
try clang-O3 clang++ "-O3 -DNDEBUG"
try clang-Ofast-native clang++ "" -D "GPZ_COMPILE_OPTIONS=-Ofast;-march=native;-ffp-contract=fast"
if is_wanted zig || is_wanted zig-aarch64; then
  step "Making the compiler of wheels" no_progress "$builds/zig.log" make_zig || die "cannot make it"
  try zig "$builds/zig/x86_64/bin/c++" "-O3 -DNDEBUG" -D CMAKE_TOOLCHAIN_FILE="$builds/zig/x86_64/toolchain.cmake"
  emulator="qemu-aarch64-static -L /usr/aarch64-linux-gnu" try zig-aarch64 "$builds/zig/aarch64/bin/c++" "-O3 -DNDEBUG" \
    -D CMAKE_TOOLCHAIN_FILE="$builds/zig/aarch64/toolchain.cmake"
fi
# Static, so that the emulator needs no files of that processor.
emulator=qemu-aarch64-static try aarch64-gcc-O3 aarch64-linux-gnu-g++ "-O3 -DNDEBUG" -D CMAKE_SYSTEM_NAME=Linux \
  -D CMAKE_SYSTEM_PROCESSOR=aarch64 -D CMAKE_EXE_LINKER_FLAGS=-static -D GPZ_PROGRAMS=ON
refuse s390x "a little-endian machine" s390x-linux-gnu-g++
refuse i686 "a 64-bit machine" i686-linux-gnu-g++
refuse i686-x87 "float and double arithmetic without excess precision" i686-linux-gnu-g++
refuse armhf "a 64-bit machine" arm-linux-gnueabihf-g++
refuse gcc-fast-math "arithmetic as IEEE 754 has it" g++ -ffast-math
refuse clang-fast-math "arithmetic as IEEE 754 has it" clang++ -ffast-math

say "Result"
cat "$builds/table"
[[ $failed == no ]]
