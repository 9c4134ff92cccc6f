#!/bin/bash
# runs: every-mpi
# Test that calls and bytes are those that programs add up themselves: of messages, collectives, one-sided operations
# and files, in C, with large counts, in sessions and by the three interfaces of Fortran, alone and with the tracer.
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
# same_as_tally FUNCTIONS: `counted` has the tally of the program, of so many functions
same_as_tally() {
	added >expected && [ "$(wc -l <expected)" -eq "$1" ] || return 1
	awk 'NR == FNR { named[$1]; next } $1 in named' expected counted | diff expected -
}
# tallied SEED RANKS LIBRARIES [PROGRAM]: the profile has the tally of the program, of 40 functions
tallied() { profiled "$2" "$3" "${4:-tally}" "$1" file && same_as_tally 40; }
check "calls and bytes of messages, collectives, one-sided operations and files are those of the program" tallied 1 4 "$usage"
cp counted alone 2>/dev/null
check "... with other sizes, on two ranks" tallied 2 2 "$usage"
check "... chained with the tracer below" tallied 1 4 "$usage:$trace"
same_as_alone() { diff alone counted && [ -s alone ]; }
check "... all counts are those of the program profiled alone" same_as_alone
check "... chained with the tracer above" tallied 1 4 "$trace:$usage"
check "... all counts are those of the program profiled alone" same_as_alone

# Of MPI 4: large counts, and sessions, whose ranks have a log each.
build4() { "$MPICC" -D_GNU_SOURCE -O2 "${@:2}" -o "$1" "$sources/tally.c" 2>errors; }
has_functions_of_c() { [ "$(grep -c '_c ' expected)" -eq 30 ]; }
tallied_session() {
	rm -rf site && mkdir site
	LLAMP_USAGE_DIR=$PWD/site exits 0 timeout 300 "$MPIEXEC" -n "$2" env LD_PRELOAD="$usage${LD_PRELOAD:+:$LD_PRELOAD}" "./$3" "$1" file &&
		[ "$(find site -type f | wc -l)" -eq "$2" ] || return 1
	for log in $(find site -type f); do llamp-usage show "$log" --rank all --format csv; done |
		awk -F, '$1 != "file" { calls[$2] += $4; bytes[$2] += $7 } END { for (name in calls) print name, calls[name], bytes[name] }' | sort >counted
	same_as_tally 26
}
printf '%s\n' '#include <mpi.h>' '#if MPI_VERSION < 4' '#error' '#endif' >version.c
if "$MPICC" -c version.c -o version.o 2>/dev/null; then
	check "a program with large counts is built" build4 large -DLARGE
	check "calls and bytes of functions with large counts (_c) are those of the program" tallied 3 4 "$usage" large
	check "... of 30 functions" has_functions_of_c
	check "... chained with the tracer below" tallied 3 4 "$usage:$trace" large
	check "a program with a session is built" build4 session -DSESSION
	check "calls and bytes in a session are those of the program" tallied_session 4 4 session
	check "... with large counts" build4 both -DSESSION -DLARGE
	check "... they are, too" tallied_session 5 2 both
else
	skip "calls and bytes of functions with large counts (_c), and in a session" "this MPI is older than MPI 4"
fi

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
