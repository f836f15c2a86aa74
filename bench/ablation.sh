#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What each optimisation of the CUDA backend brings: builds the gpz command once for each of them, without it, and times
# all of them on the same data.
#
#   bench/ablation.sh build DIR              builds DIR/gpz_NAME
#   bench/ablation.sh run DIR ARGUMENTS...   runs `gpz bench ARGUMENTS...` with each
set -eu
source_dir=$(cd "$(dirname "$0")/.." && pwd)
names="none full_block_kernels staged_loads lane_order joined_bits interleaved_stores"
action=$1
dir=$2
shift 2
case $action in
  build)
    mkdir -p "$dir"
    for name in $names; do
      cmake -S "$source_dir" -B "$dir/build" -D CMAKE_BUILD_TYPE=Release -D GPZ_CUDA=ON -D GPZ_BUILD_TESTS=OFF \
        -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA_WITHOUT="$name" "$@" >/dev/null
      cmake --build "$dir/build" --target gpz_command
      cp "$dir/build/bin/gpz" "$dir/gpz_$name"
    done
    ;;
  run)
    for name in $names; do
      echo "== without $name"
      "$dir/gpz_$name" bench --device gpu "$@"
    done
    ;;
  *)
    echo "usage: $0 build|run DIR [ARGUMENTS...]" >&2
    exit 2
    ;;
esac
