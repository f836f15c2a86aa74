#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the notebooks of docs/notebooks, with LAMMPS and OVITO, and stores their outputs in them.
#
#   scripts/notebooks.sh [--check] [NAME...]
#
#   --check   leaves the files as they are: do they still run?
#   NAME      of a notebook (first_look, choosing_a_bound, analysis); all without any
#
# OVITO is 1 GB to install. A LAMMPS of your own: LAMMPS_SOURCE_DIR, LAMMPS_BINARY, as for scripts/demo.sh.
set -euo pipefail
for part in common progress packages python lammps build mpi; do . "$(dirname "$0")/lib/$part.sh"; done

store=(--inplace)
names=()
while (($#)); do
  case $1 in
    --check) store=() ;;
    -h | --help) show_help ;;
    -*) die "unknown argument: $1 (--help)" ;;
    *) names+=("$1") ;;
  esac
  shift
done
notebooks=$repository/docs/notebooks
if ((${#names[@]} == 0)); then
  for path in "$notebooks"/*.ipynb; do names+=("$(basename "$path" .ipynb)"); done
fi

install_packages "${test_packages[@]}"
provide_lammps test
begin_python "$build/venv-notebooks" "$repository"/tests/python/requirements{,-ovito}.txt "$notebooks/requirements.txt"
provide_python
configure_gpz "$build" -D GPZ_CUDA=OFF -D GPZ_PYTHON=ON -D "Python_EXECUTABLE=$python"
build_gpz "$build" gpz_command gpz_python gpzplugin

export PATH=${python%/*}:$build/bin:$PATH PYTHONPATH=$build/python LAMMPS_PLUGIN_PATH=$build/lib
export LAMMPS_POTENTIALS=$LAMMPS_SOURCE_DIR/potentials
cd "$notebooks"
for name in "${names[@]}"; do
  step "Running $name" no_progress "$build/notebook-$name.log" \
    "$python" -m jupyter execute ${store[@]+"${store[@]}"} --timeout=1800 "$name.ipynb" || die "$name.ipynb does not run"
done
