#!/bin/sh
# Test critpath-mpi without an MPI: help and usage errors.
. "$SOURCE/test/cli/tap.sh"

unset PMI_RANK PMI_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK SLURM_PROCID
check "help lists the commands" eval 'exits 0 critpath-mpi --help && grep -q "^  path " out && grep -q "^  profile " out'
check "... and no command that needs all ranks in one process" eval '! grep -q "^  view\|^  graph" out'
check "help of a command shows how to start it" eval \
	'exits 0 critpath-mpi waits --help && grep -q "mpiexec -n 4 critpath-mpi" out && grep -q -e "--by NAME" out'
check "a missing archive is a usage error" exits 2 critpath-mpi path
check "an unknown format is a usage error" complains 2 "unknown format 'xml'" critpath-mpi path x --format xml
check "a command that needs all ranks in one process is refused" complains 2 "unknown command 'view'" critpath-mpi view x -o x.html
check "without a launcher nothing is read" complains 2 \
	"start it with the launcher of your MPI: mpiexec -n 2 critpath-mpi path" critpath-mpi path nowhere

mkdir -p alone/bin
cp "$(command -v critpath-mpi)" alone/bin/
check "an MPI without a program is named" complains 3 "launcher is that of Open MPI, but " \
	env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 alone/bin/critpath-mpi path nowhere
