// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into LAMMPS: rank GPZ_TEST_DIES is killed by its GPZ_TEST_AT-th call of one MPI function, GPZ_TEST_CALL:
// Allgather and Igather gather what ranks tell each other about a frame, Gatherv takes the atoms of a chunk to one of
// them, Wait is called between frames.
#include <mpi.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

void die_in(const char *function) {
  static std::atomic<long> calls{0};
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != std::atoi(std::getenv("GPZ_TEST_DIES")) || std::strcmp(function, std::getenv("GPZ_TEST_CALL")) != 0)
    return;
  if (++calls == std::atol(std::getenv("GPZ_TEST_AT"))) std::raise(SIGKILL);
}

}  // namespace

extern "C" int MPI_Allgather(const void *from, int sent, MPI_Datatype sent_type, void *to, int received,
                             MPI_Datatype type, MPI_Comm all) {
  die_in("Allgather");
  return PMPI_Allgather(from, sent, sent_type, to, received, type, all);
}

extern "C" int MPI_Gatherv(const void *from, int sent, MPI_Datatype sent_type, void *to, const int *received,
                           const int *places, MPI_Datatype type, int root, MPI_Comm all) {
  die_in("Gatherv");
  return PMPI_Gatherv(from, sent, sent_type, to, received, places, type, root, all);
}

extern "C" int MPI_Igather(const void *from, int sent, MPI_Datatype sent_type, void *to, int received,
                           MPI_Datatype type, int root, MPI_Comm all, MPI_Request *request) {
  die_in("Igather");
  return PMPI_Igather(from, sent, sent_type, to, received, type, root, all, request);
}

extern "C" int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  die_in("Wait");
  return PMPI_Wait(request, status);
}
