#!/usr/bin/python3
"""Run commands with random options, values, rules, parameters and graphs.

A command must end with status 0 to 4 and print why if it fails, with its own name.  It must leave no partial
output and, under the sanitizers, have no error of memory.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE"]
ROUNDS = 60
NUMBERS = ["0", "-1", "1", "2", "1e309", "nan", "-inf", "0x10", "99999999999999999999", "4294967296", "2147483648",
           "18446744073709551616", "", "x", " 1", "3us", "1us", "1KiB", "-1KiB", "1e18s", "7GB/s", "0GB/s", "1..2", "..",
           "5%", "1e-400", "%s%n", "a" * 5000]
WORDS = ["allreduce=ring", "allreduce", "bcast=chain:segment=0", "allreduce=ring:segment=1KiB", "=", "allreduce=",
         "=ring", "barrier=linear", "halo", "halo:2x2", "pipeline", "incast", "training", "help", "mpich", "json", "csv",
         "path", "auto", "read", "-", "--", ".", "/dev/full", "graph", "none", "x" * 1000, "", "\x01\x1b[31m"]
PIECES = [b"{", b"]", b": ", b"- ", b"&a ", b"*a ", b"\n", b'"', b"|\n", b"---\n", b"-1", b"99999999999999999999", b"..",
          b"\0", b"\xff", b"requires ", b"rank 0 {\n"]
RULES = b"""- {collective: allreduce, ranks: 2.., bytes: ..1KiB, algorithm: reduce-bcast}
- collective: bcast
  algorithm: binomial
"""
COMMANDS = [("schedgen",), ("goal", "info"), ("goal", "check"), ("goal", "stats"), ("goal", "convert"), ("goal", "balance"), ("goal", "merge"), ("goal", "move"), ("llamp", "analyze"), ("llamp", "advise"),
            ("llamp", "sweep"), ("llamp", "path"),
            ("llamp", "compare"), ("llamp", "report"), ("llamp", "lp"), ("llamp", "timeline"), ("critpath", "view"),
            ("critpath", "path"), ("critpath", "waits"), ("critpath", "causes"), ("critpath", "efficiency"), ("critpath", "imbalance"), ("critpath", "profile"),
            ("critpath", "graph")]
HELP = subprocess.run(["eventflow", "--help"], capture_output=True, text=True, check=True).stdout
FLOW_COMMANDS = [("eventflow", name) for name in re.findall("^  ([a-z]+)  ", HELP, re.M)]
COMMANDS += FLOW_COMMANDS
numbers = random.Random(1)
failures = []
tests = 0


def report(sentence):
    global tests
    tests += 1
    for text in failures:
        print("# " + text.replace("\n", "\n# "))
    print(f"{'not ok' if failures else 'ok'} {tests} - {sentence}")
    ended_well = not failures
    failures.clear()
    return ended_well


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
    error = done.stderr.decode("utf-8", "replace")
    shown = " ".join(repr(word[:80]) for word in command)
    if done.returncode not in range(5) or "Sanitizer" in error or "runtime error" in error:
        failures.append(f"{shown}: status {done.returncode}: {error[-1000:]}")
    elif done.returncode and not error.startswith(command[0] + ": "):
        failures.append(f"{shown}: status {done.returncode} without a message: {error[:200]}")
    for name in os.listdir("."):
        if name.startswith("out"):
            if done.returncode or not re.fullmatch(r"out\.\w+(\.calls)?", name):
                failures.append(f"{shown}: status {done.returncode} leaves {name}")
            os.remove(name)


def options(command):
    text = subprocess.run(command + ("--help",), capture_output=True, text=True, check=True).stdout
    return re.findall(r"(--[a-z-]+)[ =]?([A-Z_=]*)", text)


def damaged(content):
    content = bytearray(content)
    for _ in range(numbers.randint(1, 6)):
        place = numbers.randrange(len(content)) if content else 0
        kind = numbers.randrange(4)
        if kind == 0 and content:
            content[place] = numbers.randrange(256)
        elif kind == 1:
            del content[place:place + numbers.randint(1, 10)]
        elif kind == 2:
            content[place:place] = numbers.choice(PIECES)
        else:
            content[place:place] = content[place // 2:place // 2 + 30]
    return bytes(content)


def write_damaged(name, content):
    with open(name, "wb") as file:
        file.write(damaged(content))


def with_output(command, *operands):
    """Command with all arguments that it needs."""
    more = {"convert": ["-o", "out.bin"], "balance": ["--before", "MPI_Recv", "-o", "out.bin"],
            "merge": ["-o", "out.bin"], "move": ["--wait", "50%:MPI_Recv", "-o", "out.bin"], "lp": ["-o", "out.lp"], "sweep": ["--min", "0", "--max", "1us"],
            "compare": operands[:1], "timeline": ["-o", "out.json"], "view": ["-o", "out.json"], "graph": ["-o", "out.csv"]}
    if command in FLOW_COMMANDS:
        more = {"build": ["-o", "out.efg"], "trace": ["--print"], "graph": ["-o", "out.html"], "compare": operands[:1],
                "generate": ["-o", "out.c"]}
    return (*command, *operands, *more.get(command[-1], []))


def try_options():
    known = {command: options(command) for command in COMMANDS}
    for _ in range(2 * ROUNDS):
        command = numbers.choice(COMMANDS)
        words = list(with_output(command, numbers.choice(["graph", "trace", "flow.efg", "nothing"])))
        if command == ("schedgen",):
            words += ["-o", "out.goal"]
            if numbers.random() < 0.7:
                words[1:2] = ["--pattern", numbers.choice(WORDS), "--ranks", numbers.choice(["4", "7"])]
        for _ in range(numbers.randint(0, 3)):
            name, value = numbers.choice(known[command])
            words += [name, numbers.choice(NUMBERS + WORDS)] if value else [name]
        run(*words)
    return report("options with nonsense end well")


def try_files():
    graph = open(f"{SOURCE}/examples/two-ranks.goal", "rb").read()
    parameters = open(f"{SOURCE}/examples/params/cscs-testbed.yaml", "rb").read()
    binary = open("binary", "rb").read()
    well = True
    for _ in range(ROUNDS):
        write_damaged("rules", RULES)
        run("schedgen", "trace", "-o", "out.goal", "--rules", "rules")
    well &= report("damaged rules end well")
    for _ in range(ROUNDS // 2):
        write_damaged("parameters", parameters)
        run("llamp", "analyze", "graph", "--params", "parameters")
    well &= report("damaged parameters end well")
    for _ in range(ROUNDS):
        write_damaged("damaged", numbers.choice([graph, binary]))
        run(*with_output(numbers.choice(COMMANDS[1:]), "damaged"))
    well &= report("damaged graphs end well")
    flow = open("flow.efg", "rb").read()
    for command in FLOW_COMMANDS * (ROUNDS // 10):
        write_damaged("damaged", flow)
        run(*with_output(command, "damaged"))
    return well & report("damaged event flow files end well")


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        shutil.copy(f"{SOURCE}/examples/two-ranks.goal", "graph")
        subprocess.run(["goal", "convert", "graph", "-o", "x.bin"], check=True)
        os.rename("x.bin", "binary")
        subprocess.run([f"{SOURCE}/test/cli/schedgen/make_trace.py", "trace"], check=True)
        subprocess.run(["eventflow", "build", "trace", "-o", "flow.efg"], check=True)
        well = try_options()
        well &= try_files()
        print(f"1..{tests}")
        sys.exit(0 if well else 1)
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


main()
