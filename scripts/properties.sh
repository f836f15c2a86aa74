#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The long form of the property tests (tests/python/properties): random trajectories through Python, C and the command, other ones
# in every run. What fails is made as small as possible and printed, with a line that repeats it.
#
#   scripts/properties.sh [--examples N] [ARGUMENT...]
#
#   --examples N   of each property; 5000 unless given, which take some 4 minutes; of the command a fifth
#   ARGUMENT       of pytest, such as -k command
set -euo pipefail
for part in common progress packages build python; do . "$(dirname "$0")/lib/$part.sh"; done

examples=5000
while (($#)); do
  case $1 in
    --examples)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number above 0"
      examples=$2
      shift
      ;;
    -h | --help) show_help ;;
    *) break ;;
  esac
  shift
done

install_packages "${test_packages[@]}"
begin_python "$build/venv" "$repository/tests/python/requirements.txt"
provide_python
configure_gpz "$build" -D GPZ_PYTHON=ON -D "Python_EXECUTABLE=$python"
build_gpz "$build" gpz_python gpz_shared gpz_command
say "$examples examples of each property"
cd "$repository/tests/python/properties"
GPZ_PROPERTY_EXAMPLES=$examples PYTHONPATH=$build/python GPZ=$build/bin/gpz GPZ_LIBRARY=$build/lib/libgpz.so \
  nice "$python" -B -m pytest -q -p no:cacheprovider --durations=10 "$@"
