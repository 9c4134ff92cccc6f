#!/usr/bin/python3
"""Compare runtimes by LogGOPSim's rules with llamp's, without overhead, gap and bytes, where both must agree.

Graphs are those of traced programs, without computation, and of patterns with computation.
"""
import functools
import sys

sys.dont_write_bytecode = True
import loggopsim
import predict

LATENCIES = (1000, 100000)      # ns
PATTERNS = ["solver-3d", "halo-2d", "allreduce=ring", "alltoall=pairwise", "barrier=dissemination"]


def prepare():
    for source in {source for _, _, source, _ in predict.PROGRAMS}:
        predict.build(source)


def wrong_times(graph):
    for latency in LATENCIES:
        simulated = max(loggopsim.Simulation(loggopsim.read(graph), L=latency).run())
        expected, _ = predict.predicted(graph, latency)
        if simulated != expected:
            return f"L = {latency} ns: {simulated} ns instead of {expected} ns"
    return None


def compare_program(number):
    name, ranks, source, arguments = predict.PROGRAMS[number]
    predict.trace(number, ranks, predict.name_of(source), arguments)
    predict.graph(number, f"{number}.bin", {})
    yield f"{name}: LogGOPSim's rules give llamp's runtime", wrong_times(f"{number}.bin")


def compare_pattern(pattern):
    graph = f"{pattern}.bin"
    predict.call(["schedgen", "--pattern", pattern, "--ranks", 16, "--iterations", 20, "--compute", "20us:50%", "-o", graph])
    yield f"{pattern} with computation: LogGOPSim's rules give llamp's runtime", wrong_times(graph)


predict.main([(name, functools.partial(compare_program, number)) for number, (name, *_) in enumerate(predict.PROGRAMS)]
             + [(pattern, functools.partial(compare_pattern, pattern)) for pattern in PATTERNS], prepare)
