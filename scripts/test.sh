#!/usr/bin/env bash
# Installs what is missing, gets and builds LAMMPS and gpz, and runs the tests.
#
#   scripts/test.sh [--sanitize] [--bigbig] [--label L] [CTEST OPTIONS...]
#
#   --sanitize   library, tool and their tests with AddressSanitizer and UndefinedBehaviorSanitizer, without LAMMPS (build-sanitize/)
#   --bigbig     the tests with LAMMPS, built with 64-bit atom ids (build-bigbig/)
#   --label L    only tests with this label: lammps, reference, ...
#
# A LAMMPS of your own: LAMMPS_SOURCE_DIR, LAMMPS_BINARY, as for scripts/demo.sh.
set -euo pipefail
for part in common packages lammps build mpi; do . "$(dirname "$0")/lib/$part.sh"; done

variant=usual
select=()
while (($#)); do
  case $1 in
    --sanitize) variant=sanitize ;;
    --bigbig) variant=bigbig ;;
    --label)
      [[ $# -ge 2 ]] || die "--label needs a label"
      select+=(-L "$2")
      shift
      ;;
    -h | --help)
      sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
      exit
      ;;
    *) break ;;
  esac
  shift
done

install_packages "${gpz_packages[@]}"
case $variant in
  usual)
    provide_lammps
    build_gpz "$build"
    ;;
  sanitize)
    build=$repository/build-sanitize
    unset LAMMPS_SOURCE_DIR LAMMPS_BINARY
    build_gpz "$build" -D CMAKE_BUILD_TYPE=RelWithDebInfo -D GPZ_SANITIZE=ON -D GPZ_WERROR=ON -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF
    ;;
  bigbig)
    build=$repository/build-bigbig
    provide_lammps bigbig
    build_gpz "$build" -D GPZ_LAMMPS_SIZES=bigbig -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF
    [[ ${select[*]} ]] || select=(-L lammps -LE packages)
    ;;
esac

say "Testing"
export UBSAN_OPTIONS=print_stacktrace=1
exec ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(nproc)" "${select[@]}" "$@" </dev/null
