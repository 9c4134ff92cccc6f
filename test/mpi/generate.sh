#!/bin/bash
# runs: every-mpi-long apart
# Generate proxy programs from traced programs, compile them, and trace them: they do what the program did.
. "$SOURCE/test/cli/tap.sh"

trace() { # NAME RANKS PROGRAM ARGUMENT...
	name=$1 ranks=$2
	shift 2
	rm -rf "$name"
	status=0
	timeout 120 "$MPIEXEC" -n "$ranks" llamp-trace -o "$name" "$@" >"$name.said" 2>&1 || status=$?
	[ $status = 0 ] && return
	[ $status != 124 ] || echo "no end within 120 s"
	echo "$*: status $status on $ranks ranks"
	cat "$name.said"
	return 1
}
generates() { # RANKS FILE: into proxy.c, without a warning of the compiler
	eventflow generate "$2" -o proxy.c 2>missing && "$MPICC" -Wall -Wextra -Werror $optimize -pthread -DCOMPUTE=0 proxy.c -o proxy
}
comes_round() { # graphs|calls|sends RANKS PROGRAM ARGUMENT...
	how=$1
	shift
	trace first "$@" && eventflow build first -o first.efg --times none && generates "$1" first && [ ! -s missing ] &&
		trace second "$1" ./proxy && eventflow build second -o second.efg --times none &&
		"$SOURCE/test/mpi/generate/same.py" $how first.efg second.efg || { cat missing; return 1; }
}

# Each program is compiled and run twice, so a short run tries some of each kind.
is_long() { [ "${LENGTH:-}" = long ]; }
if is_long; then
	some_examples="bursts late teams fem3d multigrid" some_patterns="wildcards persistent polling communicators collectives windows"
	some_shapes="1 2 3 4 5 6" some_seeds="1 2 3" some_ranks="1 2 5" optimize=-O1
else
	some_examples="teams multigrid" some_patterns="wildcards persistent windows" some_shapes="2 5" some_seeds=1 some_ranks="1 2" optimize=-O0
fi
examples=$BUILD/examples
programs=$BUILD/test/mpi
check "a ring has the same graphs" comes_round graphs 4 "$examples/ring"
is_long && check "... on 7 ranks" comes_round graphs 7 "$examples/ring"
check "stencil2d has the same graphs" comes_round graphs 4 "$examples/stencil2d"
is_long && check "... on 6 ranks" comes_round graphs 6 "$examples/stencil2d"
check "hydro3d has the same graphs" comes_round graphs 8 "$examples/hydro3d" --size 4 --iterations 10
check "cg, with persistent requests, has the same graphs" comes_round graphs 3 "$examples/cg"
for example in $some_examples; do
	check "$example has the same graphs" comes_round graphs 4 "$examples/$example"
done
for pattern in $some_patterns; do
	check "$pattern: the same graphs" comes_round graphs 3 "$programs/patterns" $pattern
done
for shape in $some_shapes; do
	check "shape $shape of loops: the same graphs" comes_round graphs 2 "$programs/shapes" $shape
done
check "polls, probes and a grid: the same graphs" comes_round graphs 2 "$programs/constructs"
check "windows: the same graphs" comes_round graphs 2 "$programs/constructs_windows"
check "a grid of two dimensions and its parts: the same graphs" comes_round graphs 6 "$programs/constructs_grids" 3 2-
check "... of 2 x 2, periodic" comes_round graphs 4 "$programs/constructs_grids" 2 2
check "... of fewer ranks than there are" comes_round graphs 7 "$programs/constructs_grids" 2- 3-
check "a grid of three dimensions, its parts and theirs: the same graphs" comes_round graphs 8 "$programs/constructs_grids" 2 2- 2
is_long && check "... of different sizes" comes_round graphs 12 "$programs/constructs_grids" 2- 3 2-
check "... with one of size 1" comes_round graphs 4 "$programs/constructs_grids" 2 1 2-
compiled() { "$MPICC" -O1 -pthread -Wno-stringop-overflow "$SOURCE/test/mpi/generate/$1.c" -o "$1" "${@:2}"; }
check "programs of this test are compiled" eval 'compiled graphs && compiled parts'
check "blocks of different sizes on grids and graphs: the same graphs" comes_round graphs 4 ./graphs
is_long && check "... on 6 ranks" comes_round graphs 6 ./graphs
check "communicators of all kinds: the same graphs" comes_round graphs 4 "$programs/trace_comms"
check "communicators made while receives wait have tags of their own: the same graphs" eval 'compiled tags && comes_round graphs 4 ./tags'
check "all collectives: the same graphs" comes_round graphs 3 "$programs/trace_collectives"
check "operations on windows: the same calls" comes_round calls 4 "$programs/trace_rma"
check "matched probes: the same calls" comes_round calls 3 "$programs/trace_probes"
for ranks in $some_ranks; do
	for seed in $some_seeds; do
		check "random program $seed on $ranks ranks: the same calls" comes_round calls $ranks "$programs/random_program" $seed 100
	done
