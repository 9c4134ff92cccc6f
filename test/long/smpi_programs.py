#!/usr/bin/python3
"""Compare the runtimes of programs that SMPI simulates with those that llamp predicts from their traces.

Both leave out computation.  SMPI runs the program itself, so that tracer, schedgen and llamp are tested as a whole.
"""
import functools
import sys

sys.dont_write_bytecode = True
import predict
import smpi

# {collective: (SMPI's name, schedgen's)}
ALGORITHMS = {"allreduce": ("rdb", "recursive-doubling"), "bcast": ("binomial_tree", "binomial")}
OVERHEADS = (1000, 5000)     # ns
THEIRS, OURS = ({kind: names[i] for kind, names in ALGORITHMS.items()} for i in range(2))


def prepare():
    for source in {source for _, _, source, _ in predict.PROGRAMS}:
        smpi.build(source)


def compare(number):
    name, ranks, source, arguments = predict.PROGRAMS[number]
    program = predict.name_of(source)
    graph = f"{number}.bin"
    predict.trace(number, ranks, program, arguments)
    predict.graph(number, graph, OURS)
    times = {latency: smpi.simulated(latency, ranks, program, arguments, THEIRS) for latency in smpi.LATENCIES}
    yield f"{name}: SMPI takes as long as llamp predicts with a header of 17 bytes", smpi.wrong_times(graph, times, 17)
    yield f"{name}: without it llamp is short by 17 G at most for each message on the path", smpi.wrong_errors(graph, times)
    yield f"{name}: the slope of SMPI's runtime is lambda_L", smpi.wrong_slope(graph, times, 17)
    for overhead in OVERHEADS:
        time = smpi.simulated(smpi.LATENCIES[0], ranks, program, arguments, THEIRS, overhead)
        expected, _ = predict.predicted(graph, smpi.LATENCIES[0] + 17 * smpi.G, overhead, smpi.G, "cpu")
        yield (f"{name}: with an overhead of {overhead} ns SMPI takes as long as llamp predicts with limited CPUs",
               f"{time} ns instead of {expected} ns" if abs(time - expected) > smpi.TOLERANCE else None)


smpi.main([(name, functools.partial(compare, number)) for number, (name, *_) in enumerate(predict.PROGRAMS)], prepare)
