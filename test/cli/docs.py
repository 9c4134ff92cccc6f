#!/usr/bin/python3
"""Run the sessions that the documents show, and compare what they print.

A session is a code block of README.md, examples/README.md or doc/*.md whose first line is

    ```sh run        commands in PATH are those just built; output is compared as it is
    ```sh measured   also runs MPI programs; values that depend on the run are masked

Lines after "$ " are commands, and the lines below them are their output.  "..." matches any lines.  The blocks
of a document run in one scratch folder with links `build` and `examples`.  examples/README.md continues in the
folder of README.md, as its reader does.  Measured blocks run with --measured only (test/mpi/docs.sh).

UPDATE=1 writes the output of this machine into the documents, into every block of a document with a difference.
"..." is kept where the lines around it are still recognized.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap

SOURCE = os.environ["SOURCE"]
BUILD = os.environ["BUILD"]
UPDATE = os.environ.get("UPDATE")
MEASURED = "--measured" in sys.argv
BLOCK = re.compile(r"^```(sh run|sh measured)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")
FILE = re.compile(r"`((?:common|goal|trace|pmpi|tracer|inject|measure|schedgen|llamp|critpath|eventflow|test|bench|build-aux)/[\w/*.-]+\.\w+)`")
# Documents whose output is shown in tested blocks only.
ALL_TESTED = ("README.md", "examples/README.md", "doc/how-do-i.md")
# Document that begins with links to its own headings.
WITH_INDEX = "doc/how-do-i.md"

# Values that depend on the run: times, shares, slopes, samples in CSV.
MASKS = [(re.compile(r"\b[\d.]+(e[+-]?\d+)? (ns|us|ms|s)\b(?!/)|\bunbounded\b"), "<time>"),
         (re.compile(r"\b\d+\.\d+ %"), "<share>"),
         (re.compile(r"^(lambda_\w+ +)[\d.]+"), r"\1<slope>"),
         (re.compile(r"^path( +)\d+ segments, \d+ (of|rank switches)"), r"path\1<n> segments, <n> \2"),
         (re.compile(r"^and \d+ more"), "and <n> more"),
         (re.compile(r"^(llamp-trace: \S+): \d+ ranks?( on [\d.]+ cores?)?, \d+ calls?, .*"), r"\1: <size>"),
         (re.compile(r"^(T / traced +)[\d.e+-]+"), r"\1<ratio>"),
         (re.compile(r"^(\d+),[-+.e\d]+(,[-+.e\d]+)*$"), r"\1,<values>")]
# Rows of llamp compare whose values depend on the path.
COMPARED = re.compile(r"(lambda_\w+|rho_\w+|compute share|path messages|T / traced) +\S.* [-+]?[\d.]+ %$")
# Whether these lines are there depends on the machine: they tell that it has fewer cores than ranks.
OF_MACHINE = re.compile(r"llamp: warning: \S+: T is \S+ times the traced run time|traced on +\d+ ranks? on ")
# Lines whose values belong to the question, not to the run.
EXACT = re.compile(r"parameters|schedgen: \S+:|\$ ")


class Step:
    """A command of a session, its place in the text, and the output that is shown."""

    def __init__(self, kind, command, start):
        self.kind, self.command, self.start, self.end, self.lines = kind, command, start, start, []


def steps(text):
    """All steps of the sessions in a text."""
    result = []
    for block in BLOCK.finditer(text):
        at, step = block.start(2), None
        for line in block[2].splitlines(keepends=True):
            bare = line.rstrip("\n")
            if bare.startswith("$ "):
                step = Step(block[1], bare[2:], at + len(line))
                result.append(step)
            elif step and step.command.endswith("\\") and not step.lines:
                step.command += "\n" + bare
                step.start = at + len(line)
            elif step:
                step.lines.append(bare)
            at += len(line)
            if step:
                step.end = at
    return result


def masked(kind, line):
    """Mask the values of a line that may differ between two runs.  A row of a table with two such values becomes
    "<row>", because the rows of a table and their order depend on the run, too."""
    if kind != "sh measured" or EXACT.match(line):
        return line
    if COMPARED.match(line):
        return "<row>"
    for pattern, text in MASKS:
        line = pattern.sub(text, line)
    # A line that begins with much space continues the cell of a row.
    row = line.startswith(" " * 20) or line.count("<") >= 2 and not re.match(r" *\d+ %|[a-z]+ range|rho_", line)
    return "<row>" if row else re.sub(" +", " ", line)


def normal(kind, lines):
    """Mask lines, and join successive rows of a table to one."""
    result = []
    # A program's output may come before or after the line of llamp-trace.
    lines = sorted(lines, key=lambda line: line.startswith("llamp-trace: "))
    for line in (masked(kind, line) for line in lines if kind == "sh run" or not OF_MACHINE.match(line)):
        if line != "<row>" or result[-1:] != ["<row>"]:
            result.append(line)
    return "\n".join(result).strip("\n")


def fits(kind, expected, output):
    parts = re.split(r"^\.\.\.$", normal(kind, expected), flags=re.MULTILINE)
    return re.fullmatch(".*".join(re.escape(part.strip("\n")) for part in parts), normal(kind, output),
                        re.DOTALL) is not None


def elided(step, output):
    """Put "..." into the output where the text has it and the lines after it are found again."""
    result, at = [], 0
    for line in step.lines:
        if line == "...":
            result.append(line)
            at = None
            continue
        if at is None:
            at = next((i for i, shown in enumerate(output)
                       if masked(step.kind, shown) == masked(step.kind, line)), len(output))
        result += output[at:at + 1]
        at += 1
    return result if "..." in step.lines else output


def environment():
    """Environment of a user who has typed the line that sets PATH."""
    result = {name: value for name, value in os.environ.items()
              if name != "LD_PRELOAD" and not name.startswith("OMPI_")} if MEASURED else dict(os.environ)
    return dict(result, PATH=BUILD + "/bin:" + os.environ["PATH"])


def run_sessions(path, scratch):
    """Run the sessions of a document."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        text = file.read()
    found = steps(text)
    if not MEASURED:
        found = [step for step in found if step.kind == "sh run"]
    elif all(step.kind == "sh run" for step in found):
        return 0
    wrong = False
    for step in found:
        done = subprocess.run(step.command, shell=True, executable="/bin/bash", cwd=scratch, env=environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        step.output = done.stdout.rstrip("\n").splitlines()
        good = fits(step.kind, step.lines, step.output)
        wrong |= not good
        tap.check(good or UPDATE, f"{path}: {step.command.splitlines()[0]}", "expected:", "\n".join(step.lines),
               "printed:", done.stdout)
    if UPDATE and wrong:
        for step in reversed(found):
            lines = elided(step, step.output)
            text = text[:step.start] + "".join(line + "\n" for line in lines) + text[step.end:]
        with open(os.path.join(SOURCE, path), "w", encoding="utf-8") as file:
            file.write(text)
    return len(found)


def check_text(path):
    """Check without a run: links, names of files, and that only sessions show output."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        text = file.read()
    folder = os.path.dirname(os.path.join(SOURCE, path))
    dead = [link for link, _ in LINK.findall(text) if not os.path.exists(os.path.join(folder, link))]
    tap.check(not dead, f"{path}: its links lead to files", *dead)
    gone = [name for name in FILE.findall(text) if not glob.glob(os.path.join(SOURCE, name))]
    tap.check(not gone, f"{path}: files of the source that it names exist", *gone)
    if path == WITH_INDEX:
        index = text[:text.index("\n## ")]
        missing = [heading for heading in re.findall(r"^## (.*)$", text, re.MULTILINE)
                   if f"(#{re.sub('[^a-z0-9 -]', '', heading.lower()).replace(' ', '-')})" not in index]
        tap.check(not missing, f"{path}: its index has all headings", *missing)
    if path in ALL_TESTED:
        untested = [body for kind, body in ANY_BLOCK.findall(text)
                    if kind not in ("sh run", "sh measured") and re.search(r"^\$ ", body, re.MULTILINE)]
        tap.check(not untested, f"{path}: all sessions are tested", *untested)


def main():
    paths = ["README.md", "examples/README.md"] + sorted(
        os.path.relpath(path, SOURCE) for path in glob.glob(os.path.join(SOURCE, "doc/*.md")))
    sessions = 0
    with tempfile.TemporaryDirectory() as root:
        for path in paths:
            if not MEASURED:
                check_text(path)
            # examples/README.md continues where README.md ends.
            scratch = os.path.join(root, "README.md" if path == "examples/README.md" else path.replace("/", "-"))
            if not os.path.isdir(scratch):
                os.mkdir(scratch)
                os.symlink(os.path.join(SOURCE, "examples"), os.path.join(scratch, "examples"))
                os.symlink(BUILD, os.path.join(scratch, "build"))
            sessions += run_sessions(path, scratch)
    tap.check(sessions > 0, "the documents have sessions that are tested")
    tap.end()


main()
