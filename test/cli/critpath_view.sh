#!/bin/bash
# critpath view: the measured run for trace viewers.
. "$SOURCE/test/cli/tap.sh"
python() { /usr/bin/python3 "$SOURCE/test/cli/llamp/timeline.py" "$@"; }

# view ARCHIVE: write both formats, which show the same; slices are in `slices`.
view() {
	critpath view "$1" -o run.pftrace 2>said && critpath view "$1" -o run.json 2>same_said &&
		python recorded run.pftrace run.json && python slices run.pftrace >slices
}

/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace || exit 1
for name in order name alone clocks; do
	/usr/bin/python3 "$SOURCE/test/cli/critpath/make_trace.py" "$name" "$name" || exit 1
done
calls() {
	view trace && grep -qx "critpath: run.pftrace: 13 calls, 2 messages" said &&
		[ "$(sed -n 's/^rank 0 | \([0-9]\)/\1/p' slices | sort -n)" = "0 0 | MPI_Init number=1
1000 1500 | MPI_Send number=2
1600 2000 | MPI_Send number=3
2100 2150 | MPI_Comm_rank number=4
3000 3500 | MPI_Win_fence number=5
4000 4500 | MPI_Allreduce number=6 communicator=MPI_COMM_WORLD bytes=32
5000 5500 | MPI_Finalize number=7" ]
}
check "calls are slices, with what a collective moves" calls
messages() {
	view trace && python messages run.pftrace >messages && diff -u - messages <<-EOF
		1000 rank 0 to rank 1 2200: 100 bytes, tag 7, MPI_COMM_WORLD
		1600 rank 0 to rank 1 2500: 200 bytes, tag 7, turned
	EOF
}
check "messages are arrows from the begin of the send to the end of the receive" messages
order() {
	view order && python messages run.pftrace >messages && diff -u - messages <<-EOF
		100 rank 0 to rank 1 500: 10 bytes, tag 5, MPI_COMM_WORLD
		120 rank 0 to rank 1 400: 20 bytes, tag 5, MPI_COMM_WORLD
		130 rank 0 to rank 1 600: 40 bytes, tag 6, MPI_COMM_WORLD
		210 rank 0 to rank 1 700: 30 bytes, tag 5, MPI_COMM_WORLD
	EOF
}
check "receives match in the order in which they were posted, not completed, and without the cancelled one" order
waits() {
	view trace && grep -qx "rank 1 |   500 1000 | wait: late sender rank=0 call=2" slices
}
check "a wait lies in its call and names the call that caused it" waits
path() {
	view trace && [ "$(grep -c "^critical path | " slices)" = "$(critpath path trace --format csv | tail -n +2 | wc -l)" ] &&
		grep -qx "critical path | 0 1000 | compute rank=0 call=2" slices
}
check "the critical path is a track, with the segments of critpath path" path
threads() {
	view order && grep -q "^rank 0 > thread 1 | 130 220 | MPI_Send number=4$" slices && ! grep -q "rank 1 > thread" slices
}
check "a further thread is a track of its own" threads
name() {
	view name && grep -q 'communicator=a"b\\c\\x1b\[31m$' slices
}
check "control characters of names are shown" name
alone() {
	view alone && grep -qx "critpath: run.pftrace: 7 calls, 0 messages" said &&
		grep -q "^critpath: warning: 2 sends or receives have no partner" said
}
check "messages without a partner are counted" alone
clocks() {
	view clocks && grep -q "^critpath: warning: 1 messages arrive before they are sent" said
}
check "a message that arrives before it is sent is counted" clocks
# part OPTION...: write a part; its slices are some of those of the whole run.
part() {
	view trace && cp slices whole && critpath view trace -o run.pftrace "$@" 2>said && python slices run.pftrace >slices &&
		[ "$(wc -l <slices)" -lt "$(wc -l <whole)" ] && ! grep -Fxv -f whole slices
}
# Times count from the begin of the run, which the archive has at 900.
part_of_time() {
	part --from 2us --to 3us && grep -qx "critpath: run.pftrace: 6 calls, 1 message" said &&
		grep -qx "critpath: 1 message without an arrow: the other end is outside" said &&
		! grep -q "MPI_Init\|MPI_Send number=2\|Allreduce" slices && [ "$(python messages run.pftrace)" = \
			"1600 rank 0 to rank 1 2500: 200 bytes, tag 7, turned" ]
}
check "a part of the time has the calls, waits, messages and the path in it" part_of_time
part_of_ranks() {
	part --only-ranks 1 && ! grep -q "^rank 0" slices && grep -q "^rank 1 | 500 2200 | MPI_Recv number=2" slices &&
		grep -qx "critpath: 2 messages without an arrow: the other end is outside" said
}
check "a part of the ranks has theirs" part_of_ranks
check "a list of ranks must be one" complains 2 "'x' is not a list of ranks" critpath view trace --only-ranks x -o none.json
same_archive() {
	view trace && cp run.pftrace folder.pftrace && view trace/traces.otf2 && sed 's/x/x/' slices >of_file &&
		python slices folder.pftrace | diff - of_file
}
check "the archive may be named by its folder or its anchor" same_archive

check "a file is needed" complains 2 "-o FILE is missing" critpath view trace
check "its name must end in a format" complains 2 "must end in .pftrace, .json or .html" critpath view trace -o run.txt
check "the archive is not overwritten" complains 2 "" critpath view trace -o trace/traces.json
check "what is no archive is refused" complains 1 "nothing" critpath view nothing -o none.json
damaged() {
	cp -r trace damaged && : >damaged/traces/0.evt && exits 1 critpath view damaged -o none.json && [ ! -e none.json ]
}
check "a damaged archive is refused, and leaves no file" damaged
check "there must be a command" complains 2 "" critpath
