# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by wheel.sh and compilers.sh: a compiler whose programs run with older glibcs than this system's, and on other processors: zig's
# Clang with GCC's C++ library, which nanobind asks for.

# write_command PATH COMMAND: an executable that runs the command.
write_command() {
  printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"$1"
  chmod +x "$1"
}

# make_toolchain FOLDER PYTHON PROCESSOR GLIBC: FOLDER/toolchain.cmake, for this glibc and newer ones. The Python has the package ziglang.
make_toolchain() {
  local folder=$1 zig="'$2' -m ziglang" processor=$3 gcc=g++ compile
  [[ $processor == "$(uname -m)" ]] || gcc=$processor-linux-gnu-g++
  mkdir -p "$folder/bin" "$folder/shim/sys"
  # Without -O, zig would add UndefinedBehaviorSanitizer.
  compile="$zig cc -target $processor-linux-gnu.$4 -fno-sanitize=undefined"
  write_command "$folder/bin/cc" "$compile"
  # -I: in front of C's headers, which those of C++ include in turn.
  write_command "$folder/bin/c++" "$compile -nostdinc++ -I$folder/shim $(library_headers "$gcc" | sed 's/^/-I/' | paste -s -d ' ')"
  write_command "$folder/bin/ar" "$zig ar"
  write_command "$folder/bin/ranlib" "$zig ranlib"
  # glibc 2.32 and newer say here whether a process has one thread. Older ones do not: then atomic operations are always needed.
  printf 'static const char __libc_single_threaded = 0;\n' >"$folder/shim/sys/single_threaded.h"
  printf '__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;\n' >"$folder/shim/single_threaded.c"
  "$folder/bin/cc" -fPIC -c "$folder/shim/single_threaded.c" -o "$folder/shim/single_threaded.o" || return
  extract_headers "$folder/headers" "$processor" && print_toolchain "$folder" "$processor" "$gcc" >"$folder/toolchain.cmake"
}

# library_headers GCC: the folders of its C++ library's headers.
library_headers() { "$1" -E -v -x c++ /dev/null 2>&1 | sed -n 's/^ \(.*\/c++\/.*\)/\1/p'; }

# extract_headers FOLDER PROCESSOR: the libraries of which gpz uses headers alone. Those in /usr/include stand beside this system's glibc,
# whose headers the compiler must not see.
extract_headers() {
  local folder=$1 include=$1/usr/include/$2-linux-gnu file
  mkdir -p "$folder/packages" "$include"
  # libfmt9 has no header, but fmt's files for CMake look for it.
  (cd "$folder/packages" && apt-get download -q libcli11-dev libfmt-dev libfmt9 nlohmann-json3-dev libxxhash-dev) || return
  for file in "$folder"/packages/*.deb; do dpkg-deb -x "$file" "$folder" || return; done
  # Debian's Python.h includes its configuration by a path that starts in /usr/include.
  for file in /usr/include/*-linux-gnu/python3.*; do
    [[ ! -d $file ]] || cp -r "$file" "$include"
  done
}

print_toolchain() {
  local folder=$1 processor=$2 gcc=$3 library
  library="$folder/shim/single_threaded.o $("$gcc" -print-file-name=libstdc++.a) -lm"
  if [[ $processor != "$(uname -m)" ]]; then
    printf 'set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR %s)\n' "$processor"
    printf 'set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-%s-static;-L;/usr/%s-linux-gnu")\n' "$processor" "$processor"
  fi
  # The C++ library is linked statically: this system's is newer than those beside glibc 2.28. The extension takes the unwinder of the
  # system, through which exceptions reach nanobind's backend; the program has one of its own.
  cat <<END
set(CMAKE_C_COMPILER $folder/bin/cc)
set(CMAKE_CXX_COMPILER $folder/bin/c++)
set(CMAKE_AR $folder/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB $folder/bin/ranlib CACHE FILEPATH "")
list(APPEND CMAKE_PREFIX_PATH $folder/headers/usr)
set(XXHASH_INCLUDE_DIR $folder/headers/usr/include CACHE PATH "")
file(GLOB fmt_DIR $folder/headers/usr/lib/*/cmake/fmt)
set(CMAKE_CXX_FLAGS_INIT "-isystem $folder/headers/usr/include")
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-s $library -lunwind")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s $library $("$gcc" -print-file-name=libgcc_s.so.1)")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "\${CMAKE_SHARED_LINKER_FLAGS_INIT}")
END
}
