# Included by LAMMPS's own project() call (CMAKE_PROJECT_lammps_INCLUDE): one precompiled header for what nearly all of its
# files include halves the time of the build.
cmake_language(DEFER CALL target_precompile_headers lammps PRIVATE <mpi.h> <algorithm> <cmath> <cstring> <map> <string>
               <unordered_map> <vector> "${CMAKE_SOURCE_DIR}/../src/pointers.h")
