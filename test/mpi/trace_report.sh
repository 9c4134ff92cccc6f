#!/bin/bash
# runs: every-mpi-long long
# Test llamp-trace --report: what it prints is what critpath prints of the archive, it leaves no file if there is to be
# no archive, and it never harms the program.
set -u
. "$SOURCE/test/mpi/traced.sh"
unset LLAMP_TRACE_DIR LLAMP_TRACE_REPORT LLAMP_TRACE_ARCHIVE LLAMP_TRACE_BUDGET

programs=$BUILD/test/mpi
examples=$BUILD/examples
behave=$programs/trace_behave
# The machine of a test may be slow.
export LLAMP_TRACE_BUDGET=100s

# The report in err, without the line that says how long it took.
reported() { sed '/^llamp-trace: the report took/,$d' err | sed '$d'; }
took() { grep -q '^llamp-trace: the report took .* % of the run; the busiest rank worked .*s$' err; }
all_of() { # DIRECTORY: what critpath prints of the archive
	critpath path "$PWD/$1" && echo && critpath waits "$PWD/$1" && echo && critpath causes "$PWD/$1" && echo &&
		critpath imbalance "$PWD/$1"
}
same_report() { # RANKS PROGRAM ARGUMENT...
	ranks=$1
	shift
	rm -rf same
	run --report -o same "$@"
	[ $status = 0 ] && took || { cat err; return 1; }
	all_of same >wanted && reported | diff wanted -
}

# A long run tries all with every MPI.
is_long() { [ "${LENGTH:-}" = long ]; }
counts=4 patterns=collectives deaths=one failing="1 5 30 240 960"
if is_long; then
	counts="1 2 4 8" patterns="wildcards persistent polling communicators collectives windows"
	deaths="abort crash exit _exit one all" failing="1 2 3 5 9 16 30 60 120 240 480 960"
fi
for count in $counts; do
	check "the report of cg on $count ranks is what critpath prints of its archive" same_report $count "$examples/cg" --size 16
done
check "... of teams, with communicators" same_report 4 "$examples/teams"
check "... of a program with many threads" same_report 3 "$programs/random_threads" 5 40 3
# Call sites: with lines, or with places in files if there is no libdw, as another line says.
place='\.c:[0-9]'
ldd "$(command -v critpath)" | grep -q libdw || place='(+0x'
same_sites() { # RANKS PROGRAM ARGUMENT...
	ranks=$1
	shift
	rm -rf same
	run --report --call-sites -o same "$@"
	[ $status = 0 ] && took || { cat err; return 1; }
	all_of same >wanted && reported | grep -v ": its call sites have no lines$" | diff wanted -
}
check "... with call sites, of which it has the lines" same_sites 3 "$programs/random_program" 3 100
check "... such as those with most time" grep -q "^random_program$place" err
check "... of a program with many threads" same_sites 3 "$programs/random_threads" 5 40 3
check "... of a ring of sends" same_sites 2 "$examples/ring"
alone_with_sites() {
	rm -rf same
	run --report --call-sites --no-archive "$programs/random_program" 3 100
	[ $status = 0 ] && took && grep -q "^random_program$place" err && [ ! -e same ]
}
check "... without an archive, too" alone_with_sites
for pattern in $patterns; do
	check "... of a program with $pattern" same_report 3 "$programs/patterns" $pattern
done
check "... of a random program" same_report 5 "$programs/random_program" 3 100
check "... of one-sided communication" same_report 4 "$programs/trace_rma"
check "... of locks" same_report 4 "$programs/slow_rank" 3 4 20 locks
check "... of neighbours" same_report 4 "$programs/trace_neighbours"
if [ -x "$examples/heat1d" ]; then
	check "... of a program in Fortran" same_report 3 "$examples/heat1d"
else
	skip "... of a program in Fortran" "this MPI has no mpi_f08"
fi

