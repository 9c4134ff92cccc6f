#!/bin/bash
# Test schedgen --progress: messages that move only in MPI calls, from the trace to the reports of llamp.
. "$SOURCE/test/cli/tap.sh"

# begin FOLDER RANK: begin the text trace of a rank of two; end FOLDER RANK TIME: end it, at a time in us.
begin() {
	mkdir -p "$1" && printf '# htor'"'"'s PMPI Tracer 1.1 Output File\n\nMPI_Init:-:0:0:0\n' >"$1/pmpi-trace-rank-$2.txt"
}
call() { # FOLDER RANK CALL...
	printf '%s\n' "${@:3}" >>"$1/pmpi-trace-rank-$2.txt"
}
end() {
	call "$1" "$2" "MPI_Finalize:$3:-"
}
MIB=1048577:1,1,1
SMALL=9:1,1,1

# Rank 0 receives 1 MiB + 1 byte, computes 1 ms and waits.
begin receiver 0 && begin receiver 1
call receiver 0 MPI_Irecv:0:96:$MIB:1:7:1140850688,0,2:2000:0 MPI_Wait:1000:2000:160:2010
call receiver 1 MPI_Isend:0:96:$MIB:0:7:1140850688,1,2:2000:0 MPI_Wait:0:2000:160:2010
end receiver 0 2010 && end receiver 1 2010

network="-L 1us --overhead 100ns -G 1 -S 64KiB"
runtime_is() { # GRAPH NAME TIME: the analysis prints it
	llamp analyze $network "$1" 2>err | tr -s ' ' | grep -q "^$2 $3 "
}
moves() {
	schedgen receiver -o async.goal && schedgen receiver -o calls.goal --progress calls -S 64KiB 2>err && grep -q "1 message moves only when" err &&
		goal check calls.goal && runtime_is async.goal T "1.052776 ms" && runtime_is calls.goal T "2.051676 ms"
}
check "a message that is received during computation moves after it with --progress calls" moves
interval() {
	runtime_is calls.goal "T async" "1.052776 ms" && ! runtime_is async.goal "T async" "" &&
		llamp path $network calls.goal >out && grep -q "^MPI_Irecv *1 *1 MiB *998.9 us *48.69 %" out &&
		llamp path $network calls.goal --format csv --table overlap | cut -d, -f 11- | tail -1 | grep -q "MPI_Irecv,1,1048577,true,998900"
}
check "llamp tells T if it moved during the computation, and which calls would gain" interval
page() {
	llamp report $network calls.goal -o report.html && grep -q "T would be 1.053 ms, 48.69 % less" report.html &&
		grep -q "What overlap of messages with computation would bring" report.html
}
check "... also in the page of llamp report" page
eager() {
	llamp analyze calls.goal 2>err >out && grep -q "deferred to later calls (schedgen --progress), but without -S" err
}
check "llamp warns if no message waits for a receiver although receives are deferred" eager

unchanged() { # FOLDER OPTION...
	folder=$1
	shift
	schedgen "$folder" -o plain.goal && schedgen "$folder" -o other.goal "$@" && cmp plain.goal other.goal
}
check "--progress async is what there is without the option" unchanged receiver --progress async
check "messages up to the threshold stay as they are" unchanged receiver --progress calls -S 1048577
same_calls() {
	schedgen receiver -o plain.goal && schedgen receiver -o other.goal --progress async && cmp plain.goal.calls other.goal.calls
}
check "... and so does the file of the calls" same_calls

