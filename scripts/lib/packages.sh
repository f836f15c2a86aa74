# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts: the system packages, installed with apt where they are missing.

demo_packages=(
  build-essential cmake ninja-build xz-utils libopenmpi-dev openmpi-bin # LAMMPS
  libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev              # gpz
)
plugin_packages=(build-essential cmake ninja-build nlohmann-json3-dev libxxhash-dev) # and an MPI, which scripts/plugin.sh chooses
test_packages=(
  "${demo_packages[@]}"
  pkg-config zlib1g-dev libzstd-dev zstd      # LAMMPS's further packages, and reading its .gz and .zst dumps
  python3 libgtest-dev libbenchmark-dev libgmp-dev # tests and benchmarks
  groff-base zsh fish                         # man pages and completions
  python3-dev python3-venv                    # the Python package, and what it is tested with
  abigail-tools file shared-mime-info         # the binary interface of the libraries, and the type of files
)
docs_packages=(python3-sphinx furo python3-myst-parser python3-breathe python3-numpy doxygen) # the documentation site
fuzz_packages=(clang-14 libclang-rt-14-dev llvm-14)  # libFuzzer; llvm-symbolizer

browser_packages=(chromium chromium-driver)                    # the page of gpz view
gromacs_packages=(gromacs)                                     # gmx

# install_packages NAME...: what is missing of these, and nothing else.
install_packages() {
  local name missing=()
  if ! command -v dpkg-query apt-get >/dev/null; then
    [[ ${GPZ_SKIP_PACKAGES:-} == 1 ]] && return
    die "this system has no apt-get. Install what these Debian packages hold, then set GPZ_SKIP_PACKAGES=1: $*"
  fi
  for name in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$name")
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || die "not root and no sudo; as root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  # A third-party source that cannot be reached is no reason to stop: what counts is whether the installation succeeds.
  step "Updating the package lists" no_progress "$cache/log/apt-update.log" "${as_root[@]}" apt-get update -q || true
  step "Installing ${missing[*]}" apt_progress "$cache/log/apt-install.log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" ||
    die "cannot install: ${missing[*]}"
}

# Where this system's packages come from: debootstrap asks for it.
debian_mirror() {
  # shellcheck disable=SC2016 # what apt-get expands
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 == "bookworm" && $3 == "main" {print $1; exit}'
}
