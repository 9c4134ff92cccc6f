#!/usr/bin/python3
# runs: plain slow
"""An option that has no effect in a call is refused, or a warning names it.

CALLS has command lines, and for each tool VALUES has an argument for each option, other than the default.  Each option is
added to each call of its command.  It must change the output, or be refused.  All options of the help are tried.
"""
import hashlib
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap

SOURCE = os.environ["SOURCE"]
MODEL = {"params": "q.yaml", "parameter": "O=0.5", "latency": "7us", "overhead": "2us", "gap": "30us", "gap-per-byte": "3ns",
         "rendezvous-threshold": "1KiB", "rendezvous": "sync", "ranks-per-node": "2", "resources": "cpu", "vary": "o", "engine": "path",
         "tolerance": "7", "baseline": "1ms", "basis-range": None, "frozen-order": None, "exact-order-range": None}
VALUES = {
    "llamp": dict(MODEL, table="slack", min="1us", max="90us", step="10us", resimulate=None, measured="c.csv", svg="pictures",
                  mapping="new", **{"from": "30us", "to": "60us", "mapping-format": "slurm"}, hosts="n", starts="2", seed="7", tries="1",
                  route="0,3", load="g.bin", **{"only-ranks": "0-1", "ranks": "0-1"}),
    "goal": {"by-rank": None, "before": "MPI_Send", "totals": None},
    "schedgen": {"coll": "allreduce=ring", "rule": "'{collective: allreduce, algorithm: ring}'", "rules": "r", "preset": "openmpi", "coll-report": None, "print-preset": "mpich",
                 "from": "25ns", "to": "40ns", "extrapolate": "2", "ranks-per-node": "2", "compute-scale": "2", "reduce-cost": "100",
                 "pattern": "halo-2d", "ranks": "8", "bytes": "64", "iterations": "3", "compute": "5us", "seed": "7",
                 "progress": "calls", "rendezvous-threshold": "1KiB", "repeat": None, "usage": "log",
                 "without-barriers": None},
    "critpath": {"method": "dijkstra", "delta": "5us", "splits": "on", "collectives": "observed", "compression": "1",
                 "threshold": "1ms", "from": "20ns", "to": "60ns", "strict": None, "by": "function", "pattern": "barrier", "kind": "barrier",
                 "table": "calls", "ranks": "0", "only-ranks": "0", "match": "none", "no-end": None, "top": "1",
                 "reference": "late", "weak": None, "graph": "late.bin"},
    "eventflow": {"signature": "function", "fold": "tag", "times": "none", "rank": "1", "other-rank": "0", "thread": "1", "all": None,
                  "print": None, "iterations": "2", "matched": None},
}
VARIES = {"tradeoff": "o,G"}
TABLES = {"profile": "ranks"}
IMBALANCE_BY = "iteration"
PARAMETERS = [" --params p.yaml", " --params p.yaml -S 1KiB", " --params nodes.yaml", " --params q.yaml", " -g 30us --resources cpu,nic"]
CALLS = [f"llamp {command} g.bin{network}" for command in ("analyze", "path", "compare h.bin", "lp --tolerance 3", "lp", "report")
         for network in PARAMETERS]
CALLS += [f"llamp {command} g.bin{network}" for command in ("sweep --min 0 --max 50us", "timeline -o out.json", "tradeoff")
          for network in PARAMETERS[:3]]
CALLS += ["llamp analyze g.bin --format json", "llamp analyze g.bin --engine path", "llamp analyze g.bin --format csv",
          "llamp path g.bin --format csv", "llamp sweep g.bin --min 0 --max 50us --step 5us",
          "llamp sweep g.bin --min 0 --max 50us --resources cpu", "llamp sweep g.bin --min 0 --max 50us --step 5us --resources cpu",
          "llamp place g.bin --params q.yaml", "llamp place g.bin --params q.yaml --starts 0",
          "llamp place g.bin --params q.yaml --mapping map", "llamp place g.bin --params q.yaml --mapping map --mapping-format slurm",
          "llamp topology q.yaml", "llamp topology q.yaml --route 0,1", "llamp report g.bin --svg pictures",
          "goal info g.bin", "goal stats g.bin", "goal convert g.bin -o out.goal", "goal balance late.bin --before MPI_Recv -o out.goal",
          "goal balance late.bin --totals -o out.goal"]
