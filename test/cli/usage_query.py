#!/usr/bin/python3
"""llamp-usage query: answers as text, JSON and CSV, and errors with their place."""
import csv
import io
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import tap
from usage_logs import SCRATCH, ask, index, run, synth


def query(sql, *words, status=0):
    return run("query", "-d", "usage.db", sql, *words, status=status)


def fails(sql, words, sentence, *more, status=1):
    done = query(sql, *more, status=status)
    tap.check(words in done.stderr and not done.stdout, sentence, done.stderr, done.stdout)


def test_answers():
    sql = "SELECT application, count(*) AS n, avg(mpi_ns) AS mean, -min(ranks) AS low, NULL AS none FROM jobs GROUP BY 1 ORDER BY 1"
    expected = ask("usage.db", sql)
    rows = json.loads(query(sql, "--format", "json").stdout)["rows"]
    tap.check([tuple(row.values()) for row in rows] == expected, "JSON has the answer", rows, expected)
    rows = list(csv.DictReader(io.StringIO(query(sql, "--format", "csv").stdout)))
    tap.check([(row["application"], int(row["n"]), float(row["mean"]), int(row["low"])) for row in rows] ==
              [row[:4] for row in expected] and all(row["none"] == "" for row in rows), "CSV has it", rows)
    lines = query(sql).stdout.splitlines()
    tap.check(lines[0].split() == ["application", "n", "mean", "low", "none"] and len(lines) == 1 + len(expected), "text has it", *lines)
    row = json.loads(query('SELECT 1 AS a, 2 AS a, \'x"y\' AS a, x\'00ff\' AS b', "--format", "json").stdout)["rows"][0]
    tap.check(row == {"a": 1, "a_2": 2, "a_3": 'x"y', "b": "00ff"}, "columns of one name are told apart", row)
    rows = json.loads(query("SELECT 1 AS a UNION ALL SELECT 'b' UNION ALL SELECT 0.5", "--format", "json").stdout)["rows"]
    tap.check([row["a"] for row in rows] == ["1", "b", "0.5"], "a column of several kinds is text", rows)
    largest = 2**63 - 1
    row = json.loads(query(f"SELECT {largest} AS a", "--format", "json").stdout)["rows"][0]
    tap.check(row["a"] == largest, "large numbers keep their digits", row)
    query("SELECT * FROM jobs", "-o", "jobs.csv")
    with open("jobs.csv", encoding="utf-8") as file:
        tap.check(len(file.readlines()) == 31, "the suffix of a file chooses the format")
    properties = json.loads(query("SELECT 1 AS a", "--format", "schema").stdout)["properties"]["rows"]["items"]["properties"]
    tap.check(list(properties) == ["a"], "the schema has the columns of the question", properties)


def test_errors():
    fails("SELECT nix FROM jobs", "SQL, line 1, column 8: no such column: nix", "an error has its line and column")
    fails("SELECT 1\nFROM jobs\n WHERE application == ) 2", "SQL, line 3, column 23:", "... in several lines, too")
    fails("SELECT *\n FROM nix", "SQL, line 2, column 7: no such table: nix", "... also if SQLite does not tell it")
    fails("SELECT 1; SELECT 2", "only one statement", "a second statement is refused")
    fails(" ", "there is no statement", "so is none")
    for sql in ("DELETE FROM meta", "UPDATE meta SET value = 1", "CREATE TABLE t(x)", "ATTACH 'x.db' AS x",
                "PRAGMA journal_mode = off", "INSERT INTO meta VALUES(1, 2) RETURNING *"):
        fails(sql, "can only be asked", f"an index cannot be changed: {sql}")
    fails("VACUUM INTO 'x.db'", "has no rows", "... nor copied")
    fails("SELECT * FROM jobs", "at most 32", "a text with too many columns is refused", status=3)
    done = run("query", "-d", "nix.db", "SELECT 1", status=1)
    tap.check("nix.db: No such file" in done.stderr, "a missing index is named", done.stderr)
    done = run("query", "SELECT 1", status=2)
    tap.check("-d FILE" in done.stderr, "no index is a usage error", done.stderr)
    done = query("SELECT * FROM jobs", "-o", "usage.db", "--format", "csv", status=2)
    tap.check(ask("usage.db", "SELECT count(*) FROM jobs") == [(30,)], "the index is not overwritten", done.stderr)


def main():
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        os.chdir(folder)
        synth("logs", "--jobs", 30)
        index("logs", "-d", "usage.db")
        test_answers()
        test_errors()
    tap.end()


main()
