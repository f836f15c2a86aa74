#!/usr/bin/env bash
# Bits per atom and seconds per frame of LAMMPS's dump styles and of dump gpz, in one run of LAMMPS for each system.
#
#   bench/trajectory.sh [--ranks N] [--out FOLDER] [--melt CELLS] [--copper CELLS] [SYSTEM...]      SYSTEM: melt copper rhodo
#
# Needs what scripts/test.sh leaves: build/bin/lmp, build/lib/gpzplugin.so. Files go to FOLDER (memory: /dev/shm), which should not be a disk
# when seconds are read off. Frames are 10 steps apart.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
ranks=1
out=/dev/shm/gpz-bench
declare -A size=([melt]=40 [copper]=30 [rhodo]=0)
systems=()
while [ $# -gt 0 ]; do
  case $1 in
    --ranks) ranks=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --melt | --copper) size[${1#--}]=$2; shift 2 ;;
    -*) echo "usage: trajectory.sh [--ranks N] [--out FOLDER] [--melt CELLS] [--copper CELLS] [SYSTEM...]" >&2; exit 2 ;;
    *) systems+=("$1"); shift ;;
  esac
done
[ ${#systems[@]} -gt 0 ] || systems=(melt copper rhodo)
# shellcheck source=../scripts/lib/mpi.sh
. "$root/scripts/lib/mpi.sh"
lammps=$(sed -n "s/^LAMMPS_SOURCE_DIR:PATH=//p" "$root/build/CMakeCache.txt")

export LAMMPS_PLUGIN_PATH=$root/build/lib
for system in "${systems[@]}"; do
  # The precision of dump xtc is 1000 per nm or sigma: an error of half of that.
  case $system in
    melt) bound=0.0005 steps=100 warm=300 ;;
    copper) bound=0.005 steps=100 warm=300 ;;
    rhodo) bound=0.005 steps=50 warm=20 ;;
    *) echo "trajectory.sh: no system $system" >&2; exit 2 ;;
  esac
  folder=$out/$system
  mkdir -p "$folder"
  cat > "$folder/in" <<INPUT
variable size equal ${size[$system]}
variable potentials string $lammps/potentials
variable bench string $lammps/bench
variable out string $folder
variable every equal 10
variable steps equal $steps
variable bound equal $bound
variable precision equal 1000
include $root/bench/systems/$system.lmp
run $warm
include $root/bench/systems/dumps.lmp
INPUT
  mpi_run "$ranks" "$root/build/bin/lmp" -in "$folder/in" -log "$folder/log" > "$folder/screen"
  python3 "$root/bench/trajectory_table.py" "$system" "$ranks" "$folder"
  rm -rf "$folder"
done
