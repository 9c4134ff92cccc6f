#!/bin/bash
# runs: every-mpi
# Test what llamp-trace --below-mpi records: calls of UCX within those of MPI.
. "$SOURCE/test/mpi/traced.sh"
ranks=2

if ! command -v llamp-inject >/dev/null; then
	run --below-mpi -o trace true
	check "without UCX's headers --below-mpi says so" holds '[ $status = 3 ] && grep -q "without the headers of UCX" err'
	skip "what MPI does below is recorded" "UCX's headers were not there when llamp-trace was built"
	exit
fi
"$MPICC" -O2 -o overlap "$SOURCE/test/mpi/below_mpi/overlap.c" || exit 1
below() { exits 0 /usr/bin/python3 "$SOURCE/test/mpi/below_mpi/check.py" "$@"; }
by_ucx() { # variables by which all messages go through UCX, over TCP
	UCX_TLS=tcp MPIR_CVAR_NOLOCAL=1 OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any "$@"
}

LLAMP_TRACE_QUIET=0 by_ucx run --below-mpi -o trace ./overlap 524288 200 5
check "a program runs as without --below-mpi" holds '[ $status = 0 ] && one_message ", 46 calls, "'
check "its trace is whole" whole trace
check "calls of UCX are within those of MPI, by their paradigm regions of users" below trace/traces.otf2 inside
check "posts of data are in the call that begins a message, with its bytes" below trace/traces.otf2 posts=524288
check "polls that find something are regions of their own, others have their number" below trace/traces.otf2 waits
check "the archive says so" grep -qa LLAMP::TRACE_BELOW_MPI trace/traces.otf2

by_ucx run --below-mpi -o tests ./overlap 524288 200 3 test
check "a loop of MPI_Test has one region, and one of the polls in it" below tests/traces.otf2 inside tests

by_ucx run -o plain ./overlap 524288 200 5
without() { below plain/traces.otf2 none && ! grep -qa BELOW_MPI plain/traces.otf2; }
check "without --below-mpi the archive has no trace of UCX" without

counted() { # MPI calls by function, of schedgen and critpath
	schedgen "$1" -o graph.bin 2>&1 | grep -o "[0-9]* [a-z]*calls\?[a-z ]*\|[0-9]* of [a-z ]*\|[0-9]* operations, [0-9]* messages" >"$2" && critpath path "$1" --format csv -o path.csv 2>err &&
		critpath waits "$1" >/dev/null 2>err && test ! -s err
}
same() { counted trace with && counted plain without && test -s with && diff with without; }
check "schedgen and critpath count the same calls with and without it" same

finished_early() { [ $status != 0 ] && llamp-trace --recover early >out 2>err && otf2-print early/traces.otf2 >shown 2>err &&
	grep -q ucp_ shown && ! grep -qi "error\|warning" err; }
"$MPICC" -O2 -DDIE -o dies "$SOURCE/test/mpi/below_mpi/overlap.c" || exit 1
by_ucx run --below-mpi -o early ./dies
check "what was recorded of a run that died has regions, too" holds finished_early

injected() { run llamp-inject -L 1ms llamp-trace --below-mpi -o injected ./overlap 1000 200 3 && [ $status = 0 ] &&
	below injected/traces.otf2 inside waits; }
check "messages that llamp-inject delays have them" holds injected

if [ "$MPI" = mpich ]; then
	MPIR_CVAR_ASYNC_PROGRESS=1 by_ucx run --below-mpi -o async ./overlap 524288 5000 3
	check "a progress thread of MPI has a location of its own" below async/traces.otf2 thread
	quiet() { schedgen async -o graph.bin 2>err && ! grep -q "thread" err; }
	check "... of which schedgen does not complain" quiet
fi
if [ "$MPI" = openmpi ]; then
	OMPI_MCA_pml=ob1 run --below-mpi -o other ./overlap 1000 200 3
	check "a run that sends nothing by UCX says so" holds '[ $status = 0 ] && grep -q "no call of UCX was seen" err'
fi
refused() { LLAMP_TRACE_BELOW_MPI=maybe complains 2 "LLAMP_TRACE_BELOW_MPI: 'maybe' is neither on nor off" llamp-trace -o t true; }
check "LLAMP_TRACE_BELOW_MPI is on or off" refused
check "--recover takes no --below-mpi" complains 2 "below-mpi" llamp-trace --recover trace --below-mpi
