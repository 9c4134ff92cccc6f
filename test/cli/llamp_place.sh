#!/bin/bash
# runs: slow
# Test llamp place.
. "$SOURCE/test/cli/tap.sh"

cat >nodes.yaml <<'END'
L: 2us
o: 200ns
intra-node: {L: 300ns}
ranks-per-node: 4
END
cat >torus.yaml <<'END'
o: 200ns
topology: {kind: torus, size: [4, 4], links: {wire: 500ns}, switch: 50ns}
END
cat >small.yaml <<'END'
topology: {kind: torus, size: [3, 4], links: {wire: 500ns}}
END
schedgen --pattern halo-2d --ranks 16 --bytes 8KiB --iterations 10 --compute 5us:30% -o halo.bin 2>/dev/null || exit 1

# The best mapping is none worse than the others, and llamp analyze finds its T.
sound() { # PARAMETERS
	rm -f map.txt
	llamp place halo.bin --params "$1" --starts 3 --mapping map.txt --format json >place.json || return 1
	{ cat "$1" && echo "mapping: map.txt" && grep -q ranks-per-node "$1"; } >mapped.yaml || true
	llamp analyze halo.bin --params mapped.yaml --engine path --format json >analyze.json &&
		/usr/bin/python3 - <<-'END'
			import collections, json
			place, analyze = json.load(open("place.json")), json.load(open("analyze.json"))
			assert place["runtime_ns"] == min(m["runtime_ns"] for m in place["mappings"])
			names = [m["name"] for m in place["mappings"]]
			assert names[:2] == ["block", "cyclic"] and "random 3 + swaps" in names, names
			hosts = [int(line) for line in open("map.txt")]
			assert hosts == place["mapping"] and len(hosts) == 16
			assert max(collections.Counter(hosts).values()) <= place["slots"] and max(hosts) < place["hosts"]
			assert abs(place["runtime_ns"] - analyze["runtime_ns"]) < 1e-6, (place["runtime_ns"], analyze["runtime_ns"])
		END
}
check "the best mapping has its T, on nodes with several ranks" sound nodes.yaml
check "... and on a torus" sound torus.yaml
same_again() {
	llamp place halo.bin --params torus.yaml --starts 3 >one.text && llamp place halo.bin --params torus.yaml --starts 3 >two.text &&
		cmp one.text two.text && llamp place halo.bin --params torus.yaml --starts 3 --seed 2 >three.text &&
		! cmp -s one.text three.text
}
check "the same seed gives the same mappings, another one does not" same_again
one_processor() {
	llamp place halo.bin --params torus.yaml --starts 3 >one.text && taskset -c "$(taskset -pc $$ | grep -o '[0-9]*$')" \
		llamp place halo.bin --params torus.yaml --starts 3 | cmp - one.text
}
check "... also on one processor" one_processor
schema() {
	/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$SOURCE/doc/place.schema.json" place.json
}
check "JSON follows its schema" schema
golden_folder=$SOURCE/doc golden place.schema.json "the schema is the one in doc/" \
	llamp place halo.bin --params torus.yaml --starts 0 --format schema
csv() {
	llamp place halo.bin --params nodes.yaml --starts 1 --format csv >place.csv && /usr/bin/python3 - <<-'END'
		import csv
		rows = list(csv.DictReader(open("place.csv")))
		assert {row["quantity"] for row in rows} == {"runtime", "swaps"} and all(row["file"] == "halo.bin" for row in rows)
	END
}
check "CSV has a row for each fact" csv
named() {
	printf 'alpha\nbeta\ngamma\ndelta\n' >names && llamp place halo.bin --params nodes.yaml --starts 0 --hosts names \
		--mapping rankfile --mapping-format openmpi >out &&
		[ "$(grep -cE '^rank [0-9]+=(alpha|beta|gamma|delta) slot=[0-3]$' rankfile)" = 16 ]
}
check "a mapping has the names of the hosts" named
printf 'alpha\n' >names
check "too few names are refused" complains 1 "names: 1 name, but the network has 4 hosts" \
	llamp place halo.bin --params nodes.yaml --hosts names --mapping new --mapping-format slurm
check "a network without differences is refused" complains 2 "all pairs of ranks are alike" llamp place halo.bin
check "too many ranks are refused" complains 1 "" llamp place halo.bin --params small.yaml
check "a wrong number of starts is refused" complains 2 "--starts" llamp place halo.bin --params nodes.yaml --starts x
check "the graph is not overwritten" complains 2 "" llamp place halo.bin --params nodes.yaml --mapping halo.bin

