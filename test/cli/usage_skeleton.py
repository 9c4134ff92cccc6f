#!/usr/bin/python3
"""schedgen --usage: how far the synthetic graph of a log may be from the graph of the run's trace.

Runs of collectives alone have bounds that follow from the construction.  Let 2^k ranks make n allreduces of b bytes by recursive
doubling.  Rank r computes c(r, s) before the allreduce s, and all compute the same in the end.  A message takes m = L + 2 o + B.

    mean   = the mean over r of the sum over s of c(r, s)
    latest = the sum over s of the greatest c(r, s)

A path that takes every message goes from r to its complement and back, so that the mean of these paths computes `mean`:

    mean + n k m  <=  T(trace)  <=  latest + n k m          lambda_L(trace)  <=  n k, which it is if L is large

The graph of the log has T = c + n k m and lambda_L = n k, with c what the average rank computes.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap

ARCHIVE = os.path.join(os.environ["SOURCE"], "test/cli/critpath/archive.py")
END_NS = 5000
INIT_NS = 1000


def calls(compute):
    """Lines of archive.py for compute[rank][step]: each allreduce ends when the last rank has been in it for 700 ns."""
    lines, now = [f"{rank} 0 {INIT_NS} MPI_Init" for rank in range(len(compute))], INIT_NS
    for step in range(len(compute[0])):
        leave = now + max(row[step] for row in compute) + 700
        lines += [f"{rank} {now + row[step]} {leave} MPI_Allreduce coll:ALLREDUCE" for rank, row in enumerate(compute)]
        now = leave
    return "\n".join(lines + [f"{rank} {now + END_NS} {now + END_NS + 100} MPI_Finalize" for rank in range(len(compute))])


def done(*words, **more):
    return subprocess.run(words, check=True, stderr=subprocess.DEVNULL, **more)


def analyze(graph, latency, overhead):
    text = done("llamp", "analyze", graph, "-L", str(latency), "--overhead", str(overhead), "-G", "0", "--format", "json",
                stdout=subprocess.PIPE).stdout
    result = json.loads(text)
    return result["runtime_ns"], result["lambda_L"]["right"]


def graphs(compute):
    """Write trace.goal and log.goal.  Returns what the average rank of the log computes."""
    with tempfile.TemporaryDirectory() as folder:
        done(ARCHIVE, folder + "/trace", input=calls(compute).encode())
        done("schedgen", folder + "/trace", "-o", "trace.goal", "--coll", "allreduce=recursive-doubling")
        done("llamp-usage", "from-trace", folder + "/trace", "-o", "job.usage")
    done("schedgen", "--usage", "job.usage", "-o", "log.goal", "--coll", "allreduce=recursive-doubling")
    log = json.loads(done("zstd", "-dqc", "job.usage", stdout=subprocess.PIPE).stdout)
    average, = (rank for rank in log["rank_list"] if "average" in rank["roles"])
    return log["mpi_ns"] - average["mpi_ns"]


def check_run(power, steps, spread, seed):
    """Compare a run with its bounds at several latencies, and return the first fault and the greatest error of T."""
    chance = random.Random(seed)
    ranks = 1 << power
    compute = [[20000 + chance.randrange(spread + 1) for _ in range(steps)] for _ in range(ranks)]
    average = graphs(compute)
    sums = [sum(row) + END_NS for row in compute]
    mean, latest = sum(sums) / ranks, sum(map(max, zip(*compute))) + END_NS
    if average not in sums or min(abs(one - mean) for one in sums) != abs(average - mean):
        return f"the average rank computes {average}, the mean is {mean}", 0
    worst = 0
    for latency in 0, 500, 5000, 10 * spread + 1:
        messages = steps * power
        (traced, traced_lambda), (synthetic, synthetic_lambda) = (analyze(graph, latency, 150) for graph in ("trace.goal", "log.goal"))
        network = messages * (latency + 300)
        text = f"2^{power} ranks, {steps} steps, spread {spread}, L {latency}: T {traced} and {synthetic}, " \
               f"lambda {traced_lambda} and {synthetic_lambda}"
        if synthetic != average + network or synthetic_lambda != messages:
            return f"{text}: the log's graph should have {average + network} and {messages}", 0
        if not mean + network - 0.5 <= traced <= latest + network or traced_lambda > messages:
            return f"{text}: bounds are {mean + network} to {latest + network} and {messages}", 0
        if latency > 10 * spread and traced_lambda != messages:
            return f"{text}: no other path is as long at this latency", 0
        if spread == 0 and traced != synthetic:
            return f"{text}: ranks that do the same have no error", 0
        worst = max(worst, abs(traced - synthetic) / traced)
    return None, worst


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for spread in 0, 4000, 20000:
            runs = [check_run(power, steps, spread, 100 * power + steps) for power, steps in ((1, 9), (2, 6), (3, 1), (3, 5))]
            faults = [fault for fault, _ in runs if fault]
            tap.check(not faults, f"T and lambda_L are within their bounds where computations differ by up to {spread} ns", *faults)
            if spread:
                tap.check(any(error > 0.001 for _, error in runs), "... and they do differ", runs)
    tap.end()


main()
