#!/bin/bash
# Test the command schedgen.
. "$SOURCE/test/cli/tap.sh"

/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace || exit 1
/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" unmatched unmatched || exit 1

# ---- conversion

golden trace.goal "schedgen writes the graph of a trace" schedgen trace -o -
says() {
	exits 0 "$@" && [ ! -s out ] && diff -u "$golden_folder/summary" err
}
[ -z "$UPDATE" ] || schedgen trace -o t.goal 2>"$golden_folder/summary"
check "the summary counts calls, names what is not modelled, and adds up messages" \
	says schedgen trace -o t.goal
check "the anchor file gives the same graph as its folder" same "$golden_folder/trace.goal" \
	schedgen trace/traces.otf2 -o -
binary() {
	schedgen trace -o t.bin && goal convert t.bin -o - >back.goal && goal check t.bin &&
		goal convert "$golden_folder/trace.goal" -o again.bin && cmp t.bin again.bin
}
check "a name that ends in .bin gives the same graph in binary form" binary
beside() {
	rm -f *.calls
	schedgen trace -o - >out.goal && schedgen trace -o /dev/null && ! ls *.calls 2>/dev/null &&
		schedgen trace -o t.bin && schedgen trace -o t.goal && cmp t.bin.calls t.goal.calls &&
		grep -aq MPI_Allreduce t.bin.calls
}
check "the calls of a graph are in a file beside it, the same for both forms" beside
# made_how TEXT OPTION...: check that the side file has this line about the options.
made_how() {
	how=$1
	shift
	schedgen "$@" -o how.goal 2>err && tr '\0' '\n' <how.goal.calls | grep -a "schedgen [0-9]" >found &&
		grep -qx ".*schedgen $(schedgen --version | sed 's/.* //') $how" found
}
check "... which has the archive and the options that shaped the graph, but no name of the output" \
	made_how "trace --coll allreduce=ring --preset mpich --to 5 us --compute-scale 0.5" \
	--compute-scale 0.5 --to 5us --preset mpich --coll allreduce=recursive-doubling --coll allreduce=ring trace
check "... also those of a pattern" made_how "--pattern halo-2d --ranks 4 --compute 1us:5% --seed 7" \
	--pattern halo-2d --ranks 4 --seed 7 --compute 1us:5%
scaled() {
	schedgen trace --compute-scale 0.5 -o - | grep -qx "l1: calc 500"
}
check "--compute-scale scales computation" scaled
reduced() {
	schedgen trace --reduce-cost 2.5 -o - | grep -qx "l8: calc 20"
}
check "--reduce-cost lets reductions compute" reduced

empty_slice() {
	schedgen trace --from 3990ns --to 3995ns -o empty.goal 2>err && grep -q "note: no MPI call begins in the slice" err &&
		grep -qx "schedgen: slice from 3.99 us to 3.995 us" err &&
		! schedgen trace -o all.goal 2>&1 | grep -q "no MPI call" && goal check empty.goal
}
check "the summary says that no call begins in a slice, and where the slice is" empty_slice
# MPI_Recv, call 2 of rank 1, begins 500 ns after rank 0 has left MPI_Init.
one_clock() {
	exits 0 schedgen trace -o clock.bin && grep -q "^schedgen: 2 ranks, 5 us, " err &&
		critpath path trace | grep -q '^T  *5 us$' &&
		critpath waits trace --format csv | grep -q '^trace,1,0,2,MPI_Recv,[^,]*,500,' &&
		llamp path clock.bin -L 100 --overhead 100 --format csv --table slack | grep -q ',MPI_Recv,in,2,500,'
}
check "times count from the begin of the run in schedgen, llamp and critpath" one_clock
check "a slice beyond the end of the run is refused with the length of the run" \
	complains 2 "--from 10 s is not in the run, which is 5 us long" schedgen trace --from 10s -o x.goal
check "... and leaves no output" [ ! -e x.goal ]
check "a slice that ends before it begins is refused with its options and the unit of bare numbers" \
	complains 2 "--to 1 ns is not after --from 5 ns (a time without a unit is in ns)" \
	schedgen trace --from 5 --to 1 -o x.goal

