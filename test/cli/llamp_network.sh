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
	golden tradeoff.$format "tradeoff prints its corners as $format" \
		llamp tradeoff tolerant.goal -L 400ns --overhead 0 -G 0 --tolerance 7.3333333333,10 --format $format
done
tradeoff_schema() {
	llamp tradeoff tolerant.goal --format json >f-1.json &&
		llamp tradeoff tolerant.goal --vary L,g -g 1us --format json >f-2.json &&
		llamp tradeoff tolerant.goal --vary o,G --tolerance 1000 --format json >f-3.json &&
		python schema "$SOURCE/doc/tradeoff.schema.json" f-*.json
}
check "JSON of tradeoff follows its schema" tradeoff_schema
# The end of the line with G = 0 is the tolerance of L at G = 0.
same_as_tolerance() {
	llamp tradeoff tolerant.goal -G 0 -L 1us --tolerance 5 --format json >tradeoff.json &&
		llamp analyze tolerant.goal -G 0 -L 1us --tolerance 5 --format json >analyze.json &&
		/usr/bin/python3 - <<-'END'
			import json
			corner = json.load(open("tradeoff.json"))["tradeoffs"][0]["corners"][-1]
			tolerance = json.load(open("analyze.json"))["tolerance"][0]
			assert corner["G_ns_per_byte"] == 0 and abs(corner["L_ns"] - tolerance["L_ns"]) < 1e-6, (corner, tolerance)
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
