#!/bin/bash
# Test critpath waits, imbalance and profile.
. "$SOURCE/test/cli/tap.sh"
here=$SOURCE/test/cli/critpath_tables
DATA=${DATA:-$SOURCE/../shared/data}
python() { /usr/bin/python3 "$here/check.py" "$@"; }
# schema COMMAND JSON...
schema() {
	described=$SOURCE/doc/critpath-$1.schema.json
	shift
	/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$described" "$@"
}

/usr/bin/python3 "$SOURCE/test/cli/critpath/archive.py" mixed <"$here/mixed.calls" || exit 1
for command in waits causes efficiency imbalance profile; do
	for format in text json csv; do
		golden $command.$format "$command prints tables as $format" critpath $command mixed --format $format
	done
done
for group in function comm rank channel iteration; do
	golden by_$group.text "waits are added up by $group" critpath waits mixed --by $group
done
for group in rank function iteration pair waiter; do
	golden causes_by_$group.text "causes are added up by $group" critpath causes mixed --by $group
done
golden efficiency_scaling.text "efficiencies have the scaling from a reference" critpath efficiency mixed --reference mixed --weak
# Rank 3 of the broadcast gets its data from rank 2, which is late.
/usr/bin/python3 "$SOURCE/test/cli/critpath/archive.py" tree <"$here/tree.calls" && schedgen tree -o tree.bin --coll bcast=binomial 2>/dev/null || exit 1
golden efficiency_graph.text "a graph tells what algorithms wait for from the network" critpath efficiency tree --graph tree.bin
# same_as_model ARCHIVE OPTIONS: the ideal of the graph is T of the model without a network.
same_as_model() {
	schedgen "$@" -o same.bin 2>/dev/null &&
		critpath efficiency "$1" --graph same.bin --format json -o with.json &&
		llamp analyze same.bin -L 0 --overhead 0 -g 0 -G 0 --engine path --format json -o model.json 2>/dev/null &&
		schema efficiency with.json && python graph with.json model.json
}
check "the ideal of the graph is T of the model without a network" same_as_model mixed
check "... also of other algorithms" same_as_model mixed --coll allreduce=ring --coll bcast=linear
golden causes_slice.text "causes before a slice are one row" critpath causes mixed --from 20us --no-end --match function --top 3
for format in text json csv; do
	golden efficiency_iterations.$format "efficiencies by iteration are printed as $format" \
		critpath efficiency mixed --by iteration --format $format
done
# From the end of each barrier to that of the allreduce.
sed 's/coll:BARRIER/& in:solve/; s/coll:ALLREDUCE/& out:solve/' "$here/mixed.calls" | /usr/bin/python3 "$SOURCE/test/cli/critpath/archive.py" regions ||
	exit 1
golden efficiency_region.csv "efficiencies are those of the visits of a region" critpath efficiency regions --by region:solve --format csv
golden_folder=$SOURCE/doc golden critpath-efficiency-parts.schema.json "the schema of efficiencies by part is the one in doc/" \
	critpath efficiency mixed --by iteration --format schema
for format in text json csv; do
	golden iterations.$format "imbalance by iteration is printed as $format" \
		critpath imbalance mixed --by iteration --format $format
done
for command in waits causes efficiency imbalance profile; do
	golden_folder=$SOURCE/doc golden critpath-$command.schema.json "the schema of $command is the one in doc/" \
		critpath $command mixed --format schema
done
golden_folder=$SOURCE/doc golden critpath-iterations.schema.json "the schema of iterations is the one in doc/" \
	critpath imbalance mixed --by iteration --format schema
for order in same different; do
	golden wrong_order_$order.csv "waits have the part that is in the wrong order, behind a message of the $order sender" \
		critpath waits mixed --kind wrong-order-$order --format csv
done

