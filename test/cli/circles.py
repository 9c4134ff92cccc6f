#!/usr/bin/python3
"""No two .c files of a folder need each other, directly or through others, but for those that are declared.

File A needs file B if an object of A uses a name that an object of B defines.  Between folders there are no circles, as
test/cli/layers.py checks.  The cure of a circle is mostly one of two: what both need goes to a file below them, or the table
of kinds goes to a file above its kinds.
"""
import collections
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import tap

SOURCE, BUILD = os.environ["SOURCE"], os.environ["BUILD"]
# Circles that are the model itself, such as a recursion: all files of the circle, and why.
DECLARED = {}
SYMBOL = re.compile(r"^(\S+\.o):(?:[0-9a-f]+)? *([A-Za-z]) (\S+)$")


def objects():
    """{object: source} of the build: those of commands and libraries, and of each MPI."""
    found = {}
    for root in [os.path.join(BUILD, "obj")] + glob.glob(os.path.join(BUILD, "*", "obj")):
        # build/developer is a build of its own.
        if os.path.exists(os.path.join(root, "../config.mk")) and root != os.path.join(BUILD, "obj"):
            continue
        for path in glob.glob(root + "/**/*.o", recursive=True):
            source = os.path.relpath(path, root)[:-1] + "c"
            # An object may be older than a file that has gone.
            if source.split("/")[0] not in ("test", "bench", "examples") and os.path.exists(os.path.join(SOURCE, source)):
                found[path] = source
    return found


def read_symbols(found):
    """Lines of nm: (source, letter, name)."""
    lines = subprocess.run(["nm", "--print-file-name"] + sorted(found), capture_output=True, text=True, check=True).stdout
    for line in lines.splitlines():
        match = SYMBOL.match(line)
        if match:
            yield found[match[1]], match[2], match[3]


def links(symbols):
    """{source: {other source of its folder: a name that it needs of the other}}."""
    defined, needed = collections.defaultdict(set), collections.defaultdict(set)
    for source, letter, name in symbols:
        folder = source.split("/")[0]
        if letter == "U":
            needed[source].add(name)
        elif letter in "TDBRVWC":
            defined[folder, name].add(source)
    graph = {source: {} for source in needed}
    for source, names in needed.items():
        for name in sorted(names):
            for other in defined[source.split("/")[0], name] - {source}:
                graph[source].setdefault(other, name)
    return graph


def reachable(graph, start):
    seen, stack = set(), [start]
    while stack:
        for other in graph.get(stack.pop(), ()):
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen


def circles(graph):
    """Sets of files in which each needs all others."""
    reach = {source: reachable(graph, source) for source in graph}
    return {frozenset(other for other in reach[source] if source in reach.get(other, ())) for source in graph if source in reach[source]}


def explain(graph, circle):
    return [f"{source} needs {name} of {other}" for source in sorted(circle) for other, name in sorted(graph[source].items()) if other in circle]


def report(faults, sentence):
    tap.check(not faults, sentence, *faults)


def check_the_check():
    """Check that this test finds circles, and no others."""
    graph = links([("a/x.c", "T", "x"), ("a/x.c", "U", "y"), ("a/y.c", "T", "y"), ("a/y.c", "U", "z"), ("a/z.c", "D", "z"), ("a/z.c", "U", "x"),
                   ("a/main.c", "U", "x"), ("a/main.c", "T", "main"), ("b/p.c", "U", "x"), ("b/p.c", "T", "p"), ("a/x.c", "U", "p"),
                   ("b/q.c", "t", "y"), ("b/q.c", "U", "p"), ("b/p.c", "U", "y")])
    found = circles(graph)
    report([] if found == {frozenset({"a/x.c", "a/y.c", "a/z.c"})} else [str(found)], "circles are found")


def main():
    found = objects()
    folders = {source.split("/")[0] for source in found.values()}
    report(sorted({"common", "trace", "goal", "schedgen", "llamp", "critpath"} - folders), "objects of the build are found")
    graph = links(read_symbols(found))
    seen = circles(graph)
    report([line for circle in sorted(seen - set(DECLARED), key=sorted) for line in [f"circle of {len(circle)} files:"] + explain(graph, circle)],
           "no files need each other, but for those that are declared")
    report(sorted(" ".join(sorted(circle)) for circle in set(DECLARED) - seen), "each circle that is declared is there")
    check_the_check()
    tap.end()


main()
