#!/usr/bin/python3
"""An option name has one meaning in all commands, and old names still work where they meant something else."""
import collections
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap

SOURCE = os.environ["SOURCE"]
# Arguments that differ though the meaning is one: a slice is also chosen by regions where a trace has them, a trace is a
# folder, llamp lp asks for one tolerance, a tradeoff is of two variables, a plan has computations of several lengths, iterations are made or
# recorded, a run is repeated or a measurement, and the log of a job has four ranks by their roles.
SEVERAL = {"from": {"TIME", "EDGE"}, "to": {"TIME", "EDGE"}, "output": {"FILE", "DIR", "DIR|FILE"}, "rank": {"RANK", "ROLE"}, "tolerance": {"LIST", "PERCENT"},
           "vary": {"NAME", "NAME,NAME"}, "compute": {"T[:PERCENT%]", "FROM:TO"},
           "iterations": {"I", "N[:FROM]"}, "repeat": {"", "N"}}
# Command, with its old and its new options.
RENAMED = [
    ("llamp sweep ring.bin --step 100", "--from 1us --to 2us", "--min 1us --max 2us"),
    ("llamp report ring.bin -o -", "--from 1us --to 90us", "--min 1us --max 90us"),
    ("llamp timeline ring.bin --format svg -o -", "--ranks 0-2", "--only-ranks 0-2"),
    ("critpath view trace --format chrome -o -", "--ranks 1", "--only-ranks 1"),
    ("critpath waits trace", "--pattern late-sender", "--kind late-sender"),
    ("goal convert ring.bin -o -", "--to bin", "--format bin"),
]
# Options that mean one thing, which only these tools do.
ONLY = {"pattern": {"schedgen"}, "ranks": {"schedgen"}, "from": {"schedgen", "llamp timeline", "llamp advise", "critpath", "critpath-mpi"},
        "to": {"schedgen", "llamp timeline", "llamp advise", "critpath", "critpath-mpi"}}


def check(what, problems):
    tap.check(not problems, what, *problems)


def output(line):
    return subprocess.run(line.split(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout


uses = collections.defaultdict(dict)
for command in tap.commands():
    for _, name, argument in tap.options(command):
        uses[name][command] = argument
check("options are found", [] if len(uses) > 50 and len(uses["from"]) > 6 else [dict(uses)])
check("an option has the same argument in all commands",
      [f"--{name}: {of}" for name, of in uses.items() if len(set(of.values())) > 1 and set(of.values()) != SEVERAL.get(name)])
check("a name that once had several meanings has one",
      [f"--{name}: {command}" for name, tools in ONLY.items() for command in uses[name]
       if command not in tools and command.split()[0] not in tools])


def old_names():
    for command, old, new in RENAMED:
        name = " ".join(command.split()[:2])
        same, plain = output(f"{command} {new}"), output(command)
        listed = [word for word in old.split() if word.startswith("--") and name in uses[word[2:]]]
        check(f"{name} takes {old}, which its help does not list, as {new}",
              [f"listed: {listed}"] * bool(listed) + ["no effect"] * (same == plain and "convert" not in command) +
              ["other output"] * (not same or output(f"{command} {old}") != same))


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    subprocess.run(["/usr/bin/python3", SOURCE + "/test/cli/schedgen/make_trace.py", "trace"], check=True)
    output("schedgen --pattern allreduce=ring --ranks 4 --iterations 3 --compute 2us -o ring.bin")
    old_names()
    os.chdir(SOURCE)
tap.end()
