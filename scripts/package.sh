#!/usr/bin/env bash
# Debian packages of gpz, in build-package/: gpz, libgpz*, libgpz-dev, and gpz-lammps if LAMMPS_SOURCE_DIR is set. lintian has to
# find no error in them. DEBFULLNAME and DEBEMAIL are the maintainer.
#
#   scripts/package.sh [--try]      --try installs them in a bare Debian 12, which debootstrap makes (as root), and uses them there
set -euo pipefail
for part in common packages; do . "$(dirname "$0")/lib/$part.sh"; done

try=no
[[ ${1:-} == --try ]] && try=yes
tools=(dpkg-dev gzip lintian)
[[ $try == yes ]] && tools+=(debootstrap)
install_packages "${gpz_packages[@]}" "${tools[@]}"

build=$repository/build-package
say "Building gpz in $(basename "$build")/"
quietly "$build/configure.log" cmake -S "$repository" -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D GPZ_WERROR=ON -D CMAKE_INSTALL_PREFIX=/usr \
  -D GPZ_BUILD_TESTS=OFF -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF -D "LAMMPS_SOURCE_DIR=${LAMMPS_SOURCE_DIR:-}" \
  -D GPZ_ZSH_COMPLETIONS_DIR=share/zsh/vendor-completions \
  -D CMAKE_EXE_LINKER_FLAGS=-Wl,-z,relro,-z,now -D CMAKE_SHARED_LINKER_FLAGS=-Wl,-z,relro,-z,now \
  -D CMAKE_MODULE_LINKER_FLAGS=-Wl,-z,relro,-z,now || die "cannot configure gpz"
quietly "$build/build.log" cmake --build "$build" || die "cannot build gpz"

say "Packing"
packages=$build/packages
rm -rf "$packages"
quietly "$build/cpack.log" cpack --config "$build/CPackConfig.cmake" -B "$packages" || die "cannot pack"
rm -rf "$packages/_CPack_Packages"
ls -l "$packages"

say "lintian"
lintian --fail-on error "$packages"/*.deb || die "lintian finds errors in the packages"
[[ $try == yes ]] || exit 0

say "A bare Debian 12"
root=$(mktemp -d)
chmod 755 "$root"
trap 'rm -rf "$root"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk '$2 == "bookworm" && $3 == "main" {print $1; exit}')
quietly "$build/debootstrap.log" debootstrap --variant=minbase bookworm "$root" "$mirror" || die "cannot make a bare Debian"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
quietly "$build/try-apt.log" inside apt-get install -q -y --no-install-recommends man-db bash-completion libfmt9 || die "apt-get failed"
cp "$packages"/gpz_*.deb "$packages"/libgpz*.deb "$root/tmp"
inside sh -c 'dpkg -i /tmp/*.deb' || die "dpkg -i failed"
inside gpz --version
inside man gpz-encode | head -n 8
inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader gpz; complete -p gpz
  COMP_WORDS=(gpz encode --order ""); COMP_CWORD=3; _gpz; echo "gpz encode --order: ${COMPREPLY[*]}"; [[ ${COMPREPLY[*]} == "place id" ]]' ||
  die "completion does not work"
