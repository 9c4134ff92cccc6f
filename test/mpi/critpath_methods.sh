#!/bin/bash
# runs: every-mpi-long apart
# Test the methods of critpath path by many processes: they write the bytes that one process writes.
. "$SOURCE/test/cli/tap.sh"
programs=$BUILD/test/mpi

# trace NAME RANKS PROGRAM ARGUMENT...
trace() {
	name=$1 ranks=$2
	shift 2
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace -o "$name" "$programs/$@" >said 2>&1 || { cat said; return 1; }
}
together() {	# PROCESSES WORD...
	processes=$1
	shift
	timeout 300 "$MPIEXEC" -n "$processes" critpath-mpi "$@" 2>warnings
}

# Of several paths with the minimum wait, any number of processes finds the same one.
same() {	# ARCHIVE WORD...
	for format in ${formats:-json}; do
		critpath path "$@" --format $format >wanted 2>warnings || return 1
		for processes in $by; do
			together $processes path "$@" --format $format >written && cmp wanted written ||
				{ echo "$processes processes: $format"; return 1; }
		done
	done
}

trace collectives 5 patterns collectives && trace wildcards 5 patterns wildcards || exit 1
trace threads 3 random_threads 5 40 3 || exit 1
trace random 5 random_program 3 100 || exit 1
names="random threads" many="2 5" several="2 3"
[ "${LENGTH:-}" != long ] || names="random collectives wildcards threads" many="1 2 3 4 5" several="1 2 3 5"
for name in $names; do
	by=3
	[ $name != random ] || by=$many
	check "groups of $name by $by processes are those of one" same $name --method groups
	check "... with a shuffle, too" same $name --method shuffle
	check "Dijkstra's algorithm by $by processes finds the same path in $name" same $name --method dijkstra
	check "... and so does delta-stepping" same $name --method delta --delta 20us
	check "... with collectives as observed" same $name --method dijkstra --collectives observed
	check "... by synchronization points, one after the other" same $name --method dijkstra --splits sequential
	check "... and at once" same $name --method delta --delta 5us --splits on --collectives observed
done
all_methods() {	# ARCHIVE
	for method in walk dijkstra delta groups shuffle; do
		same "$1" --method $method || return 1
	done
}
sentence="ranks that begin several collectives in one call have the same path by 2, 3 and 5 processes"
by="2 3 5"
if echo '#include <mpi.h>' | "$MPICC" -E -x c - | grep -q MPI_Allreduce_init; then
	trace at_once 5 patterns at_once || exit 1
	check "$sentence" all_methods at_once
	check "... with collectives as observed" same at_once --method dijkstra --collectives observed
	waits() {
		critpath waits at_once --format csv >wanted
		for processes in $by; do
			together $processes waits at_once --format csv >written && cmp wanted written || return 1
		done
	}
	check "... and the same waits" waits
else
	skip "$sentence" "this MPI has no persistent collectives"
fi
# A rank that gets no data from some members may leave a collective before they begin.  The trace does not say from which, so
# that the graph lacks what the rank waited for, as a warning says, and searches may have to go another way.
by_walk() {
	critpath graph random -o random.csv 2>warnings || return 1
	for method in walk dijkstra delta; do
		[ $method = walk ] || ! grep -q "back in time" warnings || break
		critpath path random --method $method --format csv | awk -F, -v method=$method '$5 == "unknown" {
			print method " has unknown time from " $2; bad = 1 } END {exit bad}' || return 1
	done
}
check "walk and searches know all of a random program with probes" by_walk
by=3 formats="text csv"
check "all methods write the same text and CSV" all_methods random
by=7 formats=
check "more processes than ranks find the same groups" same random --method groups
records() {
	critpath path random --method shuffle --format json >wanted 2>warnings &&
		together 7 path random --method shuffle --compression 0 --format json >written && cmp wanted written
}
check "... with a shuffle of records" records
check "... and the same path" same random --method dijkstra
check "... by synchronization points, too" same random --method dijkstra --splits on
sync_points() { trace slow 4 slow_rank 3 10 1 && critpath path slow --method dijkstra --splits on >out && grep "^parts *1[01] between" out; }
check "a run with a reduction in each of ten steps has as many synchronization points" sync_points
by=$several
check "... which all processes find" same slow --method dijkstra --splits sequential
check "... and search at once" same slow --method dijkstra --splits on
"$SOURCE/test/cli/critpath/archive.py" idle <<EOF || exit 1
0 0 100 MPI_Init
1 1000 1100 MPI_Init
0 200 300 MPI_Barrier
1 5000 5100 MPI_Finalize
0 2000 2100 MPI_Finalize
EOF
by="2 3"
check "all methods follow a last rank that only computed" all_methods idle
by=3
check "with a threshold the groups are those of one process" same random --method groups --threshold 30us
check "... with a shuffle, too" same random --method shuffle --threshold 30us
in_blocks() {
	critpath path random --threshold 30us | grep "^blocks " >wanted || return 1
	for method in dijkstra delta; do
		together 3 path random --method $method --threshold 30us >written && grep "^blocks " written | cmp wanted - ||
			return 1
		together 3 path random --method $method --threshold 30us --format csv | grep -q ",block," || return 1
	done
}
check "Dijkstra's algorithm and delta-stepping list blocks" in_blocks

moved() {	# FIELD WORD...
	together 4 path random "${@:2}" >out && awk -v field="$1" '/^critpath: moved/ {print $field}' warnings
}
smaller() { [ "$(moved 3 --method shuffle)" -lt "$(moved 3 --method shuffle --compression 0)" ]; }
check "compressed columns are smaller than records" smaller
check "without a shuffle no computation is moved" test "$(moved 11 --method groups)" = 0
says_nothing() { together 1 path random --method shuffle >out && ! grep moved warnings; }
check "one process says nothing of what is moved" says_nothing

# A process that fails ends all, with its error.
damaged() {
	cp -r random damaged && for file in damaged/traces/4.evt; do printf "x" | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null &&
		truncate -s 200 "$file"; done
	for words in "--collectives observed" "--method dijkstra --splits on"; do
		exits 1 timeout 60 "$MPIEXEC" -n 3 critpath-mpi path damaged $words || return 1
		grep -q "damaged" err || { cat err; return 1; }
	done
}
check "a rank that cannot be read ends all processes" damaged
check "a level of compression that zstd lacks is refused" exits 2 critpath path random --method shuffle --compression 20
