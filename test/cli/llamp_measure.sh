#!/bin/sh
# Test llamp-measure without an MPI: help and usage errors.
. "$SOURCE/test/cli/tap.sh"

unset PMI_RANK PMI_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK SLURM_PROCID
check "help lists the commands" eval 'exits 0 llamp-measure --help && grep -q "^  params  *Measure" out'
check "help of a command shows how to start it" eval \
	'exits 0 llamp-measure params --help && grep -q "mpiexec -n 2 llamp-measure params -o" out'
check "a missing command is a usage error" exits 2 llamp-measure
check "an unknown command is a usage error" complains 2 "unknown command 'nonsense'" llamp-measure nonsense
check "an operand is a usage error" complains 2 "unexpected operand 'x'" llamp-measure params x
check "a time limit with an unknown unit is refused" complains 2 "--time-limit: " llamp-measure params --time-limit 3parsec
for time in 0 99ms 2000000s nan; do
	check "a time limit of $time is refused" complains 2 "--time-limit: " llamp-measure params --time-limit $time
done
check "without a launcher nothing is measured" complains 2 \
	"start it with the launcher of your MPI: mpiexec -n 2 llamp-measure params" llamp-measure params -o out.yaml
check "... and nothing is written" test ! -e out.yaml

mkdir -p alone/bin
cp "$(command -v llamp-measure)" alone/bin/
check "an MPI without a measuring program is named" complains 3 "launcher is that of Open MPI, but " \
	env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 alone/bin/llamp-measure params
