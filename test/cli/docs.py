#!/usr/bin/python3
"""What the documentation shows is what happens.

Code blocks of README.md, doc/*.md and examples/README.md that begin with three
backticks and "sh run" are sessions: lines after "$ " are commands, the lines
below are what they print.  The blocks of a file are one session in one scratch
folder, where the commands in PATH are those just built, and `examples` is the
folder of that name.  "..." stands for any lines.  Links to files must lead
somewhere.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE"]
BLOCK = re.compile(r"^```sh run\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")


def steps(text):
    """[(command, expected output)] of all sessions in a text."""
    result = []
    for block in BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                result.append([line[2:], []])
            elif result and result[-1][0].endswith("\\"):
                result[-1][0] += "\n" + line
            else:
                result[-1][1].append(line)
    return [(command, "\n".join(lines).strip("\n")) for command, lines in result]


def fits(expected, output):
    parts = re.split(r"^\.\.\.$", expected, flags=re.MULTILINE)
    return re.fullmatch(".*".join(re.escape(part.strip("\n")) for part in parts), output.strip("\n"),
                        re.DOTALL) is not None


def main():
    number = failures = 0

    def report(good, sentence, *details):
        nonlocal number, failures
        number += 1
        failures += not good
        print(("ok" if good else "not ok"), number, "-", sentence)
        for text in () if good else details:
            print("\n".join("# " + line for line in text.splitlines()))

    paths = ["README.md", "examples/README.md"] + sorted(
        os.path.relpath(path, SOURCE) for path in glob.glob(os.path.join(SOURCE, "doc/*.md")))
    sessions = 0
    for path in paths:
        with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
            text = file.read()
        folder = os.path.dirname(os.path.join(SOURCE, path))
        dead = [link for link, _ in LINK.findall(text) if not os.path.exists(os.path.join(folder, link))]
        report(not dead, f"{path}: its links lead to files", *dead)
        with tempfile.TemporaryDirectory() as scratch:
            os.symlink(os.path.join(SOURCE, "examples"), os.path.join(scratch, "examples"))
            for command, expected in steps(text):
                done = subprocess.run(command, shell=True, cwd=scratch, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True)
                sessions += 1
                good = fits(expected, done.stdout)
                report(good, f"{path}: {command.splitlines()[0]}", "expected:", expected, "printed:", done.stdout)
    report(sessions > 0, "the documentation has sessions that are tested")
    print(f"1..{number}")
    sys.exit(1 if failures else 0)


main()
