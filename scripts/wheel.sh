#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the Python package as a wheel in build-wheel/, as `pip install .` does it, and tries it: its size, its use of Python's stable
# interface, and the tests of the package in a clean environment.
#
#   scripts/wheel.sh [--source] [PYTHON...]
#
#   --source   builds the wheel from the source distribution instead of the repository
#   PYTHON     the tests run with these, and the first one builds; default: python3.10 to python3.13 where they are found
set -euo pipefail
for part in common progress packages; do . "$(dirname "$0")/lib/$part.sh"; done
from_source=
[[ ${1:-} == --source ]] && from_source=yes && shift
[[ ${1:-} == -* ]] && show_help
pythons=("$@")
if ((!${#pythons[@]})); then
  for version in 3.10 3.11 3.12 3.13; do
    # Those of pyenv that are not chosen have a command of the same name that does not work.
    for found in "$(command -v "python$version" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
      [[ -x $found ]] && "$found" -c "" 2>/dev/null && pythons+=("$found") && break
    done
  done
fi
((${#pythons[@]})) || die "no Python 3.10 to 3.13"
install_packages build-essential libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev

folder=$repository/build-wheel
largest=2000000 # bytes
rm -rf "$folder"
mkdir -p "$folder"

# environment NAME PYTHON PACKAGE...
environment() {
  local at=$folder/$1 base=$2
  shift 2
  "$base" -m venv "$at" && "$at/bin/python" -m pip install -q --disable-pip-version-check "$@"
}

step "Making a build environment" no_progress "$folder/environment.log" environment tools "${pythons[0]}" build abi3audit
source=$repository
if [[ $from_source ]]; then
  step "Making the source distribution" no_progress "$folder/source.log" "$folder/tools/bin/python" -m build -s -o "$folder" "$repository"
  source=$(ls "$folder"/gpz_md-*.tar.gz)
fi
started=$SECONDS
step "Building the wheel" no_progress "$folder/wheel.log" "$folder/tools/bin/python" -m pip wheel --no-deps -w "$folder" "$source"
wheel=$(ls "$folder"/gpz_md-*.whl)
size=$(stat -c %s "$wheel")
say "$(basename "$wheel"): $((size / 1000)) kB, in $(duration $((SECONDS - started)))"
((size < largest)) || die "the wheel is larger than $((largest / 1000)) kB"
"$folder/tools/bin/python" -m abi3audit --strict --summary "$wheel" || die "the extension uses more than the stable interface"

for base in "${pythons[@]}"; do
  version=$("$base" -c 'import platform; print(platform.python_version())')
  step "Installing it for Python $version" no_progress "$folder/install-$version.log" environment "$version" "$base" "$wheel" pytest
  # Far from the repository, so that nothing but the installed package is found.
  (cd "$folder/$version" && PYTHONPATH='' GPZ=$folder/$version/bin/gpz "./bin/python" -B -m pytest -q -p no:cacheprovider \
    --rootdir "$repository/tests/python/core" "$repository/tests/python/core") || die "the tests fail with Python $version"
  "$folder/$version/bin/gpz" --version
done
