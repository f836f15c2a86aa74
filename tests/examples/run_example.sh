#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs an example on two ranks, as often as said, and compares its trajectories with the uncompressed ones of the same runs.
#
#   run_example.sh LMP GPZ FOLDER NAME TIMES [LAMMPS OPTIONS...]      FOLDER is emptied first
set -euo pipefail
lmp=$1 gpz=$2 folder=$3 name=$4 times=$5
shift 5
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/scripts/lib/mpi.sh"

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
for ((i = 0; i < times; ++i)); do
  mpi_run 2 "$lmp" -in "$root/examples/in.$name" -var custom yes "$@"
done

compared=0
for full in *.bin *.lammpstrj; do
  [[ -f $full ]] || continue
  "$gpz" verify "${full%.*}.gpz" --against "$full"
  compared=$((compared + 1))
done
((compared > 0)) || { echo "in.$name wrote no uncompressed dump" >&2 && exit 1; }
for file in *.gpz; do
  "$gpz" verify "$file"
done
