#!/bin/sh
# Test eventflow-mpi without an MPI: help and usage errors.
. "$SOURCE/test/cli/tap.sh"

unset PMI_RANK PMI_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK SLURM_PROCID
check "help lists the command" eval 'exits 0 eventflow-mpi --help && grep -q "^  build " out'
check "help of the command shows how to start it" eval \
	'exits 0 eventflow-mpi build --help && grep -q "mpiexec -n 4 eventflow-mpi" out && grep -q -e "--times TIMES" out'
check "a missing trace is a usage error" exits 2 eventflow-mpi build -o x.efg
check "a missing output is a usage error" exits 2 eventflow-mpi build nowhere
check "commands for one process are refused" complains 2 "unknown command 'info'" eventflow-mpi info x
check "without a launcher nothing is read" complains 2 \
	"start it with the launcher of your MPI: mpiexec -n 2 eventflow-mpi build" eventflow-mpi build nowhere -o x.efg

mkdir -p alone/bin
cp "$(command -v eventflow-mpi)" alone/bin/
check "an MPI without a program is named" complains 3 "launcher is that of Open MPI, but " \
	env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 alone/bin/eventflow-mpi build nowhere -o x.efg
