#!/bin/bash
# runs: every-mpi-long
# Test llamp-measure overlap with an MPI: the file, statuses, resuming, interruption, and one cell of every
# benchmark.  No test is about times or ratios, because the machine has other work.
. "$SOURCE/test/cli/tap.sh"

overlap() { # RANKS OPTION...
	timeout 300 "$MPIEXEC" -n "$1" llamp-measure overlap --same-node "${@:2}"
}
small="--sizes 1KiB:4KiB --compute 1us:2us --per-octave 1 --repeat 6"

# Check a file with a Python expression over h (header), cells (list), end, lines.
holds() { # FILE EXPRESSION
	/usr/bin/python3 - "$@" <<-END
		import json, sys
		lines = [json.loads(line) for line in open(sys.argv[1])]
		h, end = lines[0], lines[-1]
		cells = [line for line in lines[1:] if "full" in line]
		if not eval(sys.argv[2]):
		    print(open(sys.argv[1]).read())
		    sys.exit(1)
	END
}

check "cells are measured" exits 0 overlap 2 -o two.overlap --bench sender,receiver $small
check "... all of the plan, between a header and an end" holds two.overlap \
	'h["schema"] == "llamp-overlap-1" and len(cells) == 2 * 3 * 2 and end["end"] == "complete"'
check "... each once, with all rounds" holds two.overlap \
	'len({(c["bench"], c["bytes"], c["compute_ns"]) for c in cells}) == 12 and all(c["rounds"] >= 6 for c in cells)'
check "... with times that are positive" holds two.overlap \
	'all(c[name][0] > 0 and c[name][4] > 0 for c in cells for name in ("full", "comm", "comp"))'
check "... as the schema says" /usr/bin/python3 "$SOURCE/test/cli/llamp_measure_report/lines.py" two.overlap
check "llamp-measure report reads them" eval 'exits 0 llamp-measure report two.overlap && grep -q "^what overlaps" out'
case $MPI in openmpi) name='Open MPI' ;; *) name=MPICH ;; esac
check "the header has the MPI, the hosts and what was ordered" holds two.overlap \
	"h['mpi'].startswith('$name') and h['hosts'][0] == '$(hostname)' and '--bench sender,receiver' in h['options']"
check "a file that exists is refused" exits 2 overlap 2 -o two.overlap --bench sender,receiver $small
check "... with what to do" grep -q "^llamp-measure: two.overlap exists: --append" err
check "--append measures nothing of a whole file" exits 0 overlap 2 -o two.overlap --append --bench sender,receiver $small
check "... and adds no cell" holds two.overlap 'len(cells) == 12 and end["end"] == "complete"'

# Without its last lines it is that of a killed run, which may have cut a line.
head -n -5 two.overlap | head -c -20 >killed.overlap
check "--append measures what a killed run has left" exits 0 overlap 2 -o killed.overlap --append --bench sender,receiver $small
check "... and no more" holds killed.overlap \
	'len(cells) == 12 and len({(c["bench"], c["bytes"], c["compute_ns"]) for c in cells}) == 12 and end["end"] == "complete"'
check "--append refuses other options" exits 2 overlap 2 -o two.overlap --append --bench sender $small
check "... and names what differs" grep -q "two.overlap was measured with another 'options'" err

check "a time limit leaves out cells" exits 0 overlap 2 -o limited.overlap --bench sender --time-limit 1 $small
check "... and the end says so" holds limited.overlap 'not cells and end["end"] == "time limit"'
check "... and a warning" grep -q "6 cells were left out because of the time limit" err
check "--append measures them" exits 0 overlap 2 -o limited.overlap --append --bench sender $small
check "... all" holds limited.overlap 'len(cells) == 6 and end["end"] == "complete"'

