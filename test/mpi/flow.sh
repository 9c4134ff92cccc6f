#!/bin/bash
# runs: every-mpi
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
