#!/bin/sh
# runs: slow
# Test llamp analyze, sweep and path.
. "$SOURCE/test/cli/tap.sh"

here=$SOURCE/test/cli/llamp
cp "$here"/*.goal "$here"/*.yaml .
python() {
	/usr/bin/python3 "$here/check.py" "$@"
}

# ------------------------------------------------------------ worked example
# Figure 4 of the paper: o = 0, G = 5; T is L + 2015 (bound) or max(L + 1115, 1500) (tolerant).

# number FILE KEY... VALUE: a number of the analysis of $graph at L = $latency with $engine
number() {
	llamp analyze "$graph" -L "$latency" --overhead 0 -G 5 --tolerance 25,1 --engine "$engine" \
		--format json >number.json && python number number.json "$@"
}

for engine in lp path; do
	graph=bound.goal latency=500
	check "$engine: T = L + 2015 where rank 1 waits" number runtime_ns 2515
	check "$engine: lambda_L is 1 there" number lambda_L right 1
	check "$engine: no latency is critical there" number critical_range_ns 0 0
	check "$engine: no latency above is critical" number critical_range_ns 1 null
	graph=tolerant.goal latency=500
	check "$engine: T = 1615 at L = 500 where rank 1 computes first" number runtime_ns 1615
	check "$engine: the critical latency is 385" number critical_range_ns 0 385
	check "$engine: rho_L is 500/1615" number rho_L 0.309597523219814
	latency=485
	check "$engine: T <= 2000 up to L = 885" number tolerance 0 L_ns 885
	check "$engine: that is 400 more than L" number tolerance 0 delta_L_ns 400
	latency=385
	check "$engine: at the kink the left slope is 0" number lambda_L left 0
	check "$engine: at the kink the right slope is 1" number lambda_L right 1
	latency=100
	check "$engine: below the kink the range ends at 385" number critical_range_ns 1 385
	for graph in bound tolerant; do
		for format in text json csv; do
			golden analyze-$graph-$engine.$format \
				"$engine: analyze prints the $graph graph as $format" \
				llamp analyze $graph.goal -L 500 --overhead 0 -G 5 --engine $engine \
				--format $format
		done
	done
done
golden analyze-kink.text "analyze prints both slopes at a critical latency" \
	llamp analyze tolerant.goal -L 385 --overhead 0 -G 5
golden sweep-tolerant.csv "sweep prints the exact breakpoints" \
	llamp sweep --format csv tolerant.goal --min 0 --max 1us --overhead 0 -G 5
golden sweep-samples.csv "sweep --step prints samples" \
	llamp sweep --format csv tolerant.goal --min 0 --max 1us --step 250 --overhead 0 -G 5
long_sweep() {
	exits 0 llamp sweep kink.goal --min 0 --max 99us --step 1us && tail -n 1 out | grep -qx "and 60 more; --format csv lists all" &&
		[ "$(llamp sweep kink.goal --min 0 --max 99us --step 1us --format csv | grep -c ,runtime,)" -eq 100 ]
}
check "a long table of a sweep is cut, and CSV has all rows" long_sweep
# T = L + 2015: 5 % more is L = 615.75, and a quarter beyond that 770, rounded up to two digits.
default_sweep() {
	exits 0 llamp sweep bound.goal -L 500 --overhead 0 -G 5 --format csv --resources none && grep -q "^bound.goal,path,0,.*,runtime," out &&
		grep -q "^bound.goal,path,790,.*,runtime," out
}
check "a sweep without a range goes from 0 beyond the tolerances" default_sweep
check "... but not from beyond them" complains 2 "--max is needed" llamp sweep bound.goal -L 500 --overhead 0 -G 5 --min 1ms
golden sweep-kink.text "sweep prints a table" \
	llamp sweep kink.goal --min 0 --max 2us --format text --overhead 10 -G 1
golden sweep-kink.json "sweep prints JSON" \
	llamp sweep kink.goal --min 0 --max 2us --format json --overhead 10 -G 1
for format in text json csv; do
	golden sweep-G.$format "sweep --vary G prints the exact values of G as $format" \
		llamp sweep tolerant.goal --vary G --min 0 --max 200 -L 100 --overhead 0 --format $format
	golden analyze-o.$format "analyze --vary o prints ranges and tolerances of o as $format" \
		llamp analyze tolerant.goal --vary o -L 100 --overhead 285 -G 5 --format $format
	golden path-tolerant.$format "path prints the critical path as $format" \
		llamp path tolerant.goal -L 500 --overhead 100 -G 5 --format $format
done
for table in slack lambda; do
	golden path-$table.csv "path --table $table" llamp path kink.goal -L 1us --overhead 10 -G 1 --format csv --table $table
done
near() {
	llamp path "$@" --format json >near.json && python schema "$SOURCE/doc/path.schema.json" near.json || return 1
	for table in segments slack lambda; do
		llamp path "$@" --format csv --table $table >near-$table.csv || return 1
	done
	python near near.json near-segments.csv near-slack.csv near-lambda.csv -
}
for graph in kink ring gaps tolerant; do
	check "slack and latencies by rank pair fit the path of $graph" near $graph.goal -L 1us --overhead 10 -G 1
done
check "so with a gap and rendezvous" near ring.goal -g 9us -S 9
check "so of a graph without messages" near silent.goal
# next_agrees GRAPH OPTION...: analyze tells the same critical latency, and the same slope there
next_agrees() {
	llamp path "$@" --format json >near.json && llamp analyze "$@" --format json --engine path >here.json &&
		/usr/bin/python3 -c '
import json, subprocess, sys
near, here = json.load(open("near.json")), json.load(open("here.json"))
critical = here["critical_range_ns"][1]
up_to = near["next_up_to_ns"] or float("inf")
assert (near["next"] == []) == (critical is None or critical > up_to), near["next"]
assert here["lambda_L"]["right"] == near["lambda_L"]
for there in near["next"]:
    assert there["L_ns"] == critical <= up_to
    again = json.loads(subprocess.check_output(["llamp", "analyze", *sys.argv[1:], "-L", repr(critical + 1e-9), "--format", "json",
                                                "--engine", "path"]))
    assert again["lambda_L"]["right"] == there["lambda_L"] > near["lambda_L"]
    assert abs(again["runtime_ns"] - there["runtime_ns"]) < 1e-6
    changed = sum(pair["lambda_L"] - pair["lambda_L_before"] for pair in there["rank_pairs"])
    assert changed == there["lambda_L"] - near["lambda_L"], there
    critical = again["critical_range_ns"][1]
' "$@"
}
check "path tells the next critical latency and who joins there" next_agrees tolerant.goal -L 100 --overhead 0 -G 5
for graph in kink ring gaps; do
	check "as analyze does for $graph" next_agrees $graph.goal -L 0 --overhead 10 -G 1
done
check "a table is for CSV" complains 2 "--table has no effect: tables are chosen for --format csv" llamp path kink.goal --table slack
golden path-resources.text "path says up to where the order of service holds" \
	llamp path kink.goal -L 0 --overhead 300 -G 1 --resources cpu,nic
for resources in cpu nic cpu,nic; do
	for graph in kink ring gaps; do
		check "as analyze does for $graph with resources $resources" \
			next_agrees $graph.goal -L 0 --overhead 10 -G 1 --resources $resources
	done
done
# limited GRAPH OPTION...: there are next latencies, up to which the order holds, or the limit is told.
limited() {
	next_agrees "$@" && llamp analyze "$@" --exact-order-range --format json >exact.json && /usr/bin/python3 -c '
import json
near, here, exact = (json.load(open(name + ".json")) for name in ("near", "here", "exact"))
assert near["next_up_to_ns"] == exact["order_range_ns"][1] is not None, near["next_up_to_ns"]
(low, high), (least, most) = here["order_range_ns"], exact["order_range_ns"]
assert least <= low <= 100 <= high <= most and exact["order_range_exact"] == [True, True], here["order_range_ns"]'
}
schedgen --pattern halo-2d --ranks 9 --iterations 3 --compute 20us:90% --bytes 2KiB -o halo.bin 2>/dev/null
check "the next latencies end where the order of service may change" limited halo.bin -L 100 --overhead 200 --resources cpu
for resources in cpu nic cpu,nic; do
	check "slack and latencies fit the path with resources $resources" \
		near kink.goal -L 1us --overhead 10 -G 1 --resources $resources -S 100
done
check "who joins is refused without calls" complains 3 "no side file" llamp path kink.goal --format csv --table next
golden path-gaps.text "path shows where a send waits for the one before it" \
	llamp path gaps.goal -g 9us -G 1 --overhead 0
golden path-rendezvous.text "path contains a rendezvous message once" \
	llamp path kink.goal -L 1us --overhead 10 -G 1 -S 100

# same_text FILE OPTION...: check that both engines print the same, except for the engine and its basis.
same_text() {
	llamp analyze "$@" --engine lp --format json >lp.json &&
		llamp analyze "$@" --engine path --format json >path.json &&
		! grep -q '"basis_range_[a-z_]*": null' lp.json &&
		sed -i '/"engine"/d; /"basis_range/d' lp.json path.json && diff -u lp.json path.json
}
for options in "-L 500" "-L 0" "-L 385 --overhead 0 -G 5" "-S 0" "-S 0 --rendezvous sync -g 7us" \
		"-S 3 --rendezvous paper -G 0.0123"; do
	for graph in bound tolerant kink; do
		check "both engines print the same for $graph.goal $options" \
			same_text $graph.goal $options --tolerance 0,0.1,1,7,100,12345
	done
done
for options in "--vary G -G 95 -L 100 --overhead 0" "--vary G -G 100 -L 100 --overhead 0" "--vary o -S 0" \
		"--vary G -S 3 --rendezvous paper -g 7us" "--vary o --overhead 0" "--vary g -g 7us" "-p g=7us --vary g -S 3"; do
	for graph in bound tolerant kink; do
		check "both engines print the same for $graph.goal $options" \
			same_text $graph.goal $options --tolerance 0,0.1,1,7,100,12345
	done
done
real=$SOURCE/../shared/data/goal/lulesh-8.bin
if [ -r "$real" ]; then
	for options in "--vary G" "--vary o -S 1KB" "--vary G -G 0 -L 1ms" "-L 3us" "-L 0 --overhead 1s -S 1KB --rendezvous paper" "-L 77.7us -G 1 --overhead 1s -S 1KB" "-L 1ms -S 4KB" "-g 1us -S 100 --rendezvous sync"; do
		check "both engines print the same for a real program with $options" \
			same_text "$real" $options --tolerance 0,0.1,1,2,5,50
	done
else
	skip "both engines print the same for a real program" "no data"
fi

# --------------------------------------------------------------------- JSON

schemas() {
	for engine in lp path auto; do
		llamp analyze kink.goal --engine $engine --format json >a-$engine.json || return 1
	done
	llamp analyze - --format json -S 1KB --rendezvous paper <bound.goal >a-in.json &&
		printf 'num_ranks 1\nrank 0 {\n}\n' |
		llamp analyze - --format json --engine path >a-empty.json &&
		llamp analyze kink.goal --vary G --format json >a-G.json &&
		llamp analyze kink.goal --vary o --engine path --format json >a-o.json &&
		python schema "$SOURCE/doc/analyze.schema.json" a-*.json &&
		llamp sweep kink.goal --min 0 --max 5us --format json >s-1.json &&
		llamp sweep kink.goal --min 1 --max 1 --step 2 --format json >s-2.json &&
		llamp sweep kink.goal --vary G --min 7GB/s --max 1 --step 0.1 --format json >s-G.json &&
		llamp sweep kink.goal --vary o --min 0 --max 5us --format json >s-o.json &&
		python schema "$SOURCE/doc/sweep.schema.json" s-*.json &&
		llamp path kink.goal --format json >p-1.json &&
		llamp path ring.goal -g 9us -S 9 --format json >p-2.json &&
		python schema "$SOURCE/doc/path.schema.json" p-*.json
}
golden_folder=$SOURCE/doc golden analyze.schema.json "the schema of analyze is the one in doc/" llamp analyze kink.goal --format schema
check "... whatever is varied" eval 'llamp analyze kink.goal --vary L+2*o -L 3us --format schema | cmp - "$SOURCE/doc/analyze.schema.json"'
golden_folder=$SOURCE/doc golden path.schema.json "the schema of path is the one in doc/" llamp path kink.goal --format schema
golden_folder=$SOURCE/doc golden sweep.schema.json "the schema of sweep is the one in doc/" llamp sweep kink.goal --format schema
check "... whatever is varied" eval 'llamp sweep kink.goal --vary L+2*o -L 3us --format schema | cmp - "$SOURCE/doc/sweep.schema.json"'
check "JSON follows the schemas in doc/" schemas
missing_key() {
	sed '/lambda_G/d' a-lp.json >bad.json
	! python schema "$SOURCE/doc/analyze.schema.json" bad.json 2>/dev/null
}
check "the schema refuses an object without lambda_G" missing_key
odd_name() {
	name=$(printf 'a,"b"\n\377\033[31m.goal')
	cp kink.goal "$name" && llamp analyze "$name" --format json >odd.json &&
		python schema "$SOURCE/doc/analyze.schema.json" odd.json &&
		llamp analyze "$name" --format csv >odd.csv &&
		/usr/bin/python3 -c 'import csv; lines = open("odd.csv").read().splitlines()
rows = list(csv.reader(lines))
assert len(lines) == len(rows) > 2 and all(len(row) == len(rows[0]) for row in rows)
assert rows[1][0] == "a,\"b\"\\n\\xff\x1b".replace("\x1b", "\\x1b[31m") + ".goal", rows[1][0]'
}
check "odd file names are escaped in JSON and CSV" odd_name
joined() {
	{
		llamp analyze kink.goal --format csv
		llamp analyze bound.goal --vary G --format csv | tail -n +2
		llamp sweep --format csv kink.goal --min 1us --max 9us | tail -n +2
		llamp sweep --format csv kink.goal --vary o --min 1us --max 9us --step 1us | tail -n +2
	} >joined.csv && python long joined.csv
}
check "CSV of analyze and sweep is in long form: a line for each fact, and runs can be joined" joined
fits() {
	COLUMNS=60 llamp $1 >narrow && COLUMNS=200 llamp $1 >wide &&
		awk 'length($0) > 60 {print; bad = 1} END {exit bad}' narrow &&
		[ "$(tail -n +4 narrow | tr -d ' \n')" = "$(tail -n +4 wide | tr -d ' \n')" ]
}
check "tables of analyze fit the terminal and lose nothing" fits "analyze tolerant.goal"
cp kink.goal "$name"
for command in "analyze" "path" "sweep --min 0 --max 1us --format text"; do
	check "llamp ${command%% *} does not send escape sequences of file names to the terminal" \
		eval "! llamp $command '$name' --overhead=x 2>&1 | grep -q \"\$(printf '\\033')\""
done

contiguous() {
	llamp path "$@" --format json >path.json && llamp path "$@" --format csv >path.csv &&
		python path path.json path.csv
}
check "segments follow each other from 0 to T" contiguous kink.goal -G 0.0123456789
check "... with rendezvous, too" contiguous kink.goal -S 100 -L 0.000000001
check "... with gaps, too" contiguous gaps.goal -g 9us
mixed_schema() {
	sed 's/"vary": "G"/"vary": "L"/' a-G.json >bad.json
	! python schema "$SOURCE/doc/analyze.schema.json" bad.json 2>/dev/null || return 1
	sed 's/"vary": "G"/"vary": "L"/' s-G.json >bad.json
	! python schema "$SOURCE/doc/sweep.schema.json" bad.json 2>/dev/null
}
check "the schemas refuse an object whose keys are not of the varied parameter" mixed_schema
on_function() {
	llamp sweep --format csv "$@" --min 0 --max 3000 >exact.csv &&
		llamp sweep --format csv "$@" --min 0 --max 3000 --step 37.5 >samples.csv &&
		python sweep exact.csv samples.csv
}
for varied in L G o; do
	check "samples lie on the function of the breakpoints in $varied" \
		on_function kink.goal --overhead 10 -G 1 --vary $varied
done
same_sweep() {
	llamp sweep --format csv kink.goal --min 7GB/s --vary G --max 1 >first.csv &&
		llamp sweep --format csv kink.goal --vary G --max 8Gbit/s --min 0.142857143ns >second.csv &&
		cmp first.csv second.csv
}
check "values of G are times or bandwidths, before or after --vary" same_sweep
if [ -r "$real" ]; then
	check "samples of a real program lie on the function of its breakpoints" on_function "$real"
	check "... also in G" on_function "$real" --vary G
	check "... and its critical path is contiguous" contiguous "$real" -S 1KB
fi

# --------------------------------------------------------------- parameters

params() {
	llamp analyze kink.goal --params cluster.yaml "$@" --format csv | cut -d, -f3-10 | tail -n 1
}
equal() {
	[ "$1" = "$2" ] || { echo "'$1' is not '$2'" && return 1; }
}
check "a parameter file sets the parameters that it names" equal "$(params)" 500,100,0,5,0,1000,read,none
check "options override the file" \
	equal "$(params -L 3us --overhead 0 -g 1 -G 1ns -S 2KB --rendezvous paper)" 3000,0,1,1,0,2000,paper,none
check "... with S none, too" equal "$(params -S none)" 500,100,0,5,0,inf,read,none
check "long options are the same" equal \
	"$(params --latency 3us --overhead 0 --gap 1 --gap-per-byte 8GB/s --rendezvous-threshold 1KiB)" \
	3000,0,1,0.125,0,1024,read,none
echo 'g: 2us' >some.yaml
check "parameters that the file lacks have their defaults" equal \
	"$(llamp analyze kink.goal --params some.yaml --format csv | cut -d, -f3-10 | tail -n 1)" \
	3000,5000,2000,0.018,0,inf,read,none

refused_params() {
	printf "$1" >bad.yaml
	complains 1 "$2" llamp analyze kink.goal --params bad.yaml
}
check "an unknown parameter is refused" refused_params 'L: 1\nx: 2\n' \
	"bad.yaml:2:1: unknown parameter 'x' (expected L, o, g, G, O, S, rendezvous, resources, sizes, intra-node, ranks-per-node, mapping, topology, unknown or intervals)"
check "a parameter without value is refused" refused_params 'L:\n' 'bad.yaml:1:1: L: '
check "a list of values is refused" refused_params 'L: [1, 2]\n' 'bad.yaml:1:1: L: '
check "a parameter given twice is refused" refused_params 'L: 1\nL: 2\n' 'bad.yaml:2:1: '
check "a wrong unit is refused" refused_params 'G: 3\nL: 2 kg\n' 'bad.yaml:2:1: L: '
check "a second document is refused" refused_params 'L: 1\n---\nL: 2\n' 'bad.yaml:2:1: '
check "an empty parameter file is refused" refused_params '' 'bad.yaml:1:1: '
check "a tab is refused" refused_params 'L: 1\n\to: 2\n' 'bad.yaml:2:1: '
check "binary parameters are refused" refused_params '\001\002\377' 'bad.yaml:1:1: '
check "a missing parameter file is refused" \
	complains 1 nowhere.yaml llamp path kink.goal --params nowhere.yaml
check "a directory for a parameter file is refused" complains 1 '.: ' \
	llamp sweep kink.goal --min 0 --max 1 --params .

same_options() {
	llamp analyze kink.goal -L 1us --overhead 7 -g 3 -G 1 -S 1KB --rendezvous sync >letters &&
		llamp analyze kink.goal -p L=1us -p o=7 -p g=3 -p G=1 -p S=1KB -p rendezvous=sync >names &&
		diff -u letters names
}
check "-p sets any parameter by its name" same_options
check "the last of several values of a parameter applies" equal \
	"$(params -L 1 -p L=2 | cut -d, -f1),$(params -p L=2 -L 1 | cut -d, -f1)" 2,1
check "the message about a wrong -p lists the parameters" \
	complains 2 "unknown parameter 'l' (expected L, o, g, G, O, S, rendezvous or resources)" \
	llamp analyze kink.goal -p l=1us
check "the message about a wrong --vary lists the variables" \
	complains 2 "unknown variable 'l' (expected one of L, o, g, G, O)" llamp analyze kink.goal --vary l
check "a variable that is off cannot be varied" complains 2 "g is switched off" \
	llamp sweep kink.goal --vary g --min 0 --max 1us
check "a sweep in g is a function" on_function gaps.goal --vary g -g 1

# ---------------------------------------------------------------- resources

# Seven messages of an MPI_Waitall cost one overhead without limits, and seven with limited CPUs.
waitall() {
	echo "num_ranks 2"
	echo "rank 0 {"
	for i in 1 2 3 4 5 6 7; do echo "s$i: send 1b to 1 tag $i"; done
	echo "}"
	echo "rank 1 {"
	for i in 1 2 3 4 5 6 7; do echo "r$i: recv 1b from 0 tag $i"; done
	echo "w: calc 0"
	for i in 1 2 3 4 5 6 7; do echo "w requires r$i"; done
	echo "}"
}
waitall >waitall.goal
runtime_of() {
	llamp analyze waitall.goal -L 1us --overhead 100 -G 0 --format csv "$@" |
		awk -F, '/,runtime,/ {print $NF}'
}
check "without limits the receives of an MPI_Waitall cost one overhead" equal "$(runtime_of)" 1200
# The last of seven sends starts at 600, and its message arrives at 1700.
check "with limited CPUs sends and receives follow each other" \
	equal "$(runtime_of --resources cpu)" 1800
check "a parameter file limits resources too" \
	equal "$(echo 'resources: cpu' >limits.yaml && runtime_of --params limits.yaml)" 1800
check "O is the cost of each byte on both sides" \
	equal "$(runtime_of -p O=10)" 1220
check "both spellings of both resources are the same" \
	equal "$(runtime_of --resources nic,cpu)" "$(runtime_of --resources cpu,nic)"
check "an unknown resource is refused" complains 2 "'gpu'" \
	llamp analyze waitall.goal --resources gpu
check "the order range is printed with resources" \
	eval 'llamp analyze waitall.goal --resources cpu | grep -q "^order range"'
check "the order range is not printed without resources" \
	eval '! llamp analyze waitall.goal | grep -q "^order range"'
check "the segments of a path with resources follow each other" contiguous kink.goal --resources cpu,nic
check "JSON with resources follows the schema" \
	eval 'llamp analyze waitall.goal --resources cpu,nic --format json >r.json &&
		python schema "$SOURCE/doc/analyze.schema.json" r.json'
# The message arrives at L + 10.  Beyond L = 490 the receive waits for the calc of 1000 ns, so that T jumps from 2510 to 3510 ns.
cat >late.goal <<-'END'
	num_ranks 2
	rank 0 {
	send 1b to 1
	}
	rank 1 {
	v: recv 1b from 0
	w: calc 500 cpu 1
	a: calc 1000
	c: calc 2000 cpu 2
	a requires w
	c requires v
	}
	END
# tolerated OPTION...: the tolerance of 10 %
tolerated() {
	llamp analyze late.goal -L 400 --overhead 10 -G 0 --resources cpu --tolerance 10 "$@" | sed -n 's/^ *10 % *\([^ ]* [^ ]*\) .*/\1/p'
}
for engine in lp path; do
	check "a tolerance ends where the order of service changes and T jumps, says engine $engine" equal "$(tolerated --engine $engine)" "490 ns"
	check "... but that of one order is farther away" equal "$(tolerated --engine $engine --frozen-order)" "642 ns"
