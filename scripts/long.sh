#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The long form of the tests: every case, of which the usual form tries an even sample (tests/long_form.py). Uses what is built in
# build/: run scripts/test.sh first. Takes many minutes. Other long forms have scripts of their own: values.sh, properties.sh,
# faults.sh and fuzz.sh.
#
#   scripts/long.sh [CTEST OPTIONS...]
#
#   CTEST OPTIONS    which of the tests: -L lammps, or -R reference.modelled; without, all that have a long form
set -euo pipefail
for part in common mpi; do . "$(dirname "$0")/lib/$part.sh"; done
[[ ${1:-} != -h && ${1:-} != --help ]] || show_help

[[ -f $build/CTestTestfile.cmake ]] || die "build/ has no tests: run scripts/test.sh first"
(($#)) || set -- -L "^(reference|golden|hostile|cli|python|lammps)$"
export GPZ_LONG=1
nice ctest --test-dir "$build" -C long --output-on-failure --no-tests=error -j "$(nproc)" "$@" </dev/null
