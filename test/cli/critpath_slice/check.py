"""Check slices of critpath.

    check.py clip WHOLE.json SLICE.json START END    the path of a slice is that of the run between both times
    check.py add WHOLE.json SLICE.json...            slices one after the other add up to the run: paths, times of calls
    check.py cut WHOLE.csv SLICE.csv START END       calls or waits of a slice are those that touch it, cut at its edges
"""
import csv
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def clip(whole, part, start, end):
    whole, part, start, end = load(whole), load(part), int(start), int(end)
    assert (part["slice_start_ns"], part["slice_end_ns"]) == (start, end), part
    assert part["runtime_ns"] == end - start
    wanted = []
    for segment in whole["segments"]:
        if segment["end_ns"] > start and segment["start_ns"] < end:
            wanted.append({**segment, "start_ns": max(segment["start_ns"], start), "end_ns": min(segment["end_ns"], end)})
    assert wanted and part["segments"] == wanted, part["segments"]
    ranks = [segment["rank"] for segment in wanted]
    assert part["rank_switches"] == sum(a != b for a, b in zip(ranks, ranks[1:]))
    assert sum(part["categories"].values()) == end - start


def sums(found):
    """What adds up over slices, by name; the calls at the begin and end of the run are in no slice."""
    numbers = dict(found.get("categories", {}))
    for name, value in found.get("program", {}).items():
        if name.endswith("_ns"):
            numbers[name] = value
    for function in found.get("functions", []):
        if function["function"] in ("MPI_Init", "MPI_Init_thread", "MPI_Finalize"):
            continue
        for name in "time_ns", "in_run_ns", "wait_before_ns", "execution_ns", "wait_after_ns":
            if name in function:
                numbers[function["function"], name] = function[name]
    return numbers


def add(whole, *parts):
    whole, parts = load(whole), [load(part) for part in parts]
    assert parts[0]["slice_start_ns"] == 0 and parts[-1]["slice_end_ns"] == whole["runtime_ns"]
    for before, after in zip(parts, parts[1:]):
        assert before["slice_end_ns"] == after["slice_start_ns"]
    for name, value in sums(whole).items():
        assert value == sum(sums(part).get(name, 0) for part in parts), name
    for part in parts:
        for function in part.get("functions", []):
            assert all(function.get(name, 0) <= 100.0001 for name in function if name.endswith("share")), function


def rows(path):
    """Rows of calls, without the part on the critical path, which a slice cuts."""
    with open(path, encoding="utf-8") as stream:
        return [{**row, "critical_ns": 0} for row in csv.DictReader(stream)]


PARTS = ("wait_before_ns", "execution_ns", "wait_after_ns")


def cut_row(row, start, end):
    """The part of a row between two times, or None: its times one after the other are those of PARTS, or a wait at its start."""
    row = dict(row)
    begin, leave = int(row["start_ns"]), int(row["end_ns"])
    if not (start <= begin < end or (begin < end and leave > start)):
        return None
    names = PARTS if PARTS[0] in row else ("wait_ns",)
    at = begin
    for name in names:
        until = at + int(row[name])
        row[name] = str(max(0, min(until, end) - max(at, start)))
        at = until
    if names != PARTS and row["wait_ns"] == "0":
        return None
    row["start_ns"], row["end_ns"] = str(max(begin, start)), str(min(leave, end))
    return row


def cut(whole, part, start, end):
    wanted = [row for row in (cut_row(row, int(start), int(end)) for row in rows(whole)) if row]
    found = rows(part)
    for row in wanted + found:
        row.pop("wrong_order", None)
        row.pop("wrong_order_ns", None)
        row.pop("imbalance", None)
    assert wanted and found == wanted, (found, wanted)


{"clip": clip, "add": add, "cut": cut}[sys.argv[1]](*sys.argv[2:])
