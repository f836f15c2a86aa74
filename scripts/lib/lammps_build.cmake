# SPDX-License-Identifier: BSD-3-Clause
# Included by LAMMPS's own project() call (CMAKE_PROJECT_lammps_INCLUDE); changes nothing of what LAMMPS computes, only how long
# its build takes. GPZ_LAMMPS_PACKAGES: all packages that this build may get, now or later.
function(gpz_lammps_build)
  get_filename_component(source ${CMAKE_SOURCE_DIR}/../src ABSOLUTE)

  # What most of its files include, compiled once.
  set(headers <mpi.h> <algorithm> <cmath> <cstring> <map> <string> <unordered_map> <vector>)
  foreach(name pointers error atom memory update domain comm force modify input group variable neighbor fix pair neigh_list output
               compute)
    if(EXISTS ${source}/${name}.h)
      list(APPEND headers ${source}/${name}.h)
    endif()
  endforeach()
  target_precompile_headers(lammps PRIVATE ${headers})

  # -O2 for the files where the examples spend their time and for the dumps that gpz is measured against; the build's -O0 for the
  # others. Without the precompiled header: GCC crashes when that was compiled with another level.
  get_target_property(hot lammps SOURCES)
  list(FILTER hot INCLUDE REGEX
       "/(atom_vec|comm_brick|domain|dump|dump_(atom|custom|custom_zstd|xtc|xyz)|fix_(nve|nh)|nbin_standard|neighbor|npair_bin|\
pair_(eam|lj_charmm_coul_long|lj_cut)|pppm|verlet|zstd_file_writer)[.]cpp$")
  set_source_files_properties(${hot} PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)

  # One command line whatever the packages, so that a later package is compiled without compiling the rest again: of their
  # definitions only files of the packages take notice.
  list(TRANSFORM GPZ_LAMMPS_PACKAGES PREPEND ${source}/ OUTPUT_VARIABLE folders)
  get_filename_component(libraries ${CMAKE_SOURCE_DIR}/../lib ABSOLUTE)
  target_include_directories(lammps BEFORE PRIVATE ${folders} ${libraries}/molfile) # the latter for MOLFILE
  target_compile_definitions(lammps PRIVATE FFT_KISS LAMMPS_ZSTD)
endfunction()
cmake_language(DEFER CALL gpz_lammps_build)
