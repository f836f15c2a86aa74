# SPDX-License-Identifier: BSD-3-Clause
# For which GPUs the CUDA part is compiled: the one place that says so (docs/decisions/0056-architectures-of-builds.md).

# gpz_enable_cuda(): enables the language CUDA. CMAKE_CUDA_ARCHITECTURES is what the user says (or CUDAARCHS in the environment), and
# otherwise code for every kind of GPU on which gpz runs, with PTX for GPUs that are newer than the compiler.
macro(gpz_enable_cuda)
  if(DEFINED CMAKE_CUDA_ARCHITECTURES OR DEFINED ENV{CUDAARCHS})
    enable_language(CUDA)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 80-virtual) # while the compiler is tried
    enable_language(CUDA)
    unset(CMAKE_CUDA_ARCHITECTURES)
    set(gpz_architectures 80-real 86-real 89-real 90)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
      list(APPEND gpz_architectures 100-real 120-real)
    endif()
    set(CMAKE_CUDA_ARCHITECTURES "${gpz_architectures}" CACHE STRING "CUDA architectures; native: this machine's GPUs only")
  endif()
endmacro()

# gpz_cuda_code(MACHINE PTX): the compute capabilities for which the library has machine code, and PTX, from
# CMAKE_CUDA_ARCHITECTURES; each as numbers with commas between them.
function(gpz_cuda_code machine ptx)
  set(architectures ${CMAKE_CUDA_ARCHITECTURES})
  if(architectures MATCHES "^(native|all|all-major)$")
    string(TOUPPER ${architectures} name)
    string(REPLACE - _ name ${name})
    set(architectures ${CMAKE_CUDA_ARCHITECTURES_${name}})
    if(NOT name STREQUAL NATIVE)
      list(TRANSFORM architectures APPEND -real)
      string(REGEX MATCH "[0-9]+-real$" newest "${architectures}")
      string(REPLACE -real -virtual newest "${newest}")
      list(APPEND architectures ${newest})
    endif()
  endif()
  set(with_machine_code ${architectures})
  list(FILTER with_machine_code EXCLUDE REGEX -virtual$)
  set(with_ptx ${architectures})
  list(FILTER with_ptx EXCLUDE REGEX -real$)
  if(NOT "${architectures}" MATCHES "^[0-9]")
    message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES=${CMAKE_CUDA_ARCHITECTURES} does not say for which GPUs gpz is to be compiled")
  endif()
  foreach(list IN ITEMS with_machine_code with_ptx)
    list(TRANSFORM ${list} REPLACE "^([0-9]+).*" "\\1")
    list(JOIN ${list} , ${list})
  endforeach()
  set(${machine} "${with_machine_code}" PARENT_SCOPE)
  set(${ptx} "${with_ptx}" PARENT_SCOPE)
endfunction()
