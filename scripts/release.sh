#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the files of a release from a clean clone of the current commit, installs each of them somewhere clean and tries it there. Nothing is
# published. The files, their list with sizes (ARTEFACTS.md) and SHA256SUMS are in build-release/gpz-VERSION/.
#
#   scripts/release.sh [--only PART]...
#
#   --only PART   source: the tarball, configured, compiled, installed and linked to by programs in C and C++
#                 debian: the packages, installed in a bare Debian 12
#                 python: wheels for two processors, source distribution, reference decoder, each in environments of its own
#
# Needs root (debootstrap makes the bare Debian), and for `python` the Pythons that it is tried with: see scripts/wheel.sh.
set -euo pipefail
for part in common progress packages; do . "$(dirname "$0")/lib/$part.sh"; done

parts=()
while (($#)); do
  case $1 in
    --only)
      [[ ${2:-} == source || ${2:-} == debian || ${2:-} == python ]] || die "--only needs one of source, debian, python"
      parts+=("$2")
      shift
      ;;
    -h | --help) show_help ;;
    *) die "unknown argument: $1 (--help)" ;;
  esac
  shift
done
((${#parts[@]})) || parts=(source debian python)

version=$(sed -n 's/^project(gpz VERSION \([0-9.]*\).*/\1/p' "$repository/CMakeLists.txt")
[[ -z $(git -C "$repository" status --porcelain) ]] || die "there are changes that are not committed"
grep -q "^## $version\b" "$repository/CHANGELOG.md" || die "CHANGELOG.md has no section for $version"

folder=$repository/build-release
out=$folder/gpz-$version
clone=$folder/clone
rm -rf "$folder"
mkdir -p "$out"
git clone -q --no-hardlinks "$repository" "$clone"
git -C "$clone" checkout -q --detach "$(git -C "$repository" rev-parse HEAD)"
SOURCE_DATE_EPOCH=$(git -C "$clone" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
list=$folder/list

# made FILE TRIED: moves a file to the release and says what it was tried in.
made() {
  mv "$1" "$out"
  printf '| `%s` | %s | %s |\n' "$(basename "$1")" "$(stat -c %s "$out/$(basename "$1")")" "$2" >>"$list"
}

tree=$folder/source/gpz-$version
prefix=$folder/source/installed
configure_source() { cmake -S "$tree" -B "$tree/build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D GPZ_CUDA=OFF -D GPZ_BUILD_TESTS=OFF \
  -D GPZ_BUILD_BENCH=OFF -D "CMAKE_INSTALL_PREFIX=$prefix"; }
install_source() { cmake --build "$tree/build" && cmake --install "$tree/build"; }
try_programs() {
  local language
  for language in c cpp; do
    cmake -S "$tree/tests/install/$language" -B "$folder/source/$language" -G Ninja -D "CMAKE_PREFIX_PATH=$prefix" -D "GPZ_VERSION=$version" &&
      cmake --build "$folder/source/$language" &&
      (cd "$folder/source/$language" && ./with_shared shared.gpz && ./with_static static.gpz) || return
  done
}
make_source() {
  local tarball=$folder/gpz-$version.tar.gz
  install_packages "${demo_packages[@]}" pkg-config
  git -C "$clone" archive --format=tar --prefix="gpz-$version/" HEAD | gzip -n -9 >"$tarball"
  mkdir -p "$folder/source"
  tar -C "$folder/source" -xf "$tarball"
  step "Configuring the source" no_progress "$folder/source-configure.log" configure_source || die "cannot configure the source"
  step "Compiling and installing it" ninja_progress "$folder/source-build.log" install_source || die "cannot compile the source"
  step "Programs that use the installed library" no_progress "$folder/source-programs.log" try_programs || die "a program fails"
  "$prefix/bin/gpz" decode "$tree/tests/golden/files/lammps-melt.gpz" -o "$folder/source/melt.dump" --format lammps
  "$prefix/bin/gpz" verify "$tree/tests/golden/files/lammps-melt.gpz" --against "$folder/source/melt.dump"
  made "$tarball" "compiled, installed, used by programs in C and C++"
}

make_debian() {
  local package
  (cd "$clone" && scripts/package.sh --try) || die "the Debian packages fail"
  for package in "$clone"/build-package/packages/*.deb; do
    case $package in
      *-dbgsym_*) ;;
      *) made "$package" "bare Debian 12" ;;
    esac
  done
}

make_python() {
  local file
  (cd "$clone" && scripts/wheel.sh --aarch64 --compile) || die "the Python packages fail"
  (cd "$clone" && scripts/wheel_debian.sh bookworm trixie sid bullseye trixie:arm64) || die "a wheel fails in a bare Debian"
  for file in "$clone"/build-wheel/dist/*; do made "$file" "clean environments of Python, bare Debian systems"; done
}

for part in "${parts[@]}"; do "make_$part"; done
{
  printf '# gpz %s\n\n| file | bytes | tried in |\n|---|---|---|\n' "$version"
  cat "$list"
} >"$out/ARTEFACTS.md"
(cd "$out" && sha256sum -- * >"$folder/SHA256SUMS" && mv "$folder/SHA256SUMS" . && sha256sum --quiet -c SHA256SUMS)
cat "$out/ARTEFACTS.md"
say "$out: all of it took $(duration $SECONDS)"
