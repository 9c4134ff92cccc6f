#!/usr/bin/python3
"""llamp-usage index: what the database has, against the distributions that the logs were made with."""
import glob
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import tap
from usage_logs import SCRATCH, ask, content, difference, index, run, synth


def same(one, other, sentence):
    text = difference(one, other)
    tap.check(text is None, sentence, text)


def test_distributions():
    synth("uniform", "--jobs", 200)
    report = index("uniform", "-d", "uniform.db")
    tap.check(report["logs"] == report["whole"] == report["jobs"] == 200 and report["unreadable"] == 0,
              "all logs below a folder become jobs", report)
    fractions = sorted(row[0] for row in ask("uniform.db", "SELECT fraction FROM job_weights"))
    wrong = [f for i, f in enumerate(fractions) if abs(f - (i + 0.5) / 200) > 1e-9]
    tap.check(not wrong, "fractions that are uniform in the logs are uniform in the index", wrong[:5])
    rows = ask("uniform.db", "SELECT c.job, sum(c.ns) FROM rank_calls AS c WHERE role = 'average' GROUP BY c.job")
    times = dict(ask("uniform.db", "SELECT id, average_ns FROM jobs"))
    tap.check(all(times[job] == ns for job, ns in rows), "the calls of the average rank add up to its time")
    for role, bit in (("first", 1), ("most", 2), ("least", 4)):
        rows = ask("uniform.db", f"SELECT k.mpi_ns, (SELECT sum(ns) FROM rank_calls AS c WHERE c.job = k.job AND role = '{role}') "
                                 f"FROM job_ranks AS k WHERE k.roles & {bit}")
        tap.check(len(rows) == 200 and all(a == b for a, b in rows), f"... and those of the rank '{role}' to its")
    rows = ask("uniform.db", "SELECT j.ranks * j.mean_ns, (SELECT sum(ns) FROM cells AS c WHERE c.job = j.id) FROM jobs AS j")
    tap.check(all(abs(a - b) <= 64 for a, b in rows), "cells have the time of all ranks")
    wrong = []
    for log in sorted(glob.glob("uniform/logs/**/*.usage", recursive=True))[:3]:
        shown = json.loads(run("show", log, "--format", "json").stdout)
        answer = json.loads(run("query", "-d", "uniform.db", "--format", "json", "SELECT exposure, quantiles(quantiles) AS times FROM jobs "
                                f"WHERE path LIKE '%{os.path.basename(log)}'").stdout)["rows"][0]
        if answer["exposure"] != shown["exposure"] or json.loads(answer["times"]) != [row["ns"] for row in shown["quantiles"]]:
            wrong.append((log, answer))
    tap.check(not wrong, "exposure and quantiles of a job are those that its log has", *wrong)


def test_again():
    before = content("uniform.db")
    size = os.path.getsize("uniform.db")
    report = index("uniform/logs", "-d", "uniform.db")
    tap.check(report["known"] == 200 and report["whole"] == 0, "logs that were read are not read again", report)
    same(before, content("uniform.db"), "... and change nothing")
    tap.check(os.path.getsize("uniform.db") == size, "... nor the size of the index")
    shutil.copytree("uniform", "copy")
    report = index("copy", "uniform", "-d", "uniform.db")
    tap.check(report["copies"] == 200 and report["jobs"] == 200, "copies of logs make no jobs", report)
    same(before, content("uniform.db"), "... and change nothing")
    one = sorted(glob.glob("uniform/logs/**/*.usage", recursive=True))[0]
    os.utime(one)
    report = index("uniform", "-d", "uniform.db")
    tap.check(report["whole"] == 1 and report["jobs"] == 200, "a file that was written again is read again", report)
    same(before, content("uniform.db"), "... and its job is not there twice")
    synth("more", "--jobs", 20, "--system", "other")
    report = index("uniform", "more", "-d", "uniform.db")
    tap.check(report["whole"] == 20 and report["jobs"] == 220, "another system's jobs with the same ids are other jobs", report)


def test_order():
    synth("week", "--jobs", 60, "--days", 7)
    run("index", "week", "-d", "one.db")
    days = sorted(glob.glob("week/logs/*/*/*"))
    for day in reversed(days):
        run("index", day, "-d", "days.db")
    same(content("one.db"), content("days.db"), "logs read day by day, from the last to the first, make the same index")