# Rank 1 sends 1 MiB + 1 byte, computes 1 ms and waits; rank 0 receives at once.
begin sender 0 && begin sender 1
call sender 0 MPI_Recv:0:96:$MIB:1:7:1140850688,0,2:160:2010
call sender 1 MPI_Isend:0:96:$MIB:0:7:1140850688,1,2:2000:0 MPI_Wait:1000:2000:160:2010
end sender 0 2010 && end sender 1 2010
both() {
	schedgen sender -o sender.goal && schedgen sender -o both.goal --progress calls:both -S 64KiB && goal check both.goal &&
		unchanged sender --progress calls -S 64KiB && runtime_is sender.goal T "1.052776 ms" &&
		runtime_is both.goal T "2.052876 ms" && runtime_is both.goal "T async" "1.052776 ms" &&
		llamp path $network both.goal >out && grep -q "^MPI_Isend *1 *1 MiB" out
}
check "a message that is sent during computation moves after it with --progress calls:both" both

# Blocking calls only, with computation between them.
begin blocking 0 && begin blocking 1
for i in 0 1 2; do
	call blocking 0 MPI_Send:$((i * 3000)):128:$MIB:1:7:1140850688,0,2:$((i * 3000 + 1500))
	call blocking 1 MPI_Recv:$((i * 3000 + 500)):128:$MIB:0:7:1140850688,1,2:160:$((i * 3000 + 1500))
	call blocking 0 MPI_Barrier:$((i * 3000 + 2000)):1140850688,0,2:$((i * 3000 + 2100))
	call blocking 1 MPI_Barrier:$((i * 3000 + 2000)):1140850688,1,2:$((i * 3000 + 2100))
done
end blocking 0 9000 && end blocking 1 9000
check "a program of blocking calls has the same graph" unchanged blocking --progress calls -S 0
check "... also if both sides have to act" unchanged blocking --progress calls:both -S 0

# Two messages with one tag, waited for in the other order; the second one is eager.
begin order 0 && begin order 1
call order 0 MPI_Irecv:0:96:$MIB:1:7:1140850688,0,2:1:0 MPI_Irecv:0:96:$SMALL:1:7:1140850688,0,2:2:0 \
	MPI_Irecv:0:96:2097152:1,1,1:1:7:1140850688,0,2:3:0 MPI_Wait:100:3:160:2010 MPI_Wait:2010:2:160:2010 MPI_Wait:2010:1:160:2010
call order 1 MPI_Isend:0:96:$MIB:0:7:1140850688,1,2:1:0 MPI_Isend:0:96:$SMALL:0:7:1140850688,1,2:2:0 \
	MPI_Isend:0:96:2097152:1,1,1:0:7:1140850688,1,2:3:0 MPI_Wait:0:1:160:2010 MPI_Wait:2010:2:160:2010 MPI_Wait:2010:3:160:2010
end order 0 2010 && end order 1 2010
ordered() {
	schedgen order -o order.goal --progress calls -S 64KiB && goal check order.goal &&
		[ "$(sed -n 's/.*: \(send\|recv\) \([0-9]*\)b .* tag \([0-9]*\)$/\2 \3/p' order.goal | sort | uniq -c |
			awk '{ print $1 }' | sort -u)" = 2 ]
}
check "deferred messages have tags of their own, the same on both sides" ordered