# Every rank has another clock.
"$MPICC" -shared -fPIC -O2 -o skew.so "$SOURCE/test/mpi/clock/skew.c" || exit 1
other_clocks() {
	# The clocks of a busy computer may be compared badly: critpath says so, and ends with status 1.
	local attempt
	for attempt in 1 2 3 4 5; do
		rm -rf same
		timeout 300 "$MPIEXEC" -n 4 env LD_PRELOAD="$PWD/skew.so:${LD_PRELOAD:-}" llamp-trace --report -o same \
			"$programs/slow_rank" 3 10 50 >out 2>err || return 1
		critpath path same >path 2>&1 && break
		grep -q "messages ended before they began" path || break
	done
	took && all_of same >wanted && reported | diff wanted -
}
check "... with clocks that differ" other_clocks

ranks=3
run --report=waits -o waits "$examples/cg" --size 8
check "one report is printed alone" holds 'took && critpath waits $PWD/waits >wanted && reported | diff wanted -'
run --report=path,imbalance -o two "$examples/cg" --size 8
check "two reports are printed with a line between them" \
	holds '{ critpath path $PWD/two; echo; critpath imbalance $PWD/two; } >wanted; took && reported | diff wanted -'
run --report -o status "$behave" status
check "the program keeps its status" holds 'test $status = 7 && took && whole status'
check "stdout is that of the program" holds '! grep -q "^trace\|^llamp-trace" out'

# ------------------------------------------------------------------------- no archive

mkdir temporary
export TMPDIR=$PWD/temporary
mkdir empty
alone() { # arguments: run in an empty folder
	(cd empty && timeout 300 "$MPIEXEC" -n $ranks llamp-trace --report --no-archive "$@" >../out 2>../err)
	status=$?
	# MPI may leave folders and sockets.
	! find empty temporary -type f | grep .
}
check "without an archive no file is left" alone "$examples/cg" --size 16
check "... and the report is there" \
	holds 'test $status = 0 && took && grep -q "^trace       cg (no archive)$" err && grep -q "^size        3 ranks" err'
LLAMP_TRACE_BUFFER=64KiB
export LLAMP_TRACE_BUFFER
check "... nor of a long run" alone "$behave" long 20000
check "... of which the report has all calls" holds 'test $status = 7 && took && grep -q "^size .* [0-9]*6[0-9]\{4\} calls" err'
unset LLAMP_TRACE_BUFFER
check "... nor of a program with threads" alone "$programs/random_threads" 5 40 3
check "... which has its report" holds 'test $status = 0 && took'
for how in $deaths; do
	check "$how: a run that dies leaves no file" alone "$programs/trace_die" $how
	check "... and ends as without the tracer" holds 'test $status != 0 && test $status != 124 && ! took'
done
run_in_missing() { timeout 300 "$MPIEXEC" -n 3 env TMPDIR="$PWD/missing" llamp-trace --report --no-archive "$@" >out 2>err; status=$?; }
run_in_missing "$examples/cg" --size 8
check "a folder for temporary files that is missing does not harm the program" \
	holds 'test $status = 0 && grep -q correct out && one_message "missing: No such file or directory; this run leaves no report"'
unset TMPDIR

# ------------------------------------------------------------------- without much memory

# Rank 0 has not the memory for the calls of all ranks.
ranks=2
timeout 300 "$MPIEXEC" -n 2 bash -c 'ulimit -d 230000; exec "$@"' limited llamp-trace --report -o limited "$behave" long 200000 >out 2>err
status=$?
check "where rank 0 has too little memory for all calls, the ranks find the same report together" \
	holds 'test $status = 7 && took && all_of limited >wanted && reported | diff wanted -'
timeout 300 "$MPIEXEC" -n 4 bash -c 'ulimit -d 100000; exec "$@"' limited llamp-trace --report -o chain "$examples/ring" --blocks 30000 --count 1 \
	>out 2>err
