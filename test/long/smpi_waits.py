#!/usr/bin/python3
"""Compare how long SMPI and llamp wait for a rendezvous send and for eager receives (sendwait.c).

SMPI's rendezvous is llamp's sync but for overheads: it charges none to the receiver, and none to a blocking send.  So
llamp takes as much longer if the send is on the path.  When receives complete is the same.
"""
import functools
import sys

sys.dont_write_bytecode = True
import predict
import smpi

RANKS = 10
LATENCY = 1000               # ns
OVERHEADS = (1000, 5000)     # ns
THRESHOLD = 8192             # bytes of the largest eager message
SETTINGS = {"smpi/async-small-thresh": THRESHOLD, "smpi/send-is-detached-thresh": THRESHOLD}
MORE = ("-S", str(THRESHOLD), "--rendezvous", "sync")
# How to wait; bytes that are sent; overheads on the path that SMPI does not charge; what holds.
CASES = [
    ("together", 20000, 0, "receives complete in a wait that is also for the send"),
    ("together", 1000000, 1, "receives complete before the send with which their wait ends"),
    ("first", 1000000, 1, "receives complete after a wait for the send alone"),
    ("blocking", 1000000, 2, "receives complete after a blocking send"),
    ("sendrecv", 1000000, 1, "receives complete after an MPI_Sendrecv of other messages"),
]


def prepare():
    smpi.build("test/long/sendwait.c")


def compare(number):
    how, size, uncharged, sentence = CASES[number]
    graph = f"{number}.bin"
    predict.trace(number, RANKS, "sendwait", [how, size])
    predict.graph(number, graph, {})
    for overhead in OVERHEADS:
        time = smpi.simulated(LATENCY, RANKS, "sendwait", [how, size], {}, overhead, SETTINGS) + uncharged * overhead
        expected, _ = predict.predicted(graph, LATENCY + 17 * smpi.G, overhead, smpi.G, "cpu", MORE)
        yield (f"{sentence}, with an overhead of {overhead} ns",
               f"{time:.6f} ns instead of {expected} ns" if abs(time - expected) > smpi.TOLERANCE else None)


smpi.main([(sentence, functools.partial(compare, number)) for number, (*_, sentence) in enumerate(CASES)], prepare)
