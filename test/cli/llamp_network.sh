#!/bin/sh
# Test llamp topology and llamp tradeoff.
. "$SOURCE/test/cli/tap.sh"

cp "$SOURCE"/examples/params/dragonfly.yaml "$SOURCE"/test/cli/llamp/tolerant.goal .
python() { /usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" "$@"; }

# ------------------------------------------------------------------ topology

cat >torus.yaml <<'END'
topology: {kind: torus, size: [4, 3], hosts: 2, links: {host: 100ns, dim1: 1us, dim2: 200}, switch: 50ns}
END
cat >one.yaml <<'END'
topology: {kind: mesh, size: [1], links: {wire: 1us}}
END
cat >edges.yaml <<'END'
topology: {kind: edges, file: links.txt, links: {copper: 10ns, fibre: 100ns}}
END
cat >links.txt <<'END'
host a b c
link a s copper
link b s copper
link s t fibre
link t c copper
END
for format in text json csv; do
	golden dragonfly.$format "topology prints a dragonfly as $format" llamp topology dragonfly.yaml --format $format
	golden torus.$format "topology prints a torus as $format" llamp topology torus.yaml --format $format
done
golden edges.text "topology prints a list of links" llamp topology edges.yaml
golden one.text "topology prints a network of one host" llamp topology one.yaml
topology_schema() {
	for name in dragonfly torus one edges; do
		llamp topology $name.yaml --format json >t-$name.json || return 1
	done
	python schema "$SOURCE/doc/topology.schema.json" t-*.json
}
check "JSON of topology follows its schema" topology_schema
golden_folder=$SOURCE/doc golden topology.schema.json "the schema of topology is the one in doc/" \
	llamp topology torus.yaml --format schema
golden_folder=$SOURCE/doc golden topology-route.schema.json "the schema of routes is the one in doc/" \
	llamp topology torus.yaml --route 0,1 --format schema
# Looking at all pairs of hosts takes minutes.
of_large() {
	printf 'topology: {%s, links: {wire: 274ns}, switch: 108ns}\n' "$1" >large.yaml &&
		timeout 60 llamp topology large.yaml >large.text && grep -q "^mean route  $2 links" large.text && ! grep -q ^sample large.text
}
check "a fat tree of 65,536 hosts is counted" of_large 'kind: fat-tree, radix: 16, levels: 5' 9.857
check "so is a torus of 32,768" of_large 'kind: torus, size: [32, 32, 32]' 26
check "so is a dragonfly of 513 groups" of_large 'kind: dragonfly, groups: 513, routers: 32, hosts: 16' 4.934
sampled() {
	printf 'topology: {kind: mesh, size: [90, 90], links: {wire: 274ns}}\n' >mesh.yaml && llamp topology mesh.yaml >mesh.text &&
		grep -q '^sample      routes from 4143 of 8100 hosts: pairs and means are estimates$' mesh.text &&
		llamp topology mesh.yaml --format json >t-mesh.json && python schema "$SOURCE/doc/topology.schema.json" t-mesh.json &&
		grep -q '"sampled_hosts": 4143,' t-mesh.json
}
check "a large network without a symmetry is sampled, and the output says so" sampled
routes() {
	llamp topology edges.yaml --route 0,2 >route.text && grep -q '^route       host 0 to host 2: 3 links, 2 switches, 120 ns$' route.text &&
		grep -q '^switch 0  *switch 1  *l_fibre  *100 ns$' route.text &&
		test "$(llamp topology edges.yaml --route 2,0 --format csv | cut -d, -f 5-8,10 | tail -n +2 | tr '\n' ' ')" = \
			'0,host 2,switch 1,copper,10 1,switch 1,switch 0,fibre,100 2,switch 0,host 0,copper,10 ' &&
		llamp topology torus.yaml --route 1,1 --format json >r-1.json && llamp topology torus.yaml --route 1,7 --format json >r-2.json &&
		python schema "$SOURCE/doc/topology-route.schema.json" r-*.json
}
check "--route prints the links between two hosts" routes
check "a host that is not there is refused" complains 2 "--route: '3' is not a whole number from 0 to 2" llamp topology edges.yaml --route 0,3
check "one host is no route" complains 2 "--route: '1' is not two hosts such as 0,5" llamp topology edges.yaml --route 1
cat >three.goal <<'END'
num_ranks 4
rank 0 {
a: send 10b to 1
b: send 5b to 2
c: send 1b to 3
}
rank 1 {
a: recv 10b from 0
b: send 7b to 2
}
rank 2 {
a: recv 5b from 0
b: recv 7b from 1
}
rank 3 {
a: recv 1b from 0
}
END
printf 'intra-node: {L: 1ns}\nmapping: hosts.txt\n' | cat edges.yaml - >load.yaml && printf '0\n1\n2\n0\n' >hosts.txt
# 0 -> 1: a s b; 0 -> 2: a s t c; 1 -> 2: b s t c; rank 3 is on the host of rank 0.
loads() {
	llamp topology load.yaml --load three.goal --format csv | cut -d, -f 4-6,8-9 >load.csv &&
		printf '%s\n' from,to,class,messages,bytes 'host 0,switch 0,copper,2,15' 'switch 0,switch 1,fibre,2,12' \
			'switch 1,host 2,copper,2,12' 'switch 0,host 1,copper,1,10' 'host 1,switch 0,copper,1,7' | cmp - load.csv &&
		llamp topology load.yaml --load three.goal >load.text && grep -q '^messages    4 with 23 B; 1 within a host$' load.text &&
		grep -q '^l_copper  *4  *6  *44 B  *15 B$' load.text &&
		llamp topology load.yaml --load three.goal --format json >l-1.json && python schema "$SOURCE/doc/topology-load.schema.json" l-1.json
}
check "--load prints what passes each link" loads
golden_folder=$SOURCE/doc golden topology-load.schema.json "the schema of loads is the one in doc/" \
	llamp topology load.yaml --load three.goal --format schema
placed() {
	printf 'intra-node: {L: 1ns}\n' | cat edges.yaml - >bare.yaml && mkdir -p hosts && cp hosts.txt hosts/ &&
		llamp topology bare.yaml --load three.goal -p mapping=hosts/hosts.txt --format csv | cut -d, -f 4-6,8-9 | cmp - load.csv &&
		llamp topology load.yaml --load three.goal --ranks-per-node 2 -p mapping=block | grep -q '^messages    4 with 23 B; 1 within a host$' &&
		llamp topology load.yaml --load three.goal --ranks-per-node 4 -p mapping=block | grep -q '; 4 within a host$'
}
check "... where the options of other commands place the ranks, too" placed
check "parameters that place no ranks are refused" complains 2 "'L' does not place ranks; mapping and ranks-per-node do" \
	llamp topology load.yaml --load three.goal -p L=3
check "ranks are placed for a load only" complains 2 "ranks are placed for --load only" llamp topology load.yaml --ranks-per-node 2
check "a graph with too many ranks is refused" complains 1 "three.goal: rank 3 is on host 3" llamp topology edges.yaml --load three.goal
check "two questions at once are refused" complains 2 "give one" llamp topology edges.yaml --load three.goal --route 0,1
check "a route is not drawn" complains 2 "not a route or a load" llamp topology edges.yaml --route 0,1 --format svg
check "the output cannot be the graph" complains 2 "three.goal" llamp topology edges.yaml --load three.goal -o three.goal
svg_topology() {
	for name in dragonfly torus one edges; do
		llamp topology $name.yaml --format svg -o $name.svg || return 1
		/usr/bin/python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $name.svg || return 1
	done
}
check "topology draws networks" svg_topology
check "the picture has all hosts and switches" test "$(grep -c '<title>host ' dragonfly.svg) $(grep -c '<title>switch ' dragonfly.svg)" = "256 32"
printf 'topology: {kind: fat-tree, radix: 16, levels: 3, links: {wire: 274ns}}\n' >large.yaml
check "a network that is too large for a picture is refused" complains 3 \
	"llamp: a picture of 1344 hosts and switches is not readable (at most 600): draw a smaller network of the same kind" \
	llamp topology large.yaml --format svg -o large.svg
check "there is no file then" test ! -e large.svg
printf 'topology: {kind: hyperx, size: [100], links: {wire: 274ns}}\n' >dense.yaml
check "so is one with too many links" complains 3 "a picture of 5050 links is not readable" llamp topology dense.yaml --format svg
printf 'L: 1us\n' >none.yaml
check "a file without a topology is refused" \
	complains 1 "none.yaml:1:1: there is no 'topology:'" llamp topology none.yaml
rm links.txt
check "a list of links that is not there is refused" complains 1 "links.txt" llamp topology edges.yaml

# ------------------------------------------------------------------ tradeoff

# T = max(L + 3 G + 1100, 1500): a bound of 1610 is reached at L + 3 G = 510.
for format in text json csv; do
	golden tradeoff.$format "tradeoff prints its vertices as $format" \
		llamp tradeoff tolerant.goal -L 400ns --overhead 0 -G 0 --tolerance 7.3333333333,10 --format $format
done
tradeoff_schema() {
	llamp tradeoff tolerant.goal --format json >f-1.json &&
		llamp tradeoff tolerant.goal --vary L,g -g 1us --format json >f-2.json &&
		llamp tradeoff tolerant.goal --vary o,G --tolerance 1000 --format json >f-3.json &&
		python schema "$SOURCE/doc/tradeoff.schema.json" f-*.json
}
golden_folder=$SOURCE/doc golden tradeoff.schema.json "the schema of tradeoff is the one in doc/" \
	llamp tradeoff tolerant.goal --format schema
check "JSON of tradeoff follows its schema" tradeoff_schema
# The end of the line with G = 0 is the tolerance of L at G = 0.
same_as_tolerance() {
	llamp tradeoff tolerant.goal -G 0 -L 1us --tolerance 5 --format json >tradeoff.json &&
		llamp analyze tolerant.goal -G 0 -L 1us --tolerance 5 --format json >analyze.json &&
		/usr/bin/python3 - <<-'END'
			import json
			vertex = json.load(open("tradeoff.json"))["tradeoffs"][0]["vertices"][-1]
			tolerance = json.load(open("analyze.json"))["tolerance"][0]
			assert vertex["G_ns_per_byte"] == 0 and abs(vertex["L_ns"] - tolerance["L_ns"]) < 1e-6, (vertex, tolerance)
		END
}
check "a tradeoff ends at the tolerance of one variable" same_as_tolerance
picture() {
	llamp tradeoff tolerant.goal --format svg -o t.svg && /usr/bin/python3 -c '
import sys, xml.etree.ElementTree as tree
texts = ["".join(t.itertext()) for t in tree.parse("t.svg").iter("{http://www.w3.org/2000/svg}text")]
assert any("network latency L" in t for t in texts) and any("this network" in t for t in texts), texts'
}
check "a tradeoff is drawn with its variables" picture
check "one variable is refused" complains 2 "--vary: 'L' is not two names such as L,G" llamp tradeoff tolerant.goal --vary L
check "the same variable twice is refused" complains 2 "--vary needs two different variables" \
	llamp tradeoff tolerant.goal --vary L,L
check "a variable that is off is refused" complains 2 "g is switched off" llamp tradeoff tolerant.goal --vary L,g
check "an unknown variable is refused" complains 2 "unknown variable 'x'" llamp tradeoff tolerant.goal --vary L,x