CALLS += [f"schedgen --pattern {pattern} --ranks 8 -o out.goal" for pattern in (
    "halo-2d", "halo-2d --compute 5us", "halo-2d --compute 5us:10%", "barrier=dissemination", "allreduce=ring", "bcast=binomial",
    "bisection", "pipeline")]
CALLS += ["schedgen late -o out.goal", "schedgen --coll help", "schedgen --print-preset mpich", "schedgen --pattern help"]
CALLS += [f"critpath {command} late" for command in (
    "path", "path --format csv", "path --method dijkstra", "path --method delta", "path --method groups", "path --method shuffle",
    "waits", "waits --by rank", "causes", "efficiency", "imbalance",
    "imbalance --format csv", "imbalance --by iteration", "profile", "profile --format csv",
    "graph -o out.csv", "view -o out.json", "view -o out.html")]
CALLS += [f"eventflow {command}" for command in (
    "build steps -o out.efg", "build steps -o out.efg --times stats", "build steps -o out.efg --signature call", "info steps.efg",
    "trace steps.efg --print", "trace steps.efg --print --rank 0", "loops steps.efg", "loops steps.efg --format csv", "tree steps.efg",
    "tree steps.efg --rank 0", "graph steps.efg", "graph steps.efg -o out.html", "compare steps.efg other.efg",
    "compare steps.efg --rank 0 --other-rank 1", "generate steps.efg", "profile steps.efg", "matrix steps.efg", "growth steps.efg",
    "iterations steps.efg")]
# Options whose effect depends on the data only, or that confirm a result.
EXPECTED = {"critpath path": {"method", "delta", "splits", "strict", "collectives", "compression"}, "critpath waits": {"strict"}, "critpath causes": {"strict"},
            "critpath efficiency": {"strict"},
            "critpath imbalance": {"strict"}, "critpath profile": {"strict"},
            # both engines agree, and these outputs do not name the engine; both orders may give the same tolerances
            "llamp report": {"engine"}, "llamp compare": {"engine", "frozen-order"},
            # all messages are larger
            "llamp lp": {"rendezvous-threshold"},
            # no receive is of any sender
            "eventflow generate": {"matched"},
            # nodes are noted beside the graph, and the run has no barriers
            "schedgen late": {"ranks-per-node", "without-barriers"}}


def command_of(call):
    words = call.split()
    return words[0] if words[0] == "schedgen" else " ".join(words[:2])


def options_of(command):
    return [(letter, name) for letter, name, _ in tap.options(command) if name not in ("help", "version", "output", "format")]


