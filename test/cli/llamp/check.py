#!/usr/bin/python3
"""Check the output of llamp:

    check.py schema SCHEMA JSON...     every file is an object that the schema describes
    check.py path JSON CSV             the segments are contiguous from 0 to T, in both
    check.py functions JSON            functions have the time of their segments and calls
    check.py long CSV                  facts of llamp analyze and sweep, each once
    check.py sweep EXACT SAMPLES       every sample lies on the function of the exact points
    check.py near JSON SEGMENTS SLACK LAMBDA NEXT    tables of path: sums, counts and places agree with each other
    check.py compare CSV JSON NAME...  facts are those of NAME.csv and NAME-path.csv, differences those of the facts
    check.py networks CSV JSON         facts are those of of-FILE-NETWORK.csv
    check.py joined CSV...             the files are one table: facts of the same file and parameters agree
    check.py number JSON KEY... VALUE  the number at this place of the object
"""
import csv
import json
import sys
from decimal import Decimal


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal, parse_int=Decimal)


def schema(schema_path, *paths):
    import jsonschema
    with open(schema_path, encoding="utf-8") as file:
        wanted = json.load(file)
    validator = jsonschema.validators.validator_for(wanted)
    validator.check_schema(wanted)
    for path in paths:
        with open(path, encoding="utf-8") as file:
            validator(wanted).validate(json.load(file))


