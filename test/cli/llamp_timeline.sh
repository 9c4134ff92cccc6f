#!/bin/bash
# Test llamp timeline: the modelled run for trace viewers, and as a picture.
. "$SOURCE/test/cli/tap.sh"
python() { /usr/bin/python3 "$SOURCE/test/cli/llamp/timeline.py" "$@"; }

# whole GRAPH OPTION...: check that the run in both formats is that of llamp path.
whole() {
	graph=$1
	shift
	llamp timeline "$graph" "$@" -o run.pftrace 2>said && llamp timeline "$graph" "$@" -o run.json 2>said &&
		goal info "$graph" --format json >goal.json && llamp path "$graph" "$@" --format json >path.json &&
		python run run.pftrace run.json goal.json path.json
}

schedgen --pattern solver-3d --ranks 8 --bytes 20KB --iterations 3 --compute 10us:50% -o solver.bin 2>/dev/null || exit 1
check "slices of a solver nest, an arrow is a message, and the critical path is that of llamp path" whole solver.bin
check "... with times that are no whole ns, too" whole solver.bin -L 1.2345ns --overhead 0.7 -G 0.0137
check "... without latency and overhead, too" whole solver.bin -L 0 --overhead 0 -G 0
for protocol in read sync paper; do
	check "... with the rendezvous protocol $protocol, too" whole solver.bin -S 1KiB --rendezvous $protocol -p O=0.01
done
check "... with gaps between sends, too" whole solver.bin -g 3us
for resources in cpu nic cpu,nic; do
	check "... with limited $resources, too" whole solver.bin --resources $resources -g 1us
done
with_resources() {
	whole solver.bin && ! python alone run.pftrace send 2>/dev/null &&
		whole solver.bin --resources cpu && python alone run.pftrace send
}
check "a limited CPU sends one message at a time" with_resources

/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace && schedgen trace -o trace.bin 2>/dev/null || exit 1
check "calls of a trace contain their operations" whole trace.bin -L 1us --overhead 100
named() {
	whole trace.bin -L 1us --overhead 100 && python slices run.pftrace >slices &&
		grep -q "^rank 0 | [0-9]* [0-9]* | MPI_Send number=" slices &&
		grep -q "^rank 1 | *[0-9]* [0-9]* | recv.* from=0 bytes=100$" slices
}
check "calls have their names and numbers, messages their peers and bytes" named
unnamed() {
	cp trace.bin alone.bin && whole alone.bin && ! python slices run.pftrace | grep -q MPI_
}
check "a run without the side file has operations only" unnamed
foreign() {
	cp trace.bin foreign.bin && cp solver.bin.calls foreign.bin.calls && whole foreign.bin &&
		grep -q "^llamp: warning: foreign.bin.calls: .*calls are not shown" said
}
check "a foreign side file causes a warning" foreign
damaged() {
	cp trace.bin damaged.bin && head -c 100 trace.bin.calls >damaged.bin.calls && whole damaged.bin &&
		grep -q "^llamp: warning: damaged.bin.calls: " said
}
check "a damaged side file causes a warning" damaged

cat >cpus.goal <<'EOF'
num_ranks 3

rank 0 {
a: calc 100
b: calc 300 cpu 1
c: send 10b to 2 tag 7 cpu 1
d: calc 0
c requires b
d requires a
d requires c
}

rank 1 {
}

rank 2 {
z: recv 10b from 0 tag 7
y: calc 50 cpu 255
x: calc 10 cpu 255
x requires y
}
EOF
check "ranks may have several CPUs or no operation" whole cpus.goal
several_cpus() {
	whole cpus.goal -L 10 --overhead 1 -G 0 && python slices run.pftrace | sort >slices && diff -u - slices <<-EOF
		critical path | 0 300 | compute rank=0 operation=1
		critical path | 300 301 | overhead rank=0 operation=2
		critical path | 301 311 | latency rank=2 operation=0
		critical path | 311 312 | overhead rank=2 operation=0
		rank 0 > cpu 0 | 0 100 | compute operation=0
		rank 0 > cpu 1 | 0 300 | compute, critical operation=1
		rank 0 > cpu 1 | 300 301 | send, critical operation=2 to=2 bytes=10
		rank 2 > cpu 0 |   311 312 | overhead
		rank 2 > cpu 0 | 0 312 | recv, critical operation=0 from=0 bytes=10
		rank 2 > cpu 255 | 0 50 | compute operation=1
		rank 2 > cpu 255 | 50 60 | compute operation=2
	EOF
}
check "each CPU is a track of its rank, and a calc of cost 0 is left out" several_cpus
printf 'num_ranks 1\n\nrank 0 {\nl1: calc 5\n}\n' >one.goal
check "a run of one rank is written" whole one.goal
printf 'num_ranks 2\n\nrank 0 {\n}\n\nrank 1 {\n}\n' >empty.goal
nothing() {
	llamp timeline empty.goal -o run.json 2>said && llamp timeline empty.goal -o run.pftrace 2>said &&
		grep -q "run.pftrace: 0 operations, 0 calls, 0 messages" said && python same run.pftrace run.json
}
check "a graph without operations is an empty run" nothing
overlapping() {
	python slices run.pftrace | grep -q "at the same time"
}
schedgen --pattern incast --ranks 40 --iterations 2 -o incast.bin 2>/dev/null || exit 1
many_at_once() {
	whole incast.bin && overlapping
}
check "messages at the same time are in lanes of their own" many_at_once

