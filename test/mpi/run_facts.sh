#!/bin/bash
# runs: every-mpi-long
# Test what the tracer tells of a run as a whole: the cores that its ranks may use, how often they were preempted, and how long they
# waited for a core.
. "$SOURCE/test/cli/tap.sh"
unset LLAMP_TRACE_LIBRARY LLAMP_TRACE_DIR LD_PRELOAD

ring=$BUILD/examples/ring
first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')

# cpus TRACE: the CPUs of all ranks, one a line.
cpus() { otf2-print -G "$1/traces.otf2" | sed -n 's/.*"LLAMP::CPUS".*Value: "\([^"]*\)".*/\1/p'; }

bound_ranks() {
	exits 0 "$MPIEXEC" -n 3 taskset -c "$first" llamp-trace -o bound.trace "$ring" --blocks 2 &&
		cpus bound.trace >found && printf '%s\n' "$first" "$first" "$first" >expected &&
		sed -i 's:/.*::' found && cmp expected found
}
check "the archive has the CPUs that each rank may use" bound_ranks
# Three ranks on one core that wait for each other cannot all end without having been preempted.
preempted_ranks() {
	otf2-print -G bound.trace/traces.otf2 | sed -n 's/.*"LLAMP::PREEMPTIONS".*Value: "\([0-9]*\)\/[1-9][0-9]*[/"].*/\1/p' >found &&
		[ "$(wc -l <found)" = 3 ] && awk '{sum += $1} END {exit !(sum > 0)}' found
}
check "... and how often each was preempted" preempted_ranks
# At any time at most one of three can run.
waiting_ranks() {
	otf2-print -G bound.trace/traces.otf2 | sed -n 's/.*"LLAMP::PREEMPTIONS".*Value: "[0-9]*\/[0-9]*\/\([0-9]*\)".*/\1/p' >found &&
		[ "$(wc -l <found)" = 3 ] && awk '{waited += $1} END {exit !(waited > 0)}' found
}
# A kernel that counts nothing tells 0 turns.
if awk '{exit !($3 > 0)}' /proc/self/schedstat 2>/dev/null; then
	check "... and how long it waited for a core" waiting_ranks
else
	skip "... and how long it waited for a core" "this kernel does not tell it"
fi
recovered_ranks() {
	"$MPIEXEC" -n 2 taskset -c "$first" llamp-trace -o dead.trace "$BUILD/test/mpi/trace_die" all \
		>out 2>err
	recovers dead.trace && cpus dead.trace >found && sed -i 's:/.*::' found &&
		[ "$(sort -u found)" = "$first" ] && [ "$(wc -l <found)" = 2 ]
}
check "so has the archive of --recover" recovered_ranks

# silent FILE: no line, and no JSON, says that ranks shared cores, unless a busy computer has preempted them.
silent() { ! grep "^traced on\|\"crowded\": \"" "$1" | grep -v "was preempted\|waited for a core"; }
# Ranks that share a core wait for it: the first line and the warning say so, for T is far from the traced time.
crowded_graph() {
	exits 0 schedgen bound.trace -o bound.bin && llamp analyze bound.bin >out 2>err &&
		grep -qx "traced on   3 ranks on 1 core, whose times include waiting for a core" out &&
		llamp analyze bound.bin --format json | grep -q '"crowded": "3 ranks on 1 core"'
}
check "llamp says that ranks shared a core" crowded_graph
roomy_graph() {
	exits 0 "$MPIEXEC" -n 1 llamp-trace -o roomy.trace "${ring%ring}cg" --size 16 && exits 0 schedgen roomy.trace -o roomy.bin &&
		llamp analyze roomy.bin >out 2>err && silent out && llamp analyze roomy.bin --format json >out && silent out
}
check "... and nothing if each had one" roomy_graph
# critpath COMMAND: says so in text and JSON, and is silent of roomy.trace.
crowded_run() {
	critpath "$1" bound.trace >out 2>err && [ "$(sed -n 2p out)" = "$wanted" ] &&
		critpath "$1" bound.trace --format json 2>err | grep -q '"crowded": "3 ranks on 1 core"' &&
		critpath "$1" roomy.trace >out 2>err && silent out &&
		critpath "$1" roomy.trace --format json >out 2>err && silent out
}
wanted="traced on   3 ranks on 1 core, whose times include waiting for a core"
for command in path waits causes imbalance profile; do
	check "critpath $command says first that ranks shared a core" crowded_run $command
