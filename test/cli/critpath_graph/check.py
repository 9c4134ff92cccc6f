#!/usr/bin/python3
"""Check what critpath graph writes:

    check.py graph JSON CSV        times add up, both formats are the same, and there is no cycle
    check.py longest JSON PATH     the longest path of the graph is as long as that of critpath path --format json
    check.py slice WHOLE PART FROM TO
                                   PART has exactly the edges of WHOLE that are between two times
"""
import csv
import graphlib
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def graph(json_path, csv_path):
    run = load(json_path)
    at = {vertex["vertex"]: vertex["at_ns"] for vertex in run["vertices"]}
    for edge in run["edges"]:
        assert at[edge["to"]] - at[edge["from"]] == edge["activity_ns"] + edge["wait_ns"], str(edge)
    order(run)
    vertices = {vertex["vertex"]: vertex for vertex in run["vertices"]}
    with open(csv_path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(run["edges"]) > 0
    for row, edge in zip(rows, run["edges"]):
        for key, value in edge.items():
            assert row[key] == str(value)
        for end in ("from", "to"):
            for key, value in vertices[edge[end]].items():
                assert row[end if key == "vertex" else f"{end}_{key.removesuffix('_ns').replace('at', 'ns')}"] == (
                    "" if value is None else str(value))


def order(run):
    """Vertices in topological order; fails if there is a cycle."""
    before = {}
    for edge in run["edges"]:
        before.setdefault(edge["to"], set()).add(edge["from"])
    return list(graphlib.TopologicalSorter(before).static_order())


def longest(json_path, path_json):
    run = load(json_path)
    after, most = {}, {0: 0}
    for edge in run["edges"]:
        after.setdefault(edge["from"], []).append(edge)
    for vertex in order(run):
        for edge in after.get(vertex, []) if vertex in most else []:
            most[edge["to"]] = max(most.get(edge["to"], 0), most[vertex] + edge["activity_ns"])
    sink = next(vertex["vertex"] for vertex in run["vertices"] if vertex["point"] == "sink")
    path = load(path_json)
    assert most[sink] == path["runtime_ns"] - path["categories"]["unknown"], str(most[sink])


def slice_of(whole_path, part_path, start, end):
    whole, part = load(whole_path), load(part_path)
    inside = {vertex["vertex"] for vertex in whole["vertices"] if int(start) <= vertex["at_ns"] <= int(end)}
    edges = [edge for edge in whole["edges"] if edge["from"] in inside and edge["to"] in inside]
    assert 0 < len(edges) < len(whole["edges"]) and part["edges"] == edges


{"graph": graph, "longest": longest, "slice": slice_of}[sys.argv[1]](*sys.argv[2:])
