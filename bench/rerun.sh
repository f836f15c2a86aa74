#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Loop time of LAMMPS's rerun of one trajectory in several formats, on one rank or more: a Lennard-Jones melt with a frame every 10 steps.
# "forces" is a rerun that computes them, "reading" one with a potential of zero and a short cutoff. Stops if a .gpz file and its exact text have other energies.
#
#   bench/rerun.sh [OPTIONS]
#
#   --cells N      cells of 4 atoms along an edge (40: 256,000 atoms)
#   --frames N     frames, with the first (11)
#   --ranks N      (1)
#   --out FOLDER   (/dev/shm/gpz-rerun) is deleted at the end
#   --build FOLDER (build)
#
# Needs what scripts/test.sh leaves: bin/lmp, bin/gpz and lib/gpzplugin.so in the build folder.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
cells=40
frames=11
ranks=1
out=/dev/shm/gpz-rerun
usage() {
  sed -n '/^#   /s/^# //p' "$0" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --cells | --frames | --ranks | --out | --build) declare "${1#--}=$2"; shift 2 ;;
    *) usage ;;
  esac
done
# shellcheck source=../scripts/lib/mpi.sh
. "$root/scripts/lib/mpi.sh"
mkdir "$out"
trap 'rm -rf "$out"' EXIT

# lammps NAME: runs the script of the standard input; NAME.log
lammps() {
  cat > "$out/$1.in"
  mpi_run "$ranks" "$build/bin/lmp" -in "$out/$1.in" -log "$out/$1.log" > "$out/$1.screen" || { tail -n 5 "$out/$1.screen" >&2; exit 1; }
}
# system PAIR_STYLE: the melt before its first step
system() {
  cat << INPUT
plugin load $build/lib/gpzplugin.so
units lj
lattice fcc 0.8442
region box block 0 $cells 0 $cells 0 $cells
create_box 1 box
create_atoms 1 box
mass 1 1.0
pair_style $1
pair_coeff * * ${2:-}
thermo 10
thermo_modify format float %.17g
INPUT
}

{
  system "lj/cut 2.5" "1.0 1.0"
  cat << INPUT
velocity all create 3.0 87287 loop geom
fix nve all nve
run 100
reset_timestep 0
dump text all custom 10 $out/text.dump id type x y z
dump packed all custom/gz 10 $out/text.dump.gz id type x y z
dump place all gpz 10 $out/place.gpz id type x y z
dump order all gpz 10 $out/id.gpz id type x y z
dump_modify order order id
run $((10 * (frames - 1)))
INPUT
} | lammps simulation
"$build/bin/gpz" decode "$out/place.gpz" -o "$out/exact.dump" --format lammps --exact

# rerun NAME PAIR_STYLE COEFFICIENTS FILE: prints the loop time in seconds
rerun() {
  { system "$2" "$3" && echo "rerun $out/$4 dump x y z"; } | lammps "$1"
  sed -n 's/^Loop time of \([^ ]*\) .*/\1/p' "$out/$1.log"
}
energies() { sed -n '/^ *Step/,/^Loop/p' "$out/$1.log" | grep -v Loop; }

printf '%d atoms, %d frames, %d rank(s); seconds of the loop\n' $((4 * cells * cells * cells)) "$frames" "$ranks"
printf '%-34s %9s %9s %9s\n' file MB forces reading
while read -r file name; do
  forces=$(rerun "$file.forces" "lj/cut 2.5" "1.0 1.0" "$file")
  reading=$(rerun "$file.reading" "zero 0.3" "" "$file")
  printf '%-34s %9.1f %9.2f %9.2f\n' "$name" "$(($(stat -c %s "$out/$file") / 100000))e-1" "$forces" "$reading"
done << FILES
text.dump text, 6 digits
exact.dump text, all digits of gpz
text.dump.gz text, 6 digits, packed by gzip
place.gpz gpz, order place
id.gpz gpz, order id
FILES
[[ $(energies place.gpz.forces) == "$(energies exact.dump.forces)" ]] || { echo "other energies" >&2; exit 1; }
echo "Energies from gpz and from its exact text: the same to all printed digits"
