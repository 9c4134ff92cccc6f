#!/usr/bin/python3
"""Compare critpath with llamp on random programs: model.py SEEDS

A program is a list of computations, sends and receives for each rank.  Its graph goes to llamp, whose times of the
operations make an archive.  The path of the measured run must be the path of the modelled run: the same T, and, where
messages take no time, the same computation of the same ranks at the same times.
"""
import json
import random
import shutil
import subprocess
import sys

import archive

PARAMETERS = [["-L", "0", "--overhead", "0", "-G", "0"], ["-L", "100ns", "--overhead", "20ns", "-G", "1ns"]]


def make_program(numbers, ranks):
    """For each rank, [("calc", ns) or ("send"|"recv", peer, tag)]."""
    program = [[] for _ in range(ranks)]
    for _ in range(numbers.randint(5, 60)):
        source, target = numbers.sample(range(ranks), 2)
        tag = numbers.randrange(3)
        for rank, kind, peer in ((source, "send", target), (target, "recv", source)):
            program[rank].append(("calc", numbers.randint(1, 10**6)))
            program[rank].append((kind, peer, tag))
    for operations in program:
        operations.append(("calc", numbers.randint(1, 10**6)))
    return program


def write_graph(program):
    with open("model.goal", "w") as file:
        file.write(f"num_ranks {len(program)}\n")
        for rank, operations in enumerate(program):
            file.write(f"rank {rank} {{\n")
            for number, (kind, *arguments) in enumerate(operations):
                if kind == "calc":
                    file.write(f"l{number}: calc {arguments[0]}\n")
                else:
                    file.write(f"l{number}: {kind} 8b {'to' if kind == 'send' else 'from'} {arguments[0]} tag {arguments[1]}\n")
                if number:
                    file.write(f"l{number} requires l{number - 1}\n")
            file.write("}\n")


def modelled(parameters):
    """T and critical computation, and times of operations: {rank: {operation: (start, end)}}."""
    subprocess.run(["llamp", "timeline", "model.goal", *parameters, "-o", "model.json"], check=True, capture_output=True)
    printed = subprocess.run(["llamp", "path", "model.goal", *parameters, "--format", "json"], check=True,
                             capture_output=True, text=True)
    path = json.loads(printed.stdout)
    with open("model.json") as file:
        events = json.load(file)["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    times = {}
    for event in events:
        if event["ph"] == "X" and names[event["pid"]].startswith("rank") and \
                "operation" in event.get("args", {}):
            rank = int(names[event["pid"]].split()[1])
            start = round(event["ts"] * 1000)
            times.setdefault(rank, {})[event["args"]["operation"]] = (start, start + round(event["dur"] * 1000))
    critical = [(segment["rank"], segment["start_ns"], segment["end_ns"]) for segment in path["segments"]
                if segment["category"] == "compute"]
    return path["runtime_ns"], critical, times


def measured(program, times):
    """The same of critpath, from an archive of the modelled times."""
    calls = []
    for rank, operations in enumerate(program):
        calls.append((rank, 0, 0, "MPI_Init", []))
        for number, (kind, *arguments) in enumerate(operations):
            if kind == "calc":
                continue
            start, end = times[rank][number]
            name = "MPI_Bsend" if kind == "send" else "MPI_Recv"	# as in the model, no send waits
            calls.append((rank, start, end, name, [f"{kind}:{arguments[0]}:{arguments[1]}"]))
        end = times[rank][len(operations) - 1][1]
        calls.append((rank, end, end, "MPI_Finalize", []))
    shutil.rmtree("model", ignore_errors=True)
    archive.write("model", calls)
    printed = subprocess.run(["critpath", "path", "model", "--format", "json"], check=True, capture_output=True, text=True)
    path = json.loads(printed.stdout)
    assert not path["clock_violations"] and not path["unmatched_sends"] and not path["unmatched_receives"]
    return path["runtime_ns"], [(segment["rank"], segment["start_ns"], segment["end_ns"]) for segment in path["segments"]
                                if segment["category"] == "compute"]


def joined(segments):
    """Join segments of a rank that follow each other."""
    whole = []
    for rank, start, end in segments:
        if whole and whole[-1][0] == rank and whole[-1][2] == start:
            whole[-1] = (rank, whole[-1][1], end)
        elif start < end:
            whole.append((rank, start, end))
    return whole


def compare(seed):
    numbers = random.Random(seed)
    program = make_program(numbers, numbers.randint(2, 6))
    write_graph(program)
    for parameters in PARAMETERS:
        model_ns, critical, times = modelled(parameters)
        run_ns, path = measured(program, times)
        assert model_ns == run_ns, f"seed {seed}: T is {model_ns} ns in the model, {run_ns} ns in the archive"
        if parameters == PARAMETERS[0]:
            assert joined(critical) == joined(path), f"seed {seed}: {joined(critical)}\n{joined(path)}"
            assert sum(end - start for _, start, end in path) == run_ns


for seed_number in range(int(sys.argv[1])):
    compare(seed_number)