done
crowded_report() {
	"$MPIEXEC" -n 3 taskset -c "$first" llamp-trace --report --no-archive "$ring" --blocks 2 >out 2>&1 &&
		grep -qx "$wanted" out
}
check "... and so does the report in the job" crowded_report
# The ranks may have been lucky; then T is near, and there is no warning.
far_graph() {
	exits 0 llamp analyze bound.bin -G 0 --overhead 0 -L 0
	! grep -q "T is" err ||
		grep -q "times the traced run time: its ranks waited for cores (3 ranks on 1 core)$" err
}
check "a warning of a T far from the traced time names them" far_graph

# The line at the end.
unset LLAMP_TRACE_QUIET
bytes() { cat "$1"/traces.* "$1"/traces/* | wc -c; }
one_line() { # FILE NAME: of 3 ranks on one core
	size=$(sed -n "s/^llamp-trace: $2: 3 ranks on 1 core, [0-9]* calls, \([0-9.]*\) KiB\$/\1/p" "$1")
	[ "$(grep -c ^llamp-trace "$1")" = 1 ] && [ -n "$size" ] &&
		awk "BEGIN {d = $size * 1024 - $(bytes "$2"); exit !(d < 60 && d > -60)}"
}
ends() { # ARGUMENT...: run on one core
	rm -rf named.trace llamp-trace-ring-*
	exits 0 "$MPIEXEC" -n 3 taskset -c "$first" llamp-trace "$@" "$ring" --blocks 2
}
named() { ends -o named.trace && one_line err named.trace; }
check "one line at the end of a run tells ranks, cores, calls and bytes of its trace" named
unnamed() { ends && one_line err "$(ls -d llamp-trace-ring-*)"; }
check "without -o it tells the name of the directory" unnamed
with_report() { ends --report=path -o named.trace && grep '^llamp-trace: [^t]' err | tail -n 1 >line && one_line line named.trace; }
check "it is the last line after a report" with_report
without_archive() { ends --report=path --no-archive && ! grep -q 'calls, [0-9.]* KiB' err; }
check "without an archive there is none" without_archive
quiet() { LLAMP_TRACE_QUIET=1 ends -o named.trace && [ ! -s err ]; }
check "LLAMP_TRACE_QUIET=1 leaves it out" quiet
check "LLAMP_TRACE_QUIET is 0 or 1" \
	complains 2 "LLAMP_TRACE_QUIET: 'yes' is neither 0 nor 1" env LLAMP_TRACE_QUIET=yes llamp-trace -o t true

# Runs whose trace would be empty, or of nobody.
off() { # STATUS ARGUMENT...
	wanted=$1
	shift
	rm -rf off.trace
	exits "$wanted" env LLAMP_TRACE_RECORD=off "$MPIEXEC" -n 2 llamp-trace "$@" "$ring" --blocks 2 &&
		[ "$(grep -c '^llamp-trace: .*no call was recorded: LLAMP_TRACE_RECORD is off' err)" = 1 ] &&
		! grep -q ' calls, [0-9.]* KiB' err
}
check "recording that is never switched on is reported" off 0 -o off.trace
check "... also if the end is to be quiet" env LLAMP_TRACE_QUIET=1 "$BASH" -c \
	"$(declare -f off exits show); MPIEXEC=$MPIEXEC ring=$ring; off 0 -o off.trace"
check "... and without an archive" off 0 --report=path --no-archive
required() { LLAMP_TRACE_REQUIRED=1 off 4 -o off.trace; }
check "... and ends with status 4 if a trace is required" required
echo 'int of_no_use;' >other.c
"${CC:-cc}" -shared -fPIC -o other.so other.c
preloads() { # WORD...: before the program
	rm -rf env.trace
	exits 0 "$MPIEXEC" -n 2 llamp-trace -o env.trace env "$@" "$ring" --blocks 2 && one_trace_of_2
}
one_trace_of_2() { [ "$(grep -c '^llamp-trace' err)" = 1 ] && grep -q '^llamp-trace: env.trace: 2 ranks' err; }
check "a program for which env sets LD_PRELOAD is traced" preloads A=1 LD_PRELOAD="$PWD/other.so" B=2
check "... also after options of env" preloads -u A LD_PRELOAD="$PWD/other.so"
kept() {
	rm -rf env.trace
	exits 0 llamp-trace -o env.trace env LD_PRELOAD="$PWD/other.so" "$BASH" -c 'echo "$LD_PRELOAD"' &&
		grep -q "^$PWD/other.so:.*/libllamptrace" out
}
check "... and keeps what env sets" kept

