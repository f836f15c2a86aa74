# SPDX-License-Identifier: BSD-3-Clause
# Programs that measure: those of bench/ and of evaluation/.
include_guard(GLOBAL)
# A build that only has to show that they compile is faster without.
option(GPZ_BENCH_OPTIMIZE "Optimise the programs that measure" ON)

# gpz_on_request(GROUP NAME SOURCES...): a program that is built when its name or its group is asked for, and not by default.
function(gpz_on_request group name)
  if(NOT TARGET ${group})
    add_custom_target(${group})
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${ARGN})
  add_dependencies(${group} ${name})
  gpz_target(${name})
  if(NOT GPZ_BENCH_OPTIMIZE)
    target_compile_options(${name} PRIVATE -O0)
  endif()
endfunction()
