"""Helpers of the tests of commands in Python: TAP, the commands and their options.  tap.sh has those in shell.

    import tap
    tap.check(good, "sentence", "text about a failure")
    tap.end()
"""
import functools
import os
import re
import subprocess
import sys

TOOLS = ("goal", "schedgen", "llamp", "critpath", "critpath-mpi", "eventflow", "eventflow-mpi", "llamp-measure", "llamp-usage", "llamp-inject", "llamp-trace")
COMMAND = re.compile(r"^  (\w[\w-]*) {2,}\S", re.MULTILINE)
OPTION = re.compile(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+)|(\[=\S+))?", re.MULTILINE)
tests = failures = 0


def check(good, sentence, *texts):
    """Report a test; print the texts if it has failed."""
    global tests, failures
    tests += 1
    failures += not good
    print("ok" if good else "not ok", tests, "-", sentence, flush=True)
    for line in [] if good else "\n".join(map(str, texts)).splitlines():
        print("#", line)


def skip(sentence, why):
    check(True, f"{sentence} # SKIP {why}")


def end():
    """Print the plan and exit."""
    print(f"1..{tests}")
    sys.exit(failures > 0)


@functools.lru_cache(None)
def help_of(command):
    """What a command, such as "goal info", prints with --help, in long lines."""
    return subprocess.run(command.split() + ["--help"], stdout=subprocess.PIPE, text=True, check=True,
                          env=dict(os.environ, COLUMNS="1000")).stdout


def commands():
    """All commands: "goal info", "schedgen"."""
    for tool in TOOLS:
        names = COMMAND.findall(help_of(tool)) if help_of(tool).startswith(f"usage: {tool} COMMAND") else []
        yield from [f"{tool} {name}" for name in names] or [tool]


def options(command):
    """Options of a command: rows (letter, name, argument), with "" for what there is not."""
    return [(letter, name, argument or optional)
            for letter, name, argument, optional in OPTION.findall(help_of(command))]