# Each function below gets an ARCHIVE.
sound_waits() {
	for group in call function comm rank channel iteration; do
		critpath waits "$1" --by $group --format json -o by-$group.json &&
			critpath waits "$1" --by $group --format csv -o by-$group.csv || return 1
	done
	for pattern in late-sender late-receiver barrier collective early-reduce early-scan late-broadcast wrong-order-same wrong-order-different lock; do
		critpath waits "$1" --kind $pattern --format json -o only-$pattern.json &&
			critpath waits "$1" --by rank --kind $pattern --format json -o ranks-$pattern.json || return 1
	done
	schema waits by-*.json only-*.json ranks-*.json && python waits by-*.json only-*.json ranks-*.json &&
		python rows by-call.json rows=by-call.csv && python rows by-channel.json rows=by-channel.csv
}
# Causes add up to the waits, by any group, and have the schema.
sound_causes() {
	for group in cause rank function iteration pair waiter; do
		critpath causes "$1" --by $group --format json -o causes-$group.json &&
			critpath causes "$1" --by $group --format csv -o causes-$group.csv || return 1
	done
	critpath causes "$1" --match function --no-end --format json -o causes-match.json &&
		critpath causes "$1" --match none --format json -o causes-none.json &&
		critpath waits "$1" --format json -o waits.json && schema causes causes-*.json &&
		python causes waits.json causes-*.json && python rows causes-cause.json rows=causes-cause.csv
}
# Efficiencies of parts follow the schema, and parts do not compute more than the run.
sound_parts() {
	critpath efficiency "$1" --by "$2" --format json -o parts.json && critpath efficiency "$1" --by "$2" --format csv -o parts.csv &&
		critpath efficiency "$1" --format json -o whole.json && schema efficiency-parts parts.json &&
		python parts parts.json whole.json && python rows parts.json parts=parts.csv
}
sound_profile() {
	for table in functions ranks sizes pairs; do
		critpath profile "$1" --format csv --table $table -o $table.csv || return 1
	done
	critpath profile "$1" --format json -o profile.json && schema profile profile.json && python profile profile.json &&
		python rows profile.json functions_by_rank=functions.csv rank_totals=ranks.csv sizes=sizes.csv pairs=pairs.csv
}
sound_imbalance() {
	for table in ranks comms functions instances calls; do
		critpath imbalance "$1" --format csv --table $table -o $table.csv || return 1
	done
	critpath imbalance "$1" --format json -o imbalance.json && schema imbalance imbalance.json &&
		critpath path "$1" --format json -o path.json && python imbalance imbalance.json calls.csv path.json &&
		critpath imbalance "$1" --by iteration --format json -o iterations.json &&
		critpath imbalance "$1" --by iteration --format csv -o iterations.csv && schema iterations iterations.json &&
		python iterations iterations.json imbalance.json && python rows iterations.json iterations=iterations.csv &&
		python rows imbalance.json rank_parts=ranks.csv communicators=comms.csv functions=functions.csv instances=instances.csv
}
check "waits of calls, groups and patterns add up, and follow the schema" sound_waits mixed
check "efficiencies of iterations fit those of the run, and follow the schema" sound_parts mixed iteration
check "costs of causes add up to the waits, and follow the schema" sound_causes mixed
check "the tables of a profile have the same sums, and follow the schema" sound_profile mixed
check "waits and execution add up to calls, and follow the schema" sound_imbalance mixed
bad_schema() {
	sed 's/"time_ns": [0-9]*/"time_ns": -1/' "$here/$1.json" >bad.json && ! schema $1 bad.json 2>/dev/null
}
check "negative times do not follow the schema" bad_schema waits

if [ -d "$DATA/liballprof/lulesh-8" ]; then
	for trace in liballprof/lulesh-8 otf2/scorep-ping-pong; do
		check "waits of $trace add up" sound_waits "$DATA/$trace"
		check "the profile of $trace has the same sums" sound_profile "$DATA/$trace"
		check "the calls of $trace add up" sound_imbalance "$DATA/$trace"
		check "efficiencies of iterations of $trace fit those of the run" sound_parts "$DATA/$trace" iteration
		check "the ideal of the graph of $trace is T of the model without a network" same_as_model "$DATA/$trace"
	done
	check "the visit of main, which begins before MPI_Init, is the run" \
		sound_parts "$DATA/otf2/scorep-ping-pong" "region:int main(int, char**)"
	ten() {
		exits 0 critpath waits "$DATA/liballprof/lulesh-8" --by iteration &&
			grep -q '^iterations of a rank: 10 to 10$' out
	}
	check "LULESH has ten iterations, as on its command line" ten
else
	skip "traces of liballprof and Score-P have sound tables" "$DATA is missing"
fi

