#!/usr/bin/python3
"""Check the tables of critpath:

    check.py rows JSON KEY=CSV...       the rows of each key are those of the CSV
    check.py waits JSON...              waits add up to their patterns and groups
    check.py causes WAITS JSON...       costs add up to the waits (WAITS, JSON)
    check.py profile JSON               functions, ranks, sizes and pairs have the same sums
    check.py imbalance JSON CSV PATH    the parts of ranks add up to their run, those of calls (CSV) to the calls, and
                                    calls have the time on the path that critpath path (PATH, JSON) has
"""
import csv
import decimal
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def load_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{key: value for key, value in row.items() if key != "file"} for row in csv.DictReader(file)]


def as_text(value):
    if value is None:
        return ""
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def rows(json_path, *tables):
    for key, csv_path in (table.split("=") for table in tables):
        wanted = [{name: as_text(value) for name, value in row.items()} for row in load(json_path)[key]]
        found = load_csv(csv_path)
        assert len(wanted) == len(found), key
        for row, other in zip(wanted, found):
            for name, value in row.items():
                assert other[name] == value or (value == "" and other[name] == "inf"), f"{name}: {other[name]} is not {value}"


def total(rows_, name):
    return sum(row[name] for row in rows_)


WRONG_ORDERS = "wrong-order-same", "wrong-order-different"


def waits(*json_paths):
    for json_path in json_paths:
        waits_of(load(json_path))


def waits_of(found):
    patterns = {row["pattern"]: row for row in found["patterns"]}
    for wanted, key in (("waits", "waits"), ("time_ns", "wait_ns")):
        parts = total([row for name, row in patterns.items() if name not in WRONG_ORDERS], wanted)
        assert found[key] == (parts if found["pattern"] == "any" else patterns[found["pattern"]][wanted])
    assert total([patterns[name] for name in WRONG_ORDERS], "time_ns") <= patterns["late-sender"]["time_ns"]
    value = "time_ns" if found["by"] != "call" else "wait_ns" if found["pattern"] not in WRONG_ORDERS else "wrong_order_ns"
    assert total(found["rows"], value) + found["outside_ns"] == found["wait_ns"]
    for row in found["rows"]:
        if found["by"] == "call":
            assert 0 < row["wait_ns"] <= row["end_ns"] - row["start_ns"] and row["rank"] < found["ranks"]
        else:
            assert 0 < row["cause_ns"] <= row["time_ns"] <= row["waits"] * row["most_ns"]


def load_exact(path):
    """JSON whose numbers lose no digit."""
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=decimal.Decimal)


def causes(waits_path, *json_paths):
    for json_path in json_paths:
        found = load_exact(json_path)
        assert found["wait_ns"] == load(waits_path)["wait_ns"]
        assert total(found["rows"], "cost_ns") == found["wait_ns"] + found["end_ns"], json_path
        assert all(row["direct_ns"] + row["indirect_ns"] == row["cost_ns"] for row in found["rows"])
        if found["by"] == "waiter":
            assert all(row["propagating_ns"] + row["terminal_ns"] == row["cost_ns"] >= row["cause_ns"] > 0 for row in found["rows"])
            continue
        assert sum(row["cost_ns"] for row in found["rows"] if row.get("other") == "unknown") == found["unknown_ns"]
        costs = [row["cost_ns"] for row in found["rows"]]
        assert found["by"] == "iteration" or costs == sorted(costs, reverse=True)


def profile(json_path):
    found = load(json_path)
    for name in ("calls", "time_ns", "in_run_ns", "wait_ns"):
        assert total(found["functions"], name) == total(found["functions_by_rank"], name), name
    assert total(found["functions"], "calls") == found["calls"] == total(found["rank_totals"], "calls")
    assert total(found["functions"], "in_run_ns") == total(found["rank_totals"], "mpi_ns")
    assert total(found["sizes"], "messages") == total(found["pairs"], "messages") == total(found["rank_totals"], "sent")
    assert total(found["sizes"], "message_bytes") == total(found["pairs"], "bytes") == total(found["rank_totals"], "sent_bytes")
    for size in found["sizes"]:
        assert size["from_bytes"] * size["messages"] <= size["message_bytes"] <= size["to_bytes"] * size["messages"]


