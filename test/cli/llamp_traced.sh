#!/bin/bash
# The traced run time beside T, and tolerances relative to a baseline.
. "$SOURCE/test/cli/tap.sh"
python() { /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" "$@"; }

cp "$SOURCE"/test/cli/llamp/*.goal .
/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace || exit 1
schedgen trace -o trace.bin 2>/dev/null || exit 1

# --------------------------------------------------------- beside T
# Rank 0 returns from MPI_Init at 1000 and enters MPI_Finalize at 6000.

near="-L 100 --overhead 100"
for format in text json csv; do
	golden analyze.$format "analyze prints the traced time and its ratio to T as $format" \
		llamp analyze trace.bin $near --format $format
	golden sweep.$format "sweep prints the ratio at every point as $format" \
		llamp sweep trace.bin --overhead 100 --min 0 --max 1us --step 500 --format $format
done
as_schemas_say() {
	for command in analyze sweep; do
		python schema "$SOURCE/doc/$command.schema.json" "$golden_folder/$command.json" || return 1
	done
}
check "JSON is as the schemas say" as_schemas_say
printf 'intra-node: {L: 1us}\ntopology: {kind: torus, size: [2, 2], links: {wire: 1us}}\n' >torus.yaml
printf 'sizes: [{to: 1KiB, L: 1us}, {L: 2us}]\n' >sizes.yaml
# The traced time is in all outputs about other variables, too.
other_variables() {
	llamp sweep trace.bin --params torus.yaml --vary l_wire --max 2us --format json -o class.json &&
		llamp sweep trace.bin --params torus.yaml --vary links --max 2 --format json -o links.json &&
		llamp sweep trace.bin --params sizes.yaml --vary L_1KiB --max 2us --format json -o size.json &&
		[ "$(grep -l runtime_to_traced class.json links.json size.json | wc -l)" = 3 ] &&
		python schema "$SOURCE/doc/sweep.schema.json" class.json links.json size.json
}
check "... also where a variable of the network is varied" other_variables
copied() {
	goal convert trace.bin -o copy.goal && cp trace.bin.calls copy.goal.calls &&
		llamp analyze copy.goal $near | diff "$golden_folder/analyze.text" -
}
check "the text form of a graph has the same traced time" copied
# unknown COMMAND...: it prints no traced time.
unknown() {
	"$@" >out 2>err && grep -q "^T  " out && ! grep -q traced out err
}
for option in "--compute-scale 2" "--extrapolate 2"; do
	schedgen trace $option -o other.bin 2>/dev/null
	check "nobody has run a graph of $option, so it has no traced time" \
		unknown llamp analyze other.bin
done
schedgen --pattern allreduce=ring --ranks 4 -o pattern.bin 2>/dev/null
check "nor has a pattern" unknown llamp analyze pattern.bin
slice() {
	schedgen trace --from 1500ns --to 2500ns -o slice.bin 2>/dev/null &&
		llamp analyze slice.bin 2>&1 | grep -q "^T / traced .* the traced run took 1 us$"
}
check "the traced time of a slice is that between its edges" slice
with_another_algorithm() {
	schedgen trace --coll allreduce=ring -o ring.bin 2>/dev/null &&
		llamp analyze ring.bin $near | grep -q "^T / traced .* the traced run took 5 us$"
}
check "another algorithm of a collective keeps the traced time" with_another_algorithm
stale() {
	cp pattern.bin stale.bin && cp trace.bin.calls stale.bin.calls &&
		llamp analyze stale.bin 2>err >out && ! grep -q traced out &&
		grep -q "^llamp: warning: stale.bin.calls: belongs to another graph: not used" err
}
check "the traced time of another graph is not used, with a warning" stale

# far TEXT COMMAND...: its one warning is the text.
far() {
	text=$1
	shift
	"$@" >out 2>err && [ "$(cat err)" = "llamp: warning: trace.bin: T is $text" ] && return
	cat err
	return 1
}
silent() {
	"$@" >out 2>err && [ ! -s err ]
}
slow="times the traced run time: messages take longer with these parameters than they did"
check "a T of more than twice the traced time is a warning that names the reason" \
	far "9.62 $slow" llamp analyze trace.bin -L 10us
check "... also of path" far "9.62 $slow" llamp path trace.bin -L 10us
check "... of sweep, if no point is near" far "9.62 $slow" llamp sweep trace.bin --min 10us --max 20us
check "... of tradeoff" far "9.62 $slow" llamp tradeoff trace.bin -L 10us
check "... of compare, once" far "9.62 $slow" llamp compare trace.bin trace.bin -L 10us
check "... of report" far "9.62 $slow" llamp report trace.bin -L 10us -o page.html
# Nearly all of the run is in one message.
waited() {
	printf '%s\n' "0 0 10000000 MPI_Barrier coll:BARRIER" "1 0 10000000 MPI_Barrier coll:BARRIER" \
		"0 11000000 50000000 MPI_Send send:1:1" "1 11000000 50000000 MPI_Recv recv:0:1" |
		"$SOURCE/test/cli/critpath/archive.py" waited --node 0=0 --node 1=0 --preempted 1=900/3000000000/606000000 &&
		exits 0 schedgen waited -o waited.bin && exits 0 llamp analyze waited.bin -L 0 --overhead 0 -G 0 && [ "$(cat err)" = "llamp: warning: waited.bin: T is 0.02 \
times the traced run time: its ranks waited for cores (2 ranks with other processes or threads (a thread of rank 1 waited for a core for 20.2 % of the run))" ]
}
check "a T of less than half of a run whose ranks waited for cores is one that says so" waited
check "a T near the traced time is none" silent llamp analyze trace.bin $near
check "... nor is a sweep that passes it" silent llamp sweep trace.bin --overhead 100 --min 0 --max 20us

basis_range() {
	! llamp analyze trace.bin $near | grep -q "^basis range" &&
		llamp analyze trace.bin $near --basis-range | grep -q "^basis range .* to .* GLPK's basis stays optimal"
}
check "the basis range is printed if asked for" basis_range
no_basis() {
	llamp analyze trace.bin $near --basis-range --engine path 2>err >out && ! grep -q "^basis range" out &&
		grep -q "^llamp: warning: the path engine has no basis.*--engine lp finds it" err
}
check "... with a warning if the engine has none" no_basis

# ------------------------------------------------------- --baseline
# T = max(L + 1115, 1500) (tolerant), L + 2015 (bound)

# limit GRAPH BASELINE PERCENT L DELTA: both engines find this tolerance at L = 500.
limit() {
	for engine in lp path; do
		llamp analyze "$1.goal" -L 500 --overhead 0 -G 5 --baseline "$2" --tolerance "$3" \
			--engine $engine --format json >limit.json &&
			python schema "$SOURCE/doc/analyze.schema.json" limit.json &&
			python number limit.json tolerance 0 L_ns "$4" &&
			python number limit.json tolerance 0 delta_L_ns "$5" || return 1
	done
}
check "a tolerance is relative to the baseline" limit tolerant 2us 0 885 385
check "... by its percentage" limit tolerant 2us 10 1085 585
check "it is below L where T at L is above the bound" limit tolerant 1550ns 0 435 -65
check "... down to where T no longer falls" limit tolerant 1500ns 0 385 -115
check "there is none where T is above the bound at all L" limit tolerant 1499ns 0 null null
check "L = 0 may be the only one" limit bound 2015ns 0 0 -500
check "... or not even that" limit bound 2014ns 0 null null
golden baseline.text "text names the baseline, and says where no L is small enough" \
	llamp analyze bound.goal -L 500 --overhead 0 -G 5 --baseline 1000ns --tolerance 1,150
golden baseline.csv "CSV has -inf where no L is small enough" \
	llamp analyze bound.goal -L 500 --overhead 0 -G 5 --baseline 1000ns --tolerance 1,150 --format csv
golden traced.text "--baseline traced takes the traced run" \
	llamp analyze trace.bin $near --baseline traced --tolerance 0,10,50
in_gap_per_byte() {
	llamp analyze bound.goal -L 500 --overhead 0 -G 5 --vary G --baseline 2500ns --tolerance 0 --format json >G.json &&
		python schema "$SOURCE/doc/analyze.schema.json" G.json && python number G.json tolerance 0 G_ns_per_byte 0
}
check "a baseline bounds other variables too" in_gap_per_byte

# compared GRAPH...: the tolerances that compare finds relative to 1499 ns are those of analyze.
compared() {
	model="-L 500 --overhead 0 -G 5 --baseline 1499ns --tolerance 0,50 --format json"
	llamp compare "$@" $model >compare.json && python schema "$SOURCE/doc/compare.schema.json" compare.json || return 1
	for file in "$@"; do
		llamp analyze "$file" $model >analyze.json && /usr/bin/python3 - "$file" <<-'END' || return 1
			import json, sys
			program = [one for one in json.load(open("compare.json"))["files"] if one["file"] == sys.argv[1]][0]
			facts = {(fact["quantity"], fact.get("percent")): fact for fact in program["facts"]}
			assert facts["baseline", None]["value"] == 1499
			for tolerance in json.load(open("analyze.json"))["tolerance"]:
			    fact = facts["tolerance_L", tolerance["percent"]]
			    assert fact["value"] == tolerance["L_ns"] and fact.get("none") == tolerance.get("none"), (fact, tolerance)
		END
	done
}
check "compare has the tolerances of analyze relative to a baseline" compared tolerant.goal bound.goal
golden compare.text "its table has the baseline, and says where no L is small enough" \
	llamp compare tolerant.goal bound.goal -L 500 --overhead 0 -G 5 --baseline 1499ns --tolerance 0,50
# page GRAPH BASELINE TEXT: the page answers so.
page() {
	llamp report "$1" -L 500 --overhead 0 -G 5 --baseline "$2" --tolerance 0,50 -o page.html &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/report.py" whole page.html &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/report.py" text page.html >page.text && grep -qF "$3" page.text
}
check "a report answers relative to a baseline" page tolerant.goal 2us \
	"Up to L = 885 ns (385 ns more than now) T is at most 0 % above 2 µs."
check "... with less than now" page tolerant.goal 1550ns "Up to L = 435 ns (65 ns less than now) T is at most 0 % above 1.55 µs."
check "... or no L at all" page bound.goal 1000ns "Even with L = 0 T is more than 0 % above 1 µs."
golden report.text "its table and picture are relative to it" grep -A4 -F "Tolerances" page.text
# several BASELINE TEXT: a page of three graphs answers so.
several() {
	llamp report tolerant.goal bound.goal silent.goal -L 500 --overhead 0 -G 5 --baseline "$1" --tolerance 0 -o page.html &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/report.py" text page.html | grep -qF "T is at most 0 % above $2"
}
check "a report of several graphs answers for each" several 1600ns "1.6 µs up to: \
tolerant.goal L = 485 ns (15 ns less than now); bound.goal not even with L = 0; silent.goal not even with L = 0."
check "... also where no L is too large" several 3us "3 µs up to: \
tolerant.goal L = 1.885 µs (1.385 µs more than now); bound.goal L = 985 ns (485 ns more than now); silent.goal however large L is."
traced_page() {
	llamp report trace.bin $near --baseline traced --tolerance 10 -o page.html &&
		/usr/bin/python3 "$SOURCE/test/cli/llamp/report.py" text page.html | grep -q "above the traced run, 5 µs"
}
check "--baseline traced is for reports, too" traced_page
check "... and asks for a traced run" complains 2 "no file bound.goal.calls" llamp report bound.goal --baseline traced -o page.html
check "compare asks for one, too" complains 2 "no file bound.goal.calls" llamp compare trace.bin bound.goal $near --baseline traced
check "a baseline is refused if it is no time" complains 2 "--baseline is a time or 'traced'" \
	llamp analyze bound.goal --baseline soon
check "... or no time at all" complains 2 "less than 1 ns" llamp analyze bound.goal --baseline 0
check "--baseline traced needs the file that has it" complains 2 "no file bound.goal.calls" \
	llamp analyze bound.goal --baseline traced
check "... and a run that was traced" complains 2 "is the graph of a run that nobody has traced (schedgen" \
	llamp analyze other.bin --baseline traced