# Two runs with one directory at the same time: one has a trace, the other one says why it has none.
loses() { # FILE: the only message says that another run has the directory
	[ "$(grep -c '^llamp-trace' "$1")" = 1 ] && grep -q 'there is a trace already\|another run may be writing' "$1"
}
wins() { [ "$(grep -c '^llamp-trace' "$1")" = 1 ] && grep -q '^llamp-trace: two.trace: 2 ranks' "$1"; }
whole_trace() { [ ! -e two.trace/journal ] && otf2-print two.trace/traces.otf2 >shown 2>said && [ ! -s said ]; }
one_wins() {
	if wins two.err.1; then loses two.err.2; else wins two.err.2 && loses two.err.1; fi
}
start_run() { # NUMBER ARGUMENT OF mpiexec...
	# Two mpiexec of Open MPI may remove each other's session folders.
	mkdir -p two.tmp.$1
	TMPDIR=$PWD/two.tmp.$1 timeout 120 "$MPIEXEC" "${@:2}" >two.out.$1 2>two.err.$1 &
	pids+=($!)
}
end_runs() { # let the runs end; their statuses are in statuses
	local run
	statuses=()
	for run in 1 2; do
		wait "${pids[run - 1]}"
		statuses+=($?)
	done
}
two_runs() { # TIMES
	local try pids statuses
	for try in $(seq "$1"); do
		pids=()
		rm -rf two.trace
		start_run 1 -n 2 llamp-trace -o two.trace "$ring" --blocks 2
		start_run 2 -n 2 llamp-trace -o two.trace "$ring" --blocks 2
		end_runs
		whole_trace && [ ! -e two.trace/ranks ] && one_wins && continue
		ls -R two.trace
		tail two.err.*
		return 1
	done
}
check "of two runs with one directory at the same time one has a whole trace, and the other one says why it has none" \
	two_runs 10

# The second rank of the first run begins when the second run has ended.
late_rank() { # STATUS OPTIONS: of the first run; with -o, its late rank sees the trace of the second run before it begins
	local pids=() statuses
	rm -rf two.trace begin
	start_run 1 -n 1 llamp-trace $2 "$ring" --blocks 2 : \
		-n 1 "$BASH" -c 'until [ -e begin ]; do sleep 0.05; done; exec "$@"' late llamp-trace $2 "$ring" --blocks 2
	until [ -e two.trace/ranks ]; do sleep 0.05; done
	start_run 2 -n 2 llamp-trace $2 "$ring" --blocks 2
	wait "${pids[1]}"
	whole_trace && wins two.err.2 || { tail two.err.2; return 1; }
	: >begin
	end_runs
	[ "${statuses[0]}" = "$1" ] && loses two.err.1 && return
	echo "status ${statuses[0]}"
	tail two.err.1
	return 1
}
export LLAMP_TRACE_DIR=two.trace
check "a run that is slower to begin than another one in its directory does not take its marks for its own" late_rank 0
unset LLAMP_TRACE_DIR
check "... and ends if a rank is refused before it begins" late_rank 1 "-o two.trace"