def imbalance(json_path, csv_path, path_path):
    found, calls, path = load(json_path), load_csv(csv_path), load(path_path)
    parts = ("wait_before_ns", "execution_ns", "wait_after_ns")
    for row in found["rank_parts"] + [found["program"]]:
        assert sum(row[name] for name in parts) + row["computation_ns"] + row["unknown_ns"] == row["run_ns"]
    for name in parts:
        assert found["program"][name] == total(found["rank_parts"], name) == total(found["functions"], name)
    for row in calls:
        # Times before the run, as those of MPI_Init, are 0.
        assert row["start_ns"] == "0" or sum(int(row[name]) for name in parts) == int(row["end_ns"]) - int(row["start_ns"])
    assert sum(int(row["critical_ns"]) for row in calls) == path["categories"]["MPI"]
    for row in found["instances"]:
        synchronous = row["state"] == "synchronous"
        assert all((row[name] is not None) == synchronous for name in parts)
        assert row["last_begin_ns"] <= row["first_end_ns"] or not synchronous
        assert not synchronous or row["execution_ns"] == row["members"] * (row["first_end_ns"] - row["last_begin_ns"])
    program = found["program"]
    assert abs(program["load_balance"] * program["communication_efficiency"] - program["parallel_efficiency"]) < 1e-12


def iterations(json_path, imbalance_path):
    """The iterations, and what is outside of them, add up to the run."""
    found, whole = load(json_path)["iterations"], load(imbalance_path)
    for name in ("wait_before_ns", "execution_ns", "wait_after_ns"):
        assert total(found, name) == whole["program"][name], name
    if whole["program"]["computation_ns"] == total(found, "computation_ns"):
        busiest = max(row["most_computation_ns"] for row in found)
        assert busiest <= max(row["computation_ns"] for row in whole["rank_parts"])
    assert [row["iteration"] for row in found] == [None, *range(1, len(found))]
    for row in found:
        assert row["most_computation_ns"] <= row["computation_ns"] <= row["ranks"] * row["most_computation_ns"]


def parts(parts_path, whole_path):
    """Parts do not compute more than the run, nor take longer, and their figures are those of their times."""
    found, whole = load(parts_path)["parts"], load(whole_path)
    assert [row["number"] for row in found] == list(range(1, len(found) + 1))
    mean = sum(row["mean_computation_ns"] * row["ranks"] for row in found) / whole["ranks"]
    assert mean <= whole["mean_computation_ns"] * (1 + 1e-12), mean
    for row in found:
        assert row["most_computation_ns"] <= row["ideal_ns"] <= row["runtime_ns"] <= whole["runtime_ns"], row
        if row["transfer"] is not None and row["serialisation"] is not None:
            assert abs(row["transfer"] * row["serialisation"] - row["communication"]) < 1e-12
            assert abs(row["communication"] * row["load_balance"] - row["parallel"]) < 1e-12


def graph(efficiency_path, model_path):
    """The ideal of a graph is T of the model without a network, and splits the transfer efficiency."""
    found = load(efficiency_path)
    value = {row["efficiency"]: row["value"] for row in found["efficiencies"]}
    assert found["graph_ideal_ns"] == load(model_path)["runtime_ns"], found["graph_ideal_ns"]
    assert abs(value["algorithms"] * value["network"] - value["transfer"]) < 1e-12
    assert abs(value["network"] * found["runtime_ns"] - found["graph_ideal_ns"]) < 1e-6 * found["runtime_ns"]


if __name__ == "__main__":
    {"parts": parts, "graph": graph, "iterations": iterations, "rows": rows, "waits": waits, "causes": causes, "profile": profile, "imbalance": imbalance}[sys.argv[1]](*sys.argv[2:])
