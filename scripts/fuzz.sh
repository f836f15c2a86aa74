#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Searches with the fuzz targets (tests/fuzz) for inputs that break gpz, as long as wanted, and says what was found.
#
#   scripts/fuzz.sh [--minutes N] [--jobs N] [--merge] [TARGET...]
#   scripts/fuzz.sh --keep TARGET FILE...
#
#   --minutes N   of each target; 60 unless given
#   --jobs N      processes of a target at the same time; as many as there are cores unless given
#   --merge       afterwards tests/fuzz/corpus/TARGET.tar has the inputs that reach what the seeds do not, as few and as small ones as possible;
#                 files to which people gave names stay
#   --keep        adds these files to tests/fuzz/corpus/TARGET.tar instead, under their names
#   TARGET        reader, stream, chunk, ... (tests/fuzz/TARGET.cpp); all unless given
#
# Inputs, logs and findings are kept in build-fuzz/tests/fuzz/TARGET, and a later search goes on from there. A finding is an input with
# which a target crashes, or takes more than 5 s or 1 GB: crash-*, timeout-*, oom-*, leak-*. Ends with an error if there are any.
set -euo pipefail
for part in common progress packages build; do . "$(dirname "$0")/lib/$part.sh"; done

minutes=60
jobs=$(nproc)
renew=no
keep=no
targets=()
while (($#)); do
  case $1 in
    --minutes | --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "$1 needs a number above 0"
      printf -v "${1#--}" %s "$2"
      shift
      ;;
    --merge) renew=yes ;;
    --keep) keep=yes ;;
    -h | --help) show_help ;;
    -*) die "no option $1 (--help lists them)" ;;
    *) targets+=("$1") ;;
  esac
  shift
done

sources=$repository/tests/fuzz
build=$repository/build-fuzz
# AddressSanitizer needs some memory of its own.
limits=(-timeout=5 -rss_limit_mb=1536 -max_len=32768)

# pack FOLDER TARGET: the files of the folder become the corpus of the target. The archive depends on their names and bytes only.
pack() {
  (cd "$1" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | tar --format=ustar --mtime=@0 --owner=0 \
    --group=0 --numeric-owner --mode=a=r,u+w --no-recursion -cf "$sources/corpus/$2.tar" --null -T -)
}

if [[ $keep == yes ]]; then
  ((${#targets[@]} > 1)) || die "--keep needs a target and files"
  [[ -f $sources/${targets[0]}.cpp ]] || die "no target ${targets[0]} in tests/fuzz"
  folder=$(mktemp -d)
  [[ ! -f $sources/corpus/${targets[0]}.tar ]] || tar -C "$folder" -xf "$sources/corpus/${targets[0]}.tar"
  cp -t "$folder" -- "${targets[@]:1}"
  pack "$folder" "${targets[0]}"
  rm -rf "$folder"
  exit
fi

if ((${#targets[@]} == 0)); then
  for archive in "$sources"/corpus/*.tar; do targets+=("$(basename "$archive" .tar)"); done
fi
for target in "${targets[@]}"; do [[ -f $sources/$target.cpp ]] || die "no target $target in tests/fuzz"; done

install_packages "${test_packages[@]}" "${fuzz_packages[@]}"
configure_sanitized "$build" -O2
build_gpz "$build" "${targets[@]/#/fuzz_}"

# findings FOLDER: the inputs that are some.
findings() { find "$1" -maxdepth 1 -type f \( -name 'crash-*' -o -name 'timeout-*' -o -name 'oom-*' -o -name 'leak-*' \); }

# search TARGET: a line of the table.
search() {
  local target=$1 folder=$build/tests/fuzz/$1 seconds executions
  local TIMEFORMAT='%U %S'
  seconds=$({ time "$build/bin/fuzz_$target" -fork="$jobs" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 "${limits[@]}" \
    -max_total_time=$((minutes * 60)) -artifact_prefix="$folder/" "$folder/inputs" "$folder/seeds" "$build/tests/fuzz/corpus/$target" \
    >"$folder/log" 2>&1 || true; } 2>&1)
  # "#1234: cov: ...": the executions so far.
  executions=$(sed -n 's/^#\([0-9]*\): cov:.*/\1/p' "$folder/log" | tail -1)
  printf '%-12s %12s %10.0f %9s\n' "$target" "${executions:-0}" "$(awk '{print $1 + $2}' <<<"$seconds")" "$(findings "$folder" | wc -l)"
}

# merge TARGET: renews its corpus.
merge() {
  local target=$1 folder=$build/tests/fuzz/$1 corpus=$build/tests/fuzz/corpus/$1 kept small
  local kind=(-regextype posix-extended -type f) by_machine=(-regex '.*/[0-9a-f]{40}')
  kept=$(mktemp -d)
  small=$(mktemp -d)
  # What is in the repository stays small: inputs below 6 kB, and no others for an edge that is only reached more often.
  find "$folder/inputs" "${kind[@]}" -size -12 -exec cp -t "$small" {} +
  find "$folder/seeds/" "$corpus" "${kind[@]}" ! "${by_machine[@]}" -exec cp -t "$kept" {} +
  "$build/bin/fuzz_$target" -set_cover_merge=1 -use_counters=0 "${limits[@]}" "$kept" "$corpus" "$small" >"$folder/merge.log" 2>&1 ||
    die "cannot merge the inputs of $target: $folder/merge.log"
  find "$corpus" "${kind[@]}" "${by_machine[@]}" -delete
  find "$kept" "${kind[@]}" "${by_machine[@]}" -exec cp -t "$corpus" {} +
  pack "$corpus" "$target"
  rm -rf "$kept" "$small"
}

say "Searching, $minutes min each, $jobs processes"
printf '%-12s %12s %10s %9s\n' target executions 'core s' findings
for target in "${targets[@]}"; do
  search "$target"
  [[ $renew == no ]] || merge "$target"
done
mapfile -t all < <(for target in "${targets[@]}"; do findings "$build/tests/fuzz/$target"; done)
((${#all[@]} == 0)) || die "findings:" "${all[@]}"
