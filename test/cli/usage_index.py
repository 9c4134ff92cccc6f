#!/usr/bin/python3
"""llamp-usage index: what the database has, against the distributions that the logs were made with."""
import glob
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import tap
from usage_logs import ask, content, difference, index, run, synth


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


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (test_distributions, test_again, test_order, test_parts, test_damage):
            test()
    tap.end()


main()
