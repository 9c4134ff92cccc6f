"""Print function and call site of each call of a page of critpath view without messages between threads."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "../../cli/critpath"))
from view_page import numbers, script  # noqa: E402

text = open(sys.argv[1]).read()


run = json.loads(script(text, "run"))
calls = numbers(script(text, "calls"))
functions = []
for _ in run["threads"]:
    for _ in range(next(calls)):
        head = next(calls)
        functions.append(run["functions"][str(head >> 3)])
        next(calls), next(calls)  # begin and length
        for _ in range(4 * (head & 1) + 2 * (head >> 1 & 1)):
            next(calls)
        for _ in range(4 * next(calls) if head & 4 else 0):
            next(calls)
sites = list(numbers(script(text, "sites")))
assert len(sites) == len(functions) == run["calls"], (len(sites), len(functions), run["calls"])
for function, site in zip(functions, sites):
    print(function, run["sites"].get(str(site), "?"))
