#!/bin/bash
# runs: apart
# Tests from programs to graphs: trace, convert, check, count messages.
. "$SOURCE/test/cli/tap.sh"
export COLUMNS=400	# tables with every row on one line

# convert PATTERN RANKS: trace and convert; the program's counts are in `counts`.
convert() {
	$MPIEXEC -n "$2" llamp-trace -o "trace-$1-$2" "$BUILD/test/mpi/patterns" "$1" >counts &&
		schedgen "trace-$1-$2" -o "$1-$2.goal" && goal check "$1-$2.goal"
}

# number NAME FILE: a number from the JSON of goal info.
number() {
	goal info --format json "$2" |
		/usr/bin/python3 -c "import json, sys; print(json.load(sys.stdin)['$1'])"
}

same_messages() {
	convert "$1" "$2" || return 1
	found="$(number sends "$1-$2.goal") $(number bytes "$1-$2.goal")"
	[ "$found" = "$(cat counts)" ] && return 0
	echo "$found instead of $(cat counts)"
	return 1
}
for ranks in 1 2 5; do
	for pattern in wildcards persistent polling cancelled windows partitioned; do
		check "the messages of $pattern on $ranks ranks are those of the program" \
			same_messages $pattern $ranks
	done
done
for ranks in 1 2 3 5 6; do
	check "communicators on $ranks ranks are converted" convert communicators $ranks
	check "collectives on $ranks ranks are converted" convert collectives $ranks
done

# The machine is one node by default.  MPICH's barrier is then a barrier of all six ranks and a
# broadcast after it.
levels() {
	schedgen trace-collectives-6 --preset mpich --coll-report -o one.goal 2>said && cat said &&
		goal check one.goal && grep -q '^barrier *blocking *two-level *1 *23 ' said &&
		grep -q '^scan *blocking *two-level *7 *105 ' said || return 1
	schedgen trace-collectives-6 --preset mpich --ranks-per-node 1 --coll-report -o six.goal 2>said &&
		goal check six.goal && ! grep two-level said
}
check "the preset mpich makes two levels where ranks share a node" levels

# Inner ranks of a tree get sizes that the trace has only on the root.
# Empty blocks are sent along the tree, but not by the root directly.
binomial() {
	schedgen trace-collectives-6 --coll gatherv=binomial --coll scatterv=binomial -o binomial.goal &&
		goal check binomial.goal && schedgen trace-collectives-6 -o linear.goal &&
		[ "$(number sends binomial.goal)" -gt "$(number sends linear.goal)" ] &&
		[ "$(number bytes binomial.goal)" -gt "$(number bytes linear.goal)" ]
}
check "gatherv and scatterv of unequal blocks go along binomial trees" binomial

