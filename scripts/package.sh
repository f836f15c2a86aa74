#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian packages of gpz, in build-package/packages/: gpz-tools, libgpz*, libgpz-dev, python3-gpz, and gpz-lammps if LAMMPS_SOURCE_DIR is
# set. lintian has to find neither errors nor warnings in them. DEBFULLNAME and DEBEMAIL are the maintainer.
#
# Debian 12 has neither nanobind nor scikit-build-core, with which python3-gpz is built: they come from PyPI, into build-package/.
#
#   scripts/package.sh [--try]      --try installs them in a bare Debian 12, which debootstrap makes (as root), and runs packaging/debian/tests
set -euo pipefail
for part in common progress packages; do . "$(dirname "$0")/lib/$part.sh"; done

try=no
tools=(dpkg-dev debhelper dh-python lintian python3-dev python3-venv)
case ${1:-} in
  --try)
    try=yes
    tools+=(debootstrap)
    ;;
  '') ;;
  -h | --help) show_help ;;
  *) die "unknown argument: $1 (--help)" ;;
esac
install_packages "${demo_packages[@]}" "${tools[@]}"

# A source tree as Debian wants it: debian/ at its root.
build=$repository/build-package
packages=$build/packages
version=$(sed -n 's/^project(gpz VERSION \([0-9.]*\).*/\1/p' "$repository/CMakeLists.txt")
source=$build/gpz
rm -rf "$source" "$packages"
mkdir -p "$source" "$packages"
git -C "$repository" ls-files -co --exclude-standard -z | tar -C "$repository" --null --ignore-failed-read -T - -c | tar -C "$source" -x
mv "$source/packaging/debian" "$source/debian"
# The same sources give the same changelog, and debhelper takes the time of all files from it.
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$repository" log -1 --format=%ct 2>/dev/null || date +%s)}
sed -e "s|@VERSION@|$version|; s|@DATE@|$(LC_ALL=C date -R -d "@$epoch")|" \
  -e "s|@MAINTAINER@|${DEBFULLNAME:-The gpz authors} <${DEBEMAIL:-authors@gpz.invalid}>|" \
  "$source/debian/changelog.in" >"$source/debian/changelog"
rm "$source/debian/changelog.in"

build_python=$build/venv/bin/python
make_build_python() { /usr/bin/python3 -m venv "$build/venv" && "$build_python" -m pip install -q "scikit-build-core>=1.0" "nanobind>=3.1,<4"; }
[[ -x $build_python ]] || step "Installing nanobind and scikit-build-core in build-package/venv" no_progress "$build/venv.log" make_build_python ||
  die "cannot install them"

profiles=(pkg.gpz.python)
[[ -z ${LAMMPS_SOURCE_DIR:-} ]] || profiles+=(pkg.gpz.lammps)
make_packages() {
  cd "$source" && DEB_BUILD_PROFILES="${profiles[*]}" GPZ_BUILD_PYTHON=$build_python dpkg-buildpackage --no-sign --build=binary
}
step "Building the packages" ninja_progress "$build/packages.log" make_packages || die "cannot build the packages"
mv "$build"/*.deb "$build"/*.changes "$build"/*.buildinfo "$packages"
ls -l "$packages"

say "lintian"
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$packages"/*.changes || die "lintian finds something in the packages"
[[ $try == yes ]] || exit 0

root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT # nothing of what may still be mounted there
chmod 755 "$root"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@" </dev/null; }
step "Making a bare Debian 12" no_progress "$build/debootstrap.log" debootstrap --variant=minbase bookworm "$root" "$(debian_mirror)" ||
  die "cannot make a bare Debian"
cp "$packages"/gpz-tools_*.deb "$packages"/libgpz*.deb "$packages"/python3-gpz_*.deb "$root/tmp"
mapfile -t needs < <(sed -n 's/^Depends: //p' "$source/debian/tests/control" | tr -d ' ' | tr ',' '\n' | grep -v gpz | sort -u)
step "Installing them there" apt_progress "$build/try-apt.log" \
  inside sh -c 'apt-get install -q -y --no-install-recommends /tmp/*.deb "$@"' sh "${needs[@]}" || die "apt-get failed"
cp -r "$source/debian/tests" "$root/tmp/tests"
for test in "$source"/debian/tests/*; do
  [[ -x $test ]] || continue
  say "debian/tests/$(basename "$test")"
  inside "/tmp/tests/$(basename "$test")" || die "the test fails"
done
