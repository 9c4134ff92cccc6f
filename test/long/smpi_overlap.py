#!/usr/bin/python3
"""Measure overlap with the core of the overlap benchmark (overlap.c) on SMPI, where messages need no processor.

So everything overlaps, and the full sequence takes as long as its longer part: ratio_seq is 0.  With T the time of a message,
l that of one without data, and c the computation, the sequence of a message and its answer takes max(c, T + l), and its ratio is

    (max(c, T + l) - l - max(T, c)) / min(T, c)
"""
import functools
import os
import sys

sys.dont_write_bytecode = True
import predict
import smpi

SOURCES = ["test/long/overlap.c", "measure/overlap/benchmark.c", "measure/overlap/cell_measure.c", "measure/cells/cell.c",
           "measure/cells/ratio.c", "measure/statistics/samples.c"]
LATENCIES = (1500, 40000)                           # ns
HEADER = 16                                         # bytes that SMPI adds
THRESHOLDS = {"eager": 10**9, "by rendezvous": 32}  # bytes; messages without data are always eager
ANSWERED = ("sender", "receiver", "noncontig")
MOST = 1e-6
CASES = [(ranks, how) for ranks in (2, 4) for how in THRESHOLDS]


def prepare():
    predict.call(["smpicc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-I", predict.SOURCE, "-o", "overlap.smpi",
                  *(os.path.join(predict.SOURCE, source) for source in SOURCES),
                  os.path.join(os.environ["BUILD"], "libcommon.a"), "-lm"])


def cells(latency, ranks, how):
    """Benchmark, bytes, computation in ns, ratio and ratio_seq of each cell."""
    settings = {"smpi/async-small-thresh": THRESHOLDS[how], "smpi/send-is-detached-thresh": THRESHOLDS[how]}
    for line in smpi.run(latency, ranks, "overlap", [], {}, 0, settings).stdout.splitlines():
        bench, *numbers = line.split()
        yield bench, *map(float, numbers)


def known(latency, bench, size, compute):
    """The ratio of a cell."""
    message, nothing = latency + (size + HEADER) * smpi.G, latency + HEADER * smpi.G
    if bench not in ANSWERED:
        return 0
    return (max(compute, message + nothing) - nothing - max(message, compute)) / min(message, compute)


def fault(latency, ranks, how):
    """What is wrong with a cell, or None."""
    count = 0
    for bench, size, compute, ratio, ratio_seq in cells(latency, ranks, how):
        if bench == "cpu" and how == "eager":
            continue                                # no time at all
        count += 1
        where = f"L = {latency} ns, {bench}, {size:.0f} bytes, {compute:g} ns"
        if not abs(ratio_seq) <= MOST:
            return f"{where}: the ratio of the sequence is {ratio_seq}"
        if not abs(ratio - known(latency, bench, size, compute)) <= MOST:
            return f"{where}: the ratio is {ratio} instead of {known(latency, bench, size, compute)}"
    return None if count >= 40 else f"there are only {count} cells"


def compare(ranks, how):
    what = "messages between two ranks" if ranks == 2 else f"collectives of {ranks} ranks"
    for latency in LATENCIES:
        yield f"{what}, {how}, overlap where the network needs no processor, L = {latency} ns", fault(latency, ranks, how)


smpi.main([(f"{ranks} ranks {how}", functools.partial(compare, ranks, how)) for ranks, how in CASES], prepare)
