#!/bin/bash
# runs: apart
# Tests of random MPI programs, from the run to the tolerance.
. "$SOURCE/test/cli/tap.sh"
. "$SOURCE/test/mpi/deferred.sh"
export COLUMNS=400	# tables with every row on one line

program=$BUILD/test/mpi/random_program

traced() { # RANKS SEED
	exits 0 "$MPIEXEC" -n "$1" llamp-trace -o trace "$program" "$2" 100 && cp out said
}

# Compare the archive's point-to-point messages with the program's own count.
holds_what_was_sent() {
	/usr/bin/python3 - trace/traces.otf2 <<-'END' >found && diff said found
		import sys, otf2
		with otf2.reader.open(sys.argv[1]) as trace:
		    sends = [event.msg_length for location, event in trace.events
		             if isinstance(event, (otf2.events.MpiSend, otf2.events.MpiIsend))]
		print(len(sends), sum(sends))
	END
}

converts() {
	exits 0 schedgen trace -o program.bin "$@" && exits 0 goal check program.bin
}

# Compare both engines with all protocols, also rendezvous only: the program cannot deadlock.
engines_agree() {
	for protocol in read sync paper; do
		for threshold in none 0; do
			for engine in lp path; do
				rendezvous="-S $threshold --rendezvous $protocol"
				[ $threshold != none ] || rendezvous="-S none"
				exits 0 llamp analyze program.bin $rendezvous --engine $engine --format text || return 1
				grep -v '^engine\|^basis' out >$engine.txt
			done
			diff -w lp.txt path.txt || return 1
		done
	done
}

for ranks in 1 2 5; do
	for seed in 1 2; do
		rm -rf trace
		name="random program $seed on $ranks ranks"
		check "$name: runs under the tracer" traced $ranks $seed
		check "$name: the archive holds the messages that it sent" holds_what_was_sent
		check "$name: its graph is complete" converts
		check "$name: both engines agree under every protocol" engines_agree
		check "$name: it takes no less time if messages move only in MPI calls" defers
	done
done

all_algorithms() {
	exits 0 schedgen --coll help || return 1
	cp out algorithms
	[ "$(wc -l <algorithms)" -gt 30 ] || return 1
	awk '{print $1 "=" $2}' algorithms | while read -r choice; do
		converts --coll "$choice" || { echo "with $choice"; return 1; }
	done
}
check "the graph is complete with every collective algorithm" all_algorithms
