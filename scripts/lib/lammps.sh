# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts: a LAMMPS of the user's (LAMMPS_SOURCE_DIR, LAMMPS_BINARY) or a tested release that is fetched and
# built in the cache.

# Tested releases. Of each: the archive in Debian, its SHA-256, the Debian release whose source package has it, and the folder in it.
declare -A lammps_releases=(
  [4Feb2025]="lammps_20250204+dfsg.1.orig.tar.xz 3671165bd52fad36734e0a9136c5bc5ecb225e03988f8c89aa13366a8b53b1c7 trixie lammps-4Feb2025"
  [4Jul2026]="lammps_20260704+dfsg.orig.tar.gz cddbc45a047416bd48a4a0b87f24a5b61b3446982b74d18cafe619c22b17eb62 sid ."
)

# use_lammps RELEASE: the one that the functions below fetch and build.
use_lammps() {
  [[ ${lammps_releases[$1]:-} ]] || die "LAMMPS $1 is not tested (tested: ${!lammps_releases[*]}); for others set LAMMPS_SOURCE_DIR"
  lammps_release=lammps-$1
  read -r lammps_archive lammps_sha256 lammps_suite lammps_folder <<<"${lammps_releases[$1]}"
}
use_lammps 4Feb2025

lammps_settings=(
  -D CMAKE_CXX_FLAGS=-DOMPI_SKIP_MPICXX
  -D BUILD_SHARED_LIBS=on -D BUILD_OMP=off -D FFT=KISS -D WITH_JPEG=off -D WITH_PNG=off -D WITH_FFMPEG=off
)
# The demonstration needs PLUGIN and LAMMPS's core. The others are of the larger examples and the measurements, and are
# added to the same build.
lammps_packages_demo=(PLUGIN)
lammps_packages_test=(PLUGIN MOLECULE KSPACE MANYBODY RIGID COMPRESS EXTRA-DUMP MOLFILE MISC)
# What is unpacked: the sources, and what examples read.
lammps_files=(LICENSE bench/data.rhodo cmake lib/molfile potentials/Cu_u3.eam src)

is_lammps_archive() { [[ -f $1 ]] && sha256sum --check --status <<<"$lammps_sha256  $1"; }

# fetch_lammps FOLDER: puts the archive there, from the package mirror that this machine already uses.
fetch_lammps() {
  local folder=$1 codename mirror
  codename=$(. /etc/os-release && printf %s "${VERSION_CODENAME:-}")
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v suite="^($codename|stable|oldstable|testing|unstable|sid)\$" '$2 ~ suite && $3 == "main" {print $1; exit}')
  [[ $mirror ]] || return 1
  # Lists and settings of its own: the system's stay as they are.
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  cat >"$folder/apt/lammps.sources" <<SOURCES
Types: deb-src
URIs: $mirror
Suites: $lammps_suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  local options=(-q -o "Dir::Etc::sourcelist=$folder/apt/lammps.sources" -o Dir::Etc::sourceparts=- -o Acquire::Retries=3
                 -o "Dir::State::lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache" -o Acquire::Languages=none
                 -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update || return 1
  # The archive is enough: a mirror may lack the package's other files, so its checksum counts, not the exit code.
  (cd "$folder" && apt-get "${options[@]}" source --download-only lammps) || true
  is_lammps_archive "$folder/$lammps_archive"
}

# The size of what has arrived, for step; the archive is in a folder of its own.
fetch_progress() { find "$cache"/download.* -name "$lammps_archive*" -printf '%s\n' | awk '{n += $1} END {printf "%d MB", n / 1e6}'; }

# fetch_and_unpack_lammps FOLDER: from nothing to $cache/$lammps_release, by way of the folder, which is new.
fetch_and_unpack_lammps() {
  local prefix=$lammps_folder/
  [[ $lammps_folder != . ]] || prefix=
  mkdir "$1/unpacked" && fetch_lammps "$1" && tar -xf "$1/$lammps_archive" -C "$1/unpacked" "${lammps_files[@]/#/$prefix}" &&
    mv "$(realpath "$1/unpacked/$lammps_folder")" "$cache/$lammps_release" && rm -rf "$1"
}

has_lammps_source() { [[ ${LAMMPS_SOURCE_DIR:-} || -d $cache/$lammps_release ]]; }

# Begins to fetch the sources, if they are not there; provide_lammps_source waits for them.
begin_lammps_source() {
  has_lammps_source && return
  mkdir -p "$cache/log"
  fetch_and_unpack_lammps "$(mktemp -d "$cache/download.XXXXXX")" >"$cache/log/fetch.log" 2>&1 </dev/null &
  lammps_fetching=$!
}

wait_for_lammps_source() {
  local status=0
  wait "$lammps_fetching" || status=$?
  cat "$cache/log/fetch.log"
  return "$status"
}

# Sets LAMMPS_SOURCE_DIR.
provide_lammps_source() {
  if [[ ${LAMMPS_SOURCE_DIR:-} ]]; then
    [[ -f $LAMMPS_SOURCE_DIR/cmake/CMakeLists.txt && -f $LAMMPS_SOURCE_DIR/src/version.h ]] ||
      die "LAMMPS_SOURCE_DIR=$LAMMPS_SOURCE_DIR: no LAMMPS source tree (cmake/CMakeLists.txt and src/version.h are expected)"
    LAMMPS_SOURCE_DIR=$(cd "$LAMMPS_SOURCE_DIR" && pwd)
    return
  fi
  if [[ ! -d $cache/$lammps_release || ${lammps_fetching:-} ]]; then
    [[ ${lammps_fetching:-} ]] || begin_lammps_source
    step "Fetching $lammps_release (130 to 210 MB)" fetch_progress "$cache/log/wait.log" wait_for_lammps_source ||
      die "cannot fetch $lammps_archive from Debian's $lammps_suite." \
        "Get the LAMMPS sources from https://www.lammps.org and set LAMMPS_SOURCE_DIR to the unpacked tree"
    lammps_fetching=
  fi
  LAMMPS_SOURCE_DIR=$cache/$lammps_release
}

