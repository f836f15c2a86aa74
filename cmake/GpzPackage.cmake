# SPDX-License-Identifier: BSD-3-Clause
# Debian packages, for scripts/package.sh: what cpack makes of the components of GpzInstall.cmake. DEBFULLNAME and DEBEMAIL
# of the environment are the maintainer, as for Debian's own tools.
set(library_package libgpz${GPZ_SOVERSION})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpz)
set(CPACK_PACKAGE_VENDOR gpz)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # every package has one of its own
set(maintainer "The gpz authors")
set(address authors@gpz.invalid)
if(DEFINED ENV{DEBFULLNAME})
  set(maintainer "$ENV{DEBFULLNAME}")
endif()
if(DEFINED ENV{DEBEMAIL})
  set(address "$ENV{DEBEMAIL}")
endif()
set(CPACK_PACKAGE_CONTACT "${maintainer} <${address}>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# One package a group. gpz_package(GROUP PACKAGE SECTION SUMMARY DESCRIPTION [component...])
set(gpz_package_names)
macro(gpz_package group package section summary description)
  string(TOUPPER ${group} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
  list(APPEND gpz_package_names ${group}=${package})
  foreach(component IN ITEMS ${ARGN})
    string(TOUPPER ${component} component)
    set(CPACK_COMPONENT_${component}_GROUP ${group})
  endforeach()
  list(APPEND CPACK_COMPONENTS_ALL ${ARGN})
endmacro()

set(what "gpz compresses trajectories of particles under an error bound that always\nholds.")
gpz_package(tool gpz science "compress and decompress particle trajectories"
            "${what} This package has the program, which converts, checks and\nrepairs .gpz files." program documentation)
gpz_package(lib ${library_package} libs "compression of particle trajectories (shared library)"
            "${what} This package has the library for programs in C and C++." runtime)
gpz_package(dev libgpz-dev libdevel "compression of particle trajectories (development files)"
            "${what} This package has headers, the static library, and files for CMake\nand pkg-config." development)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION})")
if(TARGET gpzplugin)
  gpz_package(lammps gpz-lammps science "dump gpz for LAMMPS"
              "${what} This package has the plugin for LAMMPS, which has to be the\nrelease that it was built for." plugin)
endif()

# What packages that depend on the library have to ask for, and ldconfig after installing.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "libgpz ${GPZ_SOVERSION} ${library_package} (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIB_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_BINARY_DIR}/debian/triggers)

# What Debian's policy wants besides.
set(gpz_changelog ${PROJECT_BINARY_DIR}/debian/changelog)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in ${gpz_changelog} @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/policy.cmake.in ${PROJECT_BINARY_DIR}/debian/policy.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/debian/policy.cmake)
include(CPack)