status=$?
long_chain() { took && all_of chain >wanted && grep -q "^path .* [0-9]*[0-9]\{5\} rank switches" wanted && reported | diff wanted -; }
check "... also where the path goes from rank to rank very often" holds 'test $status = 0 && long_chain'
timeout 300 "$MPIEXEC" -n 2 bash -c 'ulimit -d 50000; exec "$@"' limited llamp-trace --report -o little "$behave" long 200000 >out 2>err
status=$?
check "... and where a rank has too little for its own, there is none" \
	holds 'test $status = 7 && one_message "no report: .*memory"'
ranks=3

timeout 300 "$MPIEXEC" -n 2 bash -c 'ulimit -d 230000; exec "$@"' limited llamp-trace --report --call-sites -o sites "$behave" long 200000 \
	>out 2>err
status=$?
check "... or the same report with call sites" \
	holds 'test $status = 7 && took && all_of sites >wanted && grep -q "trace_behave$place" wanted &&
		reported | grep -v ": its call sites have no lines$" | diff wanted -'
ranks=3

# ------------------------------------------------------- without lines of call sites

# A tracer of its own, with another program that names call sites.
mkdir -p own/bin own/lib/llamp
cp "$(command -v llamp-trace)" own/bin && cp -P "$(dirname "$(command -v llamp-trace)")"/../lib/libllamptrace*.so* own/lib || exit 1
with_helper() { # LINE of a shell
	rm -f own/lib/llamp/llamp-sites
	[ -z "$1" ] || { printf '#!/bin/sh\n%s\n' "$1" >own/lib/llamp/llamp-sites && chmod +x own/lib/llamp/llamp-sites; }
	rm -rf lines
	timeout 300 "$MPIEXEC" -n 3 own/bin/llamp-trace --report --call-sites -o lines "$behave" status >out 2>err
	status=$?
}
by_place() { # MESSAGE: the report names sites by their places in files
	[ $status = 7 ] && took && grep -q "trace_behave(+0x[0-9a-f]*)" err && ! grep -q "trace_behave.c:" err &&
		[ "$(grep -c "^llamp-trace: " err)" = 2 ] && grep -q "$1" err && return 0
	cat err
	return 1
}
with_helper ""
check "without the program that finds lines, call sites are named by their files, and one line says so" \
	by_place "call sites have no lines: .*/llamp-sites: No such file or directory"
with_helper 'kill -SEGV $$'
check "... and if it crashes" by_place "call sites have no lines: llamp-sites has ended early"
# On a busy machine the rest of the report may take longer than a small budget.
takes_too_long() {
	local budget
	for budget in 4s 16s 64s; do
		LLAMP_TRACE_BUDGET=$budget with_helper 'echo $$ >pid; exec sleep 200'
		by_place "call sites have no lines: .*takes too long" && return
	done
	return 1
}
check "... and if it takes too long, in the budget of the report" takes_too_long
check "... and that program is ended" holds 'test -s pid && ! kill -0 $(cat pid)'
with_helper 'tr "+" "-" | head -c 20'
check "names that are cut off are left out" by_place "call sites have no lines: llamp-sites has ended early"

# ------------------------------------------------------------------------- failures

export LLAMP_TRACE_BUDGET=0s
run --report -o late "$behave" status
check "a report that takes too long is given up, with one message" \
	holds 'test $status = 7 && one_message "no report: .*LLAMP_TRACE_BUDGET.*; critpath path late, critpath waits late, critpath causes late and critpath imbalance late print it$"'
check "... and the archive is whole" holds 'whole late && critpath path late && test ! -e late/journal'
alone "$behave" status >left
check "... also if there was to be no archive: there is one then" \
	holds 'test $status = 7 && one_message "no report: .*LLAMP_TRACE_BUDGET allows, so an archive is made after all; critpath path llamp-trace-"'
instead=$(ls -d empty/llamp-trace-trace_behave-*)
check "... which is whole" holds 'whole $instead && test ! -e $instead/journal && test ! -e $instead/ranks && test "$(ls empty | wc -l)" = 1'
check "... and of which the commands that the line names print the report" \
	holds '(cd empty && sed -n "s/.*after all; \(.*\) print it$/\1/p" ../err | sed "s/, \| and /\n/g" >../commands && sh -e ../commands >../printed) &&
		test "$(wc -l <commands)" = 4 && grep -q "^waits " printed'