done
check "text says which order tolerances hold for" eval 'llamp analyze late.goal --resources cpu | grep -q "decided again" &&
	llamp analyze late.goal --resources cpu --frozen-order | grep -q "one order of service"'
check "CSV has both tolerances" eval 'llamp analyze late.goal -L 400 --overhead 10 -G 0 --resources cpu --tolerance 10 --format csv >both.csv &&
	grep -q ",tolerance_L,10,ns,490$" both.csv && grep -q ",tolerance_frozen_L,10,ns,642$" both.csv'
check "JSON has both, and where the order changes" eval 'llamp analyze late.goal -L 400 --overhead 10 -G 0 --resources cpu --tolerance 10 \
	--exact-order-range --format json >both.json && python schema "$SOURCE/doc/analyze.schema.json" both.json &&
	/usr/bin/python3 -c "
import json
both = json.load(open(\"both.json\"))
assert both[\"tolerance\"] == [dict(percent=10, L_ns=490, delta_L_ns=90, frozen_L_ns=642)], both[\"tolerance\"]
assert both[\"tolerance_order\"] == \"resimulated\" and both[\"order_range_ns\"] == [0, 490], both
assert both[\"order_range_exact\"] == [True, True]"'
check "JSON of one order follows the schema" eval 'llamp analyze late.goal --resources cpu --frozen-order --format json >frozen.json &&
	python schema "$SOURCE/doc/analyze.schema.json" frozen.json && grep -q "\"tolerance_order\": \"frozen\"" frozen.json'
check "a tolerance of several variables is decided again, too" eval 'llamp analyze late.goal -L 400 --overhead 10 -G 0 --resources cpu \
	--vary L+2*o --tolerance 10 --format json >sum.json && python schema "$SOURCE/doc/analyze.schema.json" sum.json &&
	grep -q "\"tolerance_order\": \"resimulated\"" sum.json'
check "a sweep decides the order of service again on request" \
	eval 'llamp sweep kink.goal --resources cpu --resimulate --min 0 --max 1us --format json >rs.json &&
		python schema "$SOURCE/doc/sweep.schema.json" rs.json'
check "a sweep of one order of service says where it is known" \
	eval 'llamp sweep late.goal --resources cpu --min 0 --max 1us --format json >ro.json &&
		python schema "$SOURCE/doc/sweep.schema.json" ro.json && grep -q "\"order_range_ns\"" ro.json &&
		llamp sweep late.goal --resources cpu --min 0 --max 1us | grep -q "one order of service"'
check "a sweep jumps where the order changes" eval 'llamp sweep late.goal -L 400 --overhead 10 -G 0 --resources cpu --resimulate --min 489ns --max 492ns --step 1ns --format csv |
	grep ",runtime," | cut -d, -f15 | tr "\n" " " | grep -q "^2509 2510 3510 3510 $"'
sweep_late() {
	llamp sweep late.goal -L 400 --overhead 10 -G 0 --resources cpu "$@"
}
check "a sweep marks where the order changes" eval 'sweep_late --min 0 --max 600ns --step 200ns --resimulate >changed.text &&
	grep -q "^ *600 ns .*  changed$" changed.text && [ "$(grep -c "  changed$" changed.text)" -eq 1 ] &&
	sweep_late --from 0 --to 1us --resimulate --format json >changed.json && python schema "$SOURCE/doc/sweep.schema.json" changed.json &&
	/usr/bin/python3 -c "
import json
points = json.load(open(\"changed.json\"))[\"points\"]
assert [(p[\"L_ns\"], p[\"order_changed\"]) for p in points] == [(0, False), (490, False), (490.000000001, True), (1000, False)], points"'
check "a sweep of one order marks where it is assumed" eval 'sweep_late --min 300ns --max 500ns --step 100ns | sed -n "/order$/,\$p" | sed "s/.* //" | tr "\n" " " |
	grep -q "^order known known assumed $" && sweep_late --from 300ns --to 500ns --step 100ns --format csv |
	grep ",order_known," | cut -d, -f3,15 | tr "\n" " " | grep -q "^300,1 400,1 500,0 $"'
check "a report says for which order its curve holds" eval 'llamp report late.goal --resources cpu -o late.html && grep -q "order in which resources serve requests" late.html &&
	grep -q "for one order of service" late.html'
check "... and marks values with another order" eval 'llamp report late.goal -L 400 --overhead 10 -G 0 --resources cpu --tolerance 10 --max 1us -o other.html --svg other &&
	grep -q "So it was at 32 values of the curve: it is another one at 16 of them" other.html &&
	grep -q "order known to 480 ns" other/curve.svg && grep -q "in another order of service" other/curve.svg &&
	llamp report late.goal --resources cpu --frozen-order -o frozen.html && ! grep -q "in another order of service" frozen.html'
check "a tradeoff says that it holds for one order of service" eval 'llamp tradeoff late.goal --resources cpu | grep -q "one order of service"'
check "so do its JSON, CSV and picture" eval 'llamp tradeoff late.goal --resources cpu --format json >lt.json &&
	python schema "$SOURCE/doc/tradeoff.schema.json" lt.json && grep -q "\"tolerance_order\": \"frozen\"" lt.json &&
	llamp tradeoff late.goal --resources cpu --format csv | sed 1d >lt.csv && grep -q . lt.csv && ! grep -v ",frozen$" lt.csv &&
	llamp tradeoff late.goal --resources cpu --format svg | grep -q "for one order of service"'
check "a comparison says which order its tolerances hold for" eval 'llamp compare late.goal kink.goal --resources cpu | grep -q "decided again at each" &&
	llamp compare late.goal kink.goal --resources cpu --frozen-order | grep -q "one order of service" &&
	! llamp compare late.goal kink.goal | grep -q order'
check "so do its JSON and CSV" eval 'llamp compare late.goal kink.goal --resources cpu --format json >lc.json &&
	python schema "$SOURCE/doc/compare.schema.json" lc.json && grep -q "\"tolerance_order\": \"resimulated\"" lc.json &&
	llamp compare late.goal kink.goal --resources cpu --frozen-order --format csv | sed 1d >lc.csv && grep -q . lc.csv && ! grep -v ",frozen$" lc.csv'
check "a sweep cannot decide the order of service again without resources" complains 2 "name --resources" \
	llamp sweep kink.goal --resimulate --min 0 --max 1us

# ------------------------------------------------------------------- output

check "the message about -o 5us says how to set the overhead" complains 2 "the overhead is --overhead 5us or -p o=5us" \
	llamp analyze kink.goal -o 5us
for line in "analyze kink.goal" "sweep kink.goal --min 0 --max 1us" "path kink.goal" "lp kink.goal"; do
	same_output() {
		llamp $line >printed && llamp $line -o written && cmp printed written &&
			llamp $line -o - | cmp - printed
	}
	check "llamp ${line%% *} -o FILE writes what it prints without -o" same_output
	kept_input() {
		cp kink.goal kept.goal && cp kept.goal copy.goal &&
			complains 2 kept.goal llamp ${line%% *} kept.goal ${line#* kink.goal} -o kept.goal &&
			cmp kept.goal copy.goal
	}
	case $line in *" kink.goal "*) ;; *) check "llamp ${line%% *} does not overwrite its graph" kept_input ;; esac
done
kept_inputs() {
	echo "o: 1us" >kept.yaml && echo calls >kept.goal.calls && cp kept.goal.calls calls &&
		complains 2 "the output would overwrite the input kept.yaml" \
			llamp "$@" --params kept.yaml -o kept.yaml && [ "$(cat kept.yaml)" = "o: 1us" ] &&
		complains 2 "the output would overwrite the input kept.goal.calls" \
			llamp "$@" -o kept.goal.calls && cmp calls kept.goal.calls
}
cp kink.goal kept.goal
for line in "analyze kept.goal --format json" "sweep kept.goal --min 0 --max 1us --format csv" "path kept.goal --format csv" \
		"lp kept.goal --format lp"; do
	check "llamp ${line%% *} does not overwrite its parameters or the calls" kept_inputs $line
done
half_output() {
	mkdir half && complains 1 "noise.goal" llamp analyze noise.goal -o half/report &&
		[ -z "$(ls half)" ]
}
printf 'num_ranks 1\nrank 0 {\nnonsense\n}\n' >noise.goal
check "a run that fails leaves no output" half_output

# -------------------------------------------------------------------- usage

for line in "analyze" "analyze a b" "analyze kink.goal --nonsense" "analyze kink.goal --engine gurobi" \
		"analyze kink.goal --format xml" "analyze kink.goal --tolerance=" \
		"analyze kink.goal --tolerance 1,,2" "analyze kink.goal --tolerance 1,2," \
		"analyze kink.goal --tolerance -1" "analyze kink.goal --tolerance nan" \
		"analyze kink.goal --tolerance inf" "analyze kink.goal --tolerance 1;2" \
		"analyze kink.goal --tolerance 1e99" "analyze kink.goal --tolerance 0.00001"  "analyze kink.goal --tolerance 5%%" \
		"analyze kink.goal --tolerance 0x10" \
		"analyze kink.goal -L" "analyze kink.goal -L fast" "analyze kink.goal -L -1us" \
		"analyze kink.goal -L nan" "analyze kink.goal -L 1e30" "analyze kink.goal -L 3kg" \
		"analyze kink.goal --overhead x" "analyze kink.goal -o 5us" "analyze kink.goal -p o" "analyze kink.goal -p x=1" "analyze kink.goal -p o=x" "analyze kink.goal -g 1h" "analyze kink.goal -G 1KB" \
		"analyze kink.goal -S 1us" "analyze kink.goal -S -1" "analyze kink.goal -S never" \
		"analyze kink.goal --rendezvous eager" "sweep kink.goal --min 2us --max 1us" \
		"sweep kink.goal --min 0 --max 1 --step 0" "sweep kink.goal --min 0 --max 1 --step -1" \
		"sweep kink.goal --min fast --max 1us" "sweep kink.goal --min 0 --max 7GB/s" \
		"sweep kink.goal --vary G --min 0 --max 1KB" "sweep kink.goal --vary G --min 0 --max 0GB/s" \
		"sweep kink.goal --vary G --min 0 --max -1" "sweep kink.goal --vary G --min 2ns --max 7GB/s" \
		"sweep kink.goal --vary g --min 0 --max 1" "sweep kink.goal --vary l --min 0 --max 1" "sweep kink.goal --vary" \
		"sweep kink.goal --vary= --min 0 --max 1" "analyze kink.goal --vary S" \
		"analyze kink.goal --vary L,G" "path kink.goal --vary G" \
		"sweep kink.goal --min 0 --max 1 --format yaml" "sweep --min 0 --max 1" "path" \
		"path kink.goal --engine path" "path kink.goal --table x" "path kink.goal --table" "path kink.goal --format dot" "path kink.goal extra" \
		"lp" "lp kink.goal --vary G" "nonsense" "nonsense kink.goal" "--nonsense"; do
	check "llamp $line is refused as usage" complains 2 "llamp: " llamp $line
done
check "65 tolerances are refused" complains 2 "more than 64" \
	llamp analyze kink.goal --tolerance "$(seq -s, 65)"
check "64 tolerances are accepted" exits 0 llamp analyze kink.goal --tolerance "$(seq -s, 64)"
check "too many samples are a limit" complains 3 "samples" \
	llamp sweep kink.goal --min 0 --max 1s --step 1ns
# The sanitizers reserve more memory than any limit allows.
if (ulimit -v 200000 && llamp --version) >/dev/null 2>&1; then
	schedgen --pattern allreduce=ring --ranks 1200 -o large.bin 2>/dev/null
	refused() { # KiB, text, COMMAND...
		(ulimit -v "$1" && shift && complains 3 "$@")
	}
	check "a graph whose analysis does not fit in memory is refused" \
		refused 350000 "large.bin: the analysis of " llamp analyze large.bin
	schedgen --pattern halo-3d --ranks 64 --compute 50us:10% --iterations 1000 \
		-o dense.bin 2>/dev/null
	check "a linear program that does not fit in memory is refused" \
		refused 300000 "a linear program of " llamp lp dense.bin -o dense.mps
	rm -f large.bin dense.bin
fi
for command in analyze sweep path lp; do
	check "llamp $command --help succeeds" exits 0 llamp $command --help
	check "llamp $command --help=man is a man page" exits 0 llamp $command --help=man
done

# -------------------------------------------------------------- bad graphs

head -c 60 bound.goal >cut.goal
printf '\177\020\0\0\0\0\0\0\002\0\0' >cut.bin
: >empty.goal
head -c 300 /dev/zero >zero.goal
printf 'num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\n}\n' >unmatched.goal
printf 'num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n' >cyclic.goal
printf 'num_ranks 1\nrank 0 {\ncalc 99999999999999999999999\n}\n' >absurd.goal
printf 'num_ranks 4000000000\nrank 0 {\n}\n' >ranks.goal
printf 'this is no graph\n' >words.goal
for file in missing.goal empty.goal cut.goal cut.bin zero.goal unmatched.goal cyclic.goal \
		absurd.goal ranks.goal words.goal .; do
	check "analyze refuses $file" complains 1 "llamp: $file" llamp analyze $file
	check "sweep refuses $file" complains 1 "llamp: $file" llamp sweep $file --min 0 --max 1
	check "path refuses $file" complains 1 "llamp: $file" llamp path $file
done

check "a ring of blocking sends runs while the messages are eager" exits 0 \
	llamp analyze ring.goal -S 8
for option in "-S 0" "-S 7" "-S 7 --rendezvous sync" "-S 7 --rendezvous paper"; do
	for command in "analyze" "path" "sweep --min 0 --max 1us"; do
		check "$command says that it may deadlock with $option" \
			complains 1 deadlock llamp $command ring.goal $option
	done
done
names_the_ring() {
	exits 1 llamp analyze ring.goal -S 0 || return 1
	for rank in 0 1 2; do
		grep -q "rank $rank, operation 0 (send 8 bytes" err || { cat err; return 1; }
	done
}
check "the message about a deadlock names ranks and operations" names_the_ring
# cut FILE: check that FILE is refused if it is cut anywhere but at its last newline.
cut() {
	size=$(wc -c <"$1")
	at=0
	while [ $at -lt $size ]; do
		head -c $at "$1" >part
		status=0
		llamp analyze part --format csv >out 2>err || status=$?
		case $status in
		0) [ $at -ge $((size - 2)) ] || { echo "accepted at $at"; return 1; } ;;
		1) grep -q '^llamp: part' err && [ ! -s out ] || { cat out err; return 1; } ;;
		*) echo "status $status at $at"; cat err; return 1 ;;
		esac
		at=$((at + 1))
	done
}
printf 'num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n' >small.goal
check "a text that is cut anywhere is refused" cut small.goal
goal convert small.goal -o small.bin
check "a binary that is cut anywhere is refused" cut small.bin
goal convert bound.goal -o bound.bin
noise() {
	/usr/bin/python3 -c 'import random
random.seed(7)
for i in range(40):
    data = bytearray(open("bound.bin", "rb").read())
    for k in range(random.randint(1, 4)):
        data[random.randrange(len(data))] = random.randrange(256)
    open(f"noise{i}", "wb").write(bytes(data) if i < 30 else random.randbytes(200))'
	for file in noise*; do
		status=0
		llamp path $file --format csv >out 2>err || status=$?
		[ $status -eq 0 ] || [ $status -eq 1 ] || [ $status -eq 3 ] || { cat err; return 1; }
		[ $status -eq 0 ] || grep -q "^llamp: $file" err || { cat err; return 1; }
	done
}
check "damaged binaries are read or refused" noise

# ----------------------------------------------------------------- terminal

shows_progress() {
	/usr/bin/python3 "$here/terminal.py" bound.goal "$1" >shown && equal "$(cat shown)" "$2"
}
blank=$(printf '%79s' '')
check "work of over two seconds shows progress on a terminal, and removes it" shows_progress when-shown \
	"0 '\\rllamp: reading the graph, 2 s\\r$blank\\r' True"
check "shorter work shows no progress" shows_progress at-once "0 '' True"

if [ -w /dev/full ]; then
	full() {
		llamp analyze kink.goal >/dev/full
	}
	check "a full disk is an error of the system" exits 4 full
fi
