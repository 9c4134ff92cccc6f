#!/bin/sh
# llamp-measure without an MPI: help and wrong uses.
. "$SOURCE/test/cli/tap.sh"

unset PMI_RANK PMI_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE PMIX_RANK SLURM_PROCID
check "help lists the commands" eval 'exits 0 llamp-measure --help && grep -q "^  params  *Measure" out'
check "help of a command shows how to start it" eval \
	'exits 0 llamp-measure params --help && grep -q "mpiexec -n 2 llamp-measure params -o" out'
check "no command is a wrong use" exits 2 llamp-measure
check "so is an unknown one" complains 2 "unknown command 'nonsense'" llamp-measure nonsense
check "so is an operand" complains 2 "unexpected operand 'x'" llamp-measure params x
check "a time limit needs a unit that is known" complains 2 "--time-limit: " llamp-measure params --time-limit 3parsec
for time in 0 99ms 2000000s nan; do
	check "a time limit of $time is refused" complains 2 "--time-limit: " llamp-measure params --time-limit $time
done
check "without a launcher nothing is measured" complains 2 \
	"start it with the launcher of your MPI: mpiexec -n 2 llamp-measure params" llamp-measure params -o out.yaml
check "... and nothing is written" test ! -e out.yaml

mkdir -p alone/bin
cp "$(command -v llamp-measure)" alone/bin/
check "an MPI that it was not built for is named" complains 3 "launcher is that of Open MPI, but " \
	env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 alone/bin/llamp-measure params
