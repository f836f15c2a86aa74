#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, gets and builds LAMMPS and gpz, and runs the tests.
#
#   scripts/test.sh [--quick] [--sanitize] [--threads] [--bigbig] [--ovito] [--browser] [--gromacs] [--torch] [--cuda] [--no-cuda] [--benchmarks]
#                   [--lint] [--lammps R] [--label L] [--serial] [CTEST OPTIONS...]
#
#   --quick      the tests that answer soonest: the library, golden files, the command, and a LAMMPS run of each kind
#   --sanitize   library, tool and their tests with AddressSanitizer and UndefinedBehaviorSanitizer, without LAMMPS (build-sanitize/);
#                compiled by Clang, for whose libFuzzer the fuzz targets are (label fuzz)
#   --threads    the tests of what threads share, with ThreadSanitizer (build-threads/)
#   --bigbig     the tests with LAMMPS, built with 64-bit atom ids (build-bigbig/)
#   --ovito      also the tests with OVITO, which is 1 GB to install
#   --browser    also the page of gpz view in Chromium, which is 440 MB to install
#   --gromacs    also the programs of GROMACS, which is 380 MB to install
#   --torch      also gpz.torch with PyTorch, which is 5 GB to install
#   --cuda       with the CUDA part also where there is no GPU, as PTX for compute capability 9.0; for the machine's GPU otherwise
#   --no-cuda    without the CUDA part even where there is a GPU
#   --benchmarks also compiles the benchmarks and the evaluation, without optimisation, and runs the tests of the evaluation: whoever
#                measures builds the targets benchmarks and evaluation
#   --lint       also scripts/lint.sh, while tests with LAMMPS wait
#   --lammps R   the tests with LAMMPS, with another tested release: 4Jul2026 (build-4Jul2026/)
#   --serial     also builds a LAMMPS without MPI, for the tests with one, and notes in tests/lammps/serial.sha256 that they passed; this
#                happens by itself where lammps_pkg is not as it was then, and where such a LAMMPS has been built before
#   --label L    only tests with this label: lammps, reference, ...
#
# A LAMMPS of your own: LAMMPS_SOURCE_DIR, LAMMPS_BINARY, as for scripts/demo.sh.
set -euo pipefail
for part in common progress packages python lammps build mpi; do . "$(dirname "$0")/lib/$part.sh"; done

