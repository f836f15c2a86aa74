#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds gpzplugin.so for a LAMMPS, from the sources of that LAMMPS. Installs what the build needs; LAMMPS itself is not built.
#
#   scripts/plugin.sh SOURCES [--lammps LMP] [--mpi COMPILER | --no-mpi] [--sizes SIZES] [--output FOLDER] [--build FOLDER]
#                     [-- CMAKE OPTIONS...]
#
#   SOURCES       source tree of LAMMPS, of the same version as the LAMMPS that will load the plugin; or the folder in which CMake
#                 built LAMMPS: the script then finds the sources, LMP and all settings
#   --lammps LMP  the executable that will load the plugin. The script asks it for its version, integer sizes and MPI, and tries
#                 the plugin in it
#   --mpi C       MPI compiler of that LAMMPS, such as mpicxx.mpich; default: one that fits LMP, beside LMP or on the PATH
#   --no-mpi      that LAMMPS was built without MPI (-D BUILD_MPI=off)
#   --sizes S     its LAMMPS_SIZES: smallbig (default), bigbig or smallsmall
#   --output F    folder of gpzplugin.so; default: build-plugin/plugins/VERSION-SIZES-MPI
#   --build F     where it is compiled; default: build-plugin. A second plugin is compiled sooner there
#
# For a LAMMPS with KOKKOS for GPUs, the plugin copies atoms to the host; docs/install.md says how to build one that does not.
set -euo pipefail
for part in common progress packages build mpi; do . "$(dirname "$0")/lib/$part.sh"; done

sources='' lmp='' mpi='' compiler='' sizes='' output='' folder=$repository/build-plugin options=()
while (($#)); do
  case $1 in
    --lammps | --mpi | --sizes | --output | --build)
      (($# >= 2)) || die "$1 needs a value (--help)"
      case $1 in
        --lammps) lmp=$2 ;;
        --mpi) compiler=$2 ;;
        --sizes) sizes=$2 ;;
        --output) output=$2 ;;
        --build) folder=$2 ;;
      esac
      shift
      ;;
    --no-mpi) mpi=none ;;
    -h | --help) show_help ;;
    --)
      shift
      options=("$@")
      break
      ;;
    -*) die "unknown argument: $1 (--help)" ;;
    *)
      [[ ! $sources ]] || die "two source trees: $sources and $1"
      sources=$1
      ;;
  esac
  shift
done
[[ $sources ]] || die "which sources? scripts/plugin.sh SOURCES (--help)"
[[ ! $sizes || $sizes =~ ^(smallbig|bigbig|smallsmall)$ ]] || die "--sizes $sizes: smallbig, bigbig or smallsmall"
[[ $mpi != none || ! $compiler ]] || die "--mpi and --no-mpi contradict each other"

# --- What the folder says ---
[[ -d $sources ]] || die "$sources: no such folder"
sources=$(cd "$sources" && pwd)
cached() { sed -n "s/^$1:[A-Z]*=//p" "$sources/CMakeCache.txt"; }
if [[ -f $sources/CMakeCache.txt ]]; then
  tree=$(dirname "$(cached CMAKE_HOME_DIRECTORY)")
  [[ $lmp || ! -x $sources/lmp ]] || lmp=$sources/lmp
  [[ $sizes ]] || sizes=$(cached LAMMPS_SIZES)
  if [[ ! $mpi && ! $compiler ]]; then
    if [[ $(cached BUILD_MPI) =~ ^(ON|on|yes|TRUE|true|1)$ ]]; then compiler=$(cached MPI_CXX_COMPILER); else mpi=none; fi
  fi
else
  tree=$sources
  [[ -f $tree/src/version.h || ! -f $tree/version.h ]] || tree=$(dirname "$tree")
fi
[[ -f $tree/src/version.h && -f $tree/src/dump_custom.h ]] ||
  die "$tree: no source tree of LAMMPS (src/version.h and src/dump_custom.h are expected). The headers that LAMMPS installs are not enough"
defined() { sed -n "s/^#define $1 \"\(.*\)\"/\1/p" "$tree/src/version.h"; }
version=$(defined LAMMPS_VERSION)
update=$(defined LAMMPS_UPDATE | grep '^Update' || true)

