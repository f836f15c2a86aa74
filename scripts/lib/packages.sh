# Sourced by the scripts: the system packages, installed with apt where they are missing.

gpz_packages=(
  build-essential cmake ninja-build pkg-config xz-utils python3
  libopenmpi-dev openmpi-bin zlib1g-dev libzstd-dev zstd           # LAMMPS, and reading its .gz and .zst dumps
  libcli11-dev libfmt-dev nlohmann-json3-dev libxxhash-dev         # gpz
  libgtest-dev libbenchmark-dev                                    # tests and benchmarks
)

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
  say "Installing ${missing[*]}"
  # A third-party source that cannot be reached is no reason to stop: what counts is whether the installation succeeds.
  quietly "$cache/log/apt-update.log" "${as_root[@]}" apt-get update -q || true
  quietly "$cache/log/apt-install.log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" || die "cannot install: ${missing[*]}"
}