for rank in $(seq 16); do echo 3; done >crowded.txt
sed 's/ranks-per-node: 4/ranks-per-node: 4\nmapping: crowded.txt/' nodes.yaml >crowded.yaml
check "a mapping that puts too many ranks on a host is refused" complains 1 "more than 4 ranks on host 3: set ranks-per-node" \
	llamp place halo.bin --params crowded.yaml
for rank in $(seq 0 15); do echo $((100 + rank / 4)); done >far.txt
sed 's/ranks-per-node: 4/ranks-per-node: 4\nmapping: far.txt/' nodes.yaml >far.yaml
given() { llamp place halo.bin --params far.yaml --starts 1 >far.text && grep -q '^given + swaps' far.text; }
check "a mapping may name any hosts" given

# 16 ranks on 1,024 hosts: no mapping is as poor as one in which each message takes all levels of the tree.
near() {
	printf 'topology: {kind: fat-tree, radix: 16, levels: 3, links: {wire: 500ns}}\no: 0\n' >tree.yaml
	for rank in $(seq 0 15); do echo $((rank * 64)); done >apart.txt
	{ cat tree.yaml && echo 'mapping: apart.txt'; } >apart.yaml
	llamp analyze halo.bin --params apart.yaml --engine path --format json >apart.json &&
		llamp place halo.bin --params tree.yaml --starts 4 --mapping near.txt --format json >near.json && /usr/bin/python3 - <<-'END2'
			import json
			apart, near = json.load(open("apart.json"))["runtime_ns"], json.load(open("near.json"))
			assert near["hosts"] == 1024
			assert all(mapping["runtime_ns"] < apart for mapping in near["mappings"]), (apart, near["mappings"])
			assert max(near["mapping"]) < 32, near["mapping"]
		END2
}
check "on a network larger than the job all mappings begin near each other" near

# 4 x 4 x 4 ranks exchange with their neighbours: on a torus that is larger they belong into a cube of it.
cube() {
	schedgen --pattern solver-3d --ranks 64 --iterations 5 --compute 2us:50% -o solver.bin 2>/dev/null || return 1
	printf 'topology: {kind: torus, size: [8, 8, 8], links: {wire: 500ns}, switch: 100ns}\no: 0\n' >eight.yaml
	for rank in $(seq 0 63); do echo $((rank % 4 + rank / 4 % 4 * 8 + rank / 16 * 64)); done >cube.txt
	llamp analyze solver.bin --params eight.yaml --engine path --format json >block.json &&
		llamp analyze solver.bin --params eight.yaml -p mapping=cube.txt --engine path --format json >cube.json &&
		llamp place solver.bin --params eight.yaml --format json >place.json && /usr/bin/python3 - <<-'END2'
			import json
			block, cube, place = (json.load(open(name + ".json"))["runtime_ns"] for name in ("block", "cube", "place"))
			assert cube < 0.9 * block and place < 1.05 * cube, (block, cube, place)
		END2
}
check "on a torus larger than the job the default finds a mapping as good as a cube" cube

# Four of eight ranks send.  Block and cyclic put two of them on a node, where they wait for its NIC.
{
	echo "num_ranks 8"
	for rank in 0 1 2 3 4 5 6 7; do
		case $rank in
		0 | 1 | 4 | 5) line="send 1001b to $((rank + 2))" ;;
		*) line="recv 1001b from $((rank - 2))" ;;
		esac
		printf 'rank %s {\n%s\n}\n' $rank "$line"
	done
} >senders.goal
spread() {
	llamp place senders.goal -L 0 --overhead 0 -G 1 --resources node-nic --ranks-per-node 2 --starts 1 --format json >nics.json &&
		/usr/bin/python3 - <<-'END2'
			import json
			place = json.load(open("nics.json"))
			runtimes = {mapping["name"]: mapping["runtime_ns"] for mapping in place["mappings"]}
			assert runtimes["block"] == runtimes["cyclic"] == 2000, runtimes
			assert runtimes["random 1 + swaps"] == place["runtime_ns"] == 1000, runtimes
			assert len({place["mapping"][rank] for rank in (0, 1, 4, 5)}) == 4
		END2
}
check "ranks that wait for the NIC of their node are spread" spread
