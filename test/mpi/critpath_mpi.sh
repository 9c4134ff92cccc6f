#!/bin/bash
# runs: every-mpi-long apart
# Test critpath-mpi: any number of processes writes the bytes that critpath writes.
. "$SOURCE/test/cli/tap.sh"
programs=$BUILD/test/mpi

# trace NAME RANKS PROGRAM ARGUMENT...
options=
trace() {
	name=$1 ranks=$2
	shift 2
	timeout 300 "$MPIEXEC" -n "$ranks" llamp-trace $options -o "$name" "$programs/$@" >said 2>&1 || { cat said; return 1; }
}
together() {	# PROCESSES WORD...
	processes=$1
	shift
	timeout 300 "$MPIEXEC" -n "$processes" critpath-mpi "$@"
}
# same PROCESSES WORD...
same() {
	critpath "${@:2}" >wanted && together "$@" >written && cmp wanted written
}
# some TRACE / all TRACE: several commands and formats, each by another number of processes.
all_same() {	# TRACE, lines "PROCESSES WORD..." from stdin
	while read -r processes command words; do
		same "$processes" "$command" "$1" $words </dev/null ||
			{ echo "$processes processes: $command $1 $words"; return 1; }
	done
}
some() {
	all_same "$1" <<-EOF
		2 path
		3 path --format csv
		2 path --format csv --threshold 50us
		5 waits --by channel
		3 causes
		2 imbalance
		3 efficiency
		4 path --collectives observed
	EOF
}
all() {
	all_same "$1" <<-EOF
		1 path
		5 path
		7 path --format json
		3 path --format csv
		2 path --threshold 20us
		5 path --threshold 1ms --format csv --to 1ms
		7 path --threshold 0 --format json
		3 path --from 100us --to 400us
		2 waits --from 100us
		3 imbalance --to 300us
		5 imbalance --format csv --table calls --from 100us
		3 profile --format json --from 100us --to 400us
		2 waits
		5 waits --format json
		7 waits --format csv --kind late-sender
		3 waits --by channel --format json
		2 waits --by iteration
		5 waits --by comm --format csv
		3 waits --by rank
		2 causes
		7 causes --format json
		3 causes --by iteration --match function
		5 causes --by pair --format csv --from 100us
		3 causes --by waiter --format json
		2 efficiency
		7 efficiency --format json
		5 efficiency --by iteration --format json
		3 efficiency --by iteration
		2 imbalance
		5 imbalance --format json
		7 imbalance --format csv --table calls
		3 imbalance --format csv --table instances
		2 imbalance --format csv
		3 imbalance --by iteration
		7 imbalance --by iteration --format csv
		1 profile
		3 profile --format json
		5 profile --format csv --table pairs
		2 path --collectives observed --format csv
		7 path --collectives observed --format json
	EOF
}

# What an MPI does with the bytes of a table does not depend on the table, so that all tables are compared with one MPI.
# That is in a long run, which has an MPI always.
few_patterns="communicators collectives wildcards persistent polling" all_patterns=
[ "${LENGTH:-}" != long ] || few_patterns= all_patterns="communicators collectives"
for pattern in $all_patterns; do
	trace $pattern 5 patterns $pattern || exit 1
	check "$pattern: all tables have the same bytes by 1 to 7 processes" all $pattern
done
for pattern in $few_patterns; do
	trace $pattern 5 patterns $pattern || exit 1
	check "$pattern: paths, waits and imbalance have the same bytes" some $pattern
