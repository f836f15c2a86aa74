#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tries the wheels of build-wheel/dist/, which scripts/wheel.sh makes, in bare Debian systems made by debootstrap (as root): installs one with
# nothing but its dependencies, writes and reads a file, runs the program and decodes every golden file.
#
#   scripts/wheel_debian.sh [--keep] [SUITE[:arm64]...]
#
#   SUITE   default: bookworm (Python 3.11), trixie (3.13), sid (3.14) and bullseye. bullseye has glibc 2.31 and a Python that is too old: only
#           the program is tried there. With :arm64 the wheel for aarch64 runs in an emulator, without a chroot, because that would have to
#           be registered in the kernel
#   --keep  leaves the systems in build-roots/, and takes those that are there
set -euo pipefail
for part in common progress packages; do . "$(dirname "$0")/lib/$part.sh"; done
keep=no
while [[ ${1:-} == -* ]]; do
  case $1 in
    --keep) keep=yes ;;
    -h | --help) show_help ;;
    *) die "unknown argument: $1 (--help)" ;;
  esac
  shift
done
suites=("$@")
((${#suites[@]})) || suites=(bookworm trixie sid bullseye)
install_packages debootstrap qemu-user-static debian-archive-keyring unzip

folder=$repository/build-wheel
tools=$folder/tools/bin/python
[[ -x $tools ]] || die "build-wheel/ has no wheels: run scripts/wheel.sh first"
roots=$repository/build-roots
mkdir -p "$roots"
remove_root() { [[ $keep == yes ]] || rm -rf --one-file-system "$1"; }
wheel_for() { find "$folder/dist/" -name "gpz_md-*_$1.whl" | grep . || die "no wheel for $1 in build-wheel/dist"; }

# fetch_dependencies WHEEL PYTHON-VERSION PROCESSOR FOLDER: the wheel and what it needs, for a system without a network.
fetch_dependencies() {
  "$tools" -m pip download -q --disable-pip-version-check --only-binary :all: --python-version "$2" --implementation cp \
    --platform "manylinux_2_28_$3" --platform "manylinux_2_27_$3" --platform "manylinux_2_17_$3" --platform "manylinux2014_$3" -d "$4" "$1"
}

# make_root SUITE ROOT OPTIONS...
make_root() {
  local suite=$1 root=$2
  shift 2
  [[ -f $root/finished ]] && return
  rm -rf --one-file-system "$root"
  debootstrap --variant=minbase --include=python3-venv "$@" "$suite" "$root" "$(debian_mirror)" && touch "$root/finished"
}

inside() { chroot "$1" env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 HOME=/root "${@:2}" </dev/null; }

# conforms COMMAND...: whether this gpz decodes the golden files.
conforms() {
  (cd "$repository/tests/reference" &&
    "$tools" -B -m gpz_reference.conformance --form lammps --decoder "$* decode {input} -o {output} --format lammps --sort none --exact")
}

try_native() {
  local suite=$1 root=$roots/$1 wheel version
  step "Making a bare Debian $suite" no_progress "$folder/root-$suite.log" make_root "$suite" "$root" || die "cannot make it"
  wheel=$(wheel_for x86_64)
  version=$(inside "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  rm -rf "$root/opt/try" && mkdir -p "$root/opt/try/wheels"
  cp -rL "$repository/tests/reference" "$repository/scripts/lib/try_wheel.py" "$root/opt/try"
  if [[ $version == 3.[0-9] ]]; then
    unzip -q -j "$wheel" '*/scripts/gpz' -d "$root/opt/try"
    chmod +x "$root/opt/try/gpz"
    say "$suite, $(inside "$root" ldd --version | head -n 1), $(inside "$root" /opt/try/gpz --version)"
    # Not by its usual name, which is a link to a file of this system.
    conforms "$root"/lib/x86_64-linux-gnu/ld-2.*.so --library-path "$root/lib/x86_64-linux-gnu" "$root/opt/try/gpz" || die "the program fails in $suite"
  else
    fetch_dependencies "$wheel" "$version" x86_64 "$root/opt/try/wheels" || die "cannot get the dependencies"
    inside "$root" sh -c 'python3 -m venv /opt/try/venv &&
      /opt/try/venv/bin/pip install -q --no-index --find-links /opt/try/wheels gpz-md && /opt/try/venv/bin/pip list &&
      /opt/try/venv/bin/python /opt/try/try_wheel.py /opt/try/reference' || die "the wheel fails in $suite"
  fi
  remove_root "$root"
}

# The packages of debootstrap's first stage are unpacked, not set up: that takes programs which run as those of this machine.
make_foreign_root() {
  local suite=$1 root=$2 package
  make_root "$suite" "$root" --arch=arm64 --foreign || return
  for package in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$root" || return; done
}

# install_foreign WHEEL PYTHON-VERSION DOWNLOADS FOLDER
install_foreign() {
  fetch_dependencies "$1" "$2" aarch64 "$3" || return
  "$tools" -m pip install -q --disable-pip-version-check --no-deps --ignore-requires-python --only-binary :all: --python-version "$2" \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --target "$4" "$3"/*.whl
}

try_emulated() {
  local suite=$1 root=$roots/$1-arm64 wheel version emulator site
  step "Unpacking a Debian $suite for arm64" no_progress "$folder/root-$suite-arm64.log" make_foreign_root "$suite" "$root" || die "cannot make it"
  wheel=$(wheel_for aarch64)
  emulator=(qemu-aarch64-static -L "$root")
  version=$(basename "$(readlink -f "$root/usr/bin/python3")")
  site=$root/opt/site
  rm -rf "$site" "$root/opt/wheels"
  install_foreign "$wheel" "${version#python}" "$root/opt/wheels" "$site" || die "cannot install the wheel"
  python=(env PYTHONPATH="$site" "${emulator[@]}" "$root/usr/bin/$version" -B)
  "${python[@]}" "$repository/scripts/lib/try_wheel.py" files || die "the package fails"
  conforms "${emulator[@]}" "$site/bin/gpz" || die "the program fails"
  (cd "$repository/tests/reference" &&
    "$tools" -B -m gpz_reference.conformance --decoder "${python[*]} $repository/scripts/lib/try_wheel.py decode {input} {output}") || die "the package fails"
  remove_root "$root"
}

for suite in "${suites[@]}"; do
  case $suite in
    *:arm64) try_emulated "${suite%:arm64}" ;;
    *) try_native "$suite" ;;
  esac
done
