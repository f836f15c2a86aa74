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

# begin_python FOLDER [REQUIREMENTS...]: sets python to that of a virtual environment in the folder, which has the packages of these
# files, and begins to make it, if they, or Python, have changed: provide_python waits for it.
begin_python() {
  local folder=$1
  shift
  base_python=$(command -v python3)
  python=$folder/bin/python
  python_folder=$folder
  python_key=$({ "$base_python" -c 'import sys; print(sys.version, sys.base_prefix)' && cat "$@"; } | sha256sum)
  python_making=
  [[ -f $folder/finished && $(<"$folder/finished") == "$python_key" ]] && return
  mkdir -p "$(dirname "$folder")"
  make_environment "$folder" "$@" >"$folder.log" 2>&1 </dev/null &
  python_making=$!
}

wait_for_python() {
  local status=0
  wait "$python_making" || status=$?
  cat "$python_folder.log"
  return "$status"
}

provide_python() {
  [[ $python_making ]] || return 0
  step "Installing Python packages in $(basename "$(dirname "$python_folder")")/$(basename "$python_folder")" no_progress \
    "$python_folder.wait.log" wait_for_python || die "cannot install the Python packages for the tests"
  printf '%s\n' "$python_key" >"$python_folder/finished"
}
