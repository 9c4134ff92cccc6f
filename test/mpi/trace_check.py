#!/usr/bin/python3
# runs: every-mpi-long
"""Compare traces with the logs of the traced programs.

Each program runs under llamp-trace and writes a log of its calls (trace_log.h).  The otf2 module must read
the same lines from the trace of each rank and thread, and otf2-print must read it without an error.  A log
may lack all calls of a function that concerns no other rank (class LOCAL of the table).
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import trace_lines

BUILD = os.environ["BUILD"]
MPIEXEC = os.environ["MPIEXEC"]
# Open MPI 4.1's MPI_File_read_all_end does not return on one rank if the file is too short.
TRANSFER_RANKS = (3,) if os.environ.get("MPI") == "openmpi" else (1, 3)
# Open MPI 4.1 does not create windows of one rank.
WINDOW_RANKS = (2, 4) if os.environ.get("MPI") == "openmpi" else (1, 2, 4)
# Three ranks of MPICH, which polls in all threads, are slow on few cores.
TEAM_RANKS = (2, 3) if os.environ.get("MPI") == "openmpi" else (2,)
RUNS = [("trace_blocking", (2, 3)), ("trace_requests", (2, 3)), ("trace_probes", (2, 3)),
        ("trace_large", (2,)),
        ("trace_collectives", (1, 3, 5)), ("trace_comms", (3, 6)),
        ("trace_regions", (1, 2)), ("trace_mpi4", (2, 3)), ("trace_rma", WINDOW_RANKS), ("trace_transfers", TRANSFER_RANKS),
        ("trace_sessions", (1, 3)), ("trace_sessions within", (2,)),
        ("trace_sessions around", (3,)), ("trace_sessions some", (2,)),
        ("trace_neighbours", (1, 4)), ("trace_mpif", (2, 3)), ("trace_use_mpi", (2,)),
        ("trace_f08", (2, 3)), ("trace_team", TEAM_RANKS)]
NO_THREADS = 77    # status of a program without threads (trace_threads.h)
tests = 0


def report(good, sentence, *details):
    global tests
    tests += 1
    print(f"{'ok' if good else 'not ok'} {tests} - {sentence}")
    for detail in details if not good else ():
        print("# " + str(detail).replace("\n", "\n# "))


def skip(sentence, why):
    global tests
    tests += 1
    print(f"ok {tests} - {sentence} # SKIP {why}")


def edges_of(logs, ranks):
    """
    Count messages and bytes of the logs' neighbourhood collectives.  Ranks are those of
    MPI_COMM_WORLD, as neither MPI reorders them.
    """
    messages = sent = 0
    for rank in range(ranks):
        with open(f"{logs}/{rank}", encoding="ascii") as log:
            calls = re.findall(r"neighbours=\S*;(\S*) sends=(\S*)", log.read())
        for destinations, vector in calls:
            runs = [part.partition("*") for part in vector.split(",") if part]
            sizes = [int(size) for size, _, repeat in runs for _ in range(int(repeat or 1))]
            others = [size for peer, size in zip(destinations.split(","), sizes)
                      if int(peer) != rank]
            messages += len(others)
            sent += sum(others)
    return messages, sent


def check_edges(name, folder, logs, ranks):
    """Check that the graph has a message for each edge between two ranks."""
    schedgen = subprocess.run(["schedgen", folder + "/trace", "-o", folder + "/graph.bin"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    stats = subprocess.run(["goal", "stats", folder + "/graph.bin"], stdout=subprocess.PIPE, text=True).stdout
    # Messages without bytes belong to creating communicators.
    rows = [[int(word) for word in row] for row in
            re.findall(r"^ *([1-9]\d*) +(\d+) +(\d+) +(\d+)$", stats, re.M)]
    found = sum(row[2] for row in rows), sum(row[3] for row in rows)
    report(schedgen.returncode == 0 and found == edges_of(logs, ranks),
           f"{name}: the graph has the messages to neighbours", schedgen.stdout, found, edges_of(logs, ranks))


def check(program, ranks):
    name = f"{program} on {ranks} rank{'s' if ranks > 1 else ''}"
    with tempfile.TemporaryDirectory() as folder:
        logs = os.path.join(folder, "logs")
        os.mkdir(logs)
        done = subprocess.run(
            [MPIEXEC, "-n", str(ranks), "llamp-trace", "-o", folder + "/trace",
             *f"{BUILD}/test/mpi/{program}".split(" ")],
            env=dict(os.environ, TRACE_LOG=logs), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=300)
        if done.returncode == NO_THREADS:
            skip(name, "the MPI library has no MPI_THREAD_MULTIPLE")
            return
        report(done.returncode == 0 and not done.stdout,
               f"{name} runs under the tracer without a message", done.returncode, done.stdout)
        path = folder + "/trace/traces.otf2"
        shown = subprocess.run(["otf2-print", path], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        report(shown.returncode == 0 and not shown.stderr, f"{name}: otf2-print reads the trace",
               shown.stderr[:2000])
        try:
            lines, complaints = trace_lines.traced(path)
        except Exception as error:
            report(False, f"{name}: the trace can be read", repr(error))
            return
        report(not complaints, f"{name}: time never runs backwards", *complaints[:5])
        wrong = trace_lines.compare(lines, logs, ranks)
        report(not wrong, f"{name}: the trace has what the program did", *wrong)
        if program == "trace_neighbours":
            check_edges(name, folder, logs, ranks)


for program, counts in RUNS:
    if len(sys.argv) > 1 and program.split(" ")[0] not in sys.argv[1:]:
        continue
    for count in counts:
        check(program, count)
