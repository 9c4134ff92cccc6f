"""Print function and call site of each call of a page of critpath view without messages between threads."""
import base64
import json
import re
import sys

text = open(sys.argv[1]).read()


def script(name):
    return re.search(rf'<script[^>]* id="{name}">(.*?)</script>', text, re.DOTALL)[1]


def numbers(data):
    value = scale = 0
    for byte in base64.b64decode(data):
        value |= (byte & 127) << scale
        scale += 7
        if byte < 128:
            yield value
            value = scale = 0


run = json.loads(script("run"))
calls = numbers(script("calls"))
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
sites = list(numbers(script("sites")))
assert len(sites) == len(functions) == run["calls"], (len(sites), len(functions), run["calls"])
for function, site in zip(functions, sites):
    print(function, run["sites"].get(str(site), "?"))
