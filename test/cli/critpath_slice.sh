#!/bin/bash
# runs: slow
# Test --from and --to of critpath.
. "$SOURCE/test/cli/tap.sh"
shared=$SOURCE/test/cli/critpath
DATA=${DATA:-$SOURCE/../shared/data}
python() { /usr/bin/python3 "$SOURCE/test/cli/critpath_slice/check.py" "$@"; }
schema() {
	described=$SOURCE/doc/critpath-$1.schema.json
	shift
	/usr/bin/python3 "$SOURCE/test/cli/llamp/check.py" schema "$described" "$@"
}

# Four iterations of 1000 ns, each with an MPI_Allreduce of two ranks: rank 0 and rank 1 are late in turns.
iterations() {
	for rank in 0 1; do
		echo "$rank 0 1000 MPI_Init"
		for iteration in 1 2 3 4; do
			late=$(((iteration + rank) % 2 * 500 + 300))
			echo "$rank $((iteration * 1000 + late)) $((iteration * 1000 + 900)) MPI_Allreduce coll:ALLREDUCE"
		done
		echo "$rank 5500 6000 MPI_Finalize"
	done
}
iterations | "$shared/archive.py" turns || exit 1
golden slice.text "a slice has the path, the functions and the ranks of its time" \
	critpath path turns --from iteration:2 --to iteration:3

# slice START END WORD...: the slice that the words give is the path of the run between the times.
slice() {
	critpath path turns --format json -o whole.json &&
		critpath path turns "${@:3}" --format json -o part.json && schema path part.json &&
		python clip whole.json part.json "$1" "$2"
}
check "an iteration begins at the end of the call before it" slice 900 1900 --from iteration:2 --to iteration:2
check "a slice without --to goes on until the end of the run" slice 2900 4500 --from iteration:4
check "a slice without --from begins with the run" slice 0 900 --to iteration:1
check "times count from the begin of the run" slice 250 3333 --from 250ns --to 3.333us
check "an edge beyond the end of the run is the end" slice 4000 4500 --from 4us --to 9s
check "times and iterations may be mixed" slice 100 1900 --from 100 --to iteration:2
for method in dijkstra "delta --delta 10ns" "dijkstra --splits on"; do
	check "... with --method $method, too" slice 900 2900 --from iteration:2 --to iteration:3 --method $method
done
blocks() {
	critpath path turns --from 1us --to 3us --threshold 1us --format json -o blocks.json && schema path blocks.json &&
		grep -q '"slice_end_ns": 3000' blocks.json && grep -q '"category": "block"' blocks.json
}
check "a slice is listed in blocks" blocks

# Rank 0 waits in one call from 0.1 to 9.9 us, and rank 1 computes.
{
	printf '%d 0 1000 MPI_Init\n' 0 1
	echo "0 1100 10900 MPI_Recv recv:1:7"
	echo "1 10800 10850 MPI_Send send:0:7"
	printf '%d 11000 12000 MPI_Finalize\n' 0 1
} | "$shared/archive.py" inside || exit 1
inside() {
	critpath profile inside --from 4us --to 5us --format json -o part.json && schema profile part.json &&
		grep -q '"mpi_ns": 1000' part.json && critpath profile inside --from 4us --to 5us >out && grep -qE ' 50(\.00)? %' out &&
		critpath waits inside --from 4us --to 5us --format csv | grep -q ',3000,' && return 1
	critpath waits inside --from 4us --to 5us --format csv | grep -q ',4000,5000,late-sender,1000,' &&
		critpath imbalance inside --from 4us --to 5us --format json -o part.json && schema imbalance part.json &&
		grep -q '"wait_before_ns": 1000' part.json && grep -q '"computation_ns": 1000' part.json
}
check "a call around the slice counts with the part in the slice" inside

