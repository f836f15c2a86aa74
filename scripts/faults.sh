#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Injects every fault there is, of which the tests inject a part, and prints a table: what ran, the kind of fault, how many were injected, and what
# came of them. Uses what is built in build/: run scripts/test.sh first. Takes many minutes; for lammps, hours.
#
#   scripts/faults.sh program [TEST...]   the gpz command. TEST: test_program_files.Files.test_killed, for example; otherwise all
#   scripts/faults.sh lammps [CASE...]    dump gpz. CASE: killed_at_every_write_2ranks, for example; otherwise all of tests/lammps/test_faults.py
set -euo pipefail
for part in common mpi; do . "$(dirname "$0")/lib/$part.sh"; done
cd "$repository"

# start_table FILE: where the tests add a line for each kind of fault.
start_table() {
  export GPZ_FAULTS=all GPZ_FAULTS_TABLE=$1
  printf 'what ran\tfault\tinjected\toutcome\n' >"$1"
}

print_table() {
  awk -F '\t' '{ printf "%-84s %-66s %9s  %s\n", $1, $2, $3, $4; sum += $3 } END { printf "%d faults injected\n", sum }' "$GPZ_FAULTS_TABLE"
}

program() {
  export GPZ=$repository/build/bin/gpz PYTHONPATH=$repository/tests/cli
  export IO_FAULTS=$repository/build/lib/io_faults.so ALLOC_FAULTS=$repository/build/lib/alloc_faults.so
  [[ -x $GPZ && -f $ALLOC_FAULTS ]] || die "build/ has no gpz or no libraries that inject faults: run scripts/test.sh first"
  start_table "$repository/build/faults-program.tsv"
  local failed=0
  [[ $# -gt 0 ]] || set -- test_program_files test_program_memory
  (cd tests/faults && python3 -B -m unittest -v "$@") || failed=1
  print_table
  return $failed
}

lammps() {
  local arguments=$repository/build/tests/lammps/arguments
  [[ -f $arguments ]] || die "build/ has no tests with LAMMPS: run scripts/test.sh first"
  start_table "$repository/build/faults-lammps.tsv"
  export OMP_NUM_THREADS=1
  local failed=0
  python3 -B tests/lammps/cases.py "@$arguments" --module test_faults "$@" || failed=1
  print_table
  return $failed
}

case ${1:-} in
  program | lammps) "$1" "${@:2}" ;;
  *) die "what? See the top of scripts/faults.sh" ;;
esac
