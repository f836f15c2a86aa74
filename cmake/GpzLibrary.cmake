# SPDX-License-Identifier: BSD-3-Clause
# A library of compiled objects as two: static, target NAME, and shared, target NAME_shared. The shared one exports what
# SYMBOLS (a version script) lists of the symbols with GPZ_API. Without GPZ_INSTALL there is no shared one.
#
# gpz_library(NAME OBJECTS <object library...> SYMBOLS <file.map.in>)

# Before 1.0 every minor version may change the interface.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(GPZ_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
  set(GPZ_SOVERSION ${PROJECT_VERSION_MAJOR})
endif()

function(gpz_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SYMBOLS" "OBJECTS")
  list(TRANSFORM arg_OBJECTS REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${name} STATIC ${objects})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  gpz_target(${name})
  if(NOT GPZ_INSTALL)
    return()
  endif()

  add_library(${name}_shared SHARED ${objects})
  set_target_properties(${name}_shared PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION}
                                                  SOVERSION ${GPZ_SOVERSION})
  gpz_target(${name}_shared)
  if(UNIX AND NOT APPLE)
    set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
    configure_file(${arg_SYMBOLS} ${map} @ONLY)
    target_link_options(${name}_shared PRIVATE LINKER:--version-script=${map})
    set_property(TARGET ${name}_shared APPEND PROPERTY LINK_DEPENDS ${map})
    if(NOT GPZ_SANITIZE)
      target_link_options(${name}_shared PRIVATE LINKER:-z,defs)
    endif()
  endif()
endfunction()
