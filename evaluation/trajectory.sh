#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Bits per atom and frame of trajectories whose atoms keep their identity: dump gpz, other dumps of LAMMPS, other programs. One run of LAMMPS
# for each system and interval writes all dumps at once, at three bounds.
#
#   evaluation/trajectory.sh [OPTIONS] [SYSTEM...]        SYSTEM: melt copper rhodo
#
#   --every N,...      steps between frames (100)
#   --frames N         frames, with the first (31, rhodo 21)
#   --key K            dump_modify key K: a key frame every K frames (with order id, as gpz encode does)
#   --mdz, --sz3, --lcp, --mdcompress, --zstd PROGRAM, --tng LIBRARY, --pco, --mdz-package   other programs and Python packages (evaluation/peers says which,
#                      and their versions); rows of those not given are left out. --python PROGRAM: one that has the packages (python3)
#   --single           these programs also on the last frame alone, without identity, at the bounds of docs/results/frames.md
#   --stored           no LAMMPS: the gpz files are made again by `gpz encode` from the dumps of an earlier run with --keep
#   --keep             leaves all files in OUT/SYSTEM.EVERY
#   --melt, --copper CELLS   cells of 4 atoms along an edge (30)
#   --ranks N, --out FOLDER (/dev/shm/gpz-bench), --build FOLDER (build)
#   --speed            instead: bits and milliseconds per frame of one kind of dump after the other, 10 frames (rhodo 5) 10 steps apart,
#                      melt of 40 cells; OUT should not be a disk
#
# Needs what scripts/test.sh leaves: bin/lmp, bin/gpz and lib/gpzplugin.so in the build folder.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
ranks=1
out=/dev/shm/gpz-bench
intervals=100
frames=
key=
stored=
keep=
speed=
single=
python=python3
programs=()
systems=()
declare -A size=([melt]="" [copper]=30 [rhodo]=0)
usage() {
  sed -n '/^#   /s/^# //p' "$0" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --every) intervals=${2//,/ }; shift 2 ;;
    --ranks | --out | --build | --frames | --key | --python) declare "${1#--}=$2"; shift 2 ;;
    --mdz | --sz3 | --lcp | --mdcompress | --zstd | --tng) programs+=("$1" "$2"); shift 2 ;;
    --pco | --mdz-package) programs+=("$1"); shift ;;
    --melt | --copper) size[${1#--}]=$2; shift 2 ;;
    --stored | --keep | --speed | --single) declare "${1#--}=yes"; shift ;;
    -*) usage ;;
    *) systems+=("$1"); shift ;;
  esac
done
[ ${#systems[@]} -gt 0 ] || systems=(melt copper rhodo)
[ -z "$speed" ] || intervals=10
: "${size[melt]:=${speed:+40}}" "${size[melt]:=30}"
# shellcheck source=../scripts/lib/mpi.sh
. "$root/scripts/lib/mpi.sh"
lammps=$(sed -n "s/^LAMMPS_SOURCE_DIR:PATH=//p" "$build/CMakeCache.txt")
export LAMMPS_PLUGIN_PATH=$build/lib

# simulate DUMPS: the warmed up system, then bench/systems/DUMPS.lmp.
simulate() {
  cat > "$folder/in" <<INPUT
variable size equal ${size[$system]}
variable potentials string $lammps/potentials
variable bench string $lammps/bench
variable out string $folder
variable every equal $every
variable steps equal $steps
variable frames equal $count
variable bound equal $bound
variable precision equal 1000
variable key string "${key:+key $key}"
include $root/bench/systems/$system.lmp
run $warm
include $root/bench/systems/$1.lmp
INPUT
  mpi_run "$ranks" "$build/bin/lmp" -in "$folder/in" -log "$folder/log" > "$folder/screen"
}

# encode EFFORT BOUND FILE: the trajectory once more, by gpz encode.
encode() {
  "$build/bin/gpz" encode "$folder/binary.bin" --eb "$2" --effort "$1" ${key:+--key "$key"} -o "$folder/$3" 2> "$folder/encode.log"
}

# The last frame alone: gpz from raw positions, other programs, a table.
single_frame() {
  local value effort
  python3 -B "$root/bench/raw_positions.py" "$folder/original.bin" "$folder/single.f64"
  for value in ${single_bounds//,/ }; do
    for effort in fast dense; do
      "$build/bin/gpz" encode --raw f64 "$folder/single.f64" --eb "$value" --effort "$effort" -o "$folder/single_${effort}_$value.gpz" 2> "$folder/encode.log"
    done
  done
  "$python" -B "$root/evaluation/trajectory_peers.py" "$folder" --single --bounds "$single_bounds" "${programs[@]}"
  python3 -B "$root/evaluation/trajectory_table.py" single "$system" "$folder"
}

for system in "${systems[@]}"; do
  # The precision of dump xtc is 1000 per nm or sigma: an error of half of that.
  angstroms=1 single_bounds=0.005
  case $system in
    melt) bound=0.0005 steps=100 warm=300 count=${frames:-31} angstroms=10 single_bounds=0.0005,0.0672,0.672 ;;
    copper) bound=0.005 steps=100 warm=300 count=${frames:-31} ;;
    rhodo) bound=0.005 steps=50 warm=20 count=${frames:-21} ;;
    *) usage ;;
  esac
  for every in $intervals; do
    folder=$out/$system.$every
    mkdir -p "$folder"
    if [ -n "$speed" ]; then
      simulate dumps
      python3 -B "$root/evaluation/trajectory_table.py" speed "$system" "$ranks" "$folder"
    else
      [ -n "$stored" ] || simulate trajectory
      while read -r name value; do
        [ -z "$stored" ] || encode fast "$value" "gpz_$name.gpz"
        encode standard "$value" "gpz_standard_$name.gpz"
        encode dense "$value" "gpz_dense_$name.gpz"
      done < <(python3 -B "$root/evaluation/trajectory_table.py" bounds "$bound")
      [ ${#programs[@]} -eq 0 ] || "$python" -B "$root/evaluation/trajectory_peers.py" "$folder" --bound "$bound" --angstroms "$angstroms" "${programs[@]}"
      python3 -B "$root/evaluation/trajectory_table.py" size "$system" "$every" "$bound" "$folder" ${key:+--key "$key"}
      [ -z "$single" ] || single_frame
    fi
    [ -n "$keep$stored" ] || rm -rf "$folder"
  done
done
