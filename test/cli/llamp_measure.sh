#!/bin/bash
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

check "help of overlap shows how to start it" eval \
	'exits 0 llamp-measure overlap --help && grep -q "mpiexec -n 2 llamp-measure overlap -o" out'
check "overlap needs a launcher, too" complains 2 \
	"start it with the launcher of your MPI: mpiexec -n 2 llamp-measure overlap" llamp-measure overlap -o out.overlap
refused() { # TEXT OPTION...
	check "overlap refuses ${*:2}" complains 2 "$1" llamp-measure overlap "${@:2}"
}
refused "unknown benchmark 'x'" --bench sender,x
refused "is an empty range" --sizes 2KiB:1KiB
refused "a message may have 1 GiB at most" --sizes 2GiB
refused "a computation may take 1 ns to 10 s" --compute 1us:11s
refused "unknown kernel 'x'" --kernel x
refused "unknown side 'x'" --side x
refused "unknown thread level 'x'" --thread-level x
refused "--full and --quick contradict each other" --full --quick
refused "--append needs -o FILE" --append
refused "--append needs a file, which stdout is not" --append -o -
refused "is no cell" --cell sender
refused "--cell says what is measured" --cell sender:1KiB:1us --bench sender
refused "a computation may take 1 ns to 10 s" --cell sender:1KiB:0
check "... and nothing is written" test ! -e out.overlap

mkdir -p alone/bin
cp "$(command -v llamp-measure)" alone/bin/
check "an MPI without a measuring program is named" complains 3 "launcher is that of Open MPI, but " \
	env OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 alone/bin/llamp-measure params
