#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What dump gpz takes of a run if nothing is set: bits an atom, and the share of the loop, beside dumps with other settings and dump xtc.
# One run of LAMMPS for each system and interval writes all of them at once.
#
#   bench/defaults.sh [OPTIONS] [SYSTEM...]        SYSTEM: melt copper rhodo spce polymer granular
#
#   --every N,...   steps between frames (20,100,1000)
#   --frames N,...  frames behind the first, for each of these (20,5,2)
#   --ranks N, --out FOLDER (/dev/shm/gpz-bench), --build FOLDER (build)
#   --lammps PROGRAM   one with the package GRANULAR, for granular (bin/lmp of the build folder)
#
# Needs what scripts/test.sh leaves in the build folder. Prints a table: system, steps between frames, dump, bits an atom, share of the loop,
# milliseconds a frame, milliseconds a step without dumps. The files stay in OUT/SYSTEM.EVERY.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build out=/dev/shm/gpz-bench ranks=1 intervals=20,100,1000 frames=20,5,2 lammps=
systems=()
while (($#)); do
  case $1 in
    --every) intervals=$2; shift 2 ;;
    --frames | --ranks | --out | --build | --lammps) declare "${1#--}=$2"; shift 2 ;;
    -*) sed -n '/^#   /s/^# //p' "$0" >&2; exit 2 ;;
    *) systems+=("$1"); shift ;;
  esac
done
((${#systems[@]})) || systems=(melt copper rhodo spce polymer granular)
lammps=${lammps:-$build/bin/lmp}
IFS=, read -r -a intervals <<< "$intervals"
IFS=, read -r -a frames <<< "$frames"
# shellcheck source=../scripts/lib/mpi.sh
. "$root/scripts/lib/mpi.sh"
source_folder=$(sed -n "s/^LAMMPS_SOURCE_DIR:PATH=//p" "$build/CMakeCache.txt")
export LAMMPS_PLUGIN_PATH=$build/lib

# dump NAME SETTINGS...
dump() {
  printf 'dump %s all gpz ${every} ${out}/%s.gpz id type x y z\n' "$1" "$1"
  (($# == 1)) || printf 'dump_modify %s %s\n' "$1" "${*:2}"
}

for system in "${systems[@]}"; do
  case $system in
    melt) size=20 warm=300 ;;
    copper) size=20 warm=300 ;;
    rhodo) size=0 warm=20 ;;
    spce) size=20 warm=200 start=water ;;
    polymer) size=8 warm=2000 start=polymer ;;
    granular) size=24 warm=5000 ;;
    *) printf 'no such system: %s\n' "$system" >&2; exit 2 ;;
  esac
  for n in "${!intervals[@]}"; do
    every=${intervals[n]}
    folder=$out/$system.$every
    mkdir -p "$folder"
    [[ -z ${start:-} ]] || python3 -B "$root/bench/systems/start.py" "$start" "$size" "$folder/start.data"
    {
      printf 'variable size equal %s\nvariable every equal %s\nvariable out string %s\n' "$size" "$every" "$folder"
      printf 'variable potentials string %s/potentials\nvariable bench string %s/bench\n' "$source_folder" "$source_folder"
      printf 'variable start string %s/start.data\n' "$folder"
      printf 'include %s/bench/systems/%s.lmp\nrun %s post no\nreset_timestep 0\n' "$root" "$system" "$warm"
      dump default
      dump fast order place effort fast
      dump dense effort dense
      printf 'dump xtc all xtc ${every} ${out}/x.xtc\nrun %s\n' "$((every * frames[n]))"
    } > "$folder/in"
    mpi_run "$ranks" "$lammps" -in "$folder/in" -log "$folder/log" > "$folder/screen"
    python3 -B "$root/bench/defaults_table.py" "$system" "$every" "$folder"
  done
  unset start
done