# overwrites INPUT COMMAND...: check that the command is refused, and that the file INPUT is unchanged.
overwrites() {
	input=$1
	shift
	cp "$input" kept && complains 2 "output would" "$@" && cmp kept "$input"
}
inside() {
	cp -r trace whole && complains 2 "output would" schedgen whole --format text -o "$1" && diff -r trace whole &&
		complains 2 "output would" schedgen whole/traces.otf2 --format text -o "$1" && diff -r trace whole && rm -r whole
}
for name in traces.otf2 traces.def traces/0.evt traces/new.goal; do
	check "the archive's $name is no output" inside "whole/$name"
done
check "nothing is written beside the files of an archive that is given as a folder" \
	complains 2 "output would" schedgen trace -o trace/t.goal
beside_anchor() {
	cp -r trace own && schedgen own/traces.otf2 -o own/t.goal && [ -s own/t.goal ] && rm -r own
}
check "beside an archive that is given as a file there is room for its graph" beside_anchor
ln trace/traces.otf2 hard.otf2
check "no other name of a file of the archive is an output" \
	overwrites trace/traces.otf2 schedgen trace/traces.otf2 --format text -o hard.otf2
rm hard.otf2
mkdir text_trace
for rank in 0 1; do
	printf 'MPI_Init:1:2\nMPI_Finalize:3:4\n' >text_trace/pmpi-trace-rank-$rank.txt
done
check "a file of another rank of a text trace is no output" \
	overwrites text_trace/pmpi-trace-rank-1.txt \
	schedgen text_trace/pmpi-trace-rank-0.txt -o text_trace/pmpi-trace-rank-1.txt
echo '- {collective: allreduce, algorithm: ring}' >input.yaml
check "the rules are no output" overwrites input.yaml schedgen trace --rules input.yaml --format text -o input.yaml
cp input.yaml input.goal.calls
check "... nor the file of calls beside it" \
	overwrites input.goal.calls schedgen trace --rules input.goal.calls -o input.goal

# ---- algorithms

algorithms() {
	schedgen trace --coll allreduce=reduce-bcast -o chosen.goal && goal check chosen.goal &&
		! cmp -s chosen.goal "$golden_folder/trace.goal"
}
check "--coll chooses the algorithm of a collective" algorithms
every_algorithm() {
	COLUMNS=1000 schedgen --coll help >list && [ "$(wc -l <list)" -gt 20 ] || return 1
	while read -r name algorithm _; do
		schedgen trace --coll "$name=$algorithm" -o some.goal 2>err && goal check some.goal ||
			{ echo "$name=$algorithm"; cat err; return 1; }
	done <list
}
check "--coll accepts everything that --coll help lists" every_algorithm
lists_fit() {
	COLUMNS=80 schedgen trace -o some.goal --coll-report 2>report || return 1
	for list in "--coll help" "--pattern help"; do
		COLUMNS=80 schedgen $list >>report || return 1
	done
	grep -v '^schedgen: ' report | awk 'length($0) > 80 {print; bad = 1} END {exit bad}'
}
check "lists of algorithms and patterns fit a terminal of 80 columns" lists_fit
check "an unknown algorithm is a usage error that lists the known ones" \
	complains 2 "unknown algorithm 'fast' of allreduce (expected recursive-doubling, rabenseifner" \
	schedgen trace --coll allreduce=fast -o x.goal
by_function() {
	schedgen trace --coll allreduce=ring -o a.goal && schedgen trace --coll MPI_Allreduce=ring -o b.goal &&
		cmp a.goal b.goal && echo '- {collective: MPI_Allreduce, algorithm: ring}' >named.yaml &&
		schedgen trace --rules named.yaml -o b.goal && cmp a.goal b.goal
}
check "a collective may be called by the name of its function" by_function
check "--extrapolate names its limit" complains 2 "from 1 to 4194304" schedgen trace --extrapolate 0 -o x.goal
check "a parameter that the algorithm does not take is a usage error" \
	complains 2 "it takes: segment=SIZE" schedgen trace --coll bcast=chain:radix=2 -o x.goal
check "a parameter without a value is a usage error" \
	complains 2 "segment=SIZE" schedgen trace --coll bcast=chain:segment -o x.goal
