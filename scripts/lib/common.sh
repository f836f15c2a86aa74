# Sourced by the scripts: messages, quiet commands, and where things are kept.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${GPZ_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/gpz}
build=$repository/build

say() { printf '%s\n' "== $*"; }

die() {
  printf '%s\n' "$(basename "$0"): $*" >&2
  exit 1
}

# quietly LOG COMMAND...: runs the command with its output in LOG; shows the end of it only if the command fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log" >&2
    printf '%s\n' "(failed: $*; all of its output: $log)" >&2
    return 1
  fi
}
