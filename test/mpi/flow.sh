#!/bin/bash
# runs: every-mpi-long
# Test event flow graphs that are made while the program runs.
set -u
. "$SOURCE/test/mpi/traced.sh"

programs=$BUILD/test/mpi
examples=$BUILD/examples

flow() { # DIRECTORY ARGUMENT...: only graphs
	local directory=$1
	shift
	rm -rf "$directory"
	run --flow -o "$directory" "$@"
}
both() { # DIRECTORY ARGUMENT...: graphs and the archive of the same run
	LLAMP_TRACED_BOTH=1 flow "$@"
}

# Graphs of the archive and those of the run, of the recovered calls, so that numbers are given alike.
agree() { # RANKS PROGRAM ARGUMENT...
	ranks=$1
	shift
	both trace "$@" && [ $status = 0 ] || { show err; return 1; }
	same_graphs trace && eventflow info trace/flow.efg >info && [ "$(sed -n 's/^calls  *//p' info)" -gt 2 ] &&
		eventflow profile trace/traces.otf2 --format csv >a.csv && eventflow profile trace/flow.efg --format csv >b.csv &&
		times_agree
}
# Clocks are corrected in the archive: times may differ by rounding.  Polls in a row are longer there if the graphs were
# saved between them.
times_agree() {
	paste -d , a.csv b.csv | awk -F , 'NR > 1 {
		more = $3 - $8
		if ($2 != $7 || $5 != $10 || (more > $2 + $3 / 1e5 && $5 !~ /MPI_Test|MPI_I?m?probe|Get_status/) ||
			-more > $2 + $3 / 1e5) {print; bad = 1}}
		END {exit bad || NR < 3}'
}
same_graphs() { # DIRECTORY
	eventflow build "$1/traces.otf2" --times none -o archive.efg && eventflow build "$1/flow.efg" --times none -o run.efg &&
		cmp archive.efg run.efg && return 0
	eventflow trace archive.efg --print >a.calls
	eventflow trace run.efg --print >b.calls
	diff a.calls b.calls | head -20
	eventflow info archive.efg
	eventflow info run.efg
	return 1
}
check "ring: graphs made while it runs are those of its archive" agree 4 "$examples/ring"
check "stencil2d: ..." agree 4 "$examples/stencil2d"
check "multigrid: ..." agree 4 "$examples/multigrid"
check "late: ..." agree 3 "$examples/late"
for pattern in wildcards persistent polling communicators collectives windows; do
	check "$pattern: ..." agree 3 "$programs/patterns" $pattern
done
for program in constructs constructs_windows constructs_inter; do
	check "$program: ..." agree 2 "$programs/$program"
done
for program in trace_blocking trace_collectives trace_comms trace_probes trace_requests trace_rma trace_transfers trace_neighbours; do
	check "$program: ..." agree 4 "$programs/$program"
done
check "a random program: ..." agree 4 "$programs/random_program" 5 200
check "a run that records from the middle on: ..." eval '(export LLAMP_TRACE_RECORD=off; agree 2 "$programs/trace_blocking")'
check "... has the time before as a call" eval 'eventflow trace trace/flow.efg --print | grep -q "(recording off)"'
check "places of the program: ..." eval 'ranks=2; both trace --call-sites "$programs/shapes" 5 && same_graphs trace'
check "... are names of nodes" eval 'eventflow loops trace/flow.efg --format json | grep -q shapes'

# Threads: the order of calls of different threads, from which requests have their numbers, is not kept.
threads_agree() {
	ranks=2
	both trace "$programs/random_threads" 3 40 3 && [ $status = 0 ] || { show err; return 1; }
	for kind in traces.otf2 flow.efg; do
		eventflow build trace/$kind --times none -o one.efg && eventflow trace one.efg --print |
			sed "s/request [0-9]*/request/" | sort -s -k 1,1n -k 2,2n >$kind.calls || return 1
	done
	[ "$(cut -d " " -f 2 flow.efg.calls | sort -u | wc -l)" -gt 2 ] && diff traces.otf2.calls flow.efg.calls | head -20 >differ
	[ ! -s differ ] || { cat differ; return 1; }
}
check "threads: each has the calls of its archive" threads_agree

# What is beside the graphs of a run.
ranks=4
flow app "$examples/ring"
check "a run leaves its graphs, and nothing else" eval '[ $status = 0 ] && [ "$(ls app)" = flow.efg ]'
check "commands take the folder" eval 'eventflow info app | grep -q "^ranks  *4" && eventflow trace app --print | grep -q MPI_Irecv &&
	critpath profile app 2>/dev/null | grep -q MPI_Irecv && schedgen app -o app.goal 2>/dev/null && goal check app.goal >said'
check "a line names it" eval 'LLAMP_TRACE_QUIET=0 flow line "$examples/ring" &&
	grep -Eq "^llamp-trace: line: 4 ranks( on [0-9]+ cores)?, 508 calls, [0-9.]+ KiB" err'
check "the next run does not overwrite it" holds 'run --flow -o app "$examples/ring"
	[ $status = 1 ] && grep -q "there is a trace already" err'
check "... nor does one that writes an archive" holds 'run -o app "$examples/ring"
	[ $status = 1 ] && grep -q "there is a trace already" err'
grows() { # 40 times the iterations: more digits, and more buckets of histograms are used
	ranks=2
	flow small "$programs/shapes" 5 50 && flow large "$programs/shapes" 5 2000 && ls -l small large &&
		eventflow build small -o small.efg --times none && eventflow build large -o large.efg --times none &&
		[ $(($(stat -c %s large.efg) - $(stat -c %s small.efg))) -lt 24 ] &&
		[ $(($(stat -c %s large/flow.efg) - $(stat -c %s small/flow.efg))) -lt 2000 ]
}
check "40 times the iterations take no more bytes" grows

# Bounded memory.
ranks=2
both bounded --memory 1MiB "$programs/random_program" 5 20000
check "past --memory a message says that calls cannot be recovered" \
	holds '[ $status = 0 ] && one_message "took more memory than LLAMP_TRACE_MEMORY allows"'
# Polls are counted as those of the first event of their node.
counted() { eventflow profile bounded/$1 --format csv | grep -v "MPI_Test\|MPI_I*m*probe"; }
check "... but they have been counted, with their times" eval 'counted traces.otf2 >a.csv && counted flow.efg >b.csv && times_agree'
for command in "trace --print" tree growth; do
	check "... $command refuses the file" complains 1 "cannot be recovered" eventflow ${command% *} bounded/flow.efg $([ "$command" = "${command#* }" ] || echo ${command#* })
done
check "... whose loops are known" eval 'eventflow loops bounded/flow.efg | grep -q "^graph" && eventflow graph bounded/flow.efg -o bounded.html'

check "reports need all calls" complains 2 "do not keep each call" llamp-trace --flow --report true
check "... also by settings" complains 2 "take no reports" env LLAMP_TRACE_REPORT=path llamp-trace --flow true
check "what is below MPI is in no graph" complains 2 "below" llamp-trace --flow --below-mpi true
check "graphs leave a file" complains 2 "do not keep each call" llamp-trace --flow --no-archive true
check "without graphs there is no bound of their memory" complains 2 "only --flow" llamp-trace --memory 2MiB true
check "a bound is a size" complains 2 "LLAMP_TRACE_MEMORY" llamp-trace --flow --memory much true
check "... of 1 MiB at least" complains 2 "not within" llamp-trace --flow --memory 1000 true