# overlap_file SHARE [THRESHOLD [SENDER]]: a file of llamp-measure overlap in which this share of 2 MiB moves while the receiver
# computes, and while the sender does.
overlap_file() {
	/usr/bin/python3 - "$@" <<'PYTHON'
import json, sys

def spread(ns):
    return [50] + 9 * [ns]

print(json.dumps({
    "schema": "llamp-overlap-1", "hosts": ["a", "b"], "one_host": False, "mpi": "MPI", "transport": "", "processor": "",
    "processors": 2, "cores": ["0", "1"], "start": "2026-01-02T03:04:05Z", "thread_level": "MPI_THREAD_SINGLE", "options": "",
    "ranks": 2, "pairs": 1, "repeat": 50, "both_types": False, "pinned": False, "load": -1, "work_ns": 1,
    "threshold": json.loads(sys.argv[2] if len(sys.argv) > 2 else "[65536, 65537]"), "settings": {}}))
CELLS = [("receiver", 65536, 1), ("receiver", 2097152, float(sys.argv[1]))]
CELLS += [("sender", 1048576, float(share)) for share in sys.argv[3:]]
for bench, size, share in CELLS:
    print(json.dumps({
        "bench": bench, "kernel": "work", "side": "sender", "bytes": size, "compute_ns": 2 * size, "threads": 0,
        "pending": 1, "tests_ns": 0, "full": spread((3 - share) * size), "latency": spread(0), "comm": spread(size),
        "comp": spread(2 * size), "blocking": None, "post_ns": 1, "computing_ns": 2 * size, "complete_ns": 1, "cpu_ns": 1,
        "rounds": 50, "rejected": 0, "ratio": 1 - share, "ratio_error": 0}))
print(json.dumps({"end": "complete", "work_drift": 0}))
PYTHON
}
measured() { # SHARE GRAPH: the graph by the measurement is this one
	overlap_file "$1" >share.overlap && schedgen receiver -o share.goal --progress share.overlap && cmp share.goal "$2"
}
check "a library that was measured to move all while the receiver computes has the graph of async" measured 1 async.goal
check "... and one that moves nothing the graph of calls" measured 0 calls.goal
# A quarter of 1048577 bytes is there in time; the rest moves after the computation: 1 ms + o + 3 L + B.
part() {
	measured 0.25 share.goal && runtime_is share.goal T "1.789532 ms" && llamp path share.goal 2>err >out &&
		tr '\0' '\n' <share.goal.calls | grep -aq -- "--progress share.overlap --rendezvous-threshold 65536"
}
check "a part of a message moves while the receiver computes, as it was measured" part
small_parts() {
	overlap_file 0.05 >share.overlap && schedgen receiver -o share.goal --progress share.overlap && cmp share.goal calls.goal
}
check "... but not one that would be eager" small_parts
thresholds() {
	overlap_file 0 null >none.overlap && schedgen receiver -o none.goal --progress none.overlap 2>err
	complains 2 "has no rendezvous threshold" schedgen receiver -o x.goal --progress none.overlap &&
		schedgen receiver -o other.goal --progress none.overlap -S 64KiB && cmp other.goal calls.goal
}
check "--rendezvous-threshold is that of the file, or the option" thresholds

measured_sender() {
	overlap_file 1 null 0 >sender.overlap && schedgen sender -o share.goal --progress sender.overlap -S 64KiB && cmp share.goal both.goal &&
		overlap_file 0 null 1 >sender.overlap && unchanged sender --progress sender.overlap -S 64KiB
}
check "a file may also tell how much moves while the sender computes" measured_sender

without() {
	complains 2 "--progress calls needs --rendezvous-threshold" schedgen receiver -o x.goal --progress calls &&
		complains 1 "a file of llamp-measure overlap): never: " schedgen receiver -o x.goal --progress never &&
		complains 2 "--progress belongs to an archive" schedgen --pattern halo-2d --ranks 4 --progress calls -S 1 -o x.goal &&
		[ ! -e x.goal ]
}
check "what cannot be is refused" without

DATA=${DATA:-$SOURCE/../shared/data}
real() {
	for size in 0 1KiB; do
		schedgen "$DATA/liballprof/lulesh-8" -o real.bin --from iteration:2 --progress calls -S $size && goal check real.bin &&
			schedgen "$DATA/liballprof/lulesh-8" -o real.bin --progress calls -S $size && goal check real.bin &&
			llamp analyze real.bin -S $size --format json >real.json 2>err || return 1
		/usr/bin/python3 -c 'import json; a = json.load(open("real.json")); assert a["runtime_async_ns"] <= a["runtime_ns"]' ||
			return 1
	done
}
sentence="of a run of LULESH T async is at most T"
if [ -d "$DATA/liballprof/lulesh-8" ]; then
	check "$sentence" real
else
	skip "$sentence" "$DATA is not there"
fi
