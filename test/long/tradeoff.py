#!/usr/bin/python3
"""Check frontiers of llamp tradeoff: many programs by brute force, and those of traced examples.

The brute force is that of test/unit/llamp/test_tradeoff.c, with more programs.  On the frontier of an example T is the
bound, as llamp analyze says at the vertices and half way between them.
"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import predict

PROGRAMS = 30000
SAMPLES = 10


def brute_force():
    test = os.path.join(os.environ["BUILD"], "test/unit/llamp/test_tradeoff")
    result = subprocess.run([test], env=dict(os.environ, PROGRAMS=str(PROGRAMS)), capture_output=True, text=True)
    yield f"{PROGRAMS} frontiers are intersections of half-planes", result.returncode and result.stdout + result.stderr


def frontiers(graph, overhead, resources):
    """Bounds and frontiers of a graph, which are in order and without a point twice."""
    options = ["--overhead", overhead, "--resources", resources, "--format", "json"]
    for tradeoff in json.loads(predict.call(["llamp", "tradeoff", graph, *options]).stdout)["tradeoffs"]:
        points = [(vertex["L_ns"], vertex["G_ns_per_byte"]) for vertex in tradeoff["vertices"]]
        for left, right in zip(points, points[1:]):
            if left == right or left[0] > right[0] or left[1] < right[1]:
                raise ValueError(f"{left} is followed by {right}")
        if any(value is None or value < 0 for point in points for value in point):
            raise ValueError(f"a frontier has the points {points}")
        yield tradeoff["bound_ns"], points


def compare(name, ranks, program, arguments):
    graph = f"{name.replace(' ', '')}.bin"
    predict.trace(name, ranks, program, arguments)
    predict.call(["schedgen", f"{name}.trace", "-o", graph])
    apart = 0
    for bound, points in frontiers(graph, 0, "none"):
        for left, right in list(zip(points, points[1:]))[::len(points) // SAMPLES + 1]:
            middle = (left[0] + right[0]) / 2, (left[1] + right[1]) / 2
            for L, G in (left, middle):
                apart = max(apart, abs(predict.predicted(graph, repr(L), G=repr(G))[0] / bound - 1))
    yield f"T of {name} is the bound on its frontiers", apart > 1e-9 and f"a part of {apart} away"
    for resources in ("cpu", "cpu,nic"):
        list(frontiers(graph, "5us", resources))
    yield f"frontiers of {name} with resources are in order", None


def prepare():
    for _, _, source, _ in predict.PROGRAMS:
        predict.build(source)


JOBS = [("frontiers by brute force", brute_force)] + [
    (f"frontiers of {name}", lambda name=name, ranks=ranks, source=source, arguments=arguments:
     compare(name, ranks, predict.name_of(source), arguments)) for name, ranks, source, arguments in predict.PROGRAMS]

predict.main(JOBS, prepare)
