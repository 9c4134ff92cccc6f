#!/bin/bash
# runs: every-mpi
# Test that calls and bytes are those that programs add up themselves: of messages, collectives, one-sided operations
# and files, in C and by the three interfaces of Fortran, alone and with the tracer.
. "$SOURCE/test/cli/tap.sh"

sources=$SOURCE/test/mpi/usage_tally
"$MPICC" -D_GNU_SOURCE -O2 -o tally "$sources/tally.c" || exit 1
libraries=$(dirname "$(readlink -f "$(command -v llamp-trace)")")/../lib
usage=$libraries/libllampusage-$MPI.so
trace=$libraries/libllamptrace-$MPI.so

# profiled RANKS PRELOADED PROGRAM ARGUMENT...: what it prints in out, FUNCTION CALLS BYTES of all ranks in counted
profiled() {
	local ranks=$1 preloaded=$2
	shift 2
	rm -rf trace run.usage file
	LLAMP_TRACE_DIR=$PWD/trace LLAMP_TRACE_QUIET=1 LLAMP_USAGE_FILE=$PWD/run.usage exits 0 timeout 300 "$MPIEXEC" -n "$ranks" \
		env LD_PRELOAD="$preloaded${LD_PRELOAD:+:$LD_PRELOAD}" "./$1" "${@:2}" &&
		llamp-usage show run.usage --rank all --format csv >shown.csv &&
		awk -F, 'NR > 1 { print $2, $4, $7 }' shown.csv | sort >counted
}
# Sums of the lines that the ranks print.
added() { awk '{ calls[$1] += $2; bytes[$1] += $3 } END { for (name in calls) print name, calls[name], bytes[name] }' out | sort; }
# tallied SEED RANKS LIBRARIES: the profile has the tally of the program, of 40 functions
tallied() {
	profiled "$2" "$3" tally "$1" file && added >expected && [ "$(wc -l <expected)" -eq 40 ] || return 1
	awk 'NR == FNR { named[$1]; next } $1 in named' expected counted | diff expected -
}
check "calls and bytes of messages, collectives, one-sided operations and files are those of the program" tallied 1 4 "$usage"
cp counted alone 2>/dev/null
check "... with other sizes, on two ranks" tallied 2 2 "$usage"
check "... chained with the tracer below" tallied 1 4 "$usage:$trace"
same_as_alone() { diff alone counted && [ -s alone ]; }
check "... all counts are those of the program profiled alone" same_as_alone
check "... chained with the tracer above" tallied 1 4 "$trace:$usage"
check "... all counts are those of the program profiled alone" same_as_alone

# Of 4 ranks and 5 rounds; 8 bytes in a double, 4 in an integer.
cat >known <<END
MPI_Allreduce 20 4800
MPI_Alltoall 20 100
MPI_Barrier 20 0
MPI_Bcast 20 16000
MPI_Gather 20 320
MPI_Recv 5 220
MPI_Send 5 220
MPI_Sendrecv 20 3360
END
fortran() { # OPTION...
	"$mpifort" "$@" -o known-calls "$sources/known.F90" && profiled 4 "$usage" known-calls &&
		awk 'NR == FNR { named[$1]; next } $1 in named' known counted | diff known -
}
mpifort=${MPICC/mpicc/mpifort}
for interface in "mpif.h" "use mpi -DHAS_MODULE" "use mpi_f08 -DHAS_F08"; do
	sentence="Fortran, ${interface% -*}: calls and bytes are known"
	option=${interface#"${interface% -*}"}
	if [ -x "$BUILD/test/mpi/trace_f08" ]; then
		check "$sentence" fortran ${option:+"${option# }"}
	else
		skip "$sentence" "this MPI has no mpi_f08"
	fi
done
