#!/usr/bin/python3
"""Check figures of critpath efficiency --format json: check.py FILE NAME=VALUE..., where a VALUE is a number or null."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    found = json.load(file)
figures = {row["efficiency"]: row["value"] for row in found["efficiencies"]} | found
for wanted in sys.argv[2:]:
    name, value = wanted.split("=")
    if value == "null":
        assert figures[name] is None, f"{name} is {figures[name]}"
    else:
        assert figures[name] is not None and abs(figures[name] - float(value)) < 1e-9, f"{name} is {figures[name]}"