# --- What the executable says ---
# kind_of_mpi COMPILER: as LAMMPS names it; nothing where the compiler has no mpi.h.
kind_of_mpi() {
  command -v "$1" >/dev/null || return 0
  # What is no compiler may fail, or read nothing.
  { "$1" -x c++ -E -dM - 2>/dev/null <<<'#include <mpi.h>' || true; } |
    awk '/define OPEN_MPI /{kind = "Open MPI"} /define MPICH_NAME /{kind = "MPICH"} /define MPI_VERSION /{found = 1}
         END {if (found) print kind ? kind : "another MPI"}'
}
if [[ $lmp ]]; then
  command -v "$lmp" >/dev/null || die "--lammps $lmp: not an executable file"
  lmp=$(command -v "$lmp")
  lmp=$(cd "$(dirname "$lmp")" && pwd)/$(basename "$lmp")
  help=$("$lmp" -h </dev/null 2>&1) || die "$lmp -h failed: $(tail -n 1 <<<"$help")"
  title=$(grep -m 1 '^Large-scale Atomic' <<<"$help") || die "$lmp: not LAMMPS, by what -h prints"
  own=$(sed -n 's/.* Simulator - \([0-9]* [A-Za-z]* [0-9]*\).*/\1/p' <<<"$title")
  own_update=$(grep -o 'Update [0-9]*' <<<"$title" || true)
  [[ $own == "$version" && $own_update == "$update" ]] ||
    die "$lmp is LAMMPS $own${own_update:+, $own_update}, but $tree has the sources of $version${update:+, $update}." \
      "The plugin needs the sources of that LAMMPS: https://www.lammps.org/download.html"
  # Whole words of the list: it is wrapped, so any package may begin a line.
  grep -qw PLUGIN <<<"$(sed -n '/^Installed packages/,/^List of/p' <<<"$help")" ||
    die "$lmp has no package PLUGIN, so it loads no plugins: build it with -D PKG_PLUGIN=on, or build gpz into it (docs/install.md)"
  own_sizes=$(grep -o -m 1 'DLAMMPS_\(SMALLBIG\|BIGBIG\|SMALLSMALL\)' <<<"$help" | sed 's/DLAMMPS_//' | tr '[:upper:]' '[:lower:]')
  [[ ! $sizes || $sizes == "$own_sizes" ]] || die "$lmp was built with LAMMPS_SIZES=$own_sizes, not $sizes"
  sizes=$own_sizes
  case $(grep -m 1 '^MPI v' <<<"$help") in
    *STUBS*) wanted=none ;;
    *"Open MPI"*) wanted="Open MPI" ;;
    *MPICH* | *Intel* | *MVAPICH*) wanted=MPICH ;;
    *) wanted='' ;;
  esac
  [[ $mpi != none || $wanted == none ]] || die "$lmp was built with MPI ($wanted)"
  [[ $wanted != none ]] || mpi=none
  [[ $mpi != none || ! $compiler ]] || die "$lmp was built without MPI"
  if [[ ! $mpi && $wanted && ! $compiler ]]; then
    for candidate in "$(dirname "$lmp")/mpicxx" mpicxx mpicxx.openmpi mpicxx.mpich; do
      [[ ! $compiler && $(kind_of_mpi "$candidate") == "$wanted" ]] && compiler=$(command -v "$candidate")
    done
  fi
fi
sizes=${sizes:-smallbig}

packages=("${plugin_packages[@]}")
if [[ ! $mpi && ! $compiler ]]; then
  if [[ ${wanted:-} == MPICH ]]; then packages+=(libmpich-dev) compiler=mpicxx.mpich; fi
  if [[ ${wanted:-} == "Open MPI" ]]; then packages+=(libopenmpi-dev) compiler=mpicxx.openmpi; fi
  if [[ ! $compiler && ! $(kind_of_mpi mpicxx) ]]; then packages+=(libopenmpi-dev); fi
fi
install_packages "${packages[@]}"
if [[ ! $mpi ]]; then
  compiler=${compiler:-mpicxx}
  mpi=$(kind_of_mpi "$compiler")
  [[ $mpi ]] || die "$compiler: no MPI compiler. --mpi names that of your LAMMPS, --no-mpi says that it has none"
  [[ ! ${wanted:-} || $mpi == "$wanted" ]] || die "$compiler is of $mpi, but $lmp was built with $wanted"
  settings=(-D GPZ_LAMMPS_MPI=ON -D "MPI_CXX_COMPILER=$(command -v "$compiler")")
else
  settings=(-D GPZ_LAMMPS_MPI=OFF)
fi

# --- Build ---
# One folder for all plugins: gpz's library is compiled once. What CMake found of another MPI is forgotten.
unset LAMMPS_BINARY
: "${GPZ_WERROR:=OFF}" # compilers and releases that gpz has not met
configure_gpz "$folder" -U 'MPI_*' -D CMAKE_BUILD_TYPE=Release -D GPZ_BUILD_TESTS=OFF -D GPZ_BUILD_BENCH=OFF -D GPZ_BUILD_TOOLS=OFF \
  -D GPZ_MOLFILE=OFF -D GPZ_CUDA=OFF -D GPZ_INSTALL=OFF -D "LAMMPS_SOURCE_DIR=$tree" -D "GPZ_LAMMPS_SIZES=$sizes" "${settings[@]}" "${options[@]}"
build_gpz "$folder" gpzplugin
output=${output:-$folder/plugins/$(tr -d ' ' <<<"$version${update:+-$update}-$sizes-$mpi")}
mkdir -p "$output"
install -m 755 "$folder/lib/gpzplugin.so" "$output/"
plugin=$(cd "$output" && pwd)/gpzplugin.so
if [[ $lmp ]]; then
  tried=$(cd "$output" && env -u LAMMPS_PLUGIN_PATH "$lmp" -log none <<<"plugin load $plugin" 2>&1) || true
  grep -q '^Loaded dump style' <<<"$tried" || die "$lmp does not load $plugin: $tried"
fi

about="$sizes, $([[ $mpi == none ]] && echo "no MPI" || echo "$mpi")"
say "The plugin for LAMMPS $version${update:+, $update} ($about): $plugin"
if [[ $lmp ]]; then echo "   $lmp loads it."; fi
echo "   In an input script:  plugin load $plugin"
echo "   Or for all runs:     export LAMMPS_PLUGIN_PATH=$(dirname "$plugin")"