def test_parts():
    """Logs of the nodes of a killed job together are the log of the job."""
    nodes = ("--nodes", "0:2,.5:2,.5:5,1:5", "--ranks-per-node", "0:3,.5:3,.5:7,1:7")
    synth("whole", "--jobs", 12, *nodes)
    synth("killed", "--jobs", 12, "--killed", 12, *nodes)
    run("index", "whole", "-d", "whole.db")
    report = index("killed", "-d", "killed.db")
    tap.check(report["merged"] == report["jobs"] == 12 and report["parts"] > 24, "logs of the nodes of a job become one job", report)
    same(content("whole.db"), content("killed.db"), "... which has what the log of the job has")
    apart = [ask(f"{name}.db", "SELECT job, deviation_ns FROM jobs ORDER BY job") for name in ("whole", "killed")]
    tap.check(all(a[0] == b[0] and abs(a[1] - b[1]) <= 1 + 1e-12 * a[1] for a, b in zip(*apart)), "... also its deviation", apart)
    ends = ask("killed.db", 'SELECT DISTINCT "end" FROM jobs')
    tap.check(ends == [("killed",)], "... but for its end", ends)
    logs = sorted(glob.glob("killed/logs/**/*.usage", recursive=True), key=lambda path: path[-10:])
    for count, log in enumerate(logs):
        os.makedirs("some/" + os.path.dirname(log), exist_ok=True)
        shutil.copy(log, "some/" + log)
        if count % 7 == 0:
            run("index", "some", "-d", "some.db")
    seen = ask("some.db", "SELECT count(*), sum(ranks_seen < ranks) FROM jobs")
    tap.check(seen[0][0] == 12 and seen[0][1] < 12, "nodes' logs that come later are added", seen)
    run("index", "some", "-d", "some.db")
    same(content("killed.db"), content("some.db"), "... and the last of them completes the job")
    shutil.copytree("killed", "twice")
    run("index", "twice", "-d", "some.db")
    same(content("killed.db"), content("some.db"), "copies of nodes' logs change nothing")
    report = index("whole", "-d", "some.db")
    tap.check(report["whole"] == 12 and report["jobs"] == 12, "a log of the whole job replaces those of its nodes", report)
    tap.check(ask("some.db", 'SELECT DISTINCT "end" FROM jobs') == [("finalize",)], "... with its end")
    same(content("whole.db"), content("some.db"), "... and its numbers")
    report = index("some", "twice", "whole", "-d", "some.db")
    tap.check(report["merged"] == 0 and report["known"] == report["logs"], "... for good", report)


def test_damage():
    synth("bad", "--jobs", 30)
    logs = sorted(glob.glob("bad/logs/**/*.usage", recursive=True))
    with open(logs[3], "r+b") as file:
        file.truncate(100)
    with open(logs[7], "wb"):
        pass
    with open(logs[11], "wb") as file:
        file.write(b"no log\n" * 100)
    done = run("index", "bad", "-d", "bad.db", status=1)
    tap.check("3 logs cannot be read" in done.stderr and all(os.path.abspath(logs[i]) in done.stdout for i in (3, 7, 11)),
              "damaged logs are listed, and the exit status is 1", done.stderr, done.stdout)
    tap.check(ask("bad.db", "SELECT count(*) FROM jobs") == [(27,)], "... and all others are indexed")
    report = index("bad", "-d", "bad.db", status=1)
    tap.check(report["known"] == 27 and report["unreadable"] == 3 and report["whole"] == 0, "... also the next time", report)
    tap.check(len(ask("bad.db", "SELECT path, reason FROM damaged WHERE reason <> ''")) == 3, "... and are in the view damaged")
    synth("again", "--jobs", 30)
    for i in (3, 7):
        shutil.copy(logs[i].replace("bad", "again", 1), logs[i])
    os.unlink(logs[11])
    report = index("bad", "-d", "bad.db")
    tap.check(report["whole"] == 2 and report["jobs"] == 29 and report["unreadable"] == 0,
              "a damaged log that was mended is read, and one that was removed is forgotten", report)


def test_schema():
    with open(os.path.join(os.environ["SOURCE"], "doc/usage-index.schema.json"), encoding="utf-8") as file:
        tap.check(run("index", "uniform", "-d", "no.db", "--format", "schema").stdout == file.read() and not os.path.exists("no.db"),
                  "the schema is the one in doc/, and reads nothing")