segmented() {
	schedgen trace --coll allreduce=ring:segment=1 -o chosen.goal && goal check chosen.goal &&
		schedgen trace --coll allreduce=ring -o whole.goal && ! cmp -s chosen.goal whole.goal &&
		echo '- {collective: allreduce, algorithm: ring:segment=1}' >segments.yaml &&
		schedgen trace --rules segments.yaml -o ruled.goal && cmp chosen.goal ruled.goal
}
check "segments are chosen on the command line and by rules" segmented
# Both ranks are on one machine: they exchange messages, and none are between nodes.
two_levels() {
	schedgen trace --coll allreduce=two-level -o one.goal && goal check one.goal &&
		schedgen trace --coll allreduce=reduce-bcast -o tree.goal && cmp one.goal tree.goal &&
		schedgen trace --coll allreduce=two-level:node=1 -o two.goal &&
		schedgen trace --coll allreduce=recursive-doubling -o pairs.goal && cmp two.goal pairs.goal &&
		schedgen trace --coll allreduce=two-level --ranks-per-node 1 -o placed.goal &&
		cmp two.goal placed.goal
}
check "two-level uses the nodes of the archive, or those of --ranks-per-node" two_levels
check "an algorithm without a name is a usage error" \
	complains 2 "recursive-doubling" schedgen trace --coll allreduce -o x.goal
check "an unknown collective is a usage error that lists the known ones" \
	complains 2 "unknown collective 'megareduce' (expected barrier, bcast" schedgen trace --coll megareduce=ring -o x.goal
forms() {
	for form in MPI_Iallreduce iallreduce MPI_Allreduce_init allreduce_init_c MPI_Allreduce_c; do
		complains 2 "unknown collective '$form' (expected allreduce, for all its forms, blocking or not)" \
			schedgen trace --coll $form=ring -o x.goal || return 1
	done
	echo '- {collective: MPI_Ineighbor_alltoallv, algorithm: linear}' >form.yaml
	complains 1 "form.yaml:1:4: unknown collective 'MPI_Ineighbor_alltoallv' (expected neighbor_alltoallv, for all its forms," \
		schedgen trace --rules form.yaml -o x.goal
}
check "other forms of a collective are unknown, and the error names the collective" forms

# ---- rules

cat >rules.yaml <<'YAML'
- {collective: allreduce, ranks: 2.., bytes: ..1KiB, algorithm: reduce-bcast}
- {collective: allreduce, algorithm: ring}
YAML
chosen() {
	schedgen trace --coll allreduce="$1" -o by_name.goal 2>/dev/null && shift &&
		schedgen trace "$@" -o by_rule.goal 2>/dev/null && cmp by_name.goal by_rule.goal
}
check "--rules chooses by the first rule that fits" chosen reduce-bcast --rules rules.yaml
check "--coll comes before --rules" chosen ring --rules rules.yaml --coll allreduce=ring
check "--rules comes before --preset" chosen reduce-bcast --preset mpich --rules rules.yaml
printed() {
	for preset in mpich openmpi paper; do
		schedgen --print-preset "$preset" >"$preset.yaml" &&
			schedgen trace --preset "$preset" --coll-report -o a.goal 2>a.err &&
			schedgen trace --rules "$preset.yaml" --coll-report -o a.goal 2>b.err &&
			cmp a.err b.err && goal check a.goal || return 1
	done
}
check "a preset can be printed and given back as rules" printed
reported() {
	exits 0 schedgen trace --rules rules.yaml --coll-report -o a.goal && head -n 2 err |
		tr -s ' ' | diff -u - <(echo "collective call algorithm calls messages bytes"
			echo "allreduce blocking reduce-bcast 1 2 16")
}
check "--coll-report prints the algorithms of collectives, with calls, messages and bytes" reported
printf -- '- collective: allreduce\n  ranks: many\n  algorithm: ring\n' >bad.yaml
check "bad rules are refused with the line" \
	complains 1 "bad.yaml:2:3: ranks" schedgen trace --rules bad.yaml -o x.goal
check "missing rules are refused" \
	complains 1 "none.yaml" schedgen trace --rules none.yaml -o x.goal
check "an unknown preset is a usage error that lists the known ones" \
	complains 2 "mpich, openmpi, paper" schedgen trace --preset lam -o x.goal


# ---- rules for call sites and communicators

"$SOURCE/test/cli/schedgen/places.py" | "$SOURCE/test/cli/critpath/archive.py" places || exit 1
# places_report RULE WANTED: the lines of --coll-report.
places_report() {
	exits 0 schedgen places --rule "$1" --coll-report -o a.bin && goal check a.bin &&
		diff -u <(echo "$2") <(grep ^allreduce err | tr -s ' ')
}
check "--rule chooses for one call site" places_report '{collective: allreduce, site: "solve.c:57", algorithm: ring}' \
	"allreduce blocking recursive-doubling 6 24 64
