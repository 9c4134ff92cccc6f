#!/usr/bin/python3
"""Compare what functions have of a run and of some of its iterations: shares.py RUN WINDOW WHAT...

WHAT: calls, bytes (sent and received in messages and collectives) or time.  Shares of all functions but MPI_Init and MPI_Finalize differ
by less than 5 % of the whole.
"""
import collections
import re
import subprocess
import sys
import tempfile

MOST = 0.05


def sums(trace):
    """For each of calls, bytes and time what each function has."""
    found = collections.defaultdict(collections.Counter)
    with tempfile.NamedTemporaryFile(suffix=".efg") as file:
        subprocess.run(["eventflow", "build", trace, "-o", file.name], check=True)
        printed = subprocess.run(["eventflow", "trace", file.name, "--print"], check=True, capture_output=True, text=True).stdout
    for line in printed.splitlines():
        _, _, enter, leave, what = line.split(" ", 4)
        function, _, events = what.partition(":")
        function = function.split(" ")[0]
        if not function.startswith("MPI_") or re.match("MPI_Init|MPI_Finalize", function):
            continue
        found["calls"][function] += 1
        found["time"][function] += int(leave) - int(enter)
        found["bytes"][function] += sum(map(int, re.findall(r"(?:bytes|sent|received) (\d+)", events)))
    return found


def main():
    run, window, *kinds = sys.argv[1:]
    of_run, of_window = sums(run), sums(window)
    wrong = []
    for kind in kinds:
        totals = [sum(side[kind].values()) for side in (of_run, of_window)]
        if not all(totals) or totals[1] * 2 > totals[0]:
            sys.exit(f"{kind}: {totals[1]} of {totals[0]} are in the window")
        for function in of_run[kind] | of_window[kind]:
            shares = [side[kind][function] / total for side, total in zip((of_run, of_window), totals)]
            print(f"{kind} {function} {shares[0]:.4f} {shares[1]:.4f}")
            if abs(shares[0] - shares[1]) > MOST:
                wrong.append(f"{kind} of {function}")
    if wrong:
        sys.exit("differ: " + ", ".join(wrong))


main()
