#!/usr/bin/python3
"""page.py PAGE TABLE: a page of critpath view has the calls below MPI that the CSV of critpath below counts."""
import csv
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "../critpath"))
from view_page import numbers, script  # noqa: E402


text = open(sys.argv[1], encoding="utf-8").read()
run = json.loads(script(text, "run"))
below = numbers(script(text, "below"))
rows = sum(run["threads"])
messages = next(below)
for _ in range(messages):
    sender, receiver, begin, length = (next(below) for _ in range(4))
    assert sender < rows and receiver < rows and sender != receiver, "rows of a message"
    assert length % 2 == 0 and begin + length // 2 <= run["runtime_ns"], "a message is received before it is sent"
found = {"posts": 0, "bytes": 0, "finds": 0, "nothing": 0}
for _ in range(rows):
    time = 0
    for _ in range(next(below)):
        head, step, length, number = (next(below) for _ in range(4))
        assert time == 0 or step % 2 == 0, "calls are not in order"
        time += 1
        kind = run["below_kinds"][head >> 1]
        if kind == "post":
            found["posts"] += 1
            found["bytes"] += number - 1
        elif kind in ("poll", "nothing"):
            found["finds" if kind == "poll" else "nothing"] += 1 if kind == "poll" else number - 1
assert next(below, None) is None, "there is more"
with open(sys.argv[2], encoding="utf-8") as table:
    table = list(csv.DictReader(table))
counted = {name: sum(int(row[name]) for row in table) for name in found}
assert found == counted, f"the page has {found}, the table {counted}"
print(messages, "messages", found)
