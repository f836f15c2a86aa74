#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The long form of the tests of error bounds (ctest -L values): 10^9 values near the edges of grid cells, all 2^32 floats once for
# each of three bounds, trajectories of 1,000 frames and 3,000 particles. Each value goes through a file in memory and is compared
# without rounding. Some 10 minutes of processor time, below 1 GB of memory; prints a table of what was tried.
#
#   scripts/values.sh
set -euo pipefail
for part in common progress packages build; do . "$(dirname "$0")/lib/$part.sh"; done
[[ ${1:-} != -h && ${1:-} != --help ]] || show_help

install_packages "${test_packages[@]}"
configure_gpz "$build" -D GPZ_BUILD_TESTS=ON
build_gpz "$build" value_check
table=$build/values.txt
: >"$table"
status=0

try() {
  say "value_check $*"
  nice "$build/bin/value_check" "$@" | tee -a "$table" || status=1
}
try edges 1e9
for kernels in generic avx2; do try --kernels "$kernels" edges 1e8 1000000; done
for bound in 0.001 1e-30 1e20; do try floats 0 4294967296 "$bound"; done
try floats 0x3f800000 134217728 0.01 leading
try drift 1000 3000

say "Result"
awk '/ misses, / {for (i = 2; i <= NF; i++) sum[$i] += $(i - 1)}
     END {printf "%.0f values, %.0f integers, %.0f misses\n", sum["values,"], sum["integers,"], sum["misses,"]}' "$table"
exit "$status"