def result(folder, call):
    """What a call prints and writes."""
    before = set(os.listdir(folder))
    done = subprocess.run(shlex.split(call), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    sums = [hashlib.sha256(done.stdout).hexdigest()]
    for name in sorted(set(os.listdir(folder)) - before):
        path = os.path.join(folder, name)
        if name.endswith(".calls"):     # they have the command line
            os.remove(path)
            continue
        for file in [os.path.join(path, inner) for inner in sorted(os.listdir(path))] if os.path.isdir(path) else [path]:
            with open(file, "rb") as opened:
                sums.append(os.path.relpath(file, folder) + hashlib.sha256(opened.read()).hexdigest())
            os.remove(file)
        if os.path.isdir(path):
            os.rmdir(path)
    return done.returncode, sums, re.sub(rb"out\.\w+", b"", done.stderr).decode()


def steps():
    """Calls of two ranks: five steps of messages, whose tag is that of the step, and collectives; rank 1 makes one call more."""
    for rank in range(2):
        time = 1000

        def call(what, pause):
            nonlocal time
            time += pause + 100
            return f"{rank} {time - 100} {time} {what}\n"

        yield call("MPI_Init", 0)
        for step in range(5):
            yield call(f"MPI_Send send:{1 - rank}:{step}", 300 + 100 * rank)
            yield call(f"MPI_Recv recv:{1 - rank}:{step}", 20)
            yield call("MPI_Barrier coll:BARRIER", 20 * step)
            for _ in range(rank):
                yield call("MPI_Wtime", 20)
            yield call("MPI_Bcast coll:BCAST:0", 20)
            yield call("MPI_Allgather coll:ALLGATHER", 20)
            yield call("MPI_Alltoall coll:ALLTOALL", 20)
            yield call("MPI_Scan coll:SCAN", 20)
            yield call("MPI_Allreduce coll:ALLREDUCE", 20)
        yield call("MPI_Finalize", 50)


def make_files(folder):
    def write(name, text):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    write("p.yaml", "o: 1us\n")
    write("q.yaml", "o: 3us\nO: 0.02\nS: 4KiB\ntopology: {kind: torus, size: [4, 4], links: {wire: 500ns}, switch: 50ns}\n")
    write("nodes.yaml", "L: 2us\nintra-node: {L: 300ns}\n")
    write("c.csv", "L_ns,seconds\n3000,0.001\n")
    write("n", "".join(f"host{i}x\n" for i in range(16)))
    write("r", "- {collective: allreduce, algorithm: ring}\n- {collective: barrier, algorithm: linear}\n")
    write("steps.calls", "".join(steps()))
    subprocess.run(f"{SOURCE}/test/cli/critpath/archive.py steps <steps.calls && eventflow build steps -o steps.efg && "
                   f"{SOURCE}/test/cli/critpath/archive.py late <{SOURCE}/test/cli/critpath/late.calls && "
                   "schedgen --pattern halo-2d --ranks 16 --bytes 8KiB --iterations 3 --compute 20us:30% -o g.bin && "
                   "schedgen --pattern halo-2d --ranks 16 --bytes 2KiB -o h.bin && schedgen late -o late.bin && "
                   "eventflow build late -o other.efg", shell=True, check=True, cwd=folder,
                   stderr=subprocess.DEVNULL)


def value_of(command, option):
    tool, *rest = command.split()
    if option == "vary" and rest[0] in VARIES:
        return VARIES[rest[0]]
    if option == "table" and rest[0] in TABLES:
        return TABLES[rest[0]]
    if option == "by" and rest[0] in ("imbalance", "efficiency"):
        return IMBALANCE_BY
    return VALUES[tool][option]


def check_call(folder, call):
    command, wrong = command_of(call), []
    status, *plain = result(folder, call)
    if status == 2:
        return tap.skip(call, f"refused: {plain[1].splitlines()[0][:90]}")
    for letter, option in options_of(command):
        # The order of service is that of the given latency.
        if option == "latency" and "sweep" in call and "--resources" in call:
            continue
        given = option in EXPECTED.get(" ".join(call.split()[:2]), ()) or f"--{option} " in call + " " or letter and f" -{letter} " in call
        if given:
            continue
        value = value_of(command, option)
        added = f"{call} --{option}" + ("" if value is None else f" '{value}'")
        after, *other = result(folder, added)
        if after == 0 and other == plain:
            wrong.append(added)
        elif after not in (0, 1, 2, 3):
            wrong.append(f"{added}: status {after}: {other[1]}")
    return tap.check(not wrong and status == 0, f"{call}: each further option has an effect", "\n".join(wrong) or plain[1])


def main():
    with tempfile.TemporaryDirectory() as folder:
        make_files(folder)
        for call in CALLS:
            check_call(folder, call)
    tap.end()


main()
