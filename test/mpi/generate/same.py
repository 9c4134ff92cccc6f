#!/usr/bin/python3
"""Compare the event flow graphs of two runs: same.py graphs|calls|sends A.efg B.efg

graphs: each rank has the same nodes, edges and blocks.  calls: the same calls, where how many requests a call of
MPI_Waitsome or MPI_Testsome completes at once, and whom a wildcard matched, may differ.  sends: the same, but for what MPI_Recv and
MPI_Sendrecv receive, as threads that receive with the same tag may get the messages of each other.  Of ranks with several threads, it is
the threads that are the same, in any order: their numbers are those of their first calls.
"""
import re
import subprocess
import sys


def eventflow(*arguments):
    return subprocess.run(("eventflow",) + arguments, check=True, capture_output=True, text=True).stdout


def ranks_of(file):
    return int(re.search(r'"ranks": (\d+)', eventflow("info", file, "--format", "json")).group(1))


def lines_of_threads(file, rank):
    """Calls of a rank as text, by thread."""
    threads = {}
    for line in eventflow("trace", file, "--print", "--rank", str(rank)).splitlines():
        threads.setdefault(int(line.split(" ", 2)[1]), []).append(line)
    return threads


def graph(file, rank):
    threads = lines_of_threads(file, rank)
    graphs = [eventflow("graph", file, "--rank", str(rank), "--thread", str(thread), "--all", "--format", "dot").splitlines()
              for thread in sorted(threads)]
    return [line for text in sorted(graphs) for line in text]


def request_of(event):
    """Number of the request, which is not printed if it is 0."""
    found = re.search(r" request (\d+)", event)
    return found.group(1) if found else "0"


def numbered_anew(lines):
    """Number communicators by the order in which a thread names them, and requests by that in which it starts them."""
    comms, requests, text = {}, {}, []
    for line in lines:
        for number in re.findall(r"(?:isend|irecv-request|collective-request|put|get|atomic) [^,]*?request (\d+)", line):
            requests[number] = len(requests)
        line = re.sub(r" request (\d+)", lambda found: f" request {requests.get(found[1], 'other')}", line)
        text.append(re.sub(r" comm (\d+)", lambda found: f" comm {comms.setdefault(found[1], len(comms))}", line))
    return text


def calls(file, rank):
    threads = lines_of_threads(file, rank)
    posted = {found for lines in threads.values() for line in lines
              for found in re.findall(r"irecv-request posted[^,]* request (\d+)", line)}
    if len(threads) == 1:
        return calls_of(threads[0], posted)
    lines_of = []
    for lines in threads.values():
        lines = [re.sub(r"irecv [^,]*?request (\d+)", lambda found: f"irecv request {found[1]}" if found[1] in posted else found[0], line)
                 for line in lines]
        lines_of.append(calls_of(numbered_anew(lines), set()))
    return [line for text in sorted(lines_of) for line in text]


def calls_of(text, posted):
    """Lines of calls, those of one `some` function in a row as one, with the completions of all of them in order."""
    lines, some = [], None
    for line in text:
        function, _, events = line.split(" ", 4)[4].partition(":")
        function = function.split(" ")[0]
        events = [event.strip() for event in events.split(",")] if events else []
        if all(" request-test" in " " + event or "rma-test" in event for event in events) and re.search("Test|probe", function):
            continue  # a poll that has found nothing
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


def sends(file, rank):
    return sorted((function, tuple(re.sub("^recv .*", "recv", event) for event in events)) for function, events in calls(file, rank))


def main():
    how, *files = sys.argv[1:]
    count = [ranks_of(file) for file in files]
    if count[0] != count[1]:
        sys.exit(f"{count[0]} and {count[1]} ranks")
    for rank in range(count[0]):
        first, second = (globals()["graph" if how == "graphs" else how](file, rank) for file in files)
        if first != second:
            at = next((i for i, pair in enumerate(zip(first, second)) if pair[0] != pair[1]), min(len(first), len(second)))
            sys.exit(f"rank {rank} differs from line {at}:\n{first[at:at + 3]}\n{second[at:at + 3]}")


main()