allreduce blocking ring 2 48 24"
check "... for one communicator" places_report '{collective: allreduce, communicator: "0,1", algorithm: ring}' \
	"allreduce blocking recursive-doubling 6 36 80
allreduce blocking ring 2 8 16"
check "... before --coll, which is for the others" eval '
	exits 0 schedgen places --coll allreduce=reduce-bcast --rule "{collective: allreduce, site: solve.c:57, algorithm: ring}" --coll-report -o a.bin &&
	grep -q "reduce-bcast *6" err && grep -q "ring *2" err && grep -q "rule .{collective: allreduce, site: solve.c:57" a.bin.calls'
check "a rule that fits no call is refused" complains 1 "no call fits the rule for allreduce by ring at solve.c:58" \
	schedgen places --rule '{collective: allreduce, site: "solve.c:58", algorithm: ring}' -o x.bin
check "a call site is none in a trace without call sites" complains 1 "the trace has no call sites" \
	schedgen trace --rule '{collective: allreduce, site: "solve.c:57", algorithm: ring}' -o x.bin
check "a wrong rule is a usage error with its place" complains 2 "the rule:1:43: unknown algorithm 'magic'" \
	schedgen places --rule '{collective: allreduce, site: "norm.c:9", algorithm: magic}' -o x.bin
check "a rule for calls that only some ranks of a communicator make there is refused" complains 1 "places: " \
	schedgen places --rule '{collective: allreduce, site: "even.c:1", algorithm: ring}' -o x.bin

check "rules are refused for patterns, which name their algorithm" \
	complains 2 "--preset belongs" schedgen --pattern allreduce=ring --ranks 4 --preset mpich -o x.goal

# ---- usage

check "a missing archive is a usage error" complains 2 "ARCHIVE is missing" schedgen -o x.goal
check "a missing output is a usage error" complains 2 "-o FILE" schedgen trace
check "two archives are a usage error" complains 2 "operand" schedgen trace trace -o x.goal
check "an unknown option is a usage error" complains 2 "--frobnicate" schedgen --frobnicate trace
check "a negative scale is a usage error" \
	complains 2 "negative" schedgen trace --compute-scale -1 -o x.goal
check "help and version succeed" eval "schedgen --help | grep -q -- --coll && schedgen --version"

# ---- bad input

refuses() {
	complains "$1" "$2" schedgen "$3" -o x.goal && [ ! -e x.goal ] && ! ls x.goal.* 2>/dev/null
}
unreceived() {
	schedgen unmatched -o some.goal 2>err && goal check some.goal && ! grep -q "send 100b" some.goal &&
		grep -qx "schedgen: note: 1 message (25.00 %) was sent, but never received, and left out" err
}
check "a message that is never received is left out, and the summary has its share" unreceived
/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" unsent unsent || exit 1
check "a message that was received but never sent is refused with the ranks" \
	refuses 1 "rank 0 (2 sent, 3 received)" unsent
check "a missing archive is refused" refuses 1 "nowhere" nowhere
mkdir empty
check "a folder without an archive is refused" refuses 1 "empty/traces.otf2" empty
mkdir -p unfinished/journal
check "the journals of an unfinished run are refused with the way to recover them" \
	refuses 1 "llamp-trace --recover unfinished" unfinished
echo "num_ranks 1" >text.otf2
check "a file that is no archive is refused" refuses 1 "text.otf2: not an OTF2 archive" text.otf2
check "a graph is refused with the message that it is one already" refuses 1 "two-ranks.goal: this is a GOAL graph already" \
	"$SOURCE/examples/two-ranks.goal"
: >nothing.otf2
check "an empty file is refused" refuses 1 "nothing.otf2" nothing.otf2
head -c 4096 /dev/urandom >random.otf2
check "random bytes are refused" refuses 1 "random.otf2" random.otf2
cp -r trace cut
head -c 60 trace/traces/0.evt >cut/traces/0.evt
check "a cut file is refused with the rank and the event" refuses 1 "rank 0: damaged after event" cut
cp -r trace lost
rm lost/traces/1.evt
check "a missing file of events is refused with the rank" refuses 1 "rank 1" lost
check "an output that cannot be written is an error of the system" \
	complains 4 "no/such" schedgen trace -o no/such/folder.goal
