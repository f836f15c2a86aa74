#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian packages of gpz, in build-package/packages/: gpz, libgpz*, libgpz-dev, and gpz-lammps if LAMMPS_SOURCE_DIR is set. lintian
# has to find no error in them. DEBFULLNAME and DEBEMAIL are the maintainer.
#
#   scripts/package.sh [--try]      --try installs them in a bare Debian 12, which debootstrap makes (as root), and uses them there
# shellcheck disable=SC2016 # what apt-get and the shell inside of the new system expand
set -euo pipefail
for part in common progress packages build; do . "$(dirname "$0")/lib/$part.sh"; done

try=no
tools=(dpkg-dev lintian)
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

build=$repository/build-package
unset LAMMPS_BINARY
hardening=-Wl,-z,relro,-z,now
configure_gpz "$build" -D CMAKE_BUILD_TYPE=Release -D CMAKE_INSTALL_PREFIX=/usr \
  -D GPZ_ZSH_COMPLETIONS_DIR=share/zsh/vendor-completions -D "LAMMPS_SOURCE_DIR=${LAMMPS_SOURCE_DIR:-}" \
  -D GPZ_BUILD_TESTS=OFF -D GPZ_BUILD_BENCH=OFF -D GPZ_CUDA=OFF -D "CMAKE_EXE_LINKER_FLAGS=$hardening" \
  -D "CMAKE_SHARED_LINKER_FLAGS=$hardening" -D "CMAKE_MODULE_LINKER_FLAGS=$hardening"
build_gpz "$build"

packages=$build/packages
rm -rf "$packages"
step "Packing" no_progress "$build/cpack.log" cpack --config "$build/CPackConfig.cmake" -B "$packages" || die "cannot pack"
rm -rf "$packages/_CPack_Packages"
ls -l "$packages"

say "lintian"
lintian --fail-on error "$packages"/*.deb || die "lintian finds errors in the packages"
[[ $try == yes ]] || exit 0

root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT # nothing of what may still be mounted there
chmod 755 "$root"
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk '$2 == "bookworm" && $3 == "main" {print $1; exit}')
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@" </dev/null; }
step "Making a bare Debian 12" no_progress "$build/debootstrap.log" debootstrap --variant=minbase bookworm "$root" "$mirror" ||
  die "cannot make a bare Debian"
step "Installing what the packages depend on" apt_progress "$build/try-apt.log" \
  inside apt-get install -q -y --no-install-recommends man-db bash-completion libfmt9 || die "apt-get failed"
cp "$packages"/gpz_*.deb "$packages"/libgpz*.deb "$root/tmp"
inside sh -c 'dpkg -i /tmp/*.deb' || die "dpkg -i failed"
inside gpz --version
inside man gpz-encode | sed -n 1,8p
inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader gpz; complete -p gpz
  COMP_WORDS=(gpz encode --order ""); COMP_CWORD=3; _gpz; echo "gpz encode --order: ${COMPREPLY[*]}"; [[ ${COMPREPLY[*]} == "place id" ]]' ||
  die "completion does not work"
