# SPDX-License-Identifier: BSD-3-Clause
# Settings that every target of the project shares.
function(gpz_target target)
  target_compile_features(${target} PUBLIC cxx_std_17)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  gpz_warnings(${target})
  # Every operation rounds once, on every machine and whatever optimisation the builder asks for: the bytes of a file and
  # the numbers of a text do not depend on it. GCC 12 needs the last option as well, since its vectoriser of neighbouring
  # statements fuses multiplications with additions in spite of the first. A test looks for such instructions.
  set(arithmetic -fno-fast-math -ffp-contract=off -fno-tree-slp-vectorize)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${arithmetic}>")
  # Without this what a library exports could not be inlined within it.
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:-fno-semantic-interposition>")
  if(GPZ_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined,float-cast-overflow)
    if(GPZ_FUZZ)
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  endif()
  if(GPZ_THREAD_SANITIZER)
    target_compile_options(${target} PRIVATE -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=thread)
  endif()
endfunction()

# The standard library's headers, and others that are named, compiled once for a target with many files. Files include what they
# use all the same: CMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without this.
function(gpz_precompile_headers target)
  set(headers <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <limits> <memory> <optional> <string> <unordered_map>
              <utility> <vector> ${ARGN})
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# gpz_optimise(TARGET LEVEL): less than CMAKE_BUILD_TYPE asks for, where that only takes longer to compile.
function(gpz_optimise target level)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(${target} PRIVATE -O${level})
  endif()
endfunction()

# Warnings of all compilers; errors with GPZ_WERROR. nvcc splits CUDA files: its own warnings are about both parts, the host
# compiler's about the host's part. -Wpedantic and -Wconversion would be about text that nvcc puts there,
# -Wshadow about the parameters of kernels and their members.
function(gpz_warnings target)
  set(host -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  set(cuda -Xcompiler=-Wall,-Wextra)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(APPEND host -Wreserved-identifier -Wno-reserved-macro-identifier)
  endif()
  # In a unity build, a local name may be that of another file's anonymous namespace: only GCC tells most of these from shadows within
  # a file. And GCC takes the files for headers, whose classes must not use anonymous namespaces.
  set(of_unity -Wno-shadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(of_unity -Wno-subobject-linkage)
  endif()
  list(APPEND host $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:${of_unity}>)
  if(GPZ_WERROR)
    list(APPEND host -Werror)
    list(APPEND cuda "SHELL:-Werror all-warnings" -Xcompiler=-Werror)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:${host}>" "$<$<COMPILE_LANGUAGE:CUDA>:${cuda}>")
endfunction()