def test_copies_of_jobs():
    """Each job three times: distributions stay, sums grow; jobs without a log change the coverage only."""
    tables = ["--programmes", "once/programmes.csv", "--systems", "once/systems.csv"]
    synth("once", "--jobs", 40, "--profile", "mira")
    synth("thrice", "--jobs", 40, "--profile", "mira", "--copies", 3)
    synth("unlogged", "--jobs", 40, "--profile", "mira", "--unlogged", 50)
    for name in ("once", "thrice", "unlogged"):
        index(name, "-d", f"{name}.db", "--accounting", f"{name}/sacct.txt", *tables)
    fractions = "SELECT fraction FROM job_weights ORDER BY 1"
    once, thrice = (ask(f"{name}.db", fractions) for name in ("once", "thrice"))
    tap.check([row for row in once for _ in range(3)] == thrice, "jobs three times have the same distribution of fractions")
    sums = "SELECT function, sum(calls), sum(bytes), sum(ns) FROM rank_calls WHERE role = 'average' GROUP BY function ORDER BY 1"
    tap.check([(row[0], *(3 * x for x in row[1:])) for row in ask("once.db", sums)] == ask("thrice.db", sums), "... and three times the sums")
    hours = "SELECT sum(core_hours * fraction) FROM job_weights"
    tap.check(abs(3 * ask("once.db", hours)[0][0] / ask("thrice.db", hours)[0][0] - 1) < 1e-12, "... also in core-hours")
    contents = [content(f"{name}.db") for name in ("once", "unlogged")]
    same({name: rows for name, rows in contents[0].items() if name != "records"}, contents[1], "jobs without a log change nothing of those with one")
    counts = "SELECT coverage, count(*) FROM accounting GROUP BY coverage ORDER BY 1"
    tap.check(ask("once.db", counts) == [("log", 40)] and ask("unlogged.db", counts) == [("log", 40), ("no Finalize", 50)], "... but coverage")


def test_killed_indexer():
    synth("long", "--jobs", 2000)
    run("index", "long", "-d", "long.db")
    interrupted = 0
    for size in (1, 300000, 1000000):
        if os.path.exists("cut.db"):
            os.unlink("cut.db")
        process = subprocess.Popen(["llamp-usage", "index", "long", "-d", "cut.db"], stdout=subprocess.DEVNULL)
        while process.poll() is None and not (os.path.exists("cut.db") and os.path.getsize("cut.db") >= size):
            time.sleep(0.001)
        process.kill()
        interrupted += process.wait() != 0
        if os.path.getsize("cut.db"):
            done = subprocess.run(["llamp-usage", "query", "-d", "cut.db", "SELECT count(*) FROM jobs"], capture_output=True, text=True, check=False)
            tap.check(done.returncode == 0 or "no index" in done.stderr, f"an index whose writer was killed at {size} bytes can be asked", done)
        run("index", "long", "-d", "cut.db")
        same(content("long.db"), content("cut.db"), "... and the next call completes it")
        tap.check(ask("cut.db", "PRAGMA integrity_check") == [("ok",)], "... without damage")
    tap.check(interrupted > 0, "writers were killed before their end", interrupted)


def test_two_indexers():
    run("index", "week", "-d", "both.db")
    lock = sqlite3.connect("both.db", isolation_level=None, check_same_thread=False)
    lock.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.5, lock.execute, ("ROLLBACK",)).start()
    done = run("index", "week", "uniform", "-d", "both.db")
    tap.check("another process writes both.db; waiting" in done.stderr, "a writer that waits for another process says so", done.stderr)
    lock.close()
    processes = [subprocess.Popen(["llamp-usage", "index", "long", "-d", "two.db"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    ends = [process.communicate() for process in processes]
    tap.check([process.returncode for process in processes] == [0, 0], "two writers at once both end well", ends)
    same(content("long.db"), content("two.db"), "... and have indexed each log once")


def test_random_damage():
    """Any bytes are a log, or listed."""
    numbers = random.Random(1)
    synth("good", "--jobs", 8)
    logs = sorted(glob.glob("good/logs/**/*.usage", recursive=True))
    plain = [subprocess.run(["zstd", "-dc", log], capture_output=True, check=True).stdout for log in logs]
    os.mkdir("fuzz")
    for i in range(600):
        data = bytearray(numbers.choice(plain) if i % 4 else open(numbers.choice(logs), "rb").read())
        for _ in range(numbers.randint(1, 3)):
            at = numbers.randrange(len(data))
            kind = numbers.randrange(4)
            if kind == 0:
                data[at] = numbers.randrange(256)
            elif kind == 1:
                del data[at:at + numbers.randint(1, 40)]
            elif kind == 2:
                data[at:at] = numbers.choice([b"9" * 20, b"-1", b"null", b"]", b'"', b"1e400", b"\xff\xfe", b"[[["])
            else:
                del data[numbers.randrange(len(data)) + 1:]
        with open(f"fuzz/{i}.usage", "wb") as file:
            file.write(data)
    report = index("fuzz", "-d", "fuzz.db", status=1)
    states = dict(ask("fuzz.db", "SELECT state, count(*) FROM files GROUP BY state"))
    tap.check(report["logs"] == 600 == sum(states.values()) and states[3] == report["unreadable"] > 200,
              "damaged bytes are listed or read, and end no indexer", report["unreadable"], states)
    tap.check(ask("fuzz.db", "PRAGMA integrity_check") == [("ok",)], "... nor damage the index")


def main():
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        os.chdir(folder)
        for test in (test_distributions, test_again, test_order, test_parts, test_damage, test_schema, test_copies_of_jobs, test_killed_indexer,
                     test_two_indexers, test_random_damage):
            test()
    tap.end()


main()
