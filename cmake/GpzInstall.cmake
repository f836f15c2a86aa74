# SPDX-License-Identifier: BSD-3-Clause
# cmake --install, by the GNU folders and in components:
#   runtime        libgpz.so.*
#   development    headers, static libraries, find_package(gpz), gpz.pc
#   program        gpz, its manual pages and completions
#   plugin         gpzplugin.so for LAMMPS
#   molfile        plugins for VMD and other programs that load molfile plugins
#   hdf5           filter plugin for HDF5
#   documentation  licences, changes, docs/
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpz)
set(plugin_dir ${CMAKE_INSTALL_LIBDIR}/gpz)

# --- Libraries ---
set_target_properties(gpz_public PROPERTIES EXPORT_NAME headers)
target_include_directories(gpz_public INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(gpz PROPERTIES EXPORT_NAME static)
set_target_properties(gpz_shared PROPERTIES EXPORT_NAME shared)
set(library_destinations
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(TARGETS gpz_public gpz gpz_shared EXPORT gpz ${library_destinations})
install(EXPORT gpz FILE gpz-targets.cmake NAMESPACE gpz:: DESTINATION ${package_dir} COMPONENT development)

set(without_cuda PATTERN *cuda* EXCLUDE)
if(TARGET gpz_cuda)
  set(without_cuda)
  set_target_properties(gpz_cuda PROPERTIES EXPORT_NAME cuda_static)
  set_target_properties(gpz_cuda_shared PROPERTIES EXPORT_NAME cuda_shared)
  install(TARGETS gpz_cuda gpz_cuda_shared EXPORT gpz_cuda ${library_destinations})
  install(EXPORT gpz_cuda FILE gpz-cuda-targets.cmake NAMESPACE gpz:: DESTINATION ${package_dir}
          COMPONENT development)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/gpz/include/gpz ${PROJECT_BINARY_DIR}/gpz/include/gpz
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN *.h PATTERN *.hpp ${without_cuda})

# --- For projects that use them: find_package and pkg-config ---
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gpz-config.cmake.in ${PROJECT_BINARY_DIR}/gpz-config.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS plugin_dir
                              NO_SET_AND_CHECK_MACRO)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
else()
  set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gpz-config-version.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/gpz-config.cmake ${PROJECT_BINARY_DIR}/gpz-config-version.cmake
        DESTINATION ${package_dir} COMPONENT development)

# The installed tree can be moved: the folders are found from where the .pc file is.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${pkgconfig_dir} /)
  string(REGEX REPLACE "/$" "" up ${up})
  set(pc_prefix \${pcfiledir}/${up})
endif()
foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${folder}})
    set(pc_${folder} ${CMAKE_INSTALL_${folder}})
  else()
    set(pc_${folder} \${prefix}/${CMAKE_INSTALL_${folder}})
  endif()
endforeach()
set(pc_files gpz)
if(TARGET gpz_cuda)
  find_package(CUDAToolkit REQUIRED)
  list(APPEND pc_files gpz_cuda)
endif()
foreach(name IN LISTS pc_files)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir} COMPONENT development)
endforeach()

# --- Program, plugin, documentation ---
if(TARGET gpz_command)
  install(TARGETS gpz_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # For desktops, and for file(1).
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/file-type/gpz.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
          COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/file-type/magic DESTINATION ${CMAKE_INSTALL_DATADIR}/gpz COMPONENT program)
endif()
if(TARGET gpzplugin)
  install(TARGETS gpzplugin LIBRARY DESTINATION ${plugin_dir} COMPONENT plugin)
  install(FILES ${PROJECT_SOURCE_DIR}/lammps_pkg/doc/dump_gpz.rst ${PROJECT_SOURCE_DIR}/lammps_pkg/doc/rerun_gpz.rst
                ${PROJECT_SOURCE_DIR}/lammps_pkg/LICENSE
          DESTINATION ${CMAKE_INSTALL_DOCDIR}/lammps COMPONENT plugin)
endif()
if(TARGET gpz_molfile)
  install(TARGETS gpz_molfile17 gpz_molfile18 LIBRARY DESTINATION ${plugin_dir}/molfile COMPONENT molfile)
  install(TARGETS gpz_gromacs LIBRARY DESTINATION ${plugin_dir}/gromacs COMPONENT molfile)
endif()
if(TARGET h5gpz)
  install(TARGETS h5gpz LIBRARY DESTINATION ${plugin_dir}/hdf5 COMPONENT hdf5)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
              ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation
        PATTERN site EXCLUDE PATTERN conf.py EXCLUDE)
