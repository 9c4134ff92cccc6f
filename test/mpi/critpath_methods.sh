#!/bin/bash
# runs: every-mpi
# Test the methods of critpath path by many processes: they find what one process finds.
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

# The groups, without what was moved to find them.
groups_of() {
	python3 -c 'import json, sys
found = json.load(sys.stdin)
found.pop("moved", None)
json.dump(found, sys.stdout, indent=1)'
}
same_groups() {	# ARCHIVE --method NAME WORD...
	critpath path "$@" --format json 2>warnings | groups_of >wanted || return 1
	for processes in $by; do
		together $processes path "$@" --format json | groups_of >written && cmp wanted written ||
			{ echo "$processes processes"; return 1; }
	done
}
# Of several paths with the least wait, any number of processes finds the same one.
same_path() {	# ARCHIVE WORD...
	critpath path "$@" --format json >wanted || return 1
	for processes in $by; do
		together $processes path "$@" --format json >written && cmp wanted written ||
			{ echo "$processes processes"; return 1; }
	done
}

trace collectives 5 patterns collectives || exit 1
trace wildcards 5 patterns wildcards || exit 1
trace threads 3 random_threads 5 40 3 || exit 1
trace random 5 random_program 3 100 || exit 1
for name in random collectives wildcards threads; do
	by=3
	[ $name != random ] || by="1 2 3 4 5"
	check "groups of $name by $by processes are those of one" same_groups $name --method groups
	check "... with a shuffle, too" same_groups $name --method shuffle
	check "Dijkstra's algorithm by $by processes finds the same path in $name" same_path $name --method dijkstra
	check "... and so does delta-stepping" same_path $name --method delta --delta 20us
	check "... with collectives as observed" same_path $name --method dijkstra --collectives observed
	check "... by splits, one after the other" same_path $name --method dijkstra --splits sequential
	check "... and at once" same_path $name --method delta --delta 5us --splits on --collectives observed
done
by=7
check "more processes than ranks find the same groups" same_groups random --method groups
check "... with a shuffle of records" same_groups random --method shuffle --compression 0
check "... and the same path" same_path random --method dijkstra
check "... by splits, too" same_path random --method dijkstra --splits on
splits() { trace slow 4 slow_rank 3 10 1 && critpath path slow --method dijkstra --splits on >out && grep "^parts *1[01] between" out; }
check "a run with a reduction in each of ten steps has as many splits" splits
by="1 2 3 5"
check "... which all processes find" same_path slow --method dijkstra --splits sequential
check "... and search at once" same_path slow --method dijkstra --splits on
by=3
check "with a threshold the groups are those of one process" same_groups random --method groups --threshold 30us
check "... with a shuffle, too" same_groups random --method shuffle --threshold 30us
in_blocks() {
	critpath path random --threshold 30us | grep "^blocks " >wanted || return 1
	for method in dijkstra delta; do
		together 3 path random --method $method --threshold 30us >written && grep "^blocks " written | cmp wanted - ||
			return 1
		together 3 path random --method $method --threshold 30us --format csv | grep -q ",block," || return 1
	done
}
check "Dijkstra's algorithm and delta-stepping list blocks" in_blocks

moved() {	# MEMBER WORD...
	together 4 path random --format json "${@:2}" | python3 -c "import json, sys
print(json.load(sys.stdin)['moved']['$1'])"
}
smaller() { [ "$(moved bytes --method shuffle)" -lt "$(moved bytes --method shuffle --compression 0)" ]; }
check "compressed columns are smaller than records" smaller
check "without a shuffle no computation is moved" test "$(moved computations --method groups)" = 0
critpath path random --method groups --format json 2>warnings | grep -c moved >none
check "one process says nothing of what is moved" test "$(cat none)" = 0

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
