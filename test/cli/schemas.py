#!/usr/bin/python3
"""The schemas of doc/ accept what the commands print as JSON.

All golden files are checked, and all combinations of commands, networks, variables and baselines.  A file names its
schema by its member "schema": "llamp-analyze-1" is doc/analyze.schema.json.
"""
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile

import jsonschema

sys.dont_write_bytecode = True
import tap

SOURCE = os.environ["SOURCE"]
NETWORKS = {
    "plain": ("", ("L", "G", "o", "g", "O", "L+2*o")),
    "torus": ("topology: {kind: torus, size: [2, 2], links: {wire: 500ns}, switch: 50ns}\n",
              ("l_wire", "d_switch", "links", "G", "l_wire+d_switch")),
    "nodes": ("L: 2us\nintra-node: {L: 300ns, G: 0.01}\nranks-per-node: 2\n", ("L", "L_node", "G_node")),
    "sizes": ("sizes:\n  - {to: 64, L: 1us}\n  - {L: 3us}\n", ("L", "L_64B", "L_above_64B")),
}
# Between the least T and that of the parameters, below all, and above.
BASELINES = ((), ("--baseline", "12us"), ("--baseline", "1ns"), ("--baseline", "1ms"))
COMMANDS = (("analyze", "g"), ("analyze", "g", "--engine", "path"), ("analyze", "g", "--resources", "cpu"), ("compare", "g", "h"))


def read_schemas():
    """{"llamp-analyze-1": validator}"""
    result = {}
    for path in glob.glob(SOURCE + "/doc/*.schema.json"):
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        form = schema if "properties" in schema else schema.get("oneOf", [{}])[0]
        name = form.get("properties", {}).get("schema", {}).get("const")
        if name:
            result[name] = jsonschema.validators.validator_for(schema)(schema)
    return result


def fault(schemas, text):
    """Why the text does not follow its schema, or None."""
    data = json.loads(text)
    if data["schema"] not in schemas:
        return f"there is no schema {data['schema']}"
    for error in schemas[data["schema"]].iter_errors(data):
        return f"{list(error.absolute_path)}: {error.message[:400]}"
    return None


def check_golden(schemas):
    wrong, count = [], 0
    for path in sorted(glob.glob(SOURCE + "/test/cli/*/*.json")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if '"schema"' in text:
            count += 1
            why = fault(schemas, text)
            wrong += [f"{os.path.relpath(path, SOURCE)}: {why}"] if why else []
    tap.check(count > 10 and not wrong, "all expected outputs follow their schemas", "\n".join(wrong))


def check_analyses(schemas, folder):
    subprocess.run("schedgen --pattern halo-2d --ranks 4 --bytes 4KiB --compute 2us -o g.bin && mv g.bin g && cp g h", shell=True,
                   check=True, cwd=folder, stderr=subprocess.DEVNULL)
    for name, (text, variables) in NETWORKS.items():
        with open(f"{folder}/{name}.yaml", "w", encoding="utf-8") as file:
            file.write("o: 1us\ng: 2us\nO: 0.001\n" + text)
        wrong, printed = [], 0
        for command, variable, baseline in itertools.product(COMMANDS, variables, BASELINES):
            words = ["llamp", *command, "--params", name + ".yaml", "--vary", variable, *baseline, "--format", "json"]
            done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode in (2, 3):
                continue        # variables that this network lacks
            printed += 1
            why = fault(schemas, done.stdout) if done.returncode == 0 else done.stderr
            wrong += [f"{' '.join(words)}: {why}"] if why else []
        tap.check(printed > 10 and not wrong, f"analyses on network '{name}' follow their schemas", "\n".join(wrong) or f"{printed} outputs")


def main():
    schemas = read_schemas()
    check_golden(schemas)
    with tempfile.TemporaryDirectory() as folder:
        check_analyses(schemas, folder)
    tap.end()


main()