done


# Threads, in the order in which they depend on each other.
check "threads that begin what others complete, and take turns: the same graphs" eval 'compiled threads && comes_round graphs 3 ./threads'
check "threads that talk at the same time: the same graphs" comes_round graphs 3 "$programs/trace_threads" 20
if is_long; then
	check "threads that come and go: the same graphs" comes_round graphs 2 "$programs/trace_threads_hop" 40 4
	check "threads that pass requests, messages and communicators on: the same calls, but for whose messages they receive" comes_round sends 3 "$programs/trace_team"
	for seed in 3 5 6; do
		check "threads of random program $seed: the same calls" comes_round calls 3 "$programs/random_threads" $seed 40 3
	done
else
	check "threads of a random program: the same calls" comes_round calls 2 "$programs/random_threads" 3 30 3
fi
check "a thread that begins what another one completes does not overtake it too far: the same graphs" eval 'compiled apart && comes_round graphs 2 ./apart a'
check "threads that make groups at the same time: the same calls" comes_round calls 2 ./apart g
check "threads that make communicators by their members, in any order: the same calls" comes_round calls 2 ./apart m
by_tag() { comes_round graphs 2 ./apart t && ! grep "after.*MPI_Recv(" proxy.c; }
check "threads that receive from any rank, each with its own tag, do not wait for each other: the same graphs" by_tag
check "a thread that uses a window to which another one gives access: the same calls" comes_round calls 2 ./apart w
runs_apart() { # PART TIMES: the program comes to its end, and its first threads switch recording off as often
	trace first 2 ./apart "$1" && generates 2 first && trace second 2 ./proxy && eventflow build second -o second.efg &&
		[ "$(eventflow trace second.efg --print | grep -c "^[01] 0 .*(recording off)")" = "$2" ]
}
check "a thread that waits while another one switches recording off does not keep it from that" runs_apart o 6
check "threads that may receive the messages of each other take any size" runs_apart s 0
finder_unknown() {
	trace first 2 ./apart p && exits 3 eventflow generate first -o refused.c && [ ! -e refused.c ] &&
		grep -q "receives a message, and the call that has found it is not known: no program can be generated" err
}
check "a message that was found among polls and that another thread receives is refused, and this is said" finder_unknown
needs_times() {
	trace first 2 "$programs/trace_threads" 5 && eventflow build first -o mean.efg --times stats &&
		exits 3 eventflow generate mean.efg -o refused.c && [ ! -e refused.c ] &&
		grep -q "rank 0 has [2-5] threads with calls, and the file lacks the times of each call, .* with --times all" err
}
check "threads in a file without the times of each call are refused, and this is said" needs_times

# An MPI that puts ranks in another order (generate/reorder.c), linked before the MPI library.
comes_reordered() {
	"$MPICC" -D_GNU_SOURCE -O1 -shared -fPIC "$SOURCE/test/mpi/generate/reorder.c" -o reorder.so &&
		compiled graphs ./reorder.so || return 1
	trace first 6 ./graphs reorder && eventflow build first -o first.efg --times none && generates 6 first &&
		"$MPICC" -O1 -DCOMPUTE=0 proxy.c -o reordered ./reorder.so && trace second 6 ./reordered &&
		eventflow build second -o second.efg --times none && "$SOURCE/test/mpi/generate/same.py" graphs first.efg second.efg &&
		grep -q "was_reordered([0-9]" proxy.c
}
# The program runs with an MPI that leaves the order as it is.  mpiexec may lose what a rank says before it aborts.
tells_order() {
	for try in 1 2 3 4 5; do
		timeout 60 "$MPIEXEC" -n 6 ./proxy >out 2>err && return 1
		grep -q "rank [0-5]: this MPI orders the ranks of a grid or graph otherwise" err && return
	done
	return 1
}
check "grids and graphs whose ranks MPI has put in another order have the same graphs" comes_reordered
check "... and where MPI does not, the program says so" tells_order

