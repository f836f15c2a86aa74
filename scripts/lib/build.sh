# Sourced by the scripts: configures and builds gpz, with the LAMMPS that provide_lammps found (if it was called).

# build_gpz FOLDER [CMAKE OPTIONS...]
build_gpz() {
  local folder=$1
  shift
  if [[ ${LAMMPS_BINARY:-} ]]; then
    mkdir -p "$folder/bin"
    ln -sfn "$LAMMPS_BINARY" "$folder/bin/lmp"
    set -- -D "LAMMPS_SOURCE_DIR=$LAMMPS_SOURCE_DIR" -D "LAMMPS_BINARY=$folder/bin/lmp" "$@"
  fi
  say "Building gpz in $(basename "$folder")/"
  quietly "$folder/configure.log" cmake -S "$repository" -B "$folder" -G Ninja "$@" || die "cannot configure gpz"
  quietly "$folder/build.log" cmake --build "$folder" || die "cannot build gpz"
}
