#!/bin/sh
# Test the command eventflow.
. "$SOURCE/test/cli/tap.sh"

"$SOURCE/test/cli/critpath/archive.py" late <"$SOURCE/test/cli/critpath/late.calls" || exit 1

check "help lists the commands" eval 'exits 0 eventflow --help && grep -q "^  build " out && grep -q "^  trace " out'
check "build writes a file and prints nothing" eval 'exits 0 eventflow build late -o late.efg && [ ! -s out ] && [ -s late.efg ]'
golden info "info prints the size of graphs" eventflow info late.efg
golden info.json "info prints JSON" eventflow info late.efg --format json
golden info.csv "info prints a table of ranks" eventflow info late.efg --format csv
golden_folder=$SOURCE/doc golden eventflow-info.schema.json "the schema of eventflow info is the one in doc/" \
	eventflow info late.efg --format schema
check "info of an archive has the same numbers, but for bytes" eval 'eventflow info late --format csv | sed "s/^late,/late.efg,/" |
	cut -d , -f -9,11- >expected && cut -d , -f -9,11- "$golden_folder/info.csv" | diff expected -'
# Calls as records of OTF2 are as large as archives of llamp-trace, without their times: 9 bytes for each moment.
otf2_size() {
	events=$(cat late/traces/*.evt | wc -c) && moments=$(otf2-print late/traces.otf2 | grep "^[A-Z_]*  *[0-9]" | tr -s " " | cut -d " " -f 2,3 | sort -u | wc -l) &&
		estimate=$(eventflow info late --format json | sed -n "s/.*\"otf2_bytes\": \([0-9]*\),$/\1/p" | head -n 1) && echo "$events $moments $estimate" &&
		[ $((100 * estimate)) -ge $((60 * (events - 9 * moments))) ] && [ $((100 * estimate)) -le $((110 * (events - 9 * moments))) ]
}
check "its size as OTF2 is that of the archive without times" otf2_size
golden calls "trace --print prints the calls" eventflow trace late.efg --print
check "... of one rank, too" eval 'exits 0 eventflow trace late.efg --print --rank 1 && grep "^1 " "$golden_folder/calls" | diff - out'

# --------------------------------------------------------------------------- loops

# Rank 0: 4 steps, each of a barrier, three reductions and, every second time, a broadcast; rank 1 without broadcasts.
calls() {
	for rank in 0 1; do
		time=1000
		call() { # FUNCTION EVENT
			echo "$rank $time $((time + 100)) $*"
			time=$((time + 1000))
		}
		call MPI_Init
		for step in 0 1 2 3; do
			call MPI_Barrier coll:BARRIER
			call MPI_Allreduce coll:ALLREDUCE
			call MPI_Allreduce coll:ALLREDUCE
			call MPI_Allreduce coll:ALLREDUCE
			[ $rank = 1 ] || [ $((step % 2)) = 1 ] || call MPI_Bcast coll:BCAST:0
			call MPI_Allgather coll:ALLGATHER
		done
		call MPI_Finalize
	done
}
calls | "$SOURCE/test/cli/critpath/archive.py" steps || exit 1
eventflow build steps -o steps.efg
golden loops "loops prints loops and their nesting" eventflow loops steps.efg
golden loops.json "... as JSON" eventflow loops steps.efg --format json
golden loops.csv "... as a table" eventflow loops steps.efg --format csv
golden_folder=$SOURCE/doc golden eventflow-loops.schema.json "the schema of eventflow loops is the one in doc/" \
	eventflow loops steps.efg --format schema
golden iterations "iterations prints times of the main loop" eventflow iterations steps.efg
golden iterations.json "... as JSON" eventflow iterations steps.efg --format json
golden iterations.csv "... as a table" eventflow iterations steps.efg --format csv
golden_folder=$SOURCE/doc golden eventflow-iterations.schema.json "the schema of eventflow iterations is the one in doc/" \
	eventflow iterations steps.efg --format schema
check "iterations of an archive are those of its file" eval 'eventflow iterations steps --format csv | sed "s/^steps,/steps.efg,/" |
	diff - "$golden_folder/iterations.csv"'
check "iterations draws a picture" eval 'exits 0 eventflow iterations steps.efg -o picture.svg && grep -q "iteration (" picture.svg'
check "without a loop there are no iterations" eval 'exits 0 eventflow iterations late.efg && grep -q "^iterations  *0" out'
check "... to draw" complains 1 "there is no main loop to draw" eventflow iterations late.efg -o picture.svg
eventflow build steps -o steps-stats.efg --times stats
check "without the times of calls there are none" complains 1 "lacks the times of calls: build it with --times all" \
	eventflow iterations steps-stats.efg
check "... and loops have no least and most" eval 'exits 0 eventflow loops steps-stats.efg --format csv && [ "$(cut -d , -f 15,16 out | tail -n +2 | sort -u)" = , ]'
check "loops of an archive are those of its file" eval 'eventflow loops steps --format csv | sed "s/^steps,/steps.efg,/" |
	diff - "$golden_folder/loops.csv"'
check "--rank leaves the loops of one rank" eval 'exits 0 eventflow loops steps.efg --rank 1 --format csv && [ "$(wc -l <out)" = 3 ]'
golden tree "tree prints loops and sequences" eventflow tree steps.efg
golden tree.json "... as JSON" eventflow tree steps.efg --format json
golden tree.csv "... as a table" eventflow tree steps.efg --format csv
golden tree-of-1 "tree prints another rank" eventflow tree steps.efg --rank 1
golden_folder=$SOURCE/doc golden eventflow-tree.schema.json "the schema of eventflow tree is the one in doc/" \
	eventflow tree steps.efg --format schema
check "a thread that is not there is a usage error" complains 2 "--thread 1: the rank has 1 threads" \
	eventflow tree steps.efg --thread 1
own_code() { # without what all proxy programs have
	exits 0 eventflow generate "$1" --output proxy.c && [ ! -s err ] && sed -n '/^static void rank/,$p' proxy.c
}
golden generate "generate writes loops and conditions in C" own_code steps.efg
eventflow build steps -o steps-none.efg --times none
check "... without computation if the file has no times" eval 'own_code steps-none.efg >none.c && grep -v "^	*compute(" "$golden_folder/generate" | diff - none.c'
check "generate prints to stdout" eval 'exits 0 eventflow generate steps.efg && diff out proxy.c | head -n 3 && grep -q "^int main" out'
golden profile "profile prints functions" eventflow profile late.efg
golden profile.json "... as JSON" eventflow profile late.efg --format json
golden profile-1.csv "... of one rank as a table" eventflow profile steps.efg --rank 1 --format csv
golden_folder=$SOURCE/doc golden eventflow-profile.schema.json "the schema of eventflow profile is the one in doc/" \
	eventflow profile late.efg --format schema
as_critpath() { # the profile of $1 has the calls and times of critpath's
	eventflow profile $1 --format json -o own.json && eventflow matrix $1 --format json -o matrix.json && critpath profile $1 --format json -o other.json &&
		/usr/bin/python3 -c '
import json
own, matrix, other = (json.load(open(name)) for name in ("own.json", "matrix.json", "other.json"))
calls = {row["function"]: (row["calls"], row["time_ns"]) for row in own["functions"]}
assert calls == {row["function"]: (row["calls"], row["time_ns"]) for row in other["functions"]}, (calls, other["functions"])
pairs = {(row["from"], row["to"]): (row["messages"], row["bytes"]) for row in matrix["pairs"]}
expected = {(row["sender"], row["receiver"]): (row["messages"], row["bytes"]) for row in other["pairs"]}
assert pairs == expected, (pairs, expected)'
}
check "profile and matrix have the calls, times and messages of critpath profile" eval 'as_critpath late.efg && as_critpath steps.efg'
coarse_profile() { # whatever tells nodes apart
	eventflow profile late.efg --format csv >fine && for options in "--signature function" "--fold bytes,peer,tag" "--times stats"; do
		# shellcheck disable=SC2086
		eventflow build late -o late-coarse.efg $options && eventflow profile late-coarse.efg --format csv |
			sed "s/^late-coarse.efg,/late.efg,/" | sort | diff - coarse.expected || return 1
	done
}
eventflow profile late.efg --format csv | sort >coarse.expected
check "profile is the same with other signatures" coarse_profile
golden matrix "matrix prints who sends to whom" eventflow matrix late.efg
golden matrix.json "... as JSON" eventflow matrix late.efg --format json
golden matrix.csv "... as a table" eventflow matrix late.efg --format csv
golden_folder=$SOURCE/doc golden eventflow-matrix.schema.json "the schema of eventflow matrix is the one in doc/" \
	eventflow matrix late.efg --format schema
check "matrix --rank leaves what one rank sends" eval 'eventflow matrix late.efg --format csv | grep "^file\|^[^,]*,1," >expected &&
	exits 0 eventflow matrix late.efg --rank 1 --format csv && diff expected out'
many_pairs() { # of 30 ranks, each sends to the next one, rank 7 most
	for rank in $(seq 0 29); do
		echo "$rank 1000 1100 MPI_Send send:$(((rank + 1) % 30)):0"
		[ "$rank" != 7 ] || echo "$rank 1200 1300 MPI_Send send:8:0"
		echo "$rank 2000 2100 MPI_Recv recv:$(((rank + 29) % 30)):0"
		[ "$rank" != 8 ] || echo "$rank 2200 2300 MPI_Recv recv:7:0"
	done | "$SOURCE/test/cli/critpath/archive.py" pairs && exits 0 eventflow matrix pairs &&
		[ "$(grep -c "^ *[0-9][0-9]*  *[0-9]" out)" = 20 ] && grep -q "^and 10 more; --format csv lists all" out &&
		sed -n 8p out | grep -q "^ *7  *8  *2 " && [ "$(eventflow matrix pairs --format csv | wc -l)" = 31 ]
}
check "a text has the 20 pairs with most bytes, a table has all" many_pairs
is_svg() { exits 0 "$@" && [ ! -s out ] && well_formed picture.svg; }
well_formed() { /usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"; }
check "matrix draws a picture" eval 'is_svg eventflow matrix late.efg -o picture.svg && grep -q "from rank" picture.svg'
golden growth "growth prints when graphs grew last" eventflow growth steps.efg
golden growth.json "... as JSON" eventflow growth steps.efg --format json
golden growth.csv "... as a table" eventflow growth steps.efg --format csv
golden_folder=$SOURCE/doc golden eventflow-growth.schema.json "the schema of eventflow growth is the one in doc/" \
	eventflow growth steps.efg --format schema
check "growth draws a picture" eval 'is_svg eventflow growth steps.efg -o picture.svg && grep -q "rank 1 (1 thread)" picture.svg'
golden dot "graph writes DOT, loops as clusters" eventflow graph steps.efg
golden graphml "graph writes GraphML" eventflow graph steps.efg --format graphml
check "... which is XML" well_formed "$golden_folder/graphml"
golden graph.json "graph writes JSON" eventflow graph steps.efg --format json
golden_folder=$SOURCE/doc golden eventflow-graph.schema.json "the schema of eventflow graph is the one in doc/" \
	eventflow graph steps.efg --format schema
same_in_all_formats() { # as many nodes and edges, with the same visits and times
	eventflow graph steps.efg --all -o all.json && eventflow graph steps.efg --all -o all.graphml && /usr/bin/python3 - <<-'PYTHON'
	import json, xml.etree.ElementTree as tree
	graph, space = json.load(open("all.json")), "{http://graphml.graphdrawing.org/xmlns}"
	rows = lambda kind, *keys: [[row.find(f"{space}data[@key='{key}']").text for key in keys] for row in tree.parse("all.graphml").iter(space + kind)]
	assert rows("node", "label", "visits") == [[row["label"], str(row["visits"])] for row in graph["nodes"]]
	assert rows("edge", "count", "after") == [[str(row["count"]), row["visits"]] for row in graph["edges"]]
	# Each visit of a node is entered by an edge, but the first event.
	entered = [0] * len(graph["nodes"])
	for edge in graph["edges"]: entered[edge["to"]] += edge["count"]
	assert entered[1:] == [node["visits"] for node in graph["nodes"]][1:] and sum(entered) == graph["events"] - 1
	PYTHON
}
check "... with the nodes and edges that GraphML has, and all events" same_in_all_formats
page_is_whole() {
	exits 0 eventflow graph steps.efg -o page.html && [ ! -s out ] && ! grep -q "http[s]*://[^w]" page.html &&
		[ "$(grep -c "loop [01]: " page.html)" -ge 2 ] && grep -q "MPI_Bcast" page.html
}
check "graph writes a page with calls and loops that needs no other file" page_is_whole
check "graph --all shows each call" eval 'exits 0 eventflow graph late.efg --all && [ "$(grep -c "^  n[0-9]* \[" out)" = 7 ]'
check "... which are one node as a chain" eval 'exits 0 eventflow graph late.efg && [ "$(grep -c "^  n[0-9]* \[" out)" = 3 ]'
golden compare "compare prints what differs between runs" eventflow compare late.efg steps.efg
golden compare.json "... as JSON" eventflow compare late.efg steps.efg --format json
golden compare-ranks.csv "compare prints what differs between ranks" eventflow compare steps.efg --rank 0 --other-rank 1 --format csv
golden_folder=$SOURCE/doc golden eventflow-compare.schema.json "the schema of eventflow compare is the one in doc/" \
	eventflow compare late.efg steps.efg --format schema
nothing_differs() {
	exits 0 eventflow compare steps steps.efg && grep -q "^nodes  *6 " out && ! grep "^only in [ab]  *[1-9]" out &&
		! grep -q "differ" out
}
check "nothing differs between a run and itself" nothing_differs
check "compare needs two of something" complains 2 "a second FILE, or --rank and --other-rank of one, is missing" \
	eventflow compare steps.efg
check "another rank that is not there is a usage error" complains 2 "--other-rank 5: there are 2 ranks" \
	eventflow compare steps.efg --rank 0 --other-rank 5
eventflow build steps -o steps-none.efg --times none
check "loops without times have none" eval 'exits 0 eventflow loops steps-none.efg --format csv && grep -q "MPI_Allreduce" out'

# -------------------------------------------------------------------- as an archive

eventflow trace late.efg -o again || exit 1
same_answer() { # COMMAND...: its output does not tell the archive, the file and the archive of the file apart
	for trace in late late.efg again; do
		"$@" $trace >$trace.out 2>$trace.err || return 1
		sed -i "s/\"file\": .*/\"file\"/; s/^$trace,//" $trace.out
	done
	cmp late.out late.efg.out && cmp late.out again.out
}
for command in path waits imbalance profile; do
	check "critpath $command answers from the file as from the archive" same_answer critpath $command --format json
done
same_graph() {
	for trace in late late.efg again; do
		schedgen $trace -o $trace.goal 2>/dev/null && grep -v "^//" $trace.goal >$trace.graph || return 1
	done
	cmp late.graph late.efg.graph && cmp late.graph again.graph
}
check "schedgen makes the same graph" same_graph
check "a file of a file is the same" eval 'eventflow build late.efg -o twice.efg && cmp late.efg twice.efg'
check "an archive that is there stays" complains 1 "again" eventflow trace late.efg -o again

# ------------------------------------------------------------------------- options

eventflow build late -o none.efg --times none
eventflow build late -o stats.efg --times stats
check "fewer times take fewer bytes" eval '[ "$(stat -c %s none.efg)" -lt "$(stat -c %s late.efg)" ]'
# Without the times of all calls requests have other numbers.
functions() { eventflow trace "$1" --print | cut -d " " -f 1,2,5- | sed 's/ request [0-9]*//g'; }
check "all have the same calls" eval 'functions late.efg >all && functions none.efg | cmp - all && functions stats.efg | cmp - all'
check "a file without times says so in trace" complains 0 "lacks the times of calls" eventflow trace stats.efg -o stats.trace
check "... in schedgen" eval 'exits 0 schedgen stats.efg -o stats.goal && grep -q "lacks the times of calls" err'
check "... of the archive of it, too" eval 'exits 0 schedgen stats.trace -o stats.goal && grep -q "lacks the times of calls" err'
check "... in critpath" eval 'exits 0 critpath path stats.efg && grep -q "^no times" out'
check "no times are made of none" complains 1 "give --times none" eventflow build none.efg -o more.efg
check "they can be left out" eval 'eventflow build late.efg -o fewer.efg --times none && cmp fewer.efg none.efg'
for options in "--signature function" "--signature call" "--fold bytes,tag,peer"; do
	# shellcheck disable=SC2086
	check "with $options the file has the same calls" eval "eventflow build late -o coarse.efg $options && functions coarse.efg | cmp - all"
done
check "an unknown field is a usage error" complains 2 "unknown field 'size' (expected bytes, tag or peer)" \
	eventflow build late -o x.efg --fold tag,size
check "build needs an output" complains 2 "-o FILE is missing" eventflow build late
check "trace needs an output" complains 2 "-o DIR or --print is missing" eventflow trace late.efg
check "--rank is for --print" complains 2 "only --print is of one rank" eventflow trace late.efg -o x --rank 1
check "a rank that is not there is a usage error" complains 2 "--rank 9: there are 3 ranks" eventflow trace late.efg --print --rank 9
check "an archive is no event flow file" complains 1 "late/traces.otf2: is not an event flow file" eventflow trace late/traces.otf2 --print

# ------------------------------------------------------------------------- damage

head -c 100 late.efg >cut.efg
check "a file that is cut is refused with the place" complains 1 "cut.efg: damaged at byte " eventflow info cut.efg
check "... by critpath, too" complains 1 "cut.efg: damaged at byte " critpath path cut.efg
{ head -c 8 late.efg && printf '\002\375' && tail -c +11 late.efg; } >new.efg
check "a newer version is refused" complains 3 "version 2 of the format" eventflow info new.efg

# ------------------------------------------------------------------- archives at hand

DATA=${DATA:-$SOURCE/../shared/data}
comes_back() { # TRACE: critpath answers from its file as from itself, and a file of the calls that come back has the same calls
	eventflow build "$1" -o data.efg && eventflow trace data.efg --print >data.calls && [ "$(wc -l <data.calls)" -gt 20 ] || return 1
	for command in path waits profile; do
		critpath $command "$1" --format csv 2>/dev/null | cut -d , -f 2- >a.csv
		critpath $command data.efg --format csv 2>/dev/null | cut -d , -f 2- >b.csv
		[ -s a.csv ] && cmp a.csv b.csv || return 1
	done
	eventflow build data.efg -o data2.efg && cmp data.efg data2.efg
}
for trace in liballprof/lulesh-8 otf2/scorep-ping-pong; do
	if [ -d "$DATA/$trace" ]; then
		check "$trace: the file has its calls and times" comes_back "$DATA/$trace"
	else
		skip "$trace: the file has its calls and times" "there is no $trace"
	fi
done
