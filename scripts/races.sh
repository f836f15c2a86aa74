#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Looks for races where the usual tests do not: in the program, and in dump gpz inside LAMMPS, with ThreadSanitizer and helgrind. Needs valgrind.
# Prints a table of what was reported, and fails if there is anything but what tests/threads/*.supp explain.
#
#   scripts/races.sh
#
# The tests of what threads share are scripts/test.sh --threads.
set -euo pipefail
for part in common progress packages lammps build mpi; do . "$(dirname "$0")/lib/$part.sh"; done
[[ ${1:-} != -h && ${1:-} != --help ]] || show_help

install_packages "${test_packages[@]}" valgrind
provide_lammps test
supp=$repository/tests/threads
instrumented=$repository/build-races
work=$instrumented/work
configure_gpz "$build"
build_gpz "$build" gpzplugin gpz_command
configure_gpz "$instrumented" -D CMAKE_BUILD_TYPE=RelWithDebInfo -D "CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" \
  -D GPZ_THREAD_SANITIZER=ON -D GPZ_BUILD_TESTS=OFF -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF
build_gpz "$instrumented" gpzplugin gpz_command
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# LAMMPS and MPI are not built with ThreadSanitizer: its library has to be there before theirs.
libtsan=$(c++ -print-file-name=libtsan.so)
found=0
printf '\n%-44s %-16s %8s %11s\n' case tool reports suppressed

# row CASE TOOL REPORTS SUPPRESSED
row() {
  printf '%-44s %-16s %8s %11s\n' "$@"
  (($3 == 0)) || found=1
}

# with_tsan CASE COMMAND...
with_tsan() {
  local name=$1 log=tsan.$((++runs)) status=0
  shift
  TSAN_OPTIONS="log_path=$work/$log suppressions=$supp/tsan.supp print_suppressions=1" "$@" >"$log.out" 2>&1 </dev/null || status=$?
  # 66 is that of ThreadSanitizer itself, whose reports are counted.
  ((status == 0 || status == 66)) || die "$name: exit code $status: $work/$log.out"
  row "$name" ThreadSanitizer "$(cat "$log".* | grep -c '^WARNING: ThreadSanitizer' || true)" \
    "$(cat "$log".* | awk '/^ThreadSanitizer: Matched/ {n += $3} END {print n + 0}')"
}

# with_helgrind CASE RANKS COMMAND...
with_helgrind() {
  local name=$1 ranks=$2 log=helgrind.$((++runs))
  shift 2
  mpi_run "$ranks" valgrind --tool=helgrind --num-callers=40 "--suppressions=$supp/helgrind.supp" "--log-file=$log.%p" "$@" >"$log.out" 2>&1 ||
    die "$name: failed: $work/$log.out"
  row "$name" helgrind "$(awk '/ERROR SUMMARY/ {n += $4} END {print n + 0}' "$log".[0-9]*)" \
    "$(awk -F'suppressed: ' '/ERROR SUMMARY/ {split($2, s, " "); n += s[1]} END {print n + 0}' "$log".[0-9]*)"
}

# lmp_arguments FOLDER ASYNC KEY: into `arguments`
lmp_arguments() {
  arguments=(-in "$supp/in.races" -log none -var plugin "$1/lib/gpzplugin.so" -var async "$2" -var key "$3" -var file "t.$runs.gpz")
}

runs=0
lmp=$LAMMPS_BINARY
for ranks in 1 2 4; do
  for async in yes no; do
    lmp_arguments "$instrumented" "$async" 4
    with_tsan "lmp, $ranks ranks, async $async" mpi_run "$ranks" env "LD_PRELOAD=$libtsan" "$lmp" "${arguments[@]}"
    "$build/bin/gpz" verify "t.$((runs - 1)).gpz" >/dev/null || die "a broken file: $work/t.$((runs - 1)).gpz"
  done
done
for ranks in 1 2; do
  lmp_arguments "$build" yes 4
  with_helgrind "lmp, $ranks ranks, async yes" "$ranks" "$lmp" "${arguments[@]}"
done

gpz=$instrumented/bin/gpz
with_tsan "gpz decode --threads 4, XYZ" "$gpz" decode t.0.gpz -o t.xyz --threads 4
with_tsan "gpz decode --threads 4, LAMMPS text" "$gpz" decode t.0.gpz -o t.dump --format lammps --threads 4
with_tsan "gpz encode --threads 4" "$gpz" encode t.dump -o again.gpz --eb 0.01 --threads 4
with_tsan "gpz verify --threads 4" "$gpz" verify again.gpz --threads 4
with_tsan "gpz verify --against --threads 4" "$gpz" verify again.gpz --against t.dump --threads 4
with_tsan "gpz bench --threads 4" "$gpz" bench again.gpz --rel 1e-3 --threads 4 --runs 2 --warm-up 0
exit "$found"
