#!/bin/bash
# runs: every-mpi-long long
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
# Let all messages go through UCX, in shared memory: over TCP MPICH 4.0 may wait for ever in MPI_Finalize.
by_ucx() {
	UCX_TLS=sm,self MPIR_CVAR_NOLOCAL=1 OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any "$@"
}

LLAMP_TRACE_QUIET=0 by_ucx run --below-mpi -o trace ./overlap 524288 200 5
check "a program runs as without --below-mpi" holds '[ $status = 0 ] && one_message ", 46 calls, "'
check "its trace is whole" whole trace
check "calls of UCX are within those of MPI, by their paradigm regions of users" below trace/traces.otf2 inside
check "posts of data are in the call that begins a message, with its bytes" below trace/traces.otf2 posts=524288
check "polls that find something are regions of their own, others have their number" below trace/traces.otf2 waits
check "the archive says so" grep -qa LLAMP::TRACE_BELOW_MPI trace/traces.otf2

table() { critpath below "$1" --format csv -o "$1.csv" && cat "$1.csv"; }
row() { grep "^$1,$2" "$1.csv"; }
counts() { table trace && row trace "0,0,MPI_Irecv,5,5,2621440," && row trace "0,0,MPI_Isend,5,5,2621440," &&
	row trace "0,0,MPI_Wait,10,0,0,0,,[1-9][0-9]*," && row trace "1,0,MPI_Send,5,5,2621440,"; }
check "critpath below counts posts, and polls that find something, by calls of MPI" counts
says() { critpath below trace >out && grep -q "^posts  *40 of data, 10 MiB; " out && grep -q " of these in MPI_[A-Z]" out; }
check "... and says where they are" says
valid() { critpath below trace --format json -o out.json &&
	/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$SOURCE/doc/critpath-below.schema.json" out.json; }
check "its JSON follows the schema" valid
page() { critpath view trace -o trace.html 2>err && exits 0 /usr/bin/python3 "$SOURCE/test/cli/critpath_below/page.py" trace.html trace.csv &&
	grep -q "^10 messages" out; }
check "the page of critpath view has them all, and the messages" page
viewed() { critpath view trace -o trace.json 2>err && grep -q "below MPI: [0-9]* calls" err && /usr/bin/python3 -c '
import json
events = json.load(open("trace.json"))
events = events["traceEvents"] if isinstance(events, dict) else events
below = [event for event in events if event.get("cat") == "below MPI"]
tracks = {(event["pid"], event["tid"]) for event in events if event.get("name") == "thread_name" and event["args"]["name"] == "below MPI"}
assert len(tracks) == 2 and {(event["pid"], event["tid"]) for event in below} == tracks
assert any(event["name"] == "ucp_tag_send_nbx" and event["args"]["bytes"] == 524288 for event in below)
' && critpath view trace -o trace.pftrace 2>err && grep -qa "found nothing\|(nothing)" trace.pftrace; }
check "viewers have them on tracks of their own" viewed

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

finished_early() { [ $status != 0 ] && recovers early && otf2-print early/traces.otf2 >shown 2>err &&
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
	outside() { table async && row async "[01],1,,0," && critpath below async >out && grep -q "1 *(outside of MPI)" out &&
		critpath view async -o async.html 2>err && exits 0 /usr/bin/python3 "$SOURCE/test/cli/critpath_below/page.py" async.html async.csv; }
	check "... and a row in critpath below and on the page" outside
fi
if [ "$MPI" = openmpi ]; then
	OMPI_MCA_pml=ob1 run --below-mpi -o other ./overlap 1000 200 3
	check "a run that sends nothing by UCX says so" holds '[ $status = 0 ] && grep -q "no call of UCX was seen" err'
fi
# Random programs with threads have the same calls in their logs and, with regions among them, in their traces.
logged() { # SEED
	rm -rf random logs
	mkdir logs
	TRACE_LOG=$PWD/logs by_ucx run --below-mpi -o random "$BUILD/test/mpi/random_threads" "$1" 40 3
	[ $status = 77 ] || { [ $status = 0 ] && /usr/bin/python3 "$SOURCE/test/mpi/trace_lines.py" random/traces.otf2 logs 2 &&
		below random/traces.otf2 inside; }
}
seeds="1 2"
[ "${LENGTH:-}" != long ] || seeds="1 2 3 4 5 6 7 8"
for seed in $seeds; do
	check "threads of random program $seed have the calls that were done, and those of UCX within them" logged "$seed"
done
refused() { LLAMP_TRACE_BELOW_MPI=maybe complains 2 "LLAMP_TRACE_BELOW_MPI: 'maybe' is neither on nor off" llamp-trace -o t true; }
check "LLAMP_TRACE_BELOW_MPI is on or off" refused
check "--no-archive takes none" complains 2 "without an archive nothing below MPI is kept" \
	llamp-trace --report --no-archive --below-mpi true
check "--recover takes no --below-mpi" complains 2 "below-mpi" llamp-trace --recover trace --below-mpi
