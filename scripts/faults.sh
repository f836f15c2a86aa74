#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Injects every fault there is, of which the tests inject a part, and prints a table: what ran, the kind of fault, how many were injected, and what
# came of them. Uses what is built in build/: run scripts/test.sh first. Takes many minutes.
#
#   scripts/faults.sh program [TEST...]   the gpz command. TEST: test_program_files.Files.test_killed, for example; otherwise all
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
cd "$repository"

program() {
  export GPZ=$repository/build/bin/gpz PYTHONPATH=$repository/tests/cli GPZ_FAULTS=all GPZ_FAULTS_TABLE=$repository/build/faults-program.tsv
  export IO_FAULTS=$repository/build/lib/io_faults.so ALLOC_FAULTS=$repository/build/lib/alloc_faults.so
  [[ -x $GPZ && -f $ALLOC_FAULTS ]] || die "build/ has no gpz or no libraries that inject faults: run scripts/test.sh first"
  printf 'command\tfault\tinjected\toutcome\n' >"$GPZ_FAULTS_TABLE"
  local failed=0
  [[ $# -gt 0 ]] || set -- test_program_files test_program_memory
  (cd tests/faults && python3 -B -m unittest -v "$@") || failed=1
  column -t -s $'\t' "$GPZ_FAULTS_TABLE"
  awk -F '\t' 'NR > 1 { sum += $3 } END { printf "%d faults injected\n", sum }' "$GPZ_FAULTS_TABLE"
  return $failed
}

case ${1:-} in
  program) program "${@:2}" ;;
  *) die "what? See the top of scripts/faults.sh" ;;
esac
