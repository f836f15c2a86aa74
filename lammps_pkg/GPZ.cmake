# SPDX-License-Identifier: GPL-2.0-only
# Builds dump gpz into LAMMPS, without a change to its source:
#   cmake -S lammps/cmake -B build -D PKG_GPZ=on -D CMAKE_PROJECT_lammps_INCLUDE=<gpz>/lammps_pkg/GPZ.cmake
# LAMMPS's project() command includes this file.
option(PKG_GPZ "Build dump gpz" OFF)
if(NOT PKG_GPZ)
  return()
endif()

# Read by GenerateStyleHeaders: the styles that LAMMPS knows.
set_property(GLOBAL APPEND PROPERTY DUMP ${CMAKE_CURRENT_LIST_DIR}/dump_gpz.h)
set_property(GLOBAL APPEND PROPERTY FIX ${CMAKE_CURRENT_LIST_DIR}/fix_gpz_step.h)
set_property(GLOBAL APPEND PROPERTY READER ${CMAKE_CURRENT_LIST_DIR}/reader_gpz.h)
set_property(GLOBAL APPEND PROPERTY COMMAND ${CMAKE_CURRENT_LIST_DIR}/rerun_gpz.h)

# Makes gpz's own CMakeLists.txt come to this folder. LAMMPS sets the same.
set(LAMMPS_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/../src)
set(GPZ_PLUGIN OFF)
add_subdirectory(${CMAKE_CURRENT_LIST_DIR}/.. gpz EXCLUDE_FROM_ALL)

# At the end of LAMMPS's CMakeLists.txt, when its target is there. BUILD_INTERFACE keeps gpz out of what LAMMPS exports.
cmake_language(DEFER CALL target_link_libraries lammps PRIVATE $<BUILD_INTERFACE:gpz_lammps>)