# Blocks have 12 * (i / 2) bytes, roots are 0 and P - 1.  The hops of a block are the ones in the
# binary number of its distance from the root.  Gatherv is called twice and scatterv once, 3 times
# as often without blocking.
trees() {
	$MPIEXEC -n 5 llamp-trace -o unequal "$BUILD/test/mpi/trace_collectives" >/dev/null || return 1
	for copies in 1 2 3; do
		schedgen unequal --coll gatherv=binomial --coll scatterv=binomial --extrapolate $copies \
			-o unequal.goal --coll-report 2>said && goal check unequal.goal || return 1
		/usr/bin/python3 - $copies >expected <<-'END'
		import sys
		copies = int(sys.argv[1])
		ranks = 5 * copies
		total = sum(12 * (r % 5 // 2) * bin((r - root) % ranks).count("1") for root in (0, 4) for r in range(ranks))
		forms = [("gatherv", 2, "blocking", 1), ("gatherv", 2, "non-blocking", 3), ("scatterv", 1, "blocking", 1), ("scatterv", 1, "non-blocking", 3)]
		print("\n".join(f"{name} {form} binomial {2 * n * times} {2 * n * times * (ranks - 1)} {n * times * total}" for name, n, form, times in forms))
		END
		grep '^gatherv\|^scatterv' said | awk '{ $1 = $1; print }' | diff expected - || return 1
	done
}
check "... in all forms, and among the ranks of all copies" trees

# Blocks of alltoallv have up to 24 bytes, and up to 4 in place.  Blocks of alltoallw have up to 48.
padded() {
	for copies in 1 2 3; do
		schedgen unequal --coll alltoallv=bruck --coll alltoallw=bruck --extrapolate $copies \
			-o padded.goal --coll-report 2>said && goal check padded.goal || return 1
		/usr/bin/python3 - $copies >expected <<-'END'
		import sys
		ranks = 5 * int(sys.argv[1])
		rounds = (ranks - 1).bit_length()
		passed_on = ranks * sum(bin(r).count("1") for r in range(ranks))
		for name, blocks in ("alltoallv", (24, 4)), ("alltoallw", (48,)):
		    for form, times in ("blocking", 1), ("non-blocking", 3):
		        calls = times * len(blocks)
		        bytes = 8 * calls * ranks * rounds + times * passed_on * sum(blocks)
		        print(f"{name} {form} bruck {calls} {2 * calls * ranks * rounds} {bytes}")
		END
		grep '^alltoall[vw]' said | awk '{ $1 = $1; print }' | diff expected - || return 1
	done
}
check "blocks of alltoallv and alltoallw are padded to the largest of all ranks" padded

# Calls without a model are left out, and the summary reports them.
converts() {
	$MPIEXEC -n 3 llamp-trace -o "$1" "$BUILD/test/mpi/$1" && schedgen "$1" -o "$1.goal" 2>said &&
		goal check "$1.goal" && cat said
}
check "persistent collectives are converted" converts trace_mpi4
check "... all of them" exits 1 grep -q 'not modelled, and left out' said

# same_sizes FILE: check that sends and receives of messages have the same sizes.
same_sizes() {
	/usr/bin/python3 - "$1" <<-'END'
		import collections, re, sys
		rank, ends = None, collections.defaultdict(lambda: {"send": [], "recv": []})
		for line in open(sys.argv[1]):
		    if line.startswith("rank "):
		        rank = line.split()[1]
		    found = re.match(r"l\d+: (send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)", line)
		    if found:
		        kind, size, peer, tag = found.groups()
		        pair = (rank, peer) if kind == "send" else (peer, rank)
		        ends[pair + (tag,)][kind].append(size)
		wrong = {channel: both for channel, both in ends.items() if both["send"] != both["recv"]}
		sys.exit(str(wrong) if wrong or not ends else 0)
	END
}
in_own_orders() {
	convert orders "$1" && same_sizes "orders-$1.goal" &&
		schedgen "trace-orders-$1" --coll alltoallv=bruck -o bruck.goal && goal check bruck.goal &&
		same_sizes bruck.goal
}
for ranks in 2 5; do
	check "persistent collectives that $ranks ranks start in their own orders match" in_own_orders $ranks
done
# Messages: 3 * 3 * 2 * (RANKS - 1) in a row, 3 * 3 * RANKS in a graph, 16 in a torus of 4, and 4 * 3 for each
# edge between two ranks of three further graphs.  These are a star on a ring; two edges to the next rank and
# one to the rank after it; a ring without the last rank: 3 + 4 + 4 edges on 2 ranks, 7 + 12 + 6 on 4.
neighbours() {
	$MPIEXEC -n "$1" llamp-trace -o "neighbours-$1" "$BUILD/test/mpi/trace_neighbours" &&
		schedgen "neighbours-$1" -o "neighbours-$1.goal" --coll-report 2>said &&
		goal check "neighbours-$1.goal" || return 1
	cat said
	! grep 'counted as computation: MPI_[IN]' said | grep -v _init, || return 1
	found=$(awk '$1 ~ /^neighbor_/ { sum += $5 } END { print sum + 0 }' said)
	[ "$found" = "$2" ] && return 0
	echo "$found messages instead of $2"
	return 1
}
check "collectives of neighbours on 1 rank have no messages" neighbours 1 0
check "... on 2 ranks they have the messages of their graphs" neighbours 2 $((36 + 12 * 11))
check "... on 4 ranks, too" neighbours 4 $((106 + 12 * 25))
check "windows are converted" converts trace_rma
check "... all of their operations" exits 1 grep -q 'note: [0-9]* \(operation\|part\)' said
check "... by an algorithm that reads the archive before them, too" \
	exits 0 schedgen trace_rma --coll gatherv=binomial -o again.goal
check "... and the assumption about locks is reported" \
	grep -q 'exclusive locks\? took .*waiting for a lock is not modelled' said
check "... in a graph that can be analyzed" exits 0 llamp analyze trace_rma.goal -L 1us --overhead 1us -G 1
check "a program that reads and writes files is converted" converts trace_transfers
check "... and its calls for files are counted as computation" grep -q 'counted as computation: MPI_File_read,' said

# Groups have u = 3 and v = 2 ranks, blocks one number, or 1, 2, 3, ... numbers.
groups() {
	$MPIEXEC -n 5 llamp-trace -o groups "$BUILD/test/mpi/groups" &&
		schedgen groups -o groups.goal --coll-report 2>said && goal check groups.goal || return 1
	cat >expected <<-'END'
	inter_barrier 13 0
	inter_bcast 2 16
	inter_gather 2 24
	inter_gatherv 2 24
	inter_scatter 2 24
	inter_scatterv 2 24
	inter_allgather 8 120
	inter_allgatherv 8 168
	inter_alltoall 12 96
	inter_alltoallv 12 240
	inter_alltoallw 12 240
	inter_allreduce 8 64
	inter_reduce 2 16
	inter_reduce_scatter 8 320
	inter_reduce_scatter_block 8 296
	END
	cat said
	for call in blocking non-blocking; do
		awk "/^inter_/ && \$2 == \"$call\" { print \$1, \$5 / \$4, \$6 / \$4 }" said |
			diff expected - || return 1
	done
	# One barrier is called, and one belongs to creating the inter-communicator.
	[ "$(awk '/^inter_barrier *blocking/ { print $4 }' said)" = 2 ]
}
check "collectives between groups have the messages of their algorithms, in all forms" groups

check "ranks with several threads are traced" \
	exits 0 "$MPIEXEC" -n 2 llamp-trace -o threads "$BUILD/test/mpi/trace_threads_hop" 20 3

# In three copies, messages stay in a copy, and collectives of all ranks span all copies.
extrapolated() {
	schedgen "$1" --extrapolate 3 -o extrapolated.goal --coll-report 2>said &&
		goal check extrapolated.goal || { cat said; return 1; }
}
for trace in trace-wildcards-5 trace-communicators-3 trace-collectives-3 neighbours-4 groups trace_mpi4 trace_rma; do
	check "$trace is extrapolated" extrapolated $trace
done
copies() {
	extrapolated "$1" && [ "$(number sends extrapolated.goal)" = $((3 * $(number sends "$2"))) ]
}
check "messages are copied as often as ranks are" copies trace-wildcards-5 wildcards-5.goal
# Recursive doubling among 9 ranks has 2 * 1 + 8 * 3 messages of 20 bytes, in place of 12 bytes.
allreduced() {
	extrapolated trace-collectives-3 || return 1
	grep '^allreduce ' said
	[ "$(awk '/^allreduce / { print $4, $5, $6 }' said)" = "4 104 $((26 * 20 + 3 * 26 * 12))" ]
}
check "collectives are among the ranks of all copies" allreduced
# Barriers span all K P ranks, in ceil(log2 KP) rounds of KP messages.  All other calls exist K times.
barriers() { awk '$1 == "barrier" { print $4 }' "$1"; }
grows() {
	schedgen "$1" -o one.goal --coll-report 2>one && schedgen "$1" --extrapolate 1 -o same.goal 2>/dev/null &&
		cmp one.goal same.goal && cmp one.goal.calls same.goal.calls || return 1
	for copies in 1 2 3; do
		schedgen "$1" --extrapolate $copies -o many.goal --coll-report 2>many && goal check many.goal &&
			exits 0 llamp analyze many.goal -L 1us --overhead 1us -G 1 || { cat many; return 1; }
		ranks=$(number ranks many.goal)
		all=$(awk -v ranks="$ranks" '$1 == "barrier" { for (r = 1; r < ranks; r *= 2) sum += $4 * ranks; if (sum != $5) exit 1 }
			END { print sum + 0 }' many) || { cat many; return 1; }
		[ $copies = 1 ] && local=$(($(number sends one.goal) - all))
		[ "$(barriers one)" = "$(barriers many)" ] &&
			[ "$(number sends many.goal)" = $((copies * local + all)) ] || { cat one many; return 1; }
		# Neighbourhood collectives, collectives between groups, and calls that are not modelled.
		awk -v copies=$copies '/^(neighbor|inter)_/ { print $1, $2, $3, copies * $4, copies * $5, copies * $6 }' one >expected
		awk '/^(neighbor|inter)_/ { print $1, $2, $3, $4, $5, $6 }' many | diff expected - || return 1
		sed -n 's/.*counted as computation: \([A-Z]*MPI_[^,]*\), .*(\(.*%\)).*/\1 \2/p' one | sort >expected
		sed -n 's/.*counted as computation: \([A-Z]*MPI_[^,]*\), .*(\(.*%\)).*/\1 \2/p' many | sort | diff expected - || return 1
	done
}
for trace in threads trace-windows-5 trace-partitioned-5 neighbours-4 groups; do
	check "copies of $trace have its messages, and barriers among all of them" grows $trace
done
# Copies of 5 ranks have allreduces of 3 and of 2 ranks, and calls between these two groups.
subgroups() {
	for copies in 1 2 3; do
		schedgen trace-communicators-5 --extrapolate $copies -o many.goal --coll-report 2>said && goal check many.goal || return 1
		printf '%s\n' "allreduce $((2 * copies)) $((6 * copies)) $((24 * copies))" "bcast 1 $((5 * copies - 1)) $((20 * copies - 4))" \
			"inter_barrier $((2 * copies)) $((26 * copies)) 0" >expected
		awk '/^(allreduce|bcast|inter_barrier) / { print $1, $4, $5, $6 }' said | sort | diff expected - || return 1
	done
}
check "collectives of some of the ranks stay in their copy" subgroups
schedgen trace-windows-5 --extrapolate 2 -o whole.goal 2>/dev/null
check "a slice is copied, too" exits 0 schedgen trace-windows-5 --from 0 --to 1000s --extrapolate 2 -o slice.goal
check "... and the slice of all times like the whole run" exits 0 cmp slice.goal whole.goal

check "a world of too many copies is refused" exits 3 schedgen groups --extrapolate 4194304 -o a.goal

# slice_times TRACE: print begin and end of ten slices, each a fifth of the run.  Times count from when the first rank
# leaves MPI_Init.
slice_times() {
	otf2-print "$1/traces.otf2" | awk '
		$1 == "LEAVE" && /"MPI_Init/ && !begin { begin = $3 }
		$1 == "ENTER" && !/"MPI_Init/ { last = $3 - begin; first = first ? first : last }
		END { for (i = 0; i < 10; i++)
			printf "%.0f %.0f\n", first + (last - first) * i / 10, first + (last - first) * (i + 2) / 10 }'
}
slices() {
	schedgen "$1" -o all.goal && schedgen "$1" --from 0 --to 1000s -o same.goal && cmp all.goal same.goal || return 1
	slice_times "$1" >times && [ "$(wc -l <times)" = 10 ] || return 1
	while read -r from to; do
		schedgen "$1" --from "${from}ns" --to "${to}ns" -o slice.goal 2>said && goal check slice.goal ||
			{ cat said; return 1; }
		number sends slice.goal >>in-slices
	done <times
}
for trace in trace-wildcards-5 trace-persistent-5 trace-polling-5 trace-communicators-6 trace-collectives-6 \
	neighbours-4 groups trace_mpi4; do
	check "slices of $trace have whole messages" slices $trace
done
# The number of messages depends on times.  The slices of one trace may have none.
check "some of these slices have messages" grep -q '^[1-9]' in-slices

# An iteration of the conjugate gradient has a halo exchange and two reductions.
iterations() {
	$MPIEXEC -n 4 llamp-trace -o cg "$BUILD/examples/cg" --size 16 || return 1
	for slice in 2:2 3:3 2:3 3:12; do
		schedgen cg --from "iteration:${slice%:*}" --to "iteration:${slice#*:}" -o slice.goal && goal check slice.goal || return 1
		echo "$(number sends slice.goal)" >"sends-$slice"
	done
	one=$(cat sends-2:2)
	[ "$one" -gt 0 ] && [ "$(cat sends-3:3 sends-2:3 sends-3:12 | tr '\n' ' ')" = "$one $((2 * one)) $((10 * one)) " ]
}
check "slices of several iterations have the messages of one as often" iterations
check "a missing iteration is refused" exits 1 schedgen cg --from iteration:10000 -o a.goal
check "... and a region" exits 1 schedgen cg --to region:main -o a.goal
check "... and a slice that ends before it begins" exits 1 schedgen cg --from iteration:5 --to iteration:4 -o a.goal

# Take adjacent slices of the run: a message across an edge has one half in each of two slices.
adjacent() {
	schedgen "$1" -o all.goal 2>/dev/null && slice_times "$1" >times || return 1
	edges="0 $(awk '{ print $1 "ns" }' times) 1000s"
	from=
	sum=0
	for to in $edges; do
		if [ -n "$from" ]; then
			schedgen "$1" --from $from --to $to -o slice.goal 2>said && goal check slice.goal ||
				{ cat said; return 1; }
			halves=$(sed -n 's/.*note: \([0-9]*\) sends\? .* receives\? at the edges.*/\1/p' said)
			sum=$((sum + 2 * $(number sends slice.goal) + ${halves:-0}))
		fi
		from=$to
	done
	[ $sum = $((2 * $(number sends all.goal))) ] && return 0
	echo "$sum halves of $(number sends all.goal) messages"
	return 1
}
for trace in trace-windows-5 trace_rma threads; do
	check "slices of $trace have whole messages" slices $trace
done
for trace in trace-wildcards-5 trace-persistent-5 trace-windows-5 trace-partitioned-5 threads; do
	check "adjacent slices of $trace have all messages except those across their edges" adjacent $trace
done
slice_is_analyzed() {
	schedgen "$1" --from iteration:2 --to iteration:3 -o slice.goal && exits 0 llamp analyze slice.goal -L 1us --overhead 1us -G 1
}
check "iterations of ranks with several threads are analyzed" slice_is_analyzed threads

every_algorithm() {
	schedgen --coll help >list || return 1
	while read -r name algorithm _; do
		trace=trace-collectives-6
		[ "${name#neighbor_}" = "$name" ] || trace=neighbours-4
		[ "${name#inter_}" = "$name" ] || trace=groups
		schedgen "$trace" --coll "$name=$algorithm" -o some.bin && goal check some.bin ||
			{ echo "$name=$algorithm"; return 1; }
	done <list
}
check "collectives on 6 ranks are converted by every algorithm" every_algorithm
