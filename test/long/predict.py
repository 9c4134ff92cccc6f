"""Helpers of comparisons: trace programs, convert and analyze; report as TAP."""
import concurrent.futures
import functools
import json
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE"]
MPICC = os.environ["MPICC"]
MPIEXEC = os.environ["MPIEXEC"]
# Name, ranks, source, arguments.  Programs with MPI_ANY_SOURCE (teams) have another graph in each run.
PROGRAMS = [
    ("cg", 8, "examples/cg.c", ["--size", "32"]),
    ("cg with 6 ranks", 6, "examples/cg.c", ["--size", "32"]),
    ("stencil2d", 8, "examples/stencil2d.c", ["--size", "50", "--iterations", "50"]),
    ("stencil2d --blocking", 8, "examples/stencil2d.c", ["--size", "50", "--iterations", "50", "--blocking"]),
    ("ring", 8, "examples/ring.c", ["--count", "512"]),
    ("hydro3d", 8, "examples/hydro3d.c", ["--size", "6", "--iterations", "20"]),
    ("multigrid", 8, "examples/multigrid.c", ["--size", "8"]),
    ("fem3d", 8, "examples/fem3d.c", ["--size", "12"]),
    ("waits one by one", 8, "test/long/seqwait.c", ["20"]),
    ("waits one by one with 5 ranks", 5, "test/long/seqwait.c", ["20"]),
    ("bursts", 8, "examples/bursts.c", ["--pattern", "isend", "--bytes", "1000", "--rounds", "3"]),
]


def call(command, **more):
    """Run a command that must succeed; returns it with its output."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **more)
    if result.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result


def name_of(source):
    return os.path.basename(source)[:-len(".c")]


def compiled(compiler, source, program):
    """Compile a file of the source tree to a program here."""
    call([compiler, "-std=c11", "-D_GNU_SOURCE", "-O1", "-o", program, os.path.join(SOURCE, source), "-lm"])


def build(source):
    """Compile a program for MPI, as its name without ending."""
    compiled(MPICC, source, name_of(source))


def trace(name, ranks, program, arguments):
    """Trace a run as NAME.trace."""
    call([MPIEXEC, "-n", ranks, "llamp-trace", "-o", f"{name}.trace", f"./{program}", *arguments])


def graph(name, output, algorithms):
    """Convert NAME.trace to OUTPUT, without computation; algorithms: {collective: schedgen's name}."""
    options = [word for choice in algorithms.items() for word in ("--coll", "=".join(choice))]
    call(["schedgen", f"{name}.trace", "--compute-scale", 0, *options, "-o", output])


@functools.lru_cache(maxsize=None)
def predicted(graph, L, o=0, G=0, resources="none", more=()):
    """llamp's T in ns, and lambda_L for more latency.  L and o are in ns, G in ns per byte; more: further options.

    Results are kept by name, so that another graph needs another name.
    """
    options = ["-L", f"{L}ns", "--overhead", f"{o}ns", "-G", G, "--resources", resources, "--engine", "path",
               "--format", "json", *more]
    result = json.loads(call(["llamp", "analyze", graph, *options]).stdout)
    return result["runtime_ns"], result["lambda_L"]["right"]


def outcomes(job):
    """Pairs (sentence, fault or None) of a job, which is a sentence and a function that returns them."""
    sentence, compare = job
    try:
        return list(compare())
    except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        return [(sentence, str(error))]


def main(jobs, prepare=lambda: None):
    """Run the jobs in a scratch folder, after prepare(), and print their outcomes as TAP."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = [result for results in pool.map(outcomes, jobs) for result in results]
        os.chdir("/")
    print(f"1..{len(results)}")
    for number, (sentence, fault) in enumerate(results, 1):
        print(f"{'not ok' if fault else 'ok'} {number} - {sentence}")
        if fault:
            print("".join(f"# {line}\n" for line in fault.splitlines()), end="")
    sys.exit(any(fault for _, fault in results))
