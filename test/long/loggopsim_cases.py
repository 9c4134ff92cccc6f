#!/usr/bin/python3
"""Compare the simulator of LogGOPSim's rules with what LogGOPSim itself has printed.

The expected ends of the ranks are those of LogGOPSim of 2023-12-06 (github.com/spcl/LogGOPSim, commit 76451de).
"""
import functools
import sys

sys.dont_write_bytecode = True
import loggopsim
import predict

SEND, RECV = "send {}b to 1", "recv {}b from 0"
# Sentence, operations of each rank, parameters, ends of the ranks.
CASES = [
    ("a message costs o on both sides, and L between", [[SEND.format(8)], [RECV.format(8)]],
     {"L": 3000, "o": 5000}, [5000, 13000]),
    ("the receiver is busy for the bytes of a message", [[SEND.format(10**6)], [RECV.format(10**6)]],
     {"L": 3000, "o": 5000, "G": 1}, [5000, 1012999]),
    ("overhead separates two small messages", [[SEND.format(8)] * 2, [RECV.format(8)] * 2],
     {"L": 3000, "o": 5000, "G": 10}, [10000, 18140]),
    ("the gap separates two messages", [[SEND.format(8)] * 2, [RECV.format(8)] * 2],
     {"L": 3000, "o": 1000, "g": 7000}, [8000, 12000]),
    ("the bytes of a message delay the next one", [[SEND.format(101)] * 2, [RECV.format(101)] * 2],
     {"L": 3000, "o": 1000, "G": 100}, [11000, 26000]),
    ("overhead of bytes is paid by both sides", [[SEND.format(101)] * 2, [RECV.format(101)] * 2],
     {"L": 3000, "o": 1000, "O": 10}, [4000, 8000]),
    ("a receiver takes in the messages of two senders one after the other",
     [["send 101b to 2"], ["send 101b to 2"], ["recv 101b from 0", "recv 101b from 1"]],
     {"L": 3000, "o": 1000, "G": 100}, [1000, 1000, 26000]),
    ("a message waits for a receiver that computes", [[SEND.format(101)], ["calc 50000", RECV.format(101), "1 requires 0"]],
     {"L": 3000, "o": 1000, "G": 100}, [1000, 61000]),
    ("a rank may send to itself", [["send 8b to 0", "recv 8b from 0"]], {"L": 3000, "o": 1000}, [5000]),
    ("a message uses the CPU of its send at the receiver", [[SEND.format(8)], ["calc 10000", RECV.format(8) + " cpu 1"]],
     {"L": 3000, "o": 1000}, [1000, 11000]),
    ("CPUs and NICs of a rank do not wait for each other",
     [[SEND.format(8), SEND.format(8) + " tag 1 cpu 1 nic 1"], [RECV.format(8), RECV.format(8) + " tag 1 cpu 1 nic 1"]],
     {"L": 3000, "o": 1000, "g": 5000}, [1000, 5000]),
    ("a dependency between CPUs costs no time", [["calc 100", "calc 10 cpu 1", "1 requires 0"]], {}, [100]),
]


def bursts():
    """Ten rounds of 16 messages of 64 KiB to rank 1, and its answer of as many bytes."""
    sides = []
    for burst, answer in (("send 65536b to 1", "recv 65536b from 1"), ("recv 65536b from 0", "send 65536b to 0")):
        operations, last = [], None
        for first in range(0, 170, 17):
            operations += [burst] * 16 + [answer + " tag 1"]
            if burst.startswith("send"):        # one after the other
                before = {number: [number - 1] for number in range(max(first, 1), first + 17)}
            else:                               # all posted at once
                before = {number: [last] for number in range(first, first + 16) if first}
                before[first + 16] = range(first, first + 16)
            operations += [f"{number} requires {other}" for number, others in before.items() for other in others]
            last = first + 16
        sides.append(operations)
    return sides


# Gap in ns, and end of rank 0 in ms, rounded.
BURSTS = [(0, 11.18), (1000, 11.31), (10000, 12.66)]


def write(name, ranks):
    """Write a graph; "1 requires 0" names operations of its rank by number."""
    with open(name + ".goal", "w") as file:
        file.write(f"num_ranks {len(ranks)}\n")
        for rank, lines in enumerate(ranks):
            operations = [line for line in lines if not line[0].isdigit()]
            labelled = [f"l{number}: {line}" for number, line in enumerate(operations)]
            edges = [f"l{a} {kind} l{b}" for a, kind, b in (line.split() for line in lines if line[0].isdigit())]
            file.write("\n".join([f"rank {rank} {{", *labelled, *edges, "}"]) + "\n")
    predict.call(["goal", "convert", name + ".goal", "-o", name + ".bin"])


def ends_of(name, ranks, **parameters):
    write(name, ranks)
    return loggopsim.Simulation(loggopsim.read(name + ".bin"), **parameters).run()


def compare(number):
    sentence, ranks, parameters, ends = CASES[number]
    simulated = ends_of(str(number), ranks, **parameters)
    yield sentence, None if simulated == ends else f"{simulated} instead of {ends}"


def compare_bursts():
    for g, end in BURSTS:
        simulated, _ = ends_of("bursts", bursts(), L=1000, o=100, G=1, g=g)
        yield (f"bursts of 64 KiB take {end} ms with a gap of {g} ns",
               None if round(simulated / 1e6, 2) == end else f"{simulated} ns")


predict.main([(CASES[number][0], functools.partial(compare, number)) for number in range(len(CASES))]
             + [("bursts", compare_bursts)])
