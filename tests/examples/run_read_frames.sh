#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs examples/read_frames on a file of two frames, in which every particle moves by 3 4 12, so by 13.
#
#   run_read_frames.sh READ_FRAMES GPZ FOLDER      FOLDER is emptied first
set -euo pipefail
read_frames=$1 gpz=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

frame() { # STEP ROWS
  printf 'ITEM: TIMESTEP\n%s\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 32\n0 32\n0 32\nITEM: ATOMS id x y z\n%s\n' "$1" "$2"
}
{
  frame 0 $'1 1 2 3\n2 8 8 8\n3 15.5 1 0.25'
  frame 10 $'3 18.5 5 12.25\n1 4 6 15\n2 11 12 20'
} > in.dump
"$gpz" encode in.dump -o out.gpz --lossless --units lj
"$read_frames" out.gpz > printed
diff printed - <<END
2 frames, units lj, written by $("$gpz" --version | sed 's/ (.*//')
step 0: 3 particles, key frame, moved by 0
step 10: 3 particles, difference frame, moved by 13
END
if "$read_frames" nothing.gpz 2> printed; then
  echo "a file that is not there was read" >&2
  exit 1
fi
diff printed - <<END
read_frames: nothing.gpz: cannot open: No such file or directory
END