# Each function below gets an ARCHIVE.
adds_up() {
	critpath "$2" "$1" --format json -o whole.json || return 1
	critpath "$2" "$1" --to iteration:1 --format json -o a.json || return 1
	first=$(sed -n 's/^ *"slice_end_ns": \([0-9]*\),$/\1/p' a.json)
	critpath "$2" "$1" --from "$first" --to $((first + $3)) --format json -o b.json &&
		critpath "$2" "$1" --from $((first + $3)) --format json -o c.json && schema "$2" a.json b.json c.json &&
		python add whole.json a.json b.json c.json
}
path() { adds_up "$1" path 77777; }
imbalance() { adds_up "$1" imbalance 4567890; }
profile() { adds_up "$1" profile 4567890; }
rows() {
	critpath imbalance "$1" --format csv --table calls -o whole.csv &&
		critpath imbalance "$1" --from iteration:2 --to iteration:3 --format csv --table calls -o part.csv &&
		critpath waits "$1" --from iteration:2 --to iteration:3 --format json -o part.json &&
		python cut whole.csv part.csv $(sed -n 's/^ *"slice_[a-z]*_ns": \([0-9]*\),$/\1/p' part.json)
}
waits() {
	critpath waits "$1" --format csv -o whole.csv && critpath waits "$1" --from iteration:2 --to iteration:3 --format csv -o part.csv &&
		critpath waits "$1" --from iteration:2 --to iteration:3 --format json -o part.json && schema waits part.json &&
		python cut whole.csv part.csv $(sed -n 's/^ *"slice_[a-z]*_ns": \([0-9]*\),$/\1/p' part.json)
}
graph() {
	critpath graph "$1" --from iteration:2 --to iteration:2 -o part.json && schema graph part.json
}
view() {
	critpath view "$1" --from iteration:2 --to iteration:2 -o part.html 2>said && grep -q "^critpath: part.html: [1-9]" said
}
check "waits of a slice are cut at its edges" waits turns
cut_rows() {
	critpath imbalance turns --format csv --table calls -o whole.csv && critpath waits turns --format csv -o whole_waits.csv &&
		for edges in "750 2345" "333 444" "400 850" "1850 2400"; do
			set -- $edges
			critpath imbalance turns --from "$1" --to "$2" --format csv --table calls -o part.csv &&
				python cut whole.csv part.csv "$1" "$2" || return 1
		done
	critpath waits turns --from 600 --to 700 --format csv -o part.csv && python cut whole_waits.csv part.csv 600 700
}
check "... and calls, wherever they are cut" cut_rows
for command in path imbalance profile; do
	check "slices of $command add up, wherever they cut" eval "adds_up turns $command 234 && adds_up turns $command 1234"
done
for archive in "$DATA/liballprof/lulesh-8"; do
	name=$(basename "$archive")
	for what in path imbalance profile waits rows graph view; do
		if [ -d "$archive" ]; then
			check "slices of $name: $what" $what "$archive"
		else
			skip "slices of $name: $what" "$archive is missing"
		fi
	done
done
region() {
	critpath path "$1" --from "region:int main(int, char**)" --to "region:int main(int, char**)" --format json -o part.json &&
		schema path part.json && grep -q '"slice_start_ns"' part.json
}
if [ -d "$DATA/otf2/scorep-ping-pong" ]; then
	check "a slice may be a region of the program" region "$DATA/otf2/scorep-ping-pong"
else
	skip "a slice may be a region of the program" "$DATA/otf2/scorep-ping-pong is missing"
fi

# ---------------------------------------------------------------------- failures
check "an end before the begin is refused" complains 2 "--to 1 us is not after --from 2 us" critpath path turns --from 2us --to 1us
check "... also of iterations" complains 1 "turns: rank 0: --to is not after --from" critpath path turns --from iteration:3 --to iteration:2
check "a slice after the end of the run is refused" complains 1 "leave nothing of the run, which is 4.5 us long" \
	critpath path turns --from 5us
check "an iteration that is none is refused" complains 1 "there is no iteration:5" critpath path turns --to iteration:5
check "a region that is none is refused" complains 1 "region 'solve' does not occur on rank 0" critpath waits turns --from region:solve
check "an edge that is none is refused" complains 2 "--from" critpath path turns --from soon
check "iterations have no slices" complains 2 "--by iteration has no --from and --to" \
	critpath imbalance turns --by iteration --to 1us
check "groups have no slices" complains 2 "--from and --to are for --method walk, dijkstra and delta" \
	critpath path turns --method groups --to 1us