# part GRAPH FROM TO RANKS OPTION...: check that the file holds the slices that the whole run has there.
part() {
	llamp timeline "$1" -o whole.pftrace 2>/dev/null || return 1
	python_part=("$2" "$3" "$4")
	graph=$1
	shift 4
	llamp timeline "$graph" "$@" -o part.pftrace 2>said && llamp timeline "$graph" "$@" -o part.json 2>/dev/null &&
		python part part.pftrace whole.pftrace "${python_part[@]}" && python same part.pftrace part.json
}
check "--from and --to choose a stretch of time" part solver.bin 40000 90000 - --from 40us --to 90us
check "--only-ranks chooses ranks" part solver.bin - - '[0, 2, 3, 4, 7]' --only-ranks 7,2-3,3-4,0
check "--from and --only-ranks choose together" part solver.bin 30000 - '[1, 5]' --only-ranks 5,1 --from 30us
check "a part after the end of the run is refused" complains 2 "--from: nothing happens then" llamp timeline solver.bin --from 1s -o late.json
outside_is_said() {
	part solver.bin - - '[0]' --only-ranks 0 && messages=$(goal info solver.bin --format json |
		sed -n 's/.*"sends": \([0-9]*\).*/\1/p') && grep -Eq "^llamp: [0-9]+ messages without an arrow" said &&
		said_count=$(sed -n 's/^llamp: \([0-9]*\) messages without.*/\1/p' said) &&
		python slices part.pftrace >slices &&
		[ "$said_count" = "$(grep -c "operation=.*bytes=" slices)" ] && [ "$messages" -gt "$said_count" ]
}
check "messages to the outside are counted" outside_is_said

# picture GRAPH OPTION...: check that the picture has the slices of the run for viewers.
picture() {
	llamp timeline "$@" -o run.svg 2>said && llamp timeline "$@" -o run.pftrace 2>same && tail -n +2 said >said.rest &&
		tail -n +2 same | diff - said.rest && python svg run.svg run.pftrace
}
schedgen --pattern allreduce=recursive-doubling --ranks 8 --iterations 2 --compute 10us:50% -o small.bin 2>/dev/null || exit 1
check "a picture of a small run shows its slices to scale, and its messages" picture small.bin
check "... of a trace, too" picture trace.bin -L 1us --overhead 100
check "... with a rendezvous, too" picture small.bin -S 4 --rendezvous read
check "... of several CPUs, too" picture cpus.goal
check "... of a part of a large run, too" picture solver.bin --only-ranks 1-3
check "... of a graph without operations, too" llamp timeline empty.goal -o run.svg
too_large() {
	schedgen --pattern bcast=binomial --ranks 101 -o rows.bin && schedgen --pattern allreduce=ring --ranks 2 --iterations 3000 -o bars.bin &&
		complains 3 "at most 100 ranks: choose a part with --from, --to and --only-ranks" llamp timeline rows.bin -o no.svg &&
		complains 3 "at most 10000 operations: choose a part" llamp timeline bars.bin -o no.svg && [ ! -e no.svg ] &&
		llamp timeline rows.bin --only-ranks 3 -o no.svg
}
check "a picture of a large run is refused, with advice" too_large

check "a missing output is a usage error" complains 2 "-o FILE is missing" llamp timeline solver.bin
check "a name of an output without a known ending is a usage error" complains 2 "must end in .pftrace" llamp timeline solver.bin -o run.txt
check "stdout as output is a usage error" complains 2 "must end in .pftrace" llamp timeline solver.bin -o -
cp solver.bin solver.json
check "the graph is not overwritten" complains 2 "would overwrite the input" llamp timeline solver.json -o ./solver.json
check "a part that ends before it begins is a usage error" complains 2 "--from is later than --to" \
	llamp timeline solver.bin --from 2us --to 1us -o run.json
for ranks in "" x 1- -1 3-2 1,,2 1, 4294967295 99999999999999999999 "1 2"; do
	check "'$ranks' is refused as a list of ranks" complains 2 "is not a list of ranks" \
		llamp timeline solver.bin --only-ranks "$ranks" -o run.json
done
check "a rank that the graph lacks is refused" complains 2 "there is no rank 8, only 0 to 7" \
	llamp timeline solver.bin --only-ranks 3,8 -o run.json
check "a time that cannot be read is a usage error" complains 2 "'x'" llamp timeline solver.bin --from x -o run.json
printf 'num_ranks 1\n\nrank 0 {\nl1: calc 9223372036854775807\nl2: calc 9223372036854775807\nl2 requires l1\n}\n' >long.goal
too_long() {
	complains 3 "years" llamp timeline long.goal -o long.json && [ ! -e long.json ]
}
check "a run of centuries is beyond the limit, and leaves no file" too_long
check "a graph that does not match is refused" complains 1 "" llamp timeline trace.bin.calls -o run.json