def path(json_path, csv_path):
    report = load(json_path)
    end = Decimal(0)
    for segment in report["segments"]:
        assert segment["start_ns"] == end < segment["end_ns"], segment
        end = segment["end_ns"]
    assert end == report["runtime_ns"] > 0, end
    with open(csv_path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    parameters = report["parameters"]
    threshold = "inf" if parameters["S"] is None else parameters["S"]
    run = [report["file"], "path", *(parameters[key] for key in ("L", "o", "g", "G", "O")), threshold,
           parameters["rendezvous"], parameters["resources"]]
    for segment, row in zip(report["segments"], rows, strict=True):
        fields = list(row.values())
        assert fields[:10] == [value if isinstance(value, str) else format(value, "f") for value in run], row
        assert {key: str(value) for key, value in segment.items()} == \
            {key: value for key, value in list(row.items())[10:] if value != ""}, row


def functions(json_path):
    report = load(json_path)
    sums, calls = {}, {}
    for segment in report["segments"]:
        key = segment.get("function"), segment.get("place", "in")
        time = segment["end_ns"] - segment["start_ns"]
        for category in ("time", segment["category"]):
            sums[key, category] = sums.get((key, category), 0) + time
        calls.setdefault(key, set()).add((segment["rank"], segment.get("call")))
    assert len(report["functions"]) == len(calls) > 0
    for function in report["functions"]:
        key = function["function"], function["place"]
        assert function["calls"] == len(calls[key]), function
        for category in ("time", "compute", "overhead", "latency", "bandwidth", "gap"):
            assert function[category + "_ns"] == sums.get((key, category), 0), (function, category)
    times = [function["time_ns"] for function in report["functions"]]
    assert times == sorted(times, reverse=True) and sum(times) == report["runtime_ns"], times


def near(json_path, *csv_paths):
    report = load(json_path)
    segments, slack, by, joining = ([] if path == "-" else list(csv.DictReader(open(path))) for path in csv_paths)
    # Latencies and times of each kind add up to those of the path.
    messages = Decimal(0)
    for segment in report["segments"]:
        if segment["category"] in ("latency", "bandwidth"):
            messages += segment["end_ns"] - segment["start_ns"]
    for kind, total in ("function", report["runtime_ns"]), ("rank_pair", messages), ("communicator", messages):
        rows = [row for row in by if row["by"] == kind]
        if not rows and kind != "rank_pair":
            assert "functions" not in report or not report["segments"], kind
            continue
        for slope in "lambda_L", "lambda_G":
            assert sum(int(row[slope]) for row in rows) == report[slope], kind
        assert sum(Decimal(row["time_ns"]) for row in rows) == total, kind
    assert [(row["from"], row["to"], row["lambda_L"], row["lambda_G"], row["count"], row["time_ns"]) for row in by if row["by"] == "rank_pair"] == \
        [tuple(format(pair[key], "f") for key in ("from", "to", "lambda_L", "lambda_G", "messages", "transfer_ns")) for pair in report["rank_pairs"]]
    # What is on the path has no slack, and counts are those of the rows.
    place = ("rank", "function", "place", "call")
    named = report["slack"]["of"] == "calls"
    known = {tuple(row[key] for key in (place if named else ("rank", "operation"))): Decimal(row["slack_ns"]) for row in slack}
    assert len(known) == len(slack) > 0
    for row in segments:
        if not named or row["function"]:
            assert known[tuple(row[key] for key in (place if named else ("rank", "operation")))] == 0, row
    slacks = sorted(value for key, value in known.items() if not named or key[2] == "in")
    assert len(slacks) == report["slack"]["count"] and slacks.count(0) == report["slack"]["critical"]
    for below in report["slack"]["below"]:
        assert below["count"] == sum(100 * value < below["percent"] * report["runtime_ns"] for value in slacks), below
    levels = sorted(set(slacks) - {0})[:10]
    assert [(level["slack_ns"], level["count"]) for level in report["slack"]["least"]] == [(value, slacks.count(value)) for value in levels]
    # Calls that join have slack now.
    for row in joining:
        assert not row["function"] or known[tuple(row[key] for key in place)] >= 0, row
    assert len(joining) == sum(len(there.get("joining", [])) for there in report["next"] or [])


def points(path, varied, column):
    """Samples of a sweep, which has three lines for each."""
    rows = list(csv.DictReader(open(path)))
    result = []
    for i in range(0, len(rows), 3):
        values = {row["quantity"]: float(row["value"]) for row in rows[i:i + 3]}
        result.append({varied: float(rows[i][column]), **values})
        assert len(values) == 3 and len({row[column] for row in rows[i:i + 3]}) == 1
    return result


def long(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    facts = {(*(row[key] for key in row if key not in ("value", "unit")),) for row in rows}
    assert len(facts) == len(rows) > 40, "a fact occurs twice"
    for row in rows:
        assert list(row) == ["file", "engine", "L_ns", "o_ns", "g_ns", "G_ns_per_byte", "O_ns_per_byte", "S_bytes",
                             "rendezvous", "resources",
                             "vary", "quantity", "percent", "unit", "value"], row
        assert row["unit"] in ("1", "B", "ns", "ns_per_byte"), row
        for key in ("L_ns", "o_ns", "g_ns", "G_ns_per_byte", "S_bytes", "value"):
            float(row[key])
        assert (row["percent"] != "") == row["quantity"].startswith("tolerance_")


def sweep(exact_path, samples_path):
    varied = next(csv.DictReader(open(exact_path)))["vary"]
    column = varied + ("_ns_per_byte" if varied == "G" else "_ns")
    exact, samples = (points(name, varied, column) for name in (exact_path, samples_path))
    slope, share = f"lambda_{varied}", f"rho_{varied}"
    assert len(samples) > 10 and len(exact) >= 2
    for row in samples:
        start = [point for point in exact if point[varied] <= row[varied]][-1]
        runtime = start["runtime"] + start[slope] * (row[varied] - start[varied])
        assert abs(runtime - row["runtime"]) <= 1e-9 * runtime, (row, start)
        assert row[slope] == start[slope] or row[varied] == exact[-1][varied], (row, start)
        assert abs(row[share] - row[slope] * row[varied] / row["runtime"]) <= 1e-12, row


def compare(csv_path, json_path, *names):
    rows = list(csv.DictReader(open(csv_path)))
    facts = {(row["file"], row["quantity"], row["percent"]): row for row in rows}
    assert len(facts) == len(rows)
    for name in names:
        alone = {(row["quantity"], row["percent"]): row["value"] for row in csv.DictReader(open(name + ".csv"))}
        for (file, quantity, percent), row in facts.items():
            if file == name + ".goal" and (quantity, percent) in alone:
                assert row["value"] == alone.pop((quantity, percent)), row
        assert all(key[0].endswith(("_left", "_low", "_high")) or "_frozen_" in key[0] for key in alone), alone
        times = {}
        for row in csv.DictReader(open(name + "-path.csv")):
            times[row["category"]] = times.get(row["category"], 0) + Decimal(row["end_ns"]) - Decimal(row["start_ns"])
        for category in ("compute", "overhead", "latency", "bandwidth", "gap"):
            assert float(facts[name + ".goal", "path_" + category, ""]["value"]) == float(times.get(category, 0))
    for (file, quantity, percent), row in facts.items():
        first = facts[names[0] + ".goal", quantity, percent]["value"]
        if row["value"] in ("", "inf") or first in ("", "inf"):
            continue
        difference = float(row["value"]) - float(first)
        assert float(row["difference"]) == difference, row
        if float(first):
            assert abs(float(row["difference_percent"]) - 100 * difference / float(first)) < 1e-9, row
    report = load(json_path)
    listed = [(file["file"], fact["quantity"], str(fact.get("percent", ""))) for file in report["files"] for fact in file["facts"]]
    assert listed == list(facts), listed


def networks(csv_path, json_path):
    facts = {}
    for row in csv.DictReader(open(csv_path)):
        facts.setdefault((row["file"], row["network"]), {})[row["quantity"], row["percent"]] = row
    assert len({tuple(of) for of in facts.values()}) == 1, "quantities differ"
    first = next(iter(facts.values()))
    for (file, network), of in facts.items():
        alone = list(csv.DictReader(open(f"of-{file}-{network}.csv")))
        for column in ("L_ns", "g_ns", "S_bytes"):
            assert {row[column] for row in of.values()} == {alone[0][column]}, (network, column)
        for row in alone:
            if not row["quantity"].endswith(("_left", "_low", "_high")):
                assert of.pop((row["quantity"], row["percent"]))["value"] == row["value"], row
        left = [key for key, row in of.items() if row["value"] != "" and not key[0].startswith(("path_", "compute_"))]
        assert not left, (file, network, left)
    assert first
    report = load(json_path)
    assert [(program["file"], program["network"]) for program in report["files"]] == list(facts)


def joined(*paths):
    first, table = None, []
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        heading = rows[0]
        assert len(set(heading)) == len(heading), heading
        common = heading[:heading.index("resources") + 1]
        first = first or common
        assert common == first, (path, common)
        for row in rows[1:]:
            assert len(row) == len(heading), (path, row)
            table.append(dict(zip(heading, row)))
            assert all(field != "" for field in row[:len(common)]) or row[heading.index("quantity")] == "traced", row
            for column, field in zip(heading, row):
                if column.endswith(("_ns", "_ns_per_byte", "_bytes", "value", "percent")) and field:
                    float(field)
    assert len({row["file"] for row in table}) == 2
    runs = {}
    for row in table:
        runs.setdefault((row["file"], float(row["L_ns"] or "nan")), []).append(row)
    for (file, latency), rows in runs.items():
        values = {}
        for row in rows:
            if row.get("quantity") in ("runtime", "lambda_L", "runtime_to_traced"):
                values.setdefault(row["quantity"], set()).add(row["value"])
        assert all(len(same) == 1 for same in values.values()), (file, latency, values)
        segments = [row for row in rows if row.get("end_ns")]
        if segments:
            path = sum(Decimal(row["end_ns"]) - Decimal(row["start_ns"]) for row in segments)
            assert float(path) == float(values["runtime"].pop()), (file, latency, path)
            latencies = sum(int(row["lambda_L"]) for row in rows if row.get("by") == "function")
            assert latencies == float(values["lambda_L"].pop()), (file, latency, latencies)
    assert sum("end_ns" in row for row in table) > 10


def number(json_path, *place):
    value = load(json_path)
    for key in place[:-1]:
        value = value[int(key) if isinstance(value, list) else key]
    wanted = None if place[-1] == "null" else Decimal(place[-1])
    assert value == wanted or abs(value - wanted) <= Decimal("1e-9") * abs(wanted), value


globals()[sys.argv[1]](*sys.argv[2:])
