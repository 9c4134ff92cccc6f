#!/usr/bin/python3
"""Compare the collectives that SMPI simulates, by algorithms of its own, with those of schedgen.

A pair is one algorithm under SMPI's name and under schedgen's.  Both must take the same time and have the same number of
latencies on the path.  The larger sizes are below SMPI's segments of 8 KiB.  Those of 6 ranks are multiples of 6 doubles:
SMPI rounds the pieces of other vectors up, schedgen splits them evenly, and lr and ompi_ring_segmented reduce the
remainder by another allreduce.
"""
import functools
import itertools
import sys

sys.dont_write_bytecode = True
import predict
import smpi

SIZES = {8: (64, 8192), 6: (96, 6144)}
PAIRS = {
    "barrier": [("ompi_bruck", "dissemination"), ("ompi_recursivedoubling", "recursive-doubling"),
                ("ompi_tree", "binomial"), ("ompi_basic_linear", "linear")],
    "bcast": [("binomial_tree", "binomial"), ("flattree", "linear"), ("NTSB", "binary"), ("ompi_pipeline", "chain"),
              ("ompi_split_bintree", "split-binary:segment=1KiB"),
              ("scatter_rdb_allgather", "scatter-recursive-doubling-allgather"),
              ("scatter_LR_allgather", "scatter-ring-allgather")],
    "gather": [("ompi_binomial", "binomial"), ("ompi_basic_linear", "linear")],
    "scatter": [("ompi_binomial", "binomial"), ("ompi_basic_linear", "linear")],
    "allgather": [("rdb", "recursive-doubling"), ("bruck", "bruck"), ("ring", "ring"),
                  ("ompi_neighborexchange", "neighbor-exchange"), ("spreading_simple", "linear"), ("GB", "gather-bcast")],
    "allgatherv": [("mpich_rdb", "recursive-doubling"), ("ompi_bruck", "bruck"), ("mpich_ring", "ring"),
                   ("ompi_neighborexchange", "neighbor-exchange"), ("GB", "gather-bcast")],
    "alltoall": [("basic_linear", "linear"), ("pair", "pairwise"), ("ring", "pairwise"), ("bruck", "bruck")],
    "alltoallv": [("ompi_basic_linear", "linear"), ("ring", "pairwise")],
    "allreduce": [("rdb", "recursive-doubling"), ("rab_rdb", "rabenseifner"), ("lr", "ring"),
                  ("ompi_ring_segmented", "ring"), ("redbcast", "reduce-bcast")],
    "reduce": [("binomial", "binomial"), ("flat_tree", "linear"), ("scatter_gather", "reduce-scatter-gather"),
               ("ompi_pipeline", "chain"), ("ompi_binary", "binary"), ("ompi_in_order_binary", "in-order-binary")],
    "reduce_scatter": [("ompi_basic_recursivehalving", "recursive-halving"), ("mpich_pair", "pairwise"),
                       ("ompi_ring", "ring"), ("ompi_butterfly", "butterfly"), ("mpich_rdb", "recursive-doubling")],
}
# Pairs that are not compared with these numbers of ranks or bytes.
DIFFERENT = {
    ("allgather", "rdb", 6): "schedgen takes Bruck's algorithm if the ranks are no power of two, as MPICH does",
    ("allgatherv", "mpich_rdb", 6): "the same",
    ("alltoall", "pair", 6): "SMPI ends if the ranks are no power of two",
    ("bcast", "ompi_split_bintree", 64): "SMPI ends if the vector is shorter than a segment",
    ("bcast", "ompi_split_bintree", 96): "the same",
}
# Algorithms that an algorithm of SMPI uses.  Its default reduce is linear.
PARTS = {"redbcast": {"reduce": "binomial", "bcast": "binomial_tree"}}


def compare(kind, ranks, size):
    name = f"{kind}-{ranks}-{size}"
    arguments = [kind, size]
    predict.trace(name, ranks, "collective", arguments)
    for theirs, ours in PAIRS[kind]:
        if {(kind, theirs, ranks), (kind, theirs, size)} & DIFFERENT.keys():
            continue
        graph = f"{name}-{theirs}.bin"
        predict.graph(name, graph, {kind: ours})
        algorithms = {kind: theirs, **PARTS.get(theirs, {})}
        times = {latency: smpi.simulated(latency, ranks, "collective", arguments, algorithms)
                 for latency in (smpi.LATENCIES[0], smpi.LATENCIES[-1])}
        # A message without data is only the header of SMPI.
        header = 17 if size else 16
        yield (f"{kind} of {size} bytes on {ranks} ranks: SMPI's {theirs} is schedgen's {ours}",
               smpi.wrong_times(graph, times, header) or smpi.wrong_slope(graph, times, header))


def jobs():
    for kind, ranks in itertools.product(PAIRS, SIZES):
        for size in SIZES[ranks] if kind != "barrier" else (0,):
            yield f"{kind} of {size} bytes on {ranks} ranks", functools.partial(compare, kind, ranks, size)


smpi.main(list(jobs()), lambda: smpi.build("test/long/collective.c"))