# MPI 4: lists of large counts, partitioned messages and sessions.
if echo '#include <mpi.h>' | "$MPICC" -E -x c - | grep -q MPI_Session_init; then
	# With optimization in short runs, too: no MPI but the default may have this.
	optimize=-O1
	check "lists of large counts: the same graphs" eval 'compiled large && comes_round graphs 4 ./large'
	check "threads that make partitions ready: the same graphs" comes_round graphs 2 "$programs/constructs_threads"
	check "partitioned messages: the same graphs" comes_round graphs 3 "$programs/patterns" partitioned
	check "... two at once, ready by turns, as ranges and lists: the same graphs" comes_round graphs 3 ./parts
	check "sessions: the same graphs" comes_round graphs 3 "$programs/trace_sessions"
	for how in within around after some; do
		check "sessions ($how): the same graphs" comes_round graphs 3 "$programs/trace_sessions" $how
	done
	check "threads that have each its session: the same graphs" comes_round graphs 3 "$programs/trace_sessions" threads
	check "threads that use sessions and communicators of each other: the same calls" eval 'compiled sessions && comes_round calls 3 ./sessions'
else
	skip "large counts, partitioned messages and sessions: the same graphs" "this MPI is of MPI 3"
fi

# What nodes have in common does not matter: the program has what differs as tables.
coarse_round() { # OPTION... of build
	trace first 3 "$programs/patterns" wildcards && eventflow build first -o coarse.efg "$@" && eventflow build first -o first.efg --times none &&
		generates 3 coarse.efg && trace second 3 ./proxy && eventflow build second -o second.efg --times none &&
		"$SOURCE/test/mpi/generate/same.py" graphs first.efg second.efg
}
check "a file with a node for each function gives the same program" coarse_round --signature function
check "... and one without tags, bytes and peers" coarse_round --fold tag,bytes,peer --times stats

# Another MPI compiles the same program.
other_mpi() {
	other=openmpi options="--oversubscribe --allow-run-as-root"
	[ "$MPI" = mpich ] || other=mpich options=
	trace first 3 "$examples/teams" && generates 3 first && "mpicc.$other" -Wall -Wextra -Werror -O1 -DCOMPUTE=0 proxy.c -o other || return 1
	rm -rf second
	# shellcheck disable=SC2086
	timeout 120 "mpiexec.$other" $options -n 3 llamp-trace -o second ./other >second.said 2>&1 || { cat second.said; return 1; }
	eventflow build first -o first.efg --times none && eventflow build second -o second.efg --times none &&
		"$SOURCE/test/mpi/generate/same.py" graphs first.efg second.efg
}
if command -v mpicc.mpich >found && command -v mpicc.openmpi >found; then
	check "a program that another MPI compiles has the same graphs" other_mpi
else
	skip "a program that another MPI compiles has the same graphs" "there is one MPI only"
fi
left_out() { # files are no part of the program
	trace first 2 "$programs/trace_transfers" && generates 2 first && grep -q "calls of MPI_File_open are left out, [0-9.]* % of the time" missing &&
		grep -q "^ \* Left out: .* calls of MPI_File_open" proxy.c && timeout 60 "$MPIEXEC" -n 2 ./proxy
}
check "files are left out, and this is said" left_out
refuses() { # RANKS PROGRAM SENTENCE
	trace first "$1" "$programs/$2" && exits 3 eventflow generate first -o refused.c && [ ! -e refused.c ] && grep -q "$3" err
}
check "communicators that were made before recording are refused" refuses 2 trace_late "uses communicator [0-9]*, which was made where nothing was recorded"
