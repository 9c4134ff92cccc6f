#!/bin/bash
# Test what critpath and schedgen make of polls: computation or waiting.
. "$SOURCE/test/cli/tap.sh"
archive=$SOURCE/test/cli/critpath/archive.py

# Rank 0 computes 500 ms in 25 parts with a test of 1 us after each; rank 1 computes 440 ms and sends.
# busy FORM: the tests are calls of their own, or one call.
busy() {
	printf '%d 0 1000 MPI_Init\n' 0 1
	echo "0 1000 1000 MPI_Irecv post:1"
	if [ "$1" = apart ]; then
		for ((i = 1; i < 25; i++)); do echo "0 $((i * 20001000)) $((i * 20001000 + 1000)) MPI_Test test:1"; done
	else
		echo "0 20001000 480025000 MPI_Test test:1 polls:24:460000000:20000000"
	fi
	echo "0 500025000 500026000 MPI_Test irecv:1:7:1"
	echo "1 440001000 440003000 MPI_Send send:0:7"
	echo "0 500026000 500027000 MPI_Finalize"
	echo "1 440003000 500027000 MPI_Finalize"
}
for form in apart joined; do
	busy $form | "$archive" $form || exit 1
done

computes() {
	critpath imbalance "$1" >out && grep -qF '940 ms computing, 27 us executing MPI, 0 ns waiting' out &&
		grep -q '^load balance  *94\.00 %' out
}
same_compute() {
	schedgen "$1" -o "$1.goal" 2>/dev/null && grep -q 'calc 500000000$' "$1.goal"
}
for form in apart joined; do
	check "a rank that computes between tests computes: tests $form" computes $form
	check "... in the graph of schedgen, too" same_compute $form
done

# Rank 0 polls for two requests in turn, each 1 us after the other, until one completes.
{
	printf '%d 0 1000 MPI_Init\n' 0 1
	echo "0 1000 1000 MPI_Irecv post:1"
	echo "0 1000 1000 MPI_Irecv post:2"
	for ((i = 1; i < 50; i++)); do
		echo "0 $((i * 2000)) $((i * 2000 + 100)) MPI_Test test:1"
		echo "0 $((i * 2000 + 1000)) $((i * 2000 + 1100)) MPI_Test test:2"
	done
	echo "0 100000 100100 MPI_Test irecv:1:7:1"
	echo "0 100200 100300 MPI_Wait irecv:1:8:2"
	echo "1 90000 90001 MPI_Send send:0:7"
	echo "1 95000 95001 MPI_Send send:0:8"
	printf '%d 110000 111000 MPI_Finalize\n' 0 1
} | "$archive" turns || exit 1
waits() {
	critpath waits turns --format json -o turns.json && grep -q '"wait_ns": 88000' turns.json &&
		schedgen turns -o turns.goal 2>/dev/null && ! grep -qE 'calc (8|9)[0-9]{4}$' <(sed -n '/^rank 0/,/^rank 1/p' turns.goal)
}
check "a rank that polls for several messages in turn waits" waits
