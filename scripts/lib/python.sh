# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts: the Python with which the package is built and tested.

# make_environment FOLDER REQUIREMENTS...
make_environment() {
  local folder=$1
  shift
  rm -rf "$folder"
  "$base_python" -m venv "$folder" && "$folder/bin/python" -m pip install -q --disable-pip-version-check "${@/#/-r}"
}

# provide_python FOLDER [REQUIREMENTS...]: sets python to that of a virtual environment in the folder, which has the packages of
# these files. It is made again when they, or Python, have changed.
provide_python() {
  local folder=$1 key
  shift
  base_python=$(command -v python3)
  key=$({ "$base_python" -c 'import sys; print(sys.version, sys.base_prefix)' && cat "$@"; } | sha256sum)
  python=$folder/bin/python
  [[ -f $folder/finished && $(<"$folder/finished") == "$key" ]] && return
  step "Installing Python packages in $(basename "$(dirname "$folder")")/$(basename "$folder")" no_progress \
    "$folder.log" make_environment "$folder" "$@" || die "cannot install the Python packages of $*"
  printf '%s\n' "$key" >"$folder/finished"
}
