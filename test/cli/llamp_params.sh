#!/bin/sh
# Test parameter files with sizes, nodes and topologies, and the questions about their variables.
. "$SOURCE/test/cli/tap.sh"

cp "$SOURCE"/test/cli/llamp/ring.goal "$SOURCE"/test/cli/llamp/tolerant.goal "$SOURCE"/examples/params/sizes.yaml .
python() { /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" "$@"; }
schema=$SOURCE/doc/parameters.schema.json
cat >links.yaml <<'END'
o: 100ns
G: 0
topology:
  kind: dragonfly
  groups: 2
  routers: 2
  hosts: 1
  links: {tc: 100ns, intra: 50ns, inter: 400ns}
  switch: 10ns
END

# ---------------------------------------------------------------------- files

examples_are_valid() {
	/usr/bin/python3 -c 'import yaml' 2>/dev/null || return 0
	for file in "$SOURCE"/examples/params/*.yaml links.yaml; do
		/usr/bin/python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)' \
			"$file" >"$(basename "$file" .yaml).json" || return 1
	done
	python schema "$schema" *.json
}
check "the example files follow the schema" examples_are_valid
cat >written.json <<'END'
{"o": "1us", "S": "none", "sizes": [{"to": "4KiB", "L": "1us"}, {"L": 2000}], "intra-node": {"G": 0.5},
 "ranks-per-node": 2, "mapping": "cyclic", "rendezvous": "sync"}
END
check "a file in JSON follows the schema" python schema "$schema" written.json
check "... and is read" exits 0 llamp analyze ring.goal --params written.json
refused() { # JSON
	echo "$1" >wrong.json
	! python schema "$schema" wrong.json 2>/dev/null && complains 1 "wrong.json:1:" llamp analyze ring.goal --params wrong.json
}
for wrong in '{"l": 1}' '{"L": "1 kg"}' '{"sizes": []}' '{"sizes": [{"g": 1}]}' '{"intra-node": {}}' '{"ranks-per-node": 0}' \
	'{"topology": {"kind": "ring", "links": {"wire": 1}}}' '{"topology": {"kind": "torus", "size": [2]}}' \
	'{"topology": {"kind": "torus", "size": [2], "radix": 4, "links": {"wire": 1}}}' '{"S": "many"}' '{"resources": "gpu"}' '{"unknown": "l"}' '{"unknown": "L", "L": 1}'; do
	check "the schema and llamp refuse $wrong" refused "$wrong"
done
printf 'unknown: L\no: 100ns\nG: 0.1ns\n' >unmeasured.yaml
check "a latency that could not be measured has to be given" complains 1 \
	"unmeasured.yaml: L is unknown, as it could not be measured: give a value, as in -p L=VALUE" \
	llamp analyze ring.goal --params unmeasured.yaml
check "... as an option" exits 0 llamp analyze ring.goal --params unmeasured.yaml -L 1us
check "... which is then the latency" grep -q '^parameters  L 1 us, o 100 ns,' out
check "... also where it is 0" exits 0 llamp sweep ring.goal --params unmeasured.yaml -p L=0 --min 0 --max 1us --step 1us
echo '{"unknown": "L", "o": 100}' >unmeasured.json
check "such a file follows the schema" python schema "$schema" unmeasured.json
check "a variable of the network can be set" exits 0 llamp analyze ring.goal --params links.yaml -p l_inter=1us
check "... if the network has it" complains 2 "unknown parameter 'l_wire' (expected" llamp analyze ring.goal --params links.yaml -p l_wire=1us
check "... and not without a file" complains 2 "unknown parameter 'l_inter'" llamp analyze ring.goal -p l_inter=1us
check "its value is checked" complains 2 "'1 kg' is not a time" llamp analyze ring.goal --params links.yaml -p l_inter='1 kg'
check "ranks that share a host need a latency" \
	complains 1 "ring.goal: ranks 0 and 1 are on host 0: the parameters need 'intra-node: {L: TIME}'" \
	llamp analyze ring.goal --params links.yaml --ranks-per-node 2
check "ranks beyond the last host are refused" complains 1 "but the topology has 4 hosts" \
	sh -c 'schedgen --pattern halo-1d --ranks 5 -o five.goal 2>/dev/null; llamp analyze five.goal --params links.yaml'
mkdir -p sub
printf '0 3\n' >sub/bad.txt
printf '3\n2\n1\n0\n' >sub/hosts.txt
printf 'mapping: hosts.txt\n' >sub/map.yaml
printf 'mapping: bad.txt\n' >sub/bad.yaml
check "a file of hosts is looked for beside the parameters" exits 0 llamp analyze ring.goal --params sub/map.yaml
check "a wrong host is an error with its line" complains 1 "sub/bad.txt:1:1: " llamp analyze ring.goal --params sub/bad.yaml

# ---------------------------------------------------------- nodes of the trace

/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace || exit 1
schedgen trace -o one.bin 2>/dev/null && schedgen trace --extrapolate 2 -o copies.bin 2>/dev/null &&
	schedgen trace --extrapolate 2 --ranks-per-node 1 -o apart.bin 2>/dev/null || exit 1
printf 'intra-node: {L: 300ns}\n' >nodes.yaml
printf 'topology: {kind: torus, size: [4], links: {wire: 1us}}\n' >torus.yaml
printf 'topology: {kind: torus, size: [4], links: {wire: 1us}}\nintra-node: {L: 300ns}\n' >both.yaml
network_is() { # LINE, OPTION...
	line=$1
	shift
	llamp analyze "$@" 2>/dev/null | grep -qx "network     $line"
}
check "ranks are on the nodes of the trace" network_is "ranks on 1 node, as in the trace" one.bin --params nodes.yaml
check "... of which each copy has its own" network_is "ranks on 2 nodes, as in the trace" copies.bin --params nodes.yaml
check "... or on those that schedgen was told" network_is "ranks on 4 nodes, as in the trace" apart.bin --params nodes.yaml
check "... which share NICs" network_is "ranks on 2 nodes, as in the trace" copies.bin --resources node-nic
check "... and are hosts of a topology" network_is "torus of 4 hosts; ranks on 2 nodes, as in the trace" \
	copies.bin --params both.yaml
check "in a topology they need a latency within a node" network_is "torus of 4 hosts; 1 rank per node, block" \
	copies.bin --params torus.yaml
check "--ranks-per-node replaces them" network_is "1 rank per node, block" copies.bin --params nodes.yaml --ranks-per-node 1
check "... as a mapping does" network_is "1 rank per node, cyclic" copies.bin --params nodes.yaml -p mapping=cyclic
check "they can be asked for" network_is "ranks on 1 node, as in the trace" one.bin --params nodes.yaml --ranks-per-node 1 -p mapping=trace
check "... if they are known" complains 1 "ring.goal: 'mapping: trace' needs the nodes of the trace" \
	llamp analyze ring.goal --params nodes.yaml -p mapping=trace
within() {
	llamp analyze one.bin --params nodes.yaml --vary L_node --format json 2>/dev/null >a.json &&
		llamp analyze one.bin --params nodes.yaml --ranks-per-node 2 --vary L_node --format json 2>/dev/null |
		sed 's/"block"/"trace"/' | cmp - a.json
}
check "they give the model that --ranks-per-node gives" within
check "JSON tells them and follows the schema" sh -c "grep -q '\"mapping\": \"trace\"' a.json &&
	/usr/bin/python3 '$SOURCE/test/cli/llamp/check.py' schema '$SOURCE/doc/analyze.schema.json' a.json"
place_named() {
	llamp place apart.bin --params nodes.yaml --starts 1 2>/dev/null | grep -q "^trace + swaps"
}
check "llamp place begins with them, too" place_named

# ------------------------------------------------------------------ shared NICs

# Two ranks of a node send 1000 bytes at once: the second injection is B = 999 ns after the first.
cat >shared.goal <<'END'
num_ranks 4
rank 0 {
send 1000b to 2
}
rank 1 {
send 1000b to 3
}
rank 2 {
recv 1000b from 0
}
rank 3 {
recv 1000b from 1
}
END
takes() {
	runtime=$1
	shift
	llamp analyze shared.goal -L 100 --overhead 0 -G 1 --format json "$@" >shared.json || return 1
	grep -q "\"runtime_ns\": $runtime," shared.json || { cat shared.json; return 1; }
}
check "NICs of ranks inject at the same time" takes 1099 --resources nic
check "the NIC of a node injects one message after the other" takes 2098 --resources node-nic --ranks-per-node 2
check "... and with limited CPUs, too" takes 2098 --resources cpu,node-nic --ranks-per-node 2
check "with cyclic mapping these ranks are on two nodes" takes 1099 --resources node-nic -p mapping=cyclic --ranks-per-node 2
check "a node of one rank has a NIC of its own" takes 1099 --resources node-nic
# The same between the ranks of a node.
cat >inside.yaml <<'END'
ranks-per-node: 4
intra-node: {L: 100ns}
END
check "messages within a node pass its NIC" takes 2098 --resources node-nic --ranks-per-node 4
check "... unless the node has parameters of its own" takes 1099 --resources node-nic --params inside.yaml
# Rank 0 sends twice at once.
cat >twice.goal <<'END'
num_ranks 3
rank 0 {
send 1000b to 1
send 1000b to 2
}
rank 1 {
recv 1000b from 0
}
rank 2 {
recv 1000b from 0
}
END
check "... nor do they pass the NICs of ranks then" sh -c 'for params in "" "--params inside.yaml"; do
	llamp analyze twice.goal -L 100 --overhead 0 -G 1 --resources nic --format json $params | grep "\"runtime_ns\""
	done >times; printf "  \"runtime_ns\": %s,\n" 2098 1099 | diff - times'
check "JSON tells the nodes" sh -c "llamp analyze shared.goal --resources node-nic --ranks-per-node 2 --format json >s.json &&
	grep -q '\"ranks_per_node\": 2, \"mapping\": \"block\"' s.json"

# ------------------------------------------------------------------------ links

cat >mesh.yaml <<'END'
o: 0
G: 1ns
topology: {kind: mesh, size: [3], links: {wire: 100ns}}
END
cat >meet.goal <<'END'
num_ranks 3
rank 0 {
send 1000b to 2
}
rank 1 {
send 1000b to 2
}
rank 2 {
recv 1000b from 0
recv 1000b from 1
}
END
# The message of rank 1 is on the link to switch 2 from 100 ns to 1099 ns, so that of rank 0 enters it then.
meets() { # T, LAMBDA, OPTION...
	runtime=$1 lambda=$2
	shift 2
	llamp analyze meet.goal --params mesh.yaml --vary l_wire --format json "$@" >meet.json || return 1
	grep -q "\"runtime_ns\": $runtime," meet.json && grep -q "\"lambda_l_wire\": {\"left\": [0-9]*, \"right\": $lambda}" meet.json ||
		{ cat meet.json; return 1; }
}
check "without limits messages pass each other on links" meets 1399 4
for engine in path lp; do
	check "a link takes one message after the other, says engine $engine" meets 2298 3 --resources link --engine $engine
	check "... and with the other resources, too" meets 2298 3 --resources cpu,node-nic,link --engine $engine
done
check "JSON of limited links follows the schema" python schema "$SOURCE/doc/analyze.schema.json" meet.json
# Ranks 1 and 2 send against each other.
cat >against.goal <<'END'
num_ranks 3
rank 0 {
recv 1000b from 2
}
rank 1 {
send 1000b to 2
}
rank 2 {
recv 1000b from 1
send 1000b to 0
}
END
against() {
	for resources in none link; do
		llamp analyze against.goal --params mesh.yaml --resources $resources --format json | grep runtime_ns || return 1
	done >times
	printf '  "runtime_ns": %s,\n' 1399 1399 | diff - times
}
check "its two directions do not wait for each other" against
# An entry is a column where it has several bounds.
column() {
	llamp lp meet.goal --params mesh.yaml --resources link -o meet.lp && grep -q '^ y_link_2 free' meet.lp
}
check "an entry into a link is a column of the linear program" column
check "links need a topology" complains 2 "resources: link needs a network with 'topology:'" llamp analyze meet.goal --resources link
check "an unknown resource is refused" complains 2 "unknown resource 'gpu' (expected cpu, nic, node-nic or link)" \
	llamp analyze meet.goal --resources link,gpu
check "a resource is named once" complains 2 "'link,link' names one twice" llamp analyze meet.goal --resources link,link
check "resources have any order" exits 0 llamp analyze meet.goal --params mesh.yaml --resources link,nic,cpu

# ------------------------------------------------------------------ questions

for format in text json csv; do
	golden sizes.$format "analyze prints parameters by size as $format" \
		llamp analyze ring.goal --params sizes.yaml --ranks-per-node 2 --format $format
	golden links.$format "analyze moves all links together as $format" \
		llamp analyze ring.goal --params links.yaml --vary links --format $format
	golden sum.$format "sweep moves a sum of variables as $format" \
		llamp sweep ring.goal --params links.yaml --vary "l_tc+2*l_inter" --min 0 --max 10us --format $format
done
golden path.text "path splits the time of messages by variable" llamp path ring.goal --params links.yaml
golden links.lp "lp has a column for each variable" llamp lp tolerant.goal --params links.yaml
both_engines() {
	for vary in L l_tc l_intra l_inter d_switch links l_tc+3*l_inter o; do
		llamp analyze ring.goal --params links.yaml --vary "$vary" --engine lp --format json |
			grep -v '"engine"\|"basis_range' >lp.json
		llamp analyze ring.goal --params links.yaml --vary "$vary" --engine path --format json |
			grep -v '"engine"\|"basis_range' >path.json
		cmp lp.json path.json && [ -s lp.json ] || return 1
	done
}
check "both engines agree on every variable" both_engines
follows() {
	for vary in L l_tc links l_tc+3*l_inter; do
		llamp analyze ring.goal --params links.yaml --vary "$vary" --format json >"a-$vary.json" &&
			llamp sweep ring.goal --params links.yaml --vary "$vary" --min 0 --max 3 --format json >"s-$vary.json" || return 1
	done
	python schema "$SOURCE/doc/analyze.schema.json" a-*.json && python schema "$SOURCE/doc/sweep.schema.json" s-*.json
}
check "JSON of further variables follows the schemas" follows
same_as_plain() {
	echo 'sizes: [{L: 1234ns}]' >one.yaml
	for graph in ring tolerant; do
		llamp analyze $graph.goal -L 1234ns --format json >plain.json &&
			llamp analyze $graph.goal --params one.yaml --vary L_all --format json >one.json || return 1
		/usr/bin/python3 - <<-'END' || return 1
			import json
			plain, one = json.load(open("plain.json")), json.load(open("one.json"))
			assert one["parameters"].pop("L") == 0 and one["parameters"].pop("L_all") == plain["parameters"].pop("L") == 1234
			assert one.pop("lambda_L") == plain["lambda_L"]["right"]
			assert json.loads(json.dumps(one).replace("L_all", "L")) == plain, one
		END
	done
}
check "one class with the value of L is the plain model" same_as_plain
check "an unknown direction is refused" complains 2 "unknown variable 'l_wire' (expected one of" \
	llamp analyze ring.goal --params links.yaml --vary l_wire+L
check "links move together only with a topology" complains 2 "unknown variable 'links'" llamp analyze ring.goal --vary links
check "... with resources, too" exits 0 llamp analyze ring.goal --params links.yaml --vary links --resources cpu,nic
check "... where the order of service is decided again" exits 0 \
	llamp sweep ring.goal --params links.yaml --vary links --resources cpu --min 0 --max 2 --resimulate
check "... where one class may vary" exits 0 llamp analyze ring.goal --params links.yaml --vary l_inter --resources cpu,nic
check "... and only in whole ns" complains 3 "links move together only if each takes whole ns, unlike l_tc" \
	llamp analyze ring.goal --params links.yaml --vary links -p l_tc=0.5ns
