// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into LAMMPS: the first GPZ_TEST_FIRST_HOST ranks are on one host, the others on another.
#include <mpi.h>

#include <cstdlib>

extern "C" int MPI_Comm_split_type(MPI_Comm all, int, int key, MPI_Info, MPI_Comm *host) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return MPI_Comm_split(all, rank < std::atoi(std::getenv("GPZ_TEST_FIRST_HOST")) ? 0 : 1, key, host);
}
