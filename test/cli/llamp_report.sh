#!/bin/bash
# Test llamp report: its page is parsed, and its numbers are those of the other commands.
. "$SOURCE/test/cli/tap.sh"

here=$SOURCE/test/cli/llamp
cp "$here"/*.goal "$here"/*.yaml .
parameters="-L 500 --overhead 100 -G 5"
page() {
	/usr/bin/python3 "$here/report.py" "$@"
}
# report ARGUMENT...: write page.html, check its structure.
report() {
	exits 0 llamp report "$@" -o page.html && page whole page.html
}
text() {
	llamp report "$@" -o text.html && page text text.html
}

golden one.text "a report of one graph" text kink.goal $parameters
golden silent.text "a report of a graph without messages" text silent.goal
golden several.text "a report of three graphs" text bound.goal silent.goal kink.goal $parameters --tolerance 1,10

# agrees FILE ARGUMENT...: compare the page with the JSON of analyze, sweep and path.
agrees() {
	file=$1
	shift
	vary=L
	case "$*" in *--vary*) vary=G ;; esac
	report "$file" "$@" --min 0 --max 5us || return 1
	llamp analyze "$file" "$@" --format json >analyze.json || return 1
	# sweep and path do not know the options of an analysis.
	set -- $(echo "$*" | sed 's/--tolerance [0-9.,e]*//; s/--vary G//')
	llamp sweep "$file" "$@" --vary $vary --min 0 --max 5us --format json >sweep.json &&
		llamp path "$file" "$@" --format json >path.json &&
		page agrees page.html analyze.json sweep.json path.json
}
for file in kink bound tolerant ring gaps silent; do
	check "the numbers of $file are those of analyze, sweep and path" agrees $file.goal $parameters
done
check "so with a gap and rendezvous" agrees ring.goal $parameters -g 9us -S 9
check "so with resources" agrees ring.goal $parameters --resources cpu,nic
check "so with other tolerances" agrees kink.goal $parameters --tolerance 0,0.5,30,1e9
check "so with G varied" agrees ring.goal $parameters --vary G
pattern() {
	schedgen --pattern halo-2d --ranks 36 --iterations 20 --compute 100us:50% --bytes 5000 -o halo.bin 2>/dev/null &&
		agrees halo.bin -L 1us
}
check "so for a pattern of 36 ranks" pattern
large() {
	schedgen --pattern halo-1d --ranks 2000 --iterations 130 --compute 100us -o large.bin 2>/dev/null &&
		report large.bin --engine path && grep -q 'left out above 1,000,000 operations' page.html
}
check "a graph of more than a million operations has no slack" large

check "a page of several graphs is whole" report bound.goal ring.goal silent.goal gaps.goal
check "so is that of twenty" report $(for i in $(seq 20); do echo ring.goal; done)
check "so is that of a graph without operations" report empty.goal kink.goal
stdin_page() {
	report - <kink.goal && grep -q 'Latency tolerance of standard input' page.html
}
check "a graph may come from stdin" stdin_page
check "the same name in two folders is told apart" sh -c '
	mkdir -p a b && cp kink.goal a && cp ring.goal b &&
		llamp report a/kink.goal b/kink.goal -o page.html 2>/dev/null ||
		cp ring.goal b/kink.goal && llamp report a/kink.goal b/kink.goal -o page.html &&
		grep -q "<h1>Latency tolerance of a/kink.goal and b/kink.goal</h1>" page.html'

# --------------------------------------------------------------- networks

printf 'topology: {kind: fat-tree, radix: 4, levels: 2, links: {wire: 274ns}, switch: 108ns}\n' >tree.yaml
mkdir -p 'a"b' && printf 'topology: {kind: torus, size: [2, 2], links: {host: 300ns, dim1: 1us, dim2: 2us}, switch: 108ns}\n' >'a"b/<i>.yaml'
golden networks.text "a report of one graph on two networks" \
	text ring.goal --params tree.yaml --params 'a"b/<i>.yaml' --vary links --tolerance 5
two_by_two() {
	report ring.goal kink.goal --params tree.yaml --params 'a"b/<i>.yaml' --tolerance 5 &&
		page names page.html 'of ring.goal on tree.yaml, ring.goal on <i>.yaml, kink.goal on tree.yaml and kink.goal on <i>.yaml' &&
		page names page.html 'a"b/<i>.yaml'
}
check "each graph is on each network" two_by_two
links_by_default() {
	report ring.goal --params tree.yaml && mv page.html default.html &&
		report ring.goal --params tree.yaml --vary links && cmp default.html page.html &&
		grep -q 'links that take .* times as long as now' page.html &&
		report ring.goal --params tree.yaml -L 1us && mv page.html default.html &&
		report ring.goal --params tree.yaml -L 1us --vary L && cmp default.html page.html &&
		printf 'L: 1us\n' >flat.yaml &&
		report ring.goal --params tree.yaml --params flat.yaml && grep -q 'Runtime over L' page.html
}
check "the question is about links where all latency is that of links, else about L" links_by_default
printf 'L: 1us\no: 100ns\nG: 0\n' >near.yaml && printf 'L: 3us\no: 0\nG: 0\n' >far.yaml
increase() {
	report kink.goal --params near.yaml --params far.yaml &&
		page names page.html "tolerates the largest increase: " &&
		report kink.goal ring.goal --params near.yaml && page names page.html "tolerates most: "
}
check "from different values on, the answer is about the increase" increase
check "a network without the varied variable is named" complains 2 "tree.yaml: unknown variable 'l_dim1'" \
	llamp report ring.goal --params 'a"b/<i>.yaml' --params tree.yaml --vary l_dim1
