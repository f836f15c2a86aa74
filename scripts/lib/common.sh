# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts: messages, and where things are kept.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${GPZ_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gpz}
build=$repository/build

say() { printf '%s\n' "== $*"; }

die() {
  printf '%s\n' "$(basename "$0"): $*" >&2
  exit 1
}

# The comment at the head of the script, and ends it.
show_help() {
  sed -n '3,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
  exit
}
