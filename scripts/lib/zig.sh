# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by wheel.sh and compilers.sh: a compiler whose programs run with older glibcs than this system's, and on other processors.

# write_command PATH COMMAND: an executable that runs the command.
write_command() {
  printf '#!/bin/sh\nexec %s "$@"\n' "$2" >"$1"
  chmod +x "$1"
}

# make_compilers FOLDER PYTHON TARGET: cc, c++, ar and ranlib in the folder. The Python has the package ziglang.
make_compilers() {
  local folder=$1 zig="'$2' -m ziglang" target=$3
  mkdir -p "$folder"
  # Without -O, zig would add UndefinedBehaviorSanitizer.
  write_command "$folder/cc" "$zig cc -target $target -fno-sanitize=undefined"
  write_command "$folder/c++" "$zig c++ -target $target -fno-sanitize=undefined"
  write_command "$folder/ar" "$zig ar"
  write_command "$folder/ranlib" "$zig ranlib"
}

# make_toolchain FOLDER PYTHON PROCESSOR GLIBC: FOLDER/toolchain.cmake, for this glibc and newer ones
make_toolchain() {
  local folder=$1 processor=$3
  make_compilers "$folder/bin" "$2" "$processor-linux-gnu.$4" &&
    extract_headers "$folder/headers" "$processor" && print_toolchain "$folder" "$processor" >"$folder/toolchain.cmake"
}

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
  local folder=$1 processor=$2
  if [[ $processor != "$(uname -m)" ]]; then
    printf 'set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR %s)\n' "$processor"
    printf 'set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-%s-static;-L;/usr/%s-linux-gnu")\n' "$processor" "$processor"
  fi
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
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_\${kind}_LINKER_FLAGS_INIT -s)
endforeach()
END
}
