#!/usr/bin/python3
"""Compare the event flow graphs of two runs: same.py graphs|calls A.efg B.efg

graphs: each rank has the same nodes, edges and blocks.  calls: the same calls, where how many requests a call of
MPI_Waitsome or MPI_Testsome completes at once, and whom a wildcard matched, may differ.
"""
import re
import subprocess
import sys


def eventflow(*arguments):
    return subprocess.run(("eventflow",) + arguments, check=True, capture_output=True, text=True).stdout


def ranks_of(file):
    return int(re.search(r'"ranks": (\d+)', eventflow("info", file, "--format", "json")).group(1))


def graph(file, rank):
    return eventflow("graph", file, "--rank", str(rank), "--all", "--format", "dot").splitlines()


def request_of(event):
    """Number of the request, which is not printed if it is 0."""
    found = re.search(r" request (\d+)", event)
    return found.group(1) if found else "0"


def calls(file, rank):
    """Lines of calls, those of one `some` function in a row as one, with the completions of all of them in order."""
    lines, some, posted = [], None, set()
    for line in eventflow("trace", file, "--print", "--rank", str(rank)).splitlines():
        function, _, events = line.split(" ", 4)[4].partition(":")
        function = function.split(" ")[0]
        events = [event.strip() for event in events.split(",")] if events else []
        if all(" request-test" in " " + event or "rma-test" in event for event in events) and re.search("Test|probe", function):
            continue  # a poll that has found nothing
        posted.update(request_of(event) for event in events if "irecv-request" in event and "posted" in event)
        events = [re.sub(r" (peer|tag|bytes) \d+", "", event) if "posted" in event or
                  event.startswith("irecv ") and request_of(event) in posted else event for event in events]
        if not function.endswith("some"):
            lines.append((function, tuple(events)))
        elif some == function:
            lines[-1] = (function, tuple(sorted(lines[-1][1] + tuple(events))))
        else:
            lines.append((function, tuple(sorted(events))))
        some = function
    return lines


def main():
    how, *files = sys.argv[1:]
    count = [ranks_of(file) for file in files]
    if count[0] != count[1]:
        sys.exit(f"{count[0]} and {count[1]} ranks")
    for rank in range(count[0]):
        first, second = (globals()["graph" if how == "graphs" else "calls"](file, rank) for file in files)
        if first != second:
            at = next((i for i, pair in enumerate(zip(first, second)) if pair[0] != pair[1]), min(len(first), len(second)))
            sys.exit(f"rank {rank} differs from line {at}:\n{first[at:at + 3]}\n{second[at:at + 3]}")


main()