rm -r "$instead"
LLAMP_TRACE_CALL_SITES=on LLAMP_TRACE_BUFFER=64KiB alone "$programs/random_threads" 5 40 3 >left
instead=$(ls -d empty/llamp-trace-random_threads-*)
check "... with the calls of all threads, and their sites" \
	holds 'test $status = 0 && whole $instead && critpath waits $instead >printed && grep -q "trace_threads\.h:\|random_threads(+0x" printed &&
		test "$(otf2-print -G $instead/traces.otf2 | grep -c "^LOCATION  ")" -gt 3'
rm -r "$instead"
not_here() { # a folder that holds a trace
	LLAMP_TRACE_DIR=$PWD/late alone "$behave" status
}
check "if that archive cannot be made, no file is left" not_here
check "... and one message says so" \
	holds 'test $status = 7 && one_message "rank 0: it takes longer than LLAMP_TRACE_BUDGET allows; .*/late: there is a trace already.*; this run leaves no report"'
check "... and the trace that is there stays" holds 'whole late && test ! -e late/journal && test ! -e late/ranks'
export LLAMP_TRACE_BUDGET=100s

"$MPICC" -shared -fPIC -O2 -w -o fail.so "$SOURCE/test/mpi/report/fail.c" -ldl || exit 1
rank_from=PMI_RANK
"$MPIEXEC" --version 2>&1 | grep -q 'Open MPI\|OpenRTE' && rank_from=OMPI_COMM_WORLD_RANK
fails_at() { # RANK NUMBER: let an allocation of the report fail
	rm -rf fails
	FAIL_DIRECTORY=$PWD/fails LLAMP_TRACE_CALL_SITES=$sites FAIL_RANK_FROM=$rank_from FAIL_RANK=$1 FAIL_AT=$2 timeout 300 "$MPIEXEC" -n 3 \
		env LD_PRELOAD="$PWD/fail.so:${LD_PRELOAD:-}" llamp-trace --report -o fails "$behave" status >out 2>err
	status=$?
	[ $status = 7 ] || { echo "rank $1, allocation $2: status $status"; cat err; return 1; }
	[ -e fails/traces.otf2 ] && [ ! -e fails/journal ] && critpath path fails >said || { cat err; return 1; }
	# Past the last allocation there is a report.
	took && return 2
	one_message "no report: " || { cat err; return 1; }
}
failures_on() { # RANK LEAST: more than LEAST allocations are made until there is a report
	for number in ${3:-} $failing; do
		fails_at $1 $number
		case $? in
		1) return 1 ;;
		2) echo "$number allocations"; [ $number -gt $2 ]; return ;;
		esac
	done
	echo "no end"
	return 1
}
sites=off
check "without memory on rank 0 there is one message, and the archive" failures_on 0 10
check "... or on rank 2" failures_on 2 3
sites=on
is_long && check "... or with call sites" failures_on 0 10 "90 100 110 120 130 140 150"

# ------------------------------------------------------------------- other programs

together() { status=0; timeout 120 "$MPIEXEC" "$@" >out 2>err || status=$?; }
cg=$examples/cg
together -n 2 llamp-trace --report -o both "$cg" --size 8 : -n 1 llamp-trace --report -o both "$cg" --size 8
check "several programs have one report" \
	holds 'test $status = 0 && took && all_of both >wanted && reported | diff wanted -'
together -n 2 llamp-trace --report -o part "$cg" --size 8 : -n 1 "$cg" --size 8
check "if a program is not traced, one line says that there is no report" \
	holds 'test $status = 0 && grep -q "no report: not all ranks meet in MPI_Finalize with the tracer; critpath path part, critpath waits part, critpath causes part and critpath imbalance part print it$" err'
check "... but critpath prints one" critpath path part
