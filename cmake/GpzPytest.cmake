# SPDX-License-Identifier: BSD-3-Clause
# gpz_pytest(NAME FILE... [RUNS] [LABELS label...])
#
# A test that runs the files with pytest and the package of the build folder; label `python`. RUNS: it uses the runs of LAMMPS in
# tests/clients, and is left out where there are none. Properties that it has may be appended to.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)

function(gpz_pytest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUNS" "" "LABELS")
  if(arg_RUNS AND NOT COMMAND gpz_use_client_runs)
    return()
  endif()
  add_test(NAME ${name} COMMAND Python::Interpreter -B -m pytest -q -p no:cacheprovider ${arg_UNPARSED_ARGUMENTS}
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "python;${arg_LABELS}" TIMEOUT 600)
  set_property(TEST ${name} PROPERTY ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python")
  if(TARGET gpz_command)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "GPZ=$<TARGET_FILE:gpz_command>")
  endif()
  if(TARGET gpz_shared)  # the C interface, through ctypes
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "GPZ_LIBRARY=$<TARGET_FILE:gpz_shared>")
  endif()
  if(arg_RUNS)
    gpz_use_client_runs(${name})
  endif()
endfunction()
