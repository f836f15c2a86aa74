#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From nothing to a compressed trajectory: installs what is missing, gets and builds LAMMPS and gpz, runs examples/in.melt on two
# MPI ranks with dump gpz and dump custom side by side, decodes the one and compares every atom with the other.
#
#   scripts/demo.sh [--cuda] [--optimize]               a tested release of LAMMPS is fetched and built (once)
#   LAMMPS_SOURCE_DIR=/path/to/lammps scripts/demo.sh   a LAMMPS of your own, built outside its tree; with LAMMPS_BINARY not built
#
# Builds what this needs and nothing else: the program, the plugin, LAMMPS's core; scripts/test.sh adds the rest. The CUDA part is
# built where there is a GPU, for that GPU, and with --cuda, for all kinds of GPUs if there is none.
# The LAMMPS that it builds is for trying gpz: most of it is compiled without optimisation, so that it is there soon. With --optimize
# it is one for work, with further packages (MOLECULE KSPACE MANYBODY RIGID COMPRESS EXTRA-DUMP MOLFILE MISC), which takes some minutes
# longer; build/bin/lmp stays that one afterwards.
# Leaves build/bin/gpz, build/bin/lmp, build/lib/gpzplugin.so and the trajectories in build/demo/. What is fetched and built of
# LAMMPS is kept in ~/.cache/gpz (GPZ_CACHE_DIR).
set -euo pipefail
for part in common progress packages lammps build mpi; do . "$(dirname "$0")/lib/$part.sh"; done

cuda=AUTO
purpose=demo
while (($#)); do
  case $1 in
    --cuda) cuda=ON ;;
    --optimize) purpose=optimized ;;
    -h | --help) show_help ;;
    *) die "unknown argument: $1 (--help)" ;;
  esac
  shift
done

# Says what is left to do.
next_steps=("the program gpz" LAMMPS "the plugin" "a run")
install_packages "${demo_packages[@]}"

# The program is there first: it needs no LAMMPS, whose sources are fetched meanwhile. What a build folder has already been told to
# build stays, so that this script and scripts/test.sh do not undo each other's work.
begin_lammps_source
options=()
[[ -f $build/CMakeCache.txt ]] || options=(-D GPZ_BUILD_TESTS=OFF -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF)
architectures=$(gpu_architectures)
if [[ $cuda == ON || $architectures ]]; then
  options+=(-D "GPZ_CUDA=$cuda")
  [[ -z $architectures ]] || options+=(-D "CMAKE_CUDA_ARCHITECTURES=$architectures")
fi
next_steps=(LAMMPS "the plugin" "a run")
configure_gpz "$build" "${options[@]}"
build_gpz "$build" gpz_command
say "build/bin/gpz works already: build/bin/gpz decode tests/golden/files/lammps-melt.gpz -o melt.xyz"

next_steps=("the plugin" "a run")
provide_lammps "$purpose"
next_steps=("a run")
configure_gpz "$build"
build_gpz "$build" gpzplugin
next_steps=()
say "Set up in $(duration $SECONDS)"

bound=0.001
demo=$build/demo
rm -rf "$demo"
mkdir -p "$demo"
cd "$demo"
export LAMMPS_PLUGIN_PATH=$build/lib PATH=$build/bin:$PATH

say "lmp -in examples/in.melt (2 ranks)"
started=$SECONDS
mpi_run 2 lmp -in "$repository/examples/in.melt" -var eb "$bound" -var custom yes -log lammps.log >screen.log 2>&1 ||
  { tail -n 20 screen.log >&2 && die "LAMMPS failed; all of its output: $demo/screen.log"; }
say "It took $(duration $((SECONDS - started)))"
grep -A 2 "^Dump traj gpz: melt.gpz" lammps.log

say "gpz decode melt.gpz -o melt.xyz"
TIMEFORMAT='%R seconds'
time gpz decode melt.gpz -o melt.xyz

say "gpz verify melt.gpz --against melt.bin"
time gpz verify melt.gpz --against melt.bin

say "Bytes of $(grep -c '^ITEM: TIMESTEP\|^Atoms' melt.xyz) frames, in $demo"
size_of() { stat -c %s "$1"; }
row() { awk -v name="$1" -v file="$2" -v bytes="$(size_of "$2")" -v gpz="$(size_of melt.gpz)" \
  'BEGIN {printf "  %-24s %-9s %12d   %5.1f x melt.gpz\n", name, file, bytes, bytes / gpz}'; }
row "dump gpz" melt.gpz
row "dump custom, binary" melt.bin
row "decoded text" melt.xyz

say "All of it took $(duration $SECONDS)"

case $lammps_level in
  user) say "The plugin is for $LAMMPS_BINARY" ;;
  optimized) say "build/bin/lmp is compiled with optimisation: use it for work, or the plugin in a LAMMPS of your own" ;;
  *)
    say "build/bin/lmp is for trying gpz: it is slow, because most of it is compiled without optimisation"
    echo "   For work:  scripts/demo.sh --optimize                                     builds a fast one"
    echo "   or your LAMMPS:  scripts/plugin.sh /its/source --lammps /path/to/lmp       builds the plugin for it"
    ;;
esac
echo "   Any LAMMPS that the plugin was built for loads it:  export LAMMPS_PLUGIN_PATH=$build/lib"
echo "   or in the input:  plugin load $build/lib/gpzplugin.so"
