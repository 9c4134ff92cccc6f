#!/bin/bash
# runs: every-mpi
# Test critpath-mpi: any number of processes writes the bytes that critpath writes.
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
	timeout 300 "$MPIEXEC" -n "$processes" critpath-mpi "$@"
}
# same PROCESSES WORD...
same() {
	critpath "${@:2}" >wanted && together "$@" >written && cmp wanted written
}
all_formats() {	# WORD...
	for processes in 1 2 3 5 7; do
		for format in text json csv; do
			same $processes "$@" --format $format || { echo "$processes processes, $format"; return 1; }
		done
	done
}

for pattern in wildcards persistent communicators collectives; do
	trace $pattern 5 patterns $pattern || exit 1
	check "path of $pattern: the same bytes by 1 to 7 processes" all_formats path $pattern
done
trace threads 3 random_threads 5 40 3 || exit 1
check "path of threads: the same bytes by 1 to 7 processes" all_formats path threads
trace random 5 random_program 3 100 || exit 1
check "path of a random program: the same bytes by 1 to 7 processes" all_formats path random

one_process_fails() {	# WORD...
	exits 1 together 3 "$@" && [ "$(grep -c "^critpath-mpi: " err)" = 1 ] && grep -q "$message" err
}
message="nowhere: No such file or directory"
check "an archive that is missing is reported once" one_process_fails path nowhere
damage() { for file in random/traces/4.evt; do truncate -s -40 $file; done; }
message="rank 4: damaged"
damage
check "damage that one process alone sees is reported once, by all" one_process_fails path random
