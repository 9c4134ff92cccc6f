#!/usr/bin/python3
"""Check pages of llamp report.

report.py text PAGE               print headings, paragraphs and tables
report.py whole PAGE              check structure, and that the page needs no other file
report.py agrees PAGE ANALYZE.json SWEEP.json PATH.json
                                  check that its numbers are those of the commands
report.py names PAGE TEXT...      check that all texts are shown, as text
"""
import html.parser
import json
import math
import re
import sys

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "ns/B": 1, "µs/B": 1e3, "": 1, "%": 0.01}
BLOCKS = {"h1", "h2", "h3", "p", "dt", "dd", "caption", "figcaption", "summary", "th", "td", "title"}


class Page(html.parser.HTMLParser):
    """Elements of a page: blocks of text, tables, and what else a test asks for."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.blocks = []        # (name, text)
        self.tables = []        # {"caption", "columns", "rows", "cells": [(name, attributes)]}
        self.open = []
        self.starts = []        # (name, attributes)
        self.style = ""
        self.text = None
        self.content = open(path, encoding="utf-8").read()
        self.feed(self.content)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, name, attributes):
        attributes = dict(attributes)
        self.starts.append((name, attributes))
        if name in VOID:
            return
        self.open.append(name)
        if name == "table":
            self.tables.append({"caption": None, "columns": [], "rows": [], "cells": []})
        elif name == "tr":
            self.tables[-1]["rows"].append([])
            self.tables[-1]["cells"].append([])
        elif name in ("th", "td"):
            self.tables[-1]["cells"][-1].append((name, attributes))
        if name in BLOCKS and "svg" not in self.open:
            self.text = ""

    def handle_startendtag(self, name, attributes):
        self.starts.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open and self.open[-1] == name, f"</{name}> after {self.open}"
        self.open.pop()
        if name not in BLOCKS or "svg" in self.open:
            return
        if name in ("th", "td"):
            self.tables[-1]["rows"][-1].append(self.text)
        else:
            self.blocks.append((name, self.text))
        if name == "caption":
            self.tables[-1]["caption"] = self.text
        self.text = None

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data
        if self.text is not None:
            self.text += data

    def table(self, caption):
        found = [table for table in self.tables if table["caption"].startswith(caption)]
        assert len(found) == 1, f"{len(found)} tables '{caption}'"
        return found[0]["rows"][1:]

    def items(self):
        names = [text for name, text in self.blocks if name == "dt"]
        return dict(zip(names, [text for name, text in self.blocks if name == "dd"]))


def print_text(page):
    tables = iter(page.tables)
    for name, text in page.blocks:
        if name == "caption":
            print("\n" + text)
            for row in next(tables)["rows"]:
                print("  " + " | ".join(row))
        elif name in ("h1", "h2", "h3"):
            print("\n" + "#" * int(name[1]) + " " + text)
        elif name == "dt":
            print(text, end=": ")
        elif name != "title":
            print(text)


def check_references(page):
    for name, attributes in page.starts:
        assert name not in ("img", "iframe", "object", "embed", "base", "form"), name
        assert "src" not in attributes, attributes
        for key in ("href", "xlink:href"):
            target = attributes.get(key, "#")
            assert target.startswith("#") or target == "data:,", target
        for key, value in attributes.items():
            assert not key.startswith("on"), key
            assert not re.search(r"url\((?!#)", value or ""), value
    assert "@import" not in page.style and not re.search(r"url\((?!#)", page.style)
    rest = page.content.replace("http://www.w3.org/2000/svg", "")
    assert "http:" not in rest and "https:" not in rest


def check_table(table):
    assert table["caption"]
    columns = table["rows"][0]
    assert all(name == "th" and attributes.get("scope") == "col" for name, attributes in table["cells"][0])
    assert len(table["rows"]) > 1, table["caption"]
    for row, cells in zip(table["rows"][1:], table["cells"][1:]):
        assert len(row) == len(columns), row
        assert cells[0][0] == "th" and cells[0][1].get("scope") == "row"
        assert all(name == "td" for name, _ in cells[1:])
        for text, (_, attributes), (_, heading) in zip(row, cells, table["cells"][0]):
            assert attributes.get("class") == heading.get("class"), text
            if re.match(r"[+−]?\d", text) and "→" not in text:
                assert attributes.get("class") == "n" or cells[0][1] is attributes, text


def check_whole(page):
    names = [name for name, _ in page.starts]
    assert page.content.startswith("<!DOCTYPE html>\n")
    assert dict(page.starts)["html"]["lang"] == "en"
    assert any(attributes.get("name") == "viewport" for name, attributes in page.starts if name == "meta")
    assert names.count("h1") == 1 and names.count("title") >= 1
    headings = [text for name, text in page.blocks if name == "h2"]
    assert len(headings) == 6 and headings[0].startswith("Runtime over"), headings
    ids = [attributes["id"] for _, attributes in page.starts if "id" in attributes]
    assert len(ids) == len(set(ids)), "ids are not unique"
    # The title of a picture is its first child.
    for number, (name, attributes) in enumerate(page.starts):
        if name == "svg":
            assert attributes.get("role") == "img" and page.starts[number + 1][0] == "title", attributes
    assert names.count("svg") >= 2
    for table in page.tables:
        check_table(table)
    check_references(page)


def value(text):
    if text == "unbounded":
        return math.inf
    number, _, unit = text.partition(" ")
    return float(number) * UNITS[unit]


def assert_same(text, expected, digits=6):
    found = value(text)
    assert found == expected or math.isclose(found, expected, rel_tol=10**-digits), f"{text}: {expected}"


def check_tolerances(page, analysis):
    rows = page.table("Tolerances")
    varied = analysis["vary"]
    assert len(rows) == len(analysis["tolerance"])
    for row, item in zip(rows, analysis["tolerance"]):
        delta, end = [item[key] for key in item if key.startswith("delta_")][0], \
            [item[key] for key in item if key.startswith(varied + "_")][0]
        assert_same(row[0], item["percent"] / 100)
        assert_same(row[1], math.inf if end is None else end)
        assert_same(row[2], math.inf if end is None else delta)
        if end is not None:
            assert_same(row[3], analysis["runtime_ns"] * (1 + item["percent"] / 100))


def check_critical(page, sweep, varied):
    """All steps of the sweep, or the largest of them."""
    slope = "lambda_" + varied
    points = sweep["points"]
    steps = [(point, before) for before, point in zip(points, points[1:-1])]
    if not steps:
        assert not any(table["caption"].startswith("Critical") for table in page.tables)
        return
    rows = page.table("Critical")
    heights = sorted((point[slope] - before[slope] for point, before in steps), reverse=True)[:20]
    assert len(rows) == len(heights)
    for row in rows:
        found = [(point, before) for point, before in steps
                 if math.isclose(value(row[0]), point[next(iter(point))], rel_tol=1e-6)]
        assert len(found) == 1, row
        point, before = found[0]
        assert_same(row[1], before[slope])
        assert_same(row[2], point[slope])
        assert_same(row[3], point["runtime_ns"])
    assert sorted((value(row[2]) - value(row[1]) for row in rows), reverse=True) == heights


def check_path(page, path):
    if not path["segments"]:
        return
    for caption, key in (("Time on the critical path by category", "category"),
                         ("Time on the critical path by rank", "rank")):
        sums = {}
        for segment in path["segments"]:
            sums[str(segment[key])] = sums.get(str(segment[key]), 0) + segment["end_ns"] - segment["start_ns"]
        for row in page.table(caption):
            assert_same(row[1], sums.pop(row[0]))
        assert len(sums) == 0 or key == "rank"
    slack, kind = path["slack"], "a call" if path["slack"]["of"] == "calls" else "an operation"
    rows = page.table(f"Slack: how much later {kind} may end without changing T")
    counts = [slack["critical"], *(limit["count"] for limit in slack["below"]), slack["count"]]
    assert [int(row[1]) for row in rows] == counts, rows
    if slack["least"]:
        for row, level in zip(page.table("Least slack above 0"), slack["least"]):
            assert_same(row[0], level["slack_ns"])
            assert int(row[2]) == level["count"], row
    if path.get("next"):
        for row, following in zip(page.table("What joins the path next"), path["next"], strict=True):
            assert_same(row[0], following["L_ns"])
            assert_same(row[1], following["lambda_L"])
    for row, communicator in zip(page.table("Messages of the critical path by communicator") if path.get("communicators") else [],
                                 path.get("communicators", [])):
        assert_same(row[1], communicator["transfer_ns"])
        assert [row[3], row[5]] == [str(communicator["lambda_L"]), str(communicator["messages"])], row
    for row, function in zip(page.table("Time on the critical path by MPI function") if path.get("functions") else [],
                             path.get("functions", [])):
        assert_same(row[1], function["time_ns"])
        assert row[4:] == [str(function["lambda_L"]), str(function["calls"])], row


def check_agrees(page, analysis, sweep, path):
    items = page.items()
    for key, text in (("ranks", "ranks"), ("operations", "operations"), ("messages", "messages")):
        assert items[text] == str(analysis[key])
    for name in "LoG":
        assert_same(items[name], analysis["parameters"][name])
    check_tolerances(page, analysis)
    check_critical(page, sweep, analysis["vary"])
    check_path(page, path)
    varied, facts = analysis["vary"], page.blocks[3][1]
    assert f"ρ{varied}" in facts and f"λ{varied} = {analysis['lambda_' + varied]['right']:.4g}" in facts, facts
    assert re.search(r"T = (\S+ \S+) on", facts), facts
    assert_same(re.search(r"T = (\S+ \S+) on", facts)[1], analysis["runtime_ns"], 3)


def main():
    what, page = sys.argv[1], Page(sys.argv[2])
    if what == "text":
        print_text(page)
    elif what == "whole":
        check_whole(page)
    elif what == "agrees":
        check_agrees(page, *[json.load(open(path, encoding="utf-8")) for path in sys.argv[3:]])
    elif what == "names":
        for text in sys.argv[3:]:
            assert any(text in shown for _, shown in page.blocks), text
    else:
        sys.exit(f"unknown check {what}")


main()
