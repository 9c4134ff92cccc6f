#!/bin/bash
# Test that critpath matches collectives of traces in which some ranks lack records.
. "$SOURCE/test/cli/tap.sh"
archive=$SOURCE/test/cli/critpath/archive.py

# program RANK EVENT: four ranks in 20 steps, allreduce and barrier in turns, for whom rank 3 is late; a RANK in a
# first call with the EVENT.
program() {
	for rank in 0 1 2 3; do
		echo "$rank 0 1000 MPI_Init"
		case " $1 " in *" $rank "*) echo "$rank $((1500 + 100 * rank)) 2000 MPI_Comm_create_group create:0,1 $2" ;; esac
		for ((step = 0; step < 20; step++)); do
			start=$((10000 + 1010 * step))
			work=$((rank == 3 ? 1000 : 100 + 10 * rank))
			case $((step % 2)) in 0) kind=ALLREDUCE name=MPI_Allreduce ;; *) kind=BARRIER name=MPI_Barrier ;; esac
			echo "$rank $((start + work)) $((start + 1010)) $name coll:$kind"
		done
		echo "$rank 40000 40100 MPI_Finalize"
	done
}

# ------------------------------------------------- communicators made by their members
# Score-P records MPI_Comm_create_group on the parent, by the members of the group only.
program "0 1" coll:CREATE_HANDLE | "$archive" parent && program "" | "$archive" plain || exit 1
waits_alike() {	# ARCHIVE...: each call waits for one of the same function, of rank 3
	for name in "$@"; do
		critpath waits $name --format csv >waits.csv && /usr/bin/python3 -c 'import csv
for row in csv.DictReader(open("waits.csv")):
    if row["function"] != "MPI_Comm_create_group":
        assert row["function"] == row["cause_function"] and row["cause_rank"] == "3", row' || return 1
	done
}
check "collectives after MPI_Comm_create_group as Score-P records it wait for those of their kind" waits_alike plain parent
complete() { exits 0 critpath path parent --strict && ! grep -q "^lacking" out && ! grep "^unknown .*%" out | grep -v " 0 ns"; }
check "... and lack no participants" complete

# --------------------------------------------------------------------- recording off
# Ranks 0 to 2 take part in 10 barriers and allreduces in turns; recording is off on rank 1 around step $1.
gap() {
	for rank in 0 1 2; do
		echo "$rank 0 1000 MPI_Init"
		for ((step = 0; step < 10; step++)); do
			start=$((10000 + 1000 * step))
			case $((step % 2)) in 0) kind=BARRIER name=MPI_Barrier ;; *) kind=ALLREDUCE name=MPI_Allreduce ;; esac
			[ "$rank $step" = "1 $1" ] && continue
			off=
			[ "$rank $((step + 1))" = "1 $1" ] && off=off:1000
			echo "$rank $((start + (rank == 2 ? 900 : 100))) $((start + 950)) $name coll:$kind $off"
		done
		echo "$rank 40000 40100 MPI_Finalize"
	done
}
gap 4 | "$archive" gap || exit 1
named() {
	critpath waits gap --format csv >waits.csv && /usr/bin/python3 -c 'import csv
rows = list(csv.DictReader(open("waits.csv")))
assert len(rows) == 19 and all(row["function"] == row["cause_function"] for row in rows), rows'
}
check "collectives around which one rank does not record wait for those of their kind" named
lacking() {
	for word in path waits imbalance profile; do
		exits 0 critpath $word gap && grep -q "^lacking     1 collective without all participants" out &&
			exits 0 critpath $word gap --format json && grep -q '"collectives_lacking_participants": 1,' out &&
			complains 1 "1 collectives that lack participants" critpath $word gap --strict || return 1
	done
	exits 0 critpath graph gap -o gap.json && grep -q '"collectives_lacking_participants": 1,' gap.json
}
check "... and every text and JSON has those that lack participants, which --strict refuses" lacking
unknown() { exits 0 critpath path gap --format csv && grep -q "^gap,13900,13950,2,unknown,6,MPI_Barrier" out; }
check "... and time on the path in those is unknown" unknown
