#!/usr/bin/python3
"""Check planes of llamp-measure report.

planes.py agrees PAGE CELLS.csv   check that colours and numbers of the planes are those of the cells
planes.py data PAGE               print what planes there are, with rows of letters for ratios
"""
import csv
import html
import math
import re
import sys

FIRE = [(0x00, 0x00, 0x00), (0x6a, 0x15, 0x99), (0xd3, 0x1f, 0x24), (0xff, 0x9d, 0x1e), (0xff, 0xf3, 0x4d)]
TITLES = {"sender": "sender side", "receiver": "receiver side", "both": "both sides", "noncontig": "non-contiguous",
          "cpu": "CPU overhead", "nload": "N threads load", "iallreduce": "MPI_Iallreduce"}


def attributes(element):
    return {name: html.unescape(value) for name, value in re.findall(r' ([a-z-]+)="([^"]*)"', element)}


def number(text):
    return math.nan if text == "_" else int(text[:-1]) * 10.0 ** (ord(text[-1]) - ord("m"))


def read_colours(content, columns, rows):
    """Colour of each square, [row from below][column]; None is empty."""
    colours = [[None] * columns for _ in range(rows)]
    for colour, path in re.findall(r'<path stroke="#([0-9a-f]{6})" d="([^"]*)"', content):
        for column, line, length in re.findall(r"M(\d+) (\d+)h(\d+)", path):
            for i in range(int(column), int(column) + int(length)):
                assert colours[rows - 1 - int(line)][i] is None, "two colours in one square"
                colours[rows - 1 - int(line)][i] = tuple(bytes.fromhex(colour))
    return colours


def read_planes(path):
    """Planes as (title, squares): [{name: number, "colour": ..., "hatched": ...}]."""
    content = open(path, encoding="utf-8").read()
    titles = {}
    for title, use in re.findall(r'<g class="plane"><title>([^<]*)</title>\n(?:<rect[^>]*>\n)?<use href="#([a-z0-9]+)"', content):
        titles[use] = html.unescape(title)
    for start, body in re.findall(r'(<g id="cells\d+"[^>]*>)(.*?)</g></defs>', content, re.S):
        found = attributes(start)
        columns, rows = map(int, found["data-size"].split())
        names = found["data-names"].split("|")[:-1]
        x, y = ([float(value) for value in found["data-" + axis].split()] for axis in "xy")
        cells = [number(text) for text in re.findall(r"_|-?\d+[a-z]", found["data-cells"])]
        assert len(cells) == columns * rows * (len(names) - 2), (len(cells), columns, rows, names)
        colours = read_colours(body, columns, rows)
        hatched = {(int(column), rows - 1 - int(line)) for column, line in re.findall(r"M(\d+)\.2 (\d+)\.8l", body)}
        squares = []
        for i in range(columns * rows):
            square = dict(zip(names[2:], cells[i * (len(names) - 2):]))
            if x:
                square[names[0]], square[names[1]] = x[i % columns], y[i // columns]
            square.update(colour=colours[i // columns][i % columns], hatched=(i % columns, i // columns) in hatched)
            squares.append(square)
        yield titles[found["id"]], columns, squares


def colour_of(place):
    """Colour of a place of the scale, 0 to 1, in steps of a fiftieth."""
    place = min(max(math.floor(place * 50 + 0.5), 0), 50) / 50 * 4
    first = min(int(place), 3)
    return tuple(round(a + (place - first) * (b - a)) for a, b in zip(FIRE[first], FIRE[first + 1]))


def near(one, other, relative):
    return math.isnan(one) and math.isnan(other) or abs(one - other) <= relative * abs(other)


def value(row, name):
    return float(row[name]) if row[name] else math.nan


def check_cell(row, squares):
    """A cell of the CSV has squares, all with its numbers and its colour."""
    level, name = ("threads", "slowdown") if row["benchmark"] == "nload" else ("compute_ns", "ratio")
    shown = "threads" if level == "threads" else "ordered" if "ordered" in squares[0] else "computation time"
    size = max(value(row, "bytes"), 1) if "ordered" not in squares[0] else value(row, "bytes")
    own = [square for square in squares if near(square["message size"], size, 0.006) and
           near(square[shown], value(row, level), 0.006) and square["colour"]]
    assert own, f"no square for {row['benchmark']} {row['bytes']} {row[level]}"
    place = value(row, name) / 2 if name == "ratio" else (math.log10(max(value(row, name), 0.1)) + 1) / 5
    for square in own:
        assert near(square["measured"], value(row, "measured_ns"), 0.006), (square, row)
        assert near(square["T_comm"], value(row, "comm_ns"), 0.006), (square, row)
        assert abs(square[name] - value(row, name)) <= 0.006 + 0.006 * abs(value(row, name)), (square, row)
        assert max(abs(a - b) for a, b in zip(square["colour"], colour_of(place))) <= 1, (square, place)
        assert square["hatched"] == (row["uncertain"] == "true"), (square, row)
    return len(own)


def agrees(page, cells):
    planes = {}
    for title, _, squares in read_planes(page):
        planes[title] = squares
    counts = {title: 0 for title in planes}
    with open(cells, newline="") as file:
        for row in csv.DictReader(file):
            if row["kernel"] != "work" or row["pending"] != "1" or row["tests_ns"] != "0":
                continue
            title = [title for title in planes if title.startswith(row["file"] + ": ") and
                     title.endswith(": " + TITLES[row["benchmark"]])]
            assert len(title) == 1, (row["benchmark"], title, list(planes))
            counts[title[0]] += check_cell(row, planes[title[0]])
    for title, squares in planes.items():
        coloured = sum(square["colour"] is not None for square in squares)
        if counts[title]:
            assert counts[title] == coloured, f"{title}: {coloured} squares have colours, {counts[title]} belong to cells"
    assert sum(counts.values()) > 0


def data(page):
    for title, columns, squares in read_planes(page):
        print(title)
        for line in range(len(squares) // columns - 1, -1, -1):
            row = squares[line * columns:(line + 1) * columns]
            name = "slowdown" if "slowdown" in row[0] else "ratio"
            print("  " + "".join("." if not square["colour"] else "?" if square["hatched"] else
                                 "0123456789X"[max(0, min(10, round(5 * square[name])))] for square in row).rstrip())


def main():
    {"agrees": agrees, "data": data}[sys.argv[1]](*sys.argv[2:])


main()