# contradiction NS: 200 receives wait for 100 ns each; one more ends so many ns before its message is sent.
contradiction() {
	for ((i = 1; i <= 200; i++)); do
		echo "1 $((i * 1000)) $((i * 1000 + 100)) MPI_Recv recv:0:7"
		echo "0 $((i * 1000 + 100)) $((i * 1000 + 110)) MPI_Send send:1:7"
	done
	echo "1 300000 300100 MPI_Recv recv:0:7"
	echo "0 $((300100 + $1)) 301000 MPI_Send send:1:7"
}
# doubtful WORD ARCHIVE: the causes have shares and a culprit, or none.
doubtful() {
	critpath causes "$2" --format json >doubt.json 2>/dev/null
	critpath causes "$2" >doubt.text 2>/dev/null
	schema causes doubt.json && grep -q "\"doubtful\": $1" doubt.json || return 1
	if [ "$1" = true ]; then
		grep -q "^What caused the waiting is not told, as clocks contradict each other by up to" doubt.text && ! grep -q " %" doubt.text
	else
		grep -q "^Rank 0's computation before MPI_Send caused" doubt.text && grep -q " %" doubt.text
	fi
}
for ns in 10 11; do
	contradiction $ns | /usr/bin/python3 "$SOURCE/test/cli/critpath/archive.py" by-$ns || exit 1
done
check "a contradiction of clocks by a tenth of the median wait is borne" doubtful false by-10
check "there are no shares beside a contradiction by more than a tenth of the median wait" doubtful true by-11
/usr/bin/python3 "$SOURCE/test/cli/critpath/archive.py" wrong --wrong 0=-3000 <"$SOURCE/test/cli/critpath/late.calls" || exit 1
many_contradictions() { exits 1 critpath causes wrong && doubtful true wrong; }
check "there are none where more than 1 % of the messages contradict the clocks" many_contradictions

grep -v "coll:\|send:\|recv:" "$here/mixed.calls" >quiet.calls
/usr/bin/python3 "$SOURCE/test/cli/critpath/archive.py" quiet <quiet.calls || exit 1
quiet() {
	for command in waits causes efficiency imbalance profile; do
		exits 0 critpath $command quiet && exits 0 critpath $command quiet --format json && cp out quiet.json &&
			schema $command quiet.json || return 1
	done
}
check "a run without communication has tables" quiet
narrow() {
	for command in waits causes "waits --by comm" "waits --by function" imbalance profile; do
		COLUMNS=80 critpath $command mixed >wide || return 1
		[ "$(wc -L <wide)" -le 80 ] || { cat wide; return 1; }
	done
}
check "texts fit 80 columns" narrow

# ---------------------------------------------------------------------- failures
for command in waits imbalance profile; do
	check "$command needs an archive" complains 2 "critpath: ARCHIVE is missing" critpath $command
	check "$command names a missing archive" complains 1 "critpath: nothing" critpath $command nothing
	check "$command fails on a full device" complains 4 "critpath: /dev/full" critpath $command mixed -o /dev/full
done
check "an unknown group is refused" complains 2 "unknown group 'node'" critpath waits mixed --by node
check "an unknown pattern is refused" complains 2 "unknown pattern 'late'" critpath waits mixed --kind late
check "an unknown grouping is refused" complains 2 "(expected all or iteration)" critpath imbalance mixed --by rank
no_rows() {
	complains 2 "--table is for --format csv" critpath imbalance nothing --table calls &&
		complains 2 "--table is for --format csv" critpath profile nothing --table pairs --format json &&
		complains 2 "--by iteration has no --table" critpath imbalance nothing --by iteration --table calls --format csv &&
		complains 2 "--by iteration has no --from and --to" critpath imbalance nothing --by iteration --from 1us
}
check "options that do not fit together are refused, before the trace is read" no_rows
other_ranks() {
	schedgen --pattern pipeline --ranks 2 -o two.bin 2>/dev/null &&
		complains 1 "two.bin: the graph has 2 ranks and mixed 3" critpath efficiency mixed --graph two.bin
}
check "a graph with other ranks is refused" other_ranks
check "an unknown part is refused" complains 2 "unknown grouping 'region:' (expected all, iteration or region:NAME)" critpath efficiency mixed --by region:
check "a region that does not occur is named" complains 1 "mixed: region 'solve' does not occur" critpath efficiency mixed --by region:solve
check "... with one whose name has it" complains 1 "region 'olv' does not occur, but 'solve' does" critpath efficiency regions --by region:olv
check "parts have no graph" complains 2 "it is about the whole run" critpath efficiency mixed --by iteration --graph tree.bin
other_computation() {
	schedgen mixed --compute-scale 2 -o twice.bin 2>/dev/null && exits 0 critpath efficiency mixed --graph twice.bin &&
		grep -q "warning: twice.bin computes for .*is it the graph of this run" err
}
check "a graph with other computation is warned of" other_computation
check "a graph that is no graph is refused" complains 1 "critpath: quiet.calls" critpath efficiency mixed --graph quiet.calls
check "an unknown table is refused" complains 2 "unknown table 'waits'" critpath imbalance mixed --table waits
