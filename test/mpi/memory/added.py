#!/usr/bin/python3
"""Find errors that valgrind reports with the tracer but not without it.

    added.py PLAIN TRACED

PLAIN and TRACED are folders of valgrind's XML files, one for each process.  Two
errors are equal if they are of the same kind and on the same stack.  Functions of
the tracer are left out of the stack, so that a fault of the MPI library is the same
with and without it.  Print the errors that only TRACED has.  Exit with 1 if there
are any, and with 2 if a process has left no complete file.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree


def function(frame):
    name = frame.findtext("fn") or "???"
    return name[1:] if name.startswith("PMPI_") else name


def is_tracer(frame):
    return "libllamptrace" in (frame.findtext("obj") or "")


def place(error):
    """Functions of the stack.  MPI_X of the tracer and MPI_X of the MPI library are the same."""
    frames = [frame for stack in error.findall("stack")[:1] for frame in stack.findall("frame")]
    return tuple(function(frame) for frame in frames if not is_tracer(frame))


def described(error):
    text = error.findtext("what") or error.findtext("xwhat/text") or ""
    lines = [f"{error.findtext('kind')}: {text}"]
    for frame in error.iter("frame"):
        lines.append(f"    {function(frame)} ({frame.findtext('file') or frame.findtext('obj')}:"
                     f"{frame.findtext('line')})")
    return "\n".join(lines)


def errors(folder):
    found, files = {}, sorted(os.listdir(folder))
    if not files:
        sys.exit(2)
    for name in files:
        try:
            root = ElementTree.parse(os.path.join(folder, name)).getroot()
        except ElementTree.ParseError as error:
            print(f"{folder}/{name}: {error}")
            sys.exit(2)
        for error in root.findall("error"):
            found[error.findtext("kind"), place(error)] = described(error)
    return found


plain, traced = errors(sys.argv[1]), errors(sys.argv[2])
added = {key: text for key, text in traced.items() if key not in plain}
for text in added.values():
    print(text)
print(f"{len(plain)} errors without the tracer, {len(traced)} with it")
sys.exit(1 if added else 0)
