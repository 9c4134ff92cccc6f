#!/bin/sh
# llamp compare.
. "$SOURCE/test/cli/tap.sh"

here=$SOURCE/test/cli/llamp
cp "$here"/*.goal "$here"/*.yaml .
python() {
	/usr/bin/python3 "$here/check.py" "$@"
}
compare() {
	llamp compare "$@" -L 500 --overhead 100 -G 5
}

for format in text json csv; do
	golden two.$format "two graphs are compared as $format" compare bound.goal tolerant.goal --format $format
done
golden_folder=$SOURCE/doc golden compare.schema.json "the schema is the one in doc/" \
	llamp compare bound.goal tolerant.goal --format schema
golden three.text "three graphs are columns" compare bound.goal tolerant.goal kink.goal
golden four.text "four graphs are rows" compare bound.goal tolerant.goal kink.goal ring.goal --tolerance 10
golden vary.text "tolerances are those of the varied parameter" \
	compare bound.goal tolerant.goal --vary G --tolerance 0.5,1
golden silent.text "a graph without messages tolerates any latency, which has no difference" \
	compare bound.goal silent.goal
golden empty.text "what is 0 has no difference in per cent" compare empty.goal bound.goal

narrow() {
	COLUMNS=80 llamp compare "$@" >narrow.text && awk 'length > 80 { exit 1 }' narrow.text
}
check "two graphs fit 80 columns" narrow ring.goal tolerant.goal -L 1.234567us -g 12.3ns
check "three graphs fit 80 columns" narrow ring.goal tolerant.goal kink.goal -L 1.234567us -g 12.3ns
check "five graphs fit 80 columns" narrow ring.goal tolerant.goal kink.goal gaps.goal bound.goal \
	-L 1.234567us -g 12.3ns
many() {
	set -- && for i in $(seq 30); do set -- "$@" kink.goal; done
	compare "$@" >many.text && grep -q '^AD  ' many.text && grep -q '^AD - A ' many.text
}
check "after 26 graphs come those with two letters" many
many_columns() {
	compare bound.goal tolerant.goal kink.goal ring.goal --tolerance "$(seq -s, 64)" >columns.text || return 1
	for i in $(seq 64); do
		[ "$(grep -o "L for T +$i %" columns.text | wc -l)" = 2 ] || return 1
	done
	grep -q 'compute share$' columns.text
}
check "rows of four graphs have all tolerances, and all differences, in tables one below the other" many_columns

facts_agree() {
	compare ring.goal kink.goal gaps.goal "$@" --format csv >all.csv &&
		compare ring.goal kink.goal gaps.goal "$@" --format json >all.json &&
		python schema "$SOURCE/doc/compare.schema.json" all.json || return 1
	for file in ring kink gaps; do
		llamp analyze $file.goal -L 500 --overhead 100 -G 5 "$@" --format csv >$file.csv &&
			llamp path $file.goal -L 500 --overhead 100 -G 5 "$@" --format csv \
				>$file-path.csv || return 1
	done
	python compare all.csv all.json ring kink gaps
}
check "facts are those of analyze and path, and differences those of the facts" facts_agree
check "so with a gap and rendezvous" facts_agree -g 9us -S 9
check "so with resources" facts_agree --resources cpu,nic

same_file() {
	compare kink.goal kink.goal --format csv | awk -F, '
		NR > 1 { rows++; if ($17 != "0" && $17 != "" || $18 != "0" && $18 != "") exit 1 }
		END { exit rows < 40 }'
}
check "a graph does not differ from itself" same_file

printf 'topology: {kind: fat-tree, radix: 4, levels: 2, links: {wire: 274ns}, switch: 108ns}\n' >tree.yaml
printf 'topology: {kind: torus, size: [2, 2], links: {host: 300ns, dim1: 1us, dim2: 2us}, switch: 108ns}\ng: 1us\n' >torus.yaml
printf 'L: 1us\nS: 9B\n' >flat.yaml
for format in text json csv; do
	golden networks.$format "a graph is compared on two networks as $format" \
		llamp compare ring.goal --params tree.yaml --params torus.yaml --vary links --tolerance 5 --format $format
done
# networks_agree VARIABLE FILE...: facts are those of analyze on each network.
networks_agree() {
	vary=$1
	shift
	set -- "$@" -- && for file in "$@"; do
		[ "$file" = -- ] || set -- "$@" --params "$file"
	done
	while [ "$1" != -- ]; do
		for graph in ring kink; do
			llamp analyze $graph.goal --params "$1" --vary $vary --format csv >"of-$graph.goal-$1.csv" || return 1
		done
		shift
	done
	shift
	llamp compare ring.goal kink.goal --vary $vary "$@" --format csv >all.csv &&
		llamp compare ring.goal kink.goal --vary $vary "$@" --format json >all.json &&
		python schema "$SOURCE/doc/compare.schema.json" all.json && python networks all.csv all.json
}
check "facts of two graphs on two networks are those of analyze" networks_agree links tree.yaml torus.yaml
check "so are those of three networks with different variables" networks_agree L flat.yaml torus.yaml tree.yaml
check "a network without the varied variable is named" complains 2 "flat.yaml: unknown variable 'd_switch'" \
	llamp compare ring.goal --params tree.yaml --params flat.yaml --vary d_switch
check "one graph on one network is refused" complains 2 "another --params" llamp compare ring.goal --params tree.yaml
stdin_once() {
	complains 2 "stdin" llamp compare - --params tree.yaml --params torus.yaml <ring.goal
}
check "stdin cannot be read for two networks" stdin_once
check "no second network is overwritten" complains 2 "torus.yaml" \
	llamp compare ring.goal --params tree.yaml --params torus.yaml -o torus.yaml
check "other commands take one network" complains 2 "only llamp compare and llamp report" \
	llamp analyze ring.goal --params tree.yaml --params torus.yaml

traced() {
	/usr/bin/python3 "$SOURCE/test/cli/schedgen/make_trace.py" trace &&
		schedgen trace -o traced.bin 2>/dev/null && compare traced.bin kink.goal --format csv >traced.csv &&
		grep -q '^traced.bin,.*,traced,,ns,[1-9]' traced.csv && grep -q '^kink.goal,.*,traced,,ns,,,,$' traced.csv &&
		compare traced.bin kink.goal | grep -q '^traced  *[0-9.]* [mu]s *$'
}
check "the traced run time is named where it is known" traced

for line in "" "kink.goal" "kink.goal ring.goal --format xml" "kink.goal ring.goal --tolerance x" \
		"kink.goal ring.goal --vary x" "kink.goal ring.goal -L fast" "kink.goal ring.goal --from 1"; do
	check "llamp compare $line is refused as usage" complains 2 "llamp: " llamp compare $line
done
check "a graph that does not exist is named" complains 1 "nowhere.goal" llamp compare kink.goal nowhere.goal
kept() {
	cp ring.goal kept.goal && complains 2 "kept.goal" llamp compare kink.goal kept.goal -o kept.goal &&
		cmp ring.goal kept.goal
}
check "no graph is overwritten" kept
nothing_left() {
	mkdir left && complains 1 "nowhere.goal" llamp compare kink.goal nowhere.goal -o left/out && [ -z "$(ls left)" ]
}
check "no output is left of a comparison that fails" nothing_left
