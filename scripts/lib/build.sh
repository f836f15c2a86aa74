# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts: configures and builds gpz, with the LAMMPS that provide_lammps found (if it was called).

# gpu_architectures: those of this machine's GPUs, as CMake names them; nothing where none is found that gpz supports.
gpu_architectures() {
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    awk -F. '/^[0-9]+\.[0-9]+$/ && $1 >= 8 && !seen[$0]++ {printf "%s%d%d-real", separator, $1, $2; separator = ";"}' || true
}

# For a build that only has to show that the CUDA part compiles: PTX, half as much work as machine code, and not optimised, a third.
# A build for use has the architectures of cmake/GpzCuda.cmake.
compile_only_architectures=90-virtual
compile_only=-Xcicc=-O0

# configure_gpz FOLDER [CMAKE OPTIONS...]
# Warnings are errors: both scripts say so, or the second would compile again what the first has. GPZ_WERROR=OFF for compilers
# that gpz has not met.
configure_gpz() {
  local folder=$1
  shift
  if [[ ${LAMMPS_BINARY:-} ]]; then
    mkdir -p "$folder/bin"
    ln -sfn "$LAMMPS_BINARY" "$folder/bin/lmp"
    set -- -D "LAMMPS_SOURCE_DIR=$LAMMPS_SOURCE_DIR" -D "LAMMPS_BINARY=$folder/bin/lmp" "$@"
  fi
  step "Configuring gpz" no_progress "$folder/configure.log" cmake -S "$repository" -B "$folder" -G Ninja \
    -D "GPZ_WERROR=${GPZ_WERROR:-ON}" "$@" || die "cannot configure gpz"
}

# configure_sanitized FOLDER OPTIMISATION: with AddressSanitizer, UndefinedBehaviorSanitizer and the fuzz targets. Lines are all that
# the messages need of the debug information.
configure_sanitized() {
  configure_gpz "$1" -D CMAKE_C_COMPILER=clang-14 -D CMAKE_CXX_COMPILER=clang++-14 -D CMAKE_BUILD_TYPE=RelWithDebInfo \
    -D "CMAKE_CXX_FLAGS_RELWITHDEBINFO=$2 -g1 -DNDEBUG" -D GPZ_SANITIZE=ON -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF
}

# build_gpz FOLDER [TARGET...]: all targets where none is named.
build_gpz() {
  local folder=$1
  shift
  step "Building ${*:-gpz} in $(basename "$folder")/" ninja_progress "$folder/build.log" cmake --build "$folder" ${1:+--target "$@"} ||
    die "cannot build gpz (if it is a warning of another compiler: GPZ_WERROR=OFF $0)"
}
