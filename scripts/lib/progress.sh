# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts: long commands, with their output in a log, that show what is done, how far it is and how long it took.

# duration SECONDS: in words.
duration() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# What a log says of how far its command is; nothing where it says nothing.
ninja_progress() { tail -c 1000 "$1" | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1 | sed 's|\[\(.*\)/\(.*\)\]|\1 of \2 files|'; }
apt_progress() {
  awk '/newly installed/ {all = $1 + $3} /^Unpacking / {n++} /^Setting up / {m++}
       END {if (all) printf "%d of %d packages unpacked, %d set up", n, all, m}' "$1"
}
no_progress() { :; }

# What is still to come after this step, in a script that says so: next_steps=(gpz LAMMPS ...).
next_steps=()
remaining() {
  local IFS=,
  ((${#next_steps[@]} == 0)) || printf '; then %s' "${next_steps[*]}" | sed 's/,/, /g'
}

# progress_line NAME PROGRESS LOG SECONDS
progress_line() {
  local far
  far=$("$2" "$3" 2>/dev/null) || true
  printf '== %s: %s%s%s' "$1" "${far:+$far, }" "$(duration "$4")" "$(remaining)"
}

# Until it is killed, or the script ends: one line that is renewed on a terminal, elsewhere a line every half minute.
# watch_progress NAME PROGRESS LOG
watch_progress() {
  local start=$SECONDS last=$SECONDS
  while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    if [[ -t 1 ]]; then
      printf '\r\033[K%s' "$(progress_line "$@" $((SECONDS - start)))"
    elif ((SECONDS - last >= 30)); then
      printf '%s\n' "$(progress_line "$@" $((SECONDS - start)))"
      last=$SECONDS
    fi
  done
}

# step NAME PROGRESS LOG COMMAND...: runs the command with its output in LOG and says how it goes on (PROGRESS LOG prints how
# far it is); shows the end of LOG only if the command fails.
step() {
  local name=$1 progress=$2 log=$3 start=$SECONDS watcher status=0
  shift 3
  mkdir -p "$(dirname "$log")"
  : >"$log"
  # The watcher is in the background and not the command, which an interrupt has to reach.
  watch_progress "$name" "$progress" "$log" &
  watcher=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
  printf '%s\n' "$(progress_line "$name" "$progress" "$log" $((SECONDS - start)))"
  ((status)) || return 0
  tail -n 40 "$log" >&2
  printf '%s\n' "(failed: $*; all of its output: $log)" >&2
  return "$status"
}
