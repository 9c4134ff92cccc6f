#!/usr/bin/python3
"""Compare the runtime of LULESH that SMPI simulates with the one that llamp predicts.

DATA names a folder with liballprof/lulesh-8, the text traces of a run of LULESH by liballprof, which are not part of the
project.  SMPI makes the same calls, without computation (replay.c).  LULESH waits for its messages one by one.
Barriers are left out of both, since the header of SMPI's messages counts another time for empty messages (smpi.py).
"""
import functools
import os
import re
import sys

sys.dont_write_bytecode = True
import predict
import smpi

DATA = os.environ.get("DATA") or os.path.join(predict.SOURCE, "../shared/data")
TRACE = os.path.join(DATA, "liballprof/lulesh-8")
NAME = "pmpi-trace-rank-{}.txt"
REQUEST_BYTES = 4       # MPICH's MPI_Request
THEIRS = {"allreduce": "rdb", "reduce": "binomial"}
OURS = {"allreduce": "recursive-doubling", "reduce": "binomial"}
OVERHEADS = (0, 1000, 5000)      # ns


def calls_of(lines):
    """The calls of a rank as replay.c reads them."""
    numbers, free, active = 0, [], {}
    for line in lines:
        match = re.match(r"MPI_(\w+):(.*)", line)
        if not match:
            continue
        name, fields = match[1].lower(), match[2].split(":")
        if name in ("isend", "irecv"):
            size = int(fields[2]) * int(fields[3].split(",")[1])
            if free:
                number = free.pop()
            else:
                number, numbers = numbers, numbers + 1
            active[int(fields[7])] = number
            yield f"{name} {size} {fields[4]} {fields[5]} {number}"
        elif name == "wait":
            number = active.pop(int(fields[1]), None)
            if number is not None:
                free.append(number)
                yield f"wait {number}"
        elif name == "waitall":
            places = [int(fields[2]) + REQUEST_BYTES * i for i in range(int(fields[1]))]
            done = [active.pop(place) for place in places if place in active]
            free.extend(done)
            yield " ".join(map(str, ["waitall", len(done), *done]))
        elif name == "allreduce":
            yield f"allreduce {fields[3]}"
        elif name == "reduce":
            yield f"reduce {fields[3]} {fields[6]}"
        elif name not in ("init", "finalize", "comm_rank", "comm_size", "wtime"):
            raise ValueError(f"MPI_{name} is not replayed")


def prepare():
    predict.compiled("smpicc", "test/long/replay.c", "replay.smpi")
    os.mkdir("lulesh.trace")
    for rank in range(8):
        with open(os.path.join(TRACE, NAME.format(rank))) as file:
            lines = [line for line in file if not line.startswith("MPI_Barrier:")]
        with open(os.path.join("lulesh.trace", NAME.format(rank)), "w") as file:
            file.writelines(lines)
        with open(f"lulesh.{rank}", "w") as file:
            file.writelines(call + "\n" for call in calls_of(lines))
    predict.graph("lulesh", "lulesh.bin", OURS)


def compare(overhead):
    for latency in smpi.LATENCIES:
        time = smpi.simulated(latency, 8, "replay", ["lulesh"], THEIRS, overhead)
        expected, _ = predict.predicted("lulesh.bin", latency + 17 * smpi.G, overhead, smpi.G, "cpu")
        yield (f"LULESH: with L = {latency} ns and o = {overhead} ns SMPI takes as long as llamp predicts with limited CPUs",
               f"{time:.6f} ns instead of {expected} ns" if abs(time - expected) > smpi.TOLERANCE else None)


if os.path.isdir(TRACE):
    smpi.main([(f"LULESH, o = {overhead} ns", functools.partial(compare, overhead)) for overhead in OVERHEADS], prepare)
else:
    print(f"1..1\nok 1 - llamp predicts the runtime of LULESH that SMPI simulates # SKIP {TRACE} is missing")