check "no network is overwritten" complains 2 "tree.yaml" llamp report ring.goal --params 'a"b/<i>.yaml' --params tree.yaml -o tree.yaml

# ----------------------------------------------------------------- traces

/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace || exit 1
schedgen trace -o trace.bin 2>/dev/null || exit 1
traced() {
	report trace.bin && page text page.html >trace.text &&
		grep -q '^Time on the critical path by MPI function' trace.text &&
		grep -q '^  MPI_[A-Z].* % |' trace.text &&
		grep -q '^made by: .*schedgen' trace.text && grep -q 'The traced run took ' trace.text
}
check "a trace gives names of functions, the traced run and how the graph was made" traced
damaged() {
	cp trace.bin cut.bin && head -c 100 trace.bin.calls >cut.bin.calls &&
		report cut.bin && grep -q 'llamp: warning: cut.bin.calls: .*: calls are not named' err &&
		page names page.html "cut.bin.calls: "
}
check "a damaged side file is a warning, and the page says so" damaged

hostile='<script>alert(1)<!-- "&'\'' )]]> $(x) λ_L.goal'
name_of_file() {
	cp ring.goal "$hostile" && report "$hostile" kink.goal && report "$hostile" &&
		! grep -q '<script>alert' page.html && page names page.html "of <script>alert(1)<!-- \"&' )]]> \$(x) λ"
}
check "a file name cannot become an element" name_of_file
name_of_trace() {
	mkdir -p '<img src=x>' && cp -r trace '<img src=x>/a"b' &&
		schedgen '<img src=x>/a"b' -o named.bin 2>/dev/null && report named.bin &&
		page names page.html 'a"b'
}
check "neither can the name of a trace" name_of_trace
control() {
	name=$(printf 'a\033[31mb\377c.goal')
	cp ring.goal "$name" && report "$name" && page names page.html 'a\x1b[31mb\xffc.goal'
}
check "control characters and bytes that are not UTF-8 are shown" control

# ----------------------------------------------------------- measurements

printf 'L_ns,seconds\n1000,2.2e-6\n500,1.7e-6\n500,1.9e-6\n0,1.5e-6\n' >runs.csv
measured() {
	report kink.goal $parameters --measured runs.csv && page text page.html | sed -n '/^Root/,/^$/p; /^Measured/,/^$/p'
}
golden measured.text "measured runtimes are compared with T" measured
second() {
	printf 'L_ns,seconds\n3000,1e-6\n' >other.csv
	report kink.goal ring.goal $parameters --measured runs.csv --measured other.csv &&
		page text page.html >both.text && grep -c '^Root' both.text | grep -qx 2
}
check "each graph may have measured runtimes" second
check "a measured runtime that is no number is an error with its line" sh -c '
	printf "L_ns,seconds\n1,1e-6\n2,soon\n" >wrong.csv
	! llamp report kink.goal --measured wrong.csv -o wrong.html 2>err && [ ! -e wrong.html ] &&
		grep -qx "llamp: wrong.csv:3: .soon. is not a number of 0 or more" err'
check "a file without columns is an error with its line" \
	complains 1 "kink.goal:1: the first line must be 'L_ns,seconds'" llamp report kink.goal --measured kink.goal
check "the column of G has another name" \
	complains 1 "runs.csv:1: the first line must be 'G_ns_per_byte,seconds'" \
	llamp report kink.goal --vary G --measured runs.csv
check "a missing file is an error" complains 1 "none.csv" llamp report kink.goal --measured none.csv

# ------------------------------------------------------------------ usage

check "a graph is needed" complains 2 "FILE" llamp report
check "more measurements than graphs are refused" complains 2 "--measured is given 2 times for 1 graph" \
	llamp report kink.goal --measured runs.csv --measured runs.csv
check "an empty range is refused" complains 2 "--min must be less than --max" \
	llamp report kink.goal --min 5us --max 5us
check "so is a begin beyond what is shown" complains 2 "--max is needed" llamp report kink.goal --min 1s
check "a range that is no time is refused" complains 2 "--max: 'x' is not" llamp report kink.goal --max x
check "an unknown variable is refused" complains 2 "unknown" llamp report kink.goal --vary x
check "a variable that is off is refused" complains 2 "g is switched off" llamp report kink.goal --vary g
check "a tolerance that is no number is refused" complains 2 "tolerance" llamp report kink.goal --tolerance 1,x
check "the output cannot be a graph" complains 2 "ring.goal" llamp report kink.goal ring.goal -o ring.goal
check "nor measured runtimes" complains 2 "runs.csv" llamp report kink.goal --measured runs.csv -o runs.csv
nothing_left() {
	exits 1 llamp report kink.goal runs.csv -o left.html && [ ! -e left.html ]
}
check "a graph that is wrong leaves no page" nothing_left
check "a full disk is an error" complains 4 "/dev/full" llamp report kink.goal -o /dev/full