declare -A kinds_of_lammps=([smallbig]="" [bigbig]=" (64-bit atom ids)" [serial]=" (without MPI)" [optimized]=" (optimised)")

# lammps_build KIND: sets lammps_build to the folder of the smallbig, bigbig, serial or optimized build, and settings to its CMake
# options, except the packages. All that decides the build goes into its name, except the packages.
lammps_build() {
  local kind=$1 level=-O0 sizes=smallbig key mpi=()
  case $kind in
    bigbig) sizes=bigbig ;;
    serial) mpi=(-D BUILD_MPI=off) ;;
    optimized) level="-O2 -DNDEBUG" ;;
  esac
  settings=(-D CMAKE_BUILD_TYPE=Release -D "CMAKE_CXX_FLAGS_RELEASE=$level" "${lammps_settings[@]}" "${mpi[@]}")
  settings+=(-D "LAMMPS_SIZES=$sizes" -D "GPZ_LAMMPS_PACKAGES=$(IFS=';' && printf %s "${lammps_packages_test[*]}")")
  key=$({ printf '%s\n' "$LAMMPS_SOURCE_DIR" "${settings[@]}" && cat "$repository/scripts/lib/lammps_build.cmake" &&
    cat "$LAMMPS_SOURCE_DIR/src/version.h" && c++ --version; } | sha256sum | cut -c 1-12)
  lammps_build=$cache/lammps-build-$kind-$key
}

# The release never changes, so its finished build is not looked at again; a tree of the user's may have changed.
is_lammps_finished() { [[ -f $lammps_build/finished-$1 && $LAMMPS_SOURCE_DIR == "$cache/$lammps_release" ]]; }

# provide_lammps demo|test|bigbig|serial|optimized: sets LAMMPS_SOURCE_DIR and LAMMPS_BINARY; serial sets LAMMPS_SERIAL_BINARY
# instead, empty with a LAMMPS_BINARY of the user's. demo and test share a build, to which test adds its packages: most of it is compiled without optimisation, because it
# runs for seconds. optimized is for work; where it has been built, demo and test take it. bigbig has 64-bit atom ids, serial has
# LAMMPS's own stubs instead of MPI, both with the packages of demo. lammps_level becomes user, optimized, or another word for a LAMMPS that is slow.
provide_lammps() {
  local purpose=$1 kind=$1 packages=("${lammps_packages_demo[@]}") settings name
  provide_lammps_source
  if [[ ${LAMMPS_BINARY:-} && $purpose != bigbig && $purpose != serial ]]; then
    [[ -x $LAMMPS_BINARY ]] || die "LAMMPS_BINARY=$LAMMPS_BINARY: not an executable file"
    LAMMPS_BINARY=$(realpath "$LAMMPS_BINARY")
    lammps_level=user
    return
  fi
  if [[ ${lammps_level:-} == user && $purpose == serial ]]; then # perhaps no tree that can be built
    LAMMPS_SERIAL_BINARY=
    return
  fi
  case $purpose in
    demo) kind=smallbig ;;
    test) kind=smallbig packages=("${lammps_packages_test[@]}") ;;
    optimized) packages=("${lammps_packages_test[@]}") ;;
  esac
  lammps_build optimized
  if [[ $kind == smallbig && -f $lammps_build/finished-optimized ]]; then
    kind=optimized purpose=optimized packages=("${lammps_packages_test[@]}")
  fi
  lammps_build "$kind"
  [[ $kind == serial ]] || lammps_level=$kind
  if [[ $kind == serial ]]; then LAMMPS_SERIAL_BINARY=$lammps_build/lmp; else LAMMPS_BINARY=$lammps_build/lmp; fi
  is_lammps_finished "$purpose" && return
  for name in "${packages[@]}"; do settings+=(-D "PKG_$name=on"); done
  rm -f "$lammps_build"/finished-*
  step "Configuring LAMMPS${kinds_of_lammps[$kind]}" no_progress "$cache/log/lammps-configure.log" cmake -S "$LAMMPS_SOURCE_DIR/cmake" \
    -B "$lammps_build" -G Ninja "${settings[@]}" -D "CMAKE_PROJECT_lammps_INCLUDE=$repository/scripts/lib/lammps_build.cmake" ||
    die "cannot configure $LAMMPS_SOURCE_DIR. If it was built with make inside src/, its generated files are in the way of" \
      "any build outside the tree: 'make no-all purge' in src/ removes them. Or set LAMMPS_BINARY to its executable"
  step "Building LAMMPS${kinds_of_lammps[$kind]}" ninja_progress "$cache/log/lammps-build.log" cmake --build "$lammps_build" ||
    die "cannot build $LAMMPS_SOURCE_DIR"
  touch "$lammps_build/finished-$purpose"
  [[ $purpose != test ]] || touch "$lammps_build/finished-demo"
}