done
# Call sites.  As ranks begin at different calls, processes have them in different orders.
named() {
	all_same "$1" <<-EOF
		1 path
		5 path
		3 path --format json
		2 path --format csv --threshold 50us
		2 waits
		5 waits --format json
		3 waits --format csv --kind late-sender
		4 waits --by site
		2 waits --by site --format json
		5 causes
		3 causes --by site --format csv
		5 waits --by site --format csv
		3 imbalance
		5 imbalance --format json
		1 profile
		2 profile
		3 profile --format json
		5 profile --table sites --format csv
	EOF
}
groups() { same 3 path sites --method groups && grep -q "random_program$place" wanted; }
all_named() {
	together 4 path sites --method dijkstra --format csv >written && grep -q "random_program$place" written &&
		awk -F, 'NR > 1 && $6 && !$8 { print; bad = 1 } END { exit bad }' written
}
place='\.c:[0-9]'
ldd "$(command -v critpath)" | grep -q libdw || place='(+0x'
options=--call-sites
trace sites 5 random_program 7 100 || exit 1
check "call sites: all tables have the same bytes by 1 to 5 processes" named sites
together 3 waits sites --by site >out
check "... with lines of the program, or places in it without libdw" grep -q "^random_program$place" out
check "... of groups, too" groups
check "... and on a path that dijkstra finds" all_named
trace sites-threads 3 random_threads 5 40 3 || exit 1
few() {
	all_same "$1" <<-EOF
		2 path
		3 path --format csv
		2 waits --format json
		3 profile --table sites --format csv
	EOF
}
check "... of a program with threads, too" few sites-threads
cp "$programs/random_program" program || exit 1
timeout 300 "$MPIEXEC" -n 3 llamp-trace --call-sites -o moved ./program 7 20 >said 2>&1 || exit 1
rm program
moved() {
	together 3 waits moved --by site >out 2>err && grep -q "^program(+0x" out &&
		[ "$(grep -c "program: No such file or directory" err)" = 1 ]
}
check "... of a program that is gone, of which one process says so" moved
options=

archive() { /usr/bin/python3 "$SOURCE/test/cli/critpath/archive.py" "$1"; }
sed 's/coll:BARRIER/& in:solve/; s/coll:ALLREDUCE/& out:solve/' "$SOURCE/test/cli/critpath_tables/mixed.calls" | archive regions ||
	exit 1
visits() {
	all_same regions <<-EOF
		2 efficiency --by region:solve
		3 efficiency --by region:solve --format json
		5 efficiency --by region:solve --format csv
	EOF
}
check "efficiencies of the visits of a region have the same bytes by 2 to 5 processes" visits

trace threads 3 random_threads 5 40 3 || exit 1
check "threads: paths, waits and imbalance have the same bytes" some threads
trace random 5 random_program 3 100 || exit 1
if [ "${LENGTH:-}" = long ]; then
	check "a random program: all tables have the same bytes by 1 to 7 processes" all random
else
	check "a random program: paths, waits and imbalance have the same bytes" some random
fi

scorep=${DATA:-$SOURCE/../shared/data}/otf2/scorep-ping-pong
sentence="an archive of Score-P: paths, waits and imbalance have the same bytes"
if [ -d "$scorep" ]; then
	check "$sentence" some "$scorep"
else
	skip "$sentence" "no $scorep"
fi

one_process_fails() {	# WORD...
	exits 1 together 3 "$@" && [ "$(grep -c "^critpath-mpi: " err)" = 1 ] && grep -q "$message" err
}
archive circle <<-EOF || exit 1
	0 5 10 MPI_Recv recv:1:0
	1 5 10 MPI_Recv recv:0:0
	0 10 12 MPI_Send send:1:0
	1 10 12 MPI_Send send:0:0
EOF
message="circle: 4 calls wait for each other: clocks contradict each other"
check "calls of two processes that wait for each other are reported once" one_process_fails efficiency circle
message="nowhere: No such file or directory"
check "an archive that is missing is reported once" one_process_fails path nowhere
message="random: region 'solve' does not occur"
check "... or that has no visit of a region" one_process_fails efficiency random --by region:solve
message="nothing.bin: cannot be opened"
check "... or a graph that the first process does not find" one_process_fails efficiency random --graph nothing.bin
message="random: no call sites are recorded"
check "... or that has no call sites" eval \
	"one_process_fails waits random --by site && one_process_fails profile random --table sites --format csv"
nothing_written() { exits 4 together 3 waits random --format csv -o /nowhere/out && grep -q "/nowhere" err; }
check "an output that cannot be opened ends all processes" nothing_written
damage() { for file in random/traces/4.evt; do truncate -s -40 $file; done; }
message="rank 4: damaged"
damage
check "damage that one process alone sees is reported once, by all" one_process_fails path random