interrupted() { # NUMBER of the signal, rank or launcher
	rm -f stopped.overlap
	"$MPIEXEC" -n 2 llamp-measure overlap --same-node -o stopped.overlap --bench both \
		--sizes 1KiB --compute 1us:2s --per-octave 4 --repeat 3 >out 2>err &
	for _ in $(seq 600); do
		sleep 0.1
		[ "$(cat stopped.overlap 2>/dev/null | grep -c '"full"')" -lt 3 ] || break
	done
	target=$!
	[ "$2" = launcher ] || target=$(/usr/bin/python3 - "$PWD/stopped.overlap" <<-END
		import glob, os, sys
		for link in glob.glob("/proc/[0-9]*/fd/*"):
		    try:
		        if os.readlink(link) == sys.argv[1]:
		            print(link.split("/")[2])
		    except OSError:
		        pass
	END
	)
	kill -"$1" $target
	wait $! && [ "$2" = rank ] && return 1
	# A launcher that is ended may be gone before its ranks.
	for _ in $(seq 600); do
		! tail -n 1 stopped.overlap | grep -q '"end"' || break
		sleep 0.1
	done
	holds stopped.overlap 'len(cells) >= 3 and end == {"end": "interrupted"}'
}
check "a run that is ended by SIGTERM leaves its cells" interrupted 15 rank
check "... by SIGINT, too" interrupted 2 rank
check "... and if the launcher is ended" interrupted 15 launcher

refused() { # STATUS TEXT RANKS OPTION...
	status=$1 text=$2 ranks=$3
	shift 3
	exits "$status" overlap "$ranks" "$@" && ! grep schema out && grep -F "llamp-measure: $text" err
}
check "one rank is refused" refused 2 "two ranks are needed, this is one: mpiexec -n 2 llamp-measure overlap" 1 $small
check "three ranks are refused" refused 2 "two ranks are needed, these are 3: mpiexec -n 2 llamp-measure overlap" 3 --bench sender
check "pairs of three ranks are refused" refused 2 "pairs are of two ranks, these are 3" 3 --bench sender --pairs
check "an output that cannot be written is refused before anything is measured" \
	refused 4 "none/two.overlap: " 2 -o none/two.overlap --full
check "an unknown benchmark is refused" refused 2 "--bench: unknown benchmark 'tender'" 2 --bench tender
check "--cell with a plan is refused" refused 2 "--cell says what is measured" 2 --cell sender:1KiB:10us --quick

check "two ranks on one node are named" exits 0 timeout 300 "$MPIEXEC" -n 2 llamp-measure overlap --bench sender -o - $small
check "... by a warning" grep -q "warning: both ranks are on one node" err
check "... and by the header" holds out 'h["one_host"]'
check "threads are limited to the processors" exits 0 overlap 2 --bench nload --sizes 1KiB --threads 0:5000 --time-limit 1 -o -
check "... with a warning" grep -q "warning: $(nproc --all) threads of nload" err
check "nload needs a thread level" exits 0 overlap 2 --bench nload,sender $small --thread-level single -o -
single() {
	if holds out 'h["thread_level"] == "MPI_THREAD_SINGLE"'; then
		grep -q "warning: nload is left out" err && holds out 'all(c["bench"] == "sender" for c in cells)'
	else
		holds out 'any(c["bench"] == "nload" for c in cells)'
	fi
}
check "... and is left out without" single

# Every benchmark, with all that can be combined.
everything="--bench all --sizes 4KiB --compute 20us --repeat 2 --threads 1"
groups() { # FILE CELLS
	holds "$1" "len(cells) == $2 and end['end'] == 'complete'"
}
check "every benchmark measures a cell" exits 0 overlap 2 -o all.overlap $everything
# Open MPI 4 has no partitioned communication.
count=28
if grep -q "warning: partitioned-send and partitioned-recv are left out" err; then
	count=26
fi
check "... and no other" groups all.overlap $count
check "partitioned communication is left out only where MPI has none" eval '[ $MPI = openmpi ] || [ $count = 28 ]'
odd="--sizes 1:3 --compute 20us --repeat 2 --threads 1 --tests 5us --pending 3 --side both --both-types --pin"
if [ "${LENGTH:-}" = long ]; then
	check "... of other sizes, with tests, several messages and threads that are pinned" exits 0 overlap 2 -o odd.overlap \
		--bench all $odd
	check "... likewise" groups odd.overlap $(((count - 1) * 3 + 1))
