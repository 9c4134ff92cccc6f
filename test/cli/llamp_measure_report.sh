#!/bin/sh
# Test llamp-measure report.
. "$SOURCE/test/cli/tap.sh"

cp "$golden_folder"/*.overlap .
report() {
	llamp-measure report "$@"
}

for format in text json csv; do
	golden shm.$format "a file is reported as $format" report shm.overlap --format $format
done
golden_folder=$SOURCE/doc golden overlap-report.schema.json "the schema is the one in doc/" report shm.overlap --format schema
golden all.text "all benchmarks have verdicts" report tcp.overlap
golden thread.text "two settings are compared, and the last line tells whether a progress thread pays" \
	report tcp.overlap tcp-thread.overlap
golden swapped.text "... whichever file is named first" report tcp-thread.overlap tcp.overlap
golden thread.json "... also as JSON" report shm.overlap shm-thread.overlap --format json
golden no-core.text "a thread without a free core is told so" report shm.overlap shm-thread.overlap
golden killed.text "a killed run tells where it ended" report killed.overlap
golden several.text "files of several libraries are side by side" \
	report tcp.overlap shm.overlap killed.overlap empty.overlap collectives.overlap

last_line() {
	report "$1" "$2" | tail -n 1
}
check "the last line does not depend on the order of files" \
	test "$(last_line tcp.overlap tcp-thread.overlap)" = "$(last_line tcp-thread.overlap tcp.overlap)"
check "of more than two files only those with and without a progress thread are compared" eval \
	'report tcp.overlap tcp-thread.overlap shm.overlap shm-thread.overlap >out && test "$(grep -c "^on this machine" out)" = 2'
sed 's/"settings": {}/"settings": {"A": "1"}/' collectives.overlap >other.overlap
check "files without cells in common are not compared" eval \
	'report other.overlap collectives.overlap >out && grep -q "^nothing can be compared" out'
check "all cells of all files are in CSV" eval \
	'report tcp.overlap shm.overlap --format csv >out.csv && test "$(wc -l <out.csv)" = 105'
check "formats follow the names of files" eval 'report shm.overlap -o out.json && cmp out.json "$golden_folder/shm.json"'

golden params.yaml "parameters follow from the references" report tcp.overlap --format yaml
golden no-latency.yaml "... but L where MPI_Send takes as long as a message" report shm.overlap -o - --format yaml
golden no-overhead.yaml "... and o is part of L where cpu was not measured" report shm-thread.overlap --format yaml
check "llamp reads the parameters" eval \
	'report tcp.overlap -o p.yaml && schedgen --pattern allreduce=ring --ranks 2 -o g.bin 2>err && exits 0 llamp analyze g.bin --params p.yaml'
check "parameters of too few sizes are refused" complains 3 "killed.overlap has fewer than 3 message sizes" \
	llamp-measure report killed.overlap --format yaml
check "parameters of nothing are refused" complains 3 "empty.overlap has no cell" llamp-measure report empty.overlap --format yaml
check "parameters of two files are a usage error" complains 2 "parameters are those of one FILE" \
	llamp-measure report shm.overlap tcp.overlap --format yaml
check "... and nothing is written" eval '! llamp-measure report shm.overlap tcp.overlap -o two.yaml 2>err && test ! -e two.yaml'

check "a missing file is named" complains 1 "nix.overlap: " llamp-measure report nix.overlap
printf 'L: 1.5us\no: 200ns\nG: 0.1ns\nS: 8KiB\n' >model.yaml
golden model.text "cells are compared with the model of --params" report tcp.overlap --params model.yaml
printf 'L: 1us\nnodes: 2\n' >nodes.yaml
check "parameters that the prediction does not know are refused with their place" complains 1 "nodes.yaml:2:1: 'nodes' is not used" \
	llamp-measure report tcp.overlap --params nodes.yaml
check "a picture of planes has no model" complains 2 "only reports and pages compare cells with a model" \
	llamp-measure report tcp.overlap --params model.yaml -o planes.svg
check "an ending that says no format is a usage error, which lists all that do" complains 2 "must end in .txt, .json, .csv, .yaml, .html, .svg or .gp" \
	llamp-measure report empty.overlap -o out.xml
check "no file is a usage error" complains 2 "" llamp-measure report
check "other files are refused with the place" complains 1 "tap.goal:1:" eval 'echo "num_ranks 2" >tap.goal; llamp-measure report tap.goal'
sed 's/"bytes": 65536/"bytes": -1/' shm.overlap >wrong.overlap
check "wrong cells are refused with the line" complains 1 "wrong.overlap:14: member 'bytes' is not a whole number" \
	llamp-measure report wrong.overlap
printf '\033[31m' >"$(printf 'esc\033.overlap')"
check "control characters of names are shown" eval \
	'! llamp-measure report "$(printf "esc\033.overlap")" 2>err && grep -q "esc.x1b.overlap" err'

check "lines of files follow doc/overlap.schema.json" /usr/bin/python3 "$golden_folder/lines.py" \
	tcp.overlap tcp-thread.overlap shm.overlap shm-thread.overlap empty.overlap collectives.overlap