variant=usual
cuda=
ovito=OFF
browser=OFF
gromacs=OFF
torch=OFF
lint=
benchmarks=
optimize_benchmarks=ON
evaluation=OFF
serial=
select=()
while (($#)); do
  case $1 in
    --sanitize) variant=sanitize ;;
    --threads) variant=threads ;;
    --bigbig) variant=bigbig ;;
    --ovito) ovito=ON ;;
    --browser) browser=ON ;;
    --gromacs) gromacs=ON ;;
    --torch) torch=ON ;;
    --cuda) cuda=ON ;;
    --no-cuda) cuda=OFF ;;
    --benchmarks)
      benchmarks=yes
      optimize_benchmarks=OFF
      evaluation=ON
      ;;
    --quick) select+=(-L "^(unit|golden|reference|cli|docs|quick)$" -LE "^long$") ;;
    --lint) lint=yes ;;
    --serial) serial=yes ;;
    --lammps)
      [[ $# -ge 2 ]] || die "--lammps needs a release: ${!lammps_releases[*]}"
      use_lammps "$2"
      [[ -z ${LAMMPS_SOURCE_DIR:-} ]] || die "--lammps and LAMMPS_SOURCE_DIR name two LAMMPS"
      build=$repository/build-$2
      cuda=OFF
      select+=(-L lammps)
      shift
      ;;
    --label)
      [[ $# -ge 2 ]] || die "--label needs a label"
      select+=(-L "$2")
      shift
      ;;
    -h | --help) show_help ;;
    *) break ;;
  esac
  shift
done

packages=("${test_packages[@]}")
[[ $variant != sanitize ]] || packages+=("${fuzz_packages[@]}")
[[ $browser == OFF ]] || packages+=("${browser_packages[@]}")
[[ $gromacs == OFF ]] || packages+=("${gromacs_packages[@]}")
install_packages "${packages[@]}"
[[ $variant == usual ]] || build=$repository/build-$variant
mkdir -p "$build"
rm -f "$build/calibration" # for scripts/lib/slowest.py
"$repository/scripts/lib/calibrate.py" "$build/calibration" </dev/null &
trap 'kill "$calibrating"' EXIT
calibrating=$!
case $variant in
  usual)
    begin_lammps_source
    requirements=("$repository/tests/python/requirements.txt")
    [[ $ovito == OFF ]] || requirements+=("$repository/tests/python/requirements-ovito.txt")
    [[ $browser == OFF ]] || requirements+=("$repository/tests/python/requirements-browser.txt")
    [[ $torch == OFF ]] || requirements+=("$repository/tests/python/requirements-torch.txt")
    begin_python "$build/venv" "${requirements[@]}"
    provide_lammps test
    serial_state=$(cd "$repository" && sha256sum lammps_pkg/*.cpp lammps_pkg/*.h | sha256sum)
    lammps_build serial
    if [[ $serial || $serial_state != "$(cat "$repository/tests/lammps/serial.sha256")" ]] || is_lammps_finished serial; then
      provide_lammps serial
    fi
    provide_python
    architectures=$(gpu_architectures)
    [[ $cuda || $architectures ]] || cuda=OFF
    cuda_flags=$compile_only
    [[ -z $architectures ]] || cuda_flags=
    configure_gpz "$build" -D GPZ_BUILD_TESTS=ON -D GPZ_BUILD_BENCH=ON -D "GPZ_BUILD_EVALUATION=$evaluation" -D "GPZ_CUDA=${cuda:-AUTO}" \
      -D "CMAKE_CUDA_ARCHITECTURES=${architectures:-$compile_only_architectures}" -D "CMAKE_CUDA_FLAGS=$cuda_flags" \
      -D "GPZ_BENCH_OPTIMIZE=${optimize_benchmarks}" -D "GPZ_LAMMPS_SERIAL_BINARY=${LAMMPS_SERIAL_BINARY:-}" \
      -D GPZ_PYTHON=ON -D "Python_EXECUTABLE=$python" -D "GPZ_TEST_OVITO=$ovito" -D "GPZ_TEST_BROWSER=$browser" \
      -D "GPZ_TEST_GROMACS=$gromacs" -D "GPZ_TEST_TORCH=$torch"
    build_gpz "$build" all ${benchmarks:+benchmarks evaluation}
    ;;
  sanitize)
    unset LAMMPS_SOURCE_DIR LAMMPS_BINARY
    configure_sanitized "$build" -O1
    build_gpz "$build"
    ;;
  threads)
    unset LAMMPS_SOURCE_DIR LAMMPS_BINARY
    configure_gpz "$build" -D CMAKE_BUILD_TYPE=RelWithDebInfo -D "CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG" \
      -D GPZ_THREAD_SANITIZER=ON -D GPZ_BUILD_TOOLS=OFF -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF
    build_gpz "$build" threads_test background_test
    select+=(-L threads)
    ;;
  bigbig)
    provide_lammps bigbig
    configure_gpz "$build" -D GPZ_LAMMPS_SIZES=bigbig -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF
    build_gpz "$build" gpz_command gpzplugin gpz_two_hosts gpz_fit_plugins
    select+=(-L lammps -LE packages)
    ;;
esac
say "Set up in $(duration $SECONDS)"

say "Testing"
started=$SECONDS
export UBSAN_OPTIONS=print_stacktrace=1
status=0
# Runs of LAMMPS wait much of the time, for mpirun to start and to end.
jobs=$(($(nproc) + 1))
[[ -z ${LAMMPS_BINARY:-} ]] || jobs=$((3 * $(nproc)))
if [[ $lint ]]; then
  # Nice: what the tests leave of the processors.
  nice -n 19 "$repository/scripts/lint.sh" >"$build/lint.log" 2>&1 </dev/null &
  lint=$!
fi
ctest --test-dir "$build" --output-on-failure --no-tests=error --output-junit tests.xml -j "$jobs" "${select[@]}" "$@" \
  </dev/null || status=$?
say "Tested in $(duration $((SECONDS - started)))"
if [[ $lint ]]; then
  wait "$lint" || status=$?
  say "scripts/lint.sh"
  cat "$build/lint.log"
fi
if [[ $serial && $status == 0 ]]; then printf '%s\n' "$serial_state" >"$repository/tests/lammps/serial.sha256"; fi
say "All of it took $(duration $SECONDS)"
exit "$status"