elif [ $count = 28 ]; then
	# A long run may be with an MPI that has no partitioned communication.
	check "... partitioned ones of other sizes, with tests, several messages and threads that are pinned" \
		exits 0 overlap 2 -o odd.overlap --bench partitioned-send,partitioned-recv $odd
	check "... likewise" groups odd.overlap 6
fi
check "... of no data" exits 0 overlap 2 -o none.overlap $everything --sizes 0 --side receiver
check "... too" groups none.overlap $count
check "all kernels compute" exits 0 overlap 2 -o kernels.overlap --bench both,nload --sizes 4KiB --compute 20us --repeat 2 \
	--threads 0 --kernel work,time,memory
check "... in cells of their own" holds kernels.overlap \
	'[c["kernel"] for c in cells if c["bench"] == "both"] == ["work", "time", "memory"] and len(cells) == 4'
check "collectives are those of all ranks" exits 0 overlap 3 -o three.overlap --bench collectives --sizes 4KiB --compute 20us --repeat 2
check "... with a ratio for each" holds three.overlap 'len(cells) == 14 and all(len(c["rank_ratios"]) == 3 for c in cells)'
check "pairs measure at once" exits 0 overlap 4 -o four.overlap --pairs --bench sender,put --sizes 4KiB --compute 20us --repeat 2
check "... with a warning if they share processors" \
	eval '[ $(nproc --all) -ge 4 ] || grep "warning: 4 ranks share $(nproc --all) processor" err'
check "... and are named" holds four.overlap 'h["ranks"] == 4 and h["pairs"] == 2 and len(cells) == 2'
check "rank 0 exchanges messages with all others" exits 0 overlap 3 -o star.overlap --destinations --sizes 4KiB --compute 20us \
	--repeat 2 --bench sender,receiver,both,noncontig,cpu,persistent-send,persistent-recv
check "... one with each" holds star.overlap 'len(cells) == 7 and all(c["pending"] == 2 for c in cells)'
check "threads measure at once" exits 0 overlap 2 -o threads.overlap --thread-pairs 2 --thread-level multiple --sizes 4KiB \
	--compute 20us --repeat 2 --bench sender,receiver,both,put,get-target
check "... with the level that they need" holds threads.overlap \
	'len(cells) == 5 and h["thread_level"] == "MPI_THREAD_MULTIPLE" and "--thread-pairs 2" in h["options"]'
check "threads that communicate are never asked for silently" refused 2 "--thread-pairs needs MPI_THREAD_MULTIPLE" 2 --thread-pairs 2
check "--destinations is for messages" refused 2 "--destinations is for messages between two ranks" 3 --destinations --bench ibcast
check "... and says how many" refused 2 "--destinations says who exchanges messages" 3 --destinations --pairs
check "a cell is measured alone" exits 0 overlap 2 --cell receiver:512KiB:200us --repeat 3 -o cell.overlap
check "... as it was ordered" holds cell.overlap \
	'[(c["bench"], c["bytes"], c["compute_ns"]) for c in cells] == [("receiver", 524288, 200000)] and h["threshold"] is None'
check "without a file its times are printed" exits 0 overlap 2 --cell receiver:4KiB:20us --repeat 3
check "... with the ratio" eval 'grep "^cell  *receiver, 4 KiB, computation 20 us" out && grep "^ratio  *.* of the whole sequence" out'
check "of other plans the verdicts are" exits 0 overlap 2 --bench receiver $small
check "... by benchmark" eval 'grep "^MPI  *$name" out && grep "^receiver  *1 KiB " out'
check "a quick run chooses its computations" exits 0 overlap 2 --quick --bench sender,nload --sizes 1KiB:4KiB --repeat 6 -o quick.overlap
check "... three for each size" holds quick.overlap \
	'len([c for c in cells if c["bench"] == "sender"]) == 6 and len({c["compute_ns"] for c in cells if c["bytes"] == 1024 and c["bench"] == "sender"}) == 3'
