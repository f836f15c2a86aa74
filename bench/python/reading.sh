#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How fast Python reads trajectories: gpz, by its own API and in MDAnalysis, against XTC, DCD, H5MD, AMBER NetCDF and the text of LAMMPS in
# MDAnalysis; one core, the same run, formats in turn. Then a frame in the middle of 1,000, and the opening of 10,000 frames.
#
#   bench/python/reading.sh [--cells N] [--frames N] [--rounds N] [--out FOLDER] [--build FOLDER] [--core N]
#
#   --cells N     Lennard-Jones melt of 4 N^3 atoms (40: 256,000)
#   --frames N    100 steps apart (50)
#   --rounds N    of reading (5)
#   --out FOLDER  where the trajectories are made, once (the cache of the scripts); 2 GB
#   --core N      on which the measurements run (0)
#
# Needs what scripts/test.sh leaves in the build folder: bin/lmp, bin/gpz, the Python package.
set -euo pipefail
for part in common progress python mpi; do . "$(dirname "$0")/../../scripts/lib/$part.sh"; done
cells=40 frames=50 rounds=5 core=0 out=
while (($#)); do
  case $1 in
    --cells | --frames | --rounds | --out | --build | --core) declare "${1#--}=$2"; shift 2 ;;
    *) show_help ;;
  esac
done
out=${out:-$cache/reading-$cells-$frames}
bound=0.0005 # what dump xtc does with its precision of 1000, and the default of dump gpz
mkdir -p "$out"
provide_python "$build/venv" "$repository/tests/python/requirements.txt"
export PYTHONPATH=$build/python OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

simulate() {
  cat >"$out/in.melt" <<INPUT
variable size equal $cells
variable out string $out
variable every equal 100
variable frames equal $frames
variable precision equal 1000
include $repository/bench/systems/melt.lmp
run 300
include $repository/bench/systems/reading.lmp
INPUT
  mpi_run "$(nproc)" "$build/bin/lmp" -in "$out/in.melt" -log "$out/log.lammps" && touch "$out/simulated"
}
[[ -f $out/simulated ]] || step "Running LAMMPS" no_progress "$out/screen" simulate

for order in place id; do
  [[ -f $out/$order.gpz ]] || step "Encoding by $order" no_progress "$out/encode.log" \
    "$build/bin/gpz" encode "$out/melt.lammpstrj" --eb "$bound" --order "$order" --units lj -o "$out/$order.gpz"
done
step "Making the other formats" no_progress "$out/formats.log" "$python" -B "$repository/bench/python/formats.py" "$out"
taskset -c "$core" "$python" -B "$repository/bench/python/reading.py" "$out" --rounds "$rounds"
