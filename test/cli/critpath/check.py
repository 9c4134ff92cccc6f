#!/usr/bin/python3
"""Check what critpath prints:

    check.py path JSON CSV         segments tile the run, sums add up, both formats are the same
    check.py same JSON JSON        the same run, but for its file
    check.py scaled N JSON JSON    the second run has N times the times of the first
    check.py complete JSON         all messages and requests match
    check.py slow RANK MS JSON     most of the MS that this rank computes are on the path
    check.py violated JSON         clocks contradict messages
"""
import csv
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def path(json_path, csv_path):
    run = load(json_path)
    at, rank, rank_switches, sums = 0, None, 0, dict.fromkeys(run["categories"], 0)
    for segment in run["segments"]:
        assert segment["start_ns"] == at < segment["end_ns"], f"gap at {at} ns"
        assert 0 <= segment["rank"] < run["ranks"]
        assert (segment["call"] is None) == (segment["function"] is None)
        at = segment["end_ns"]
        rank_switches += rank not in (None, segment["rank"])
        rank = segment["rank"]
        sums[segment["category"]] += at - segment["start_ns"]
    assert at == run["runtime_ns"], f"the path ends at {at} ns"
    assert sum(run["unknown"].values()) == sums["unknown"]
    assert sums == run["categories"] and rank_switches == run["rank_switches"]
    with open(csv_path, encoding="utf-8", newline="") as file:
        rows = [{key: value for key, value in row.items() if key != "file"} for row in csv.DictReader(file)]
    assert rows == [{key: "" if value is None else str(value) for key, value in segment.items()}
                    for segment in run["segments"]]


def same(first_path, second_path):
    first, second = load(first_path), load(second_path)
    first["file"] = second["file"]
    assert first == second


def scale(value, factor, key=""):
    if isinstance(value, dict):
        return {name: scale(item, factor, "ns" if key in ("categories", "unknown") else name) for name, item in value.items()}
    if isinstance(value, list):
        return [scale(item, factor) for item in value]
    return value * factor if key.endswith("ns") else value


def scaled(factor, first_path, second_path):
    first, second = load(first_path), load(second_path)
    first["file"] = second["file"]
    assert scale(first, int(factor)) == second


def complete(json_path):
    run = load(json_path)
    missing = {key: run[key] for key in run if key.startswith(("unmatched", "incomplete", "unfinished")) and run[key]}
    assert not missing, str(missing)


def slow(rank, computed_ms, json_path):
    """Most of the time that a rank computed, in sum, is on the path, however long the rest takes."""
    run = load(json_path)
    on_path = sum(segment["end_ns"] - segment["start_ns"] for segment in run["segments"]
                  if segment["rank"] == int(rank) and segment["category"] == "compute")
    assert on_path > 0.6e6 * int(computed_ms), f"{on_path} ns on the path"


def violated(json_path):
    assert load(json_path)["clock_violations"] > 0


globals()[sys.argv[1]](*sys.argv[2:])
