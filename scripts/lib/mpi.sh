# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts: how MPI programs run on any machine: as root, with fewer cores than ranks, and several at a time
# (unbound, or all would share the first core). Exported, so that tests run by ctest behave the same.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_mpi_yield_when_idle=1
# Containers often forbid the system call behind single-copy messages, and Open MPI then says so at every start.
export OMPI_MCA_btl_vader_single_copy_mechanism=none

# mpi_run N COMMAND...: the command on N ranks.
mpi_run() {
  local ranks=$1
  shift
  mpirun -np "$ranks" "$@" </dev/null
}
