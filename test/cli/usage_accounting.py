#!/usr/bin/python3
"""llamp-usage index: records of the scheduler, what joins them with logs, and the published tables of coverage.

LENGTH=long makes the published tables at their whole size, of 1.6 million records.
"""
import csv
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import tap
from usage_logs import SCRATCH, ask, content, difference, index, run, synth

os.environ["TZ"] = "UTC"


def put(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def read(text, name="records.db", **more):
    """Records of an accounting in a new index."""
    if os.path.exists(name):
        os.unlink(name)
    return index("-d", name, "--accounting", put("records.txt", text), **more)


# As sacct of Slurm 22.05 prints them: jobs with and without steps, of an array, heterogeneous, cancelled, running, pending.
SACCT = """JobID|JobIDRaw|Cluster|User|Account|JobName|State|ExitCode|Start|End|Elapsed|NNodes|AllocCPUS|NTasks
100|100|big|ada|phys|run.sh|COMPLETED|0:0|2026-03-01T10:00:00|2026-03-01T12:00:00|02:00:00|4|256|
100.batch|100.batch|big||phys|batch|COMPLETED|0:0|2026-03-01T10:00:00|2026-03-01T12:00:00|02:00:00|1|64|1
100.extern|100.extern|big||phys|extern|COMPLETED|0:0|2026-03-01T10:00:00|2026-03-01T12:00:00|02:00:00|4|256|4
100.0|100.0|big||phys|lulesh|COMPLETED|0:0|2026-03-01T10:00:05|2026-03-01T11:00:05|01:00:00|4|256|64
100.1|100.1|big||phys|lulesh|FAILED|0:9|2026-03-01T11:00:10|2026-03-01T11:30:10|00:30:00|2|128|32
101|101|big|bob|chem|job.sh|TIMEOUT|0:0|2026-03-02T00:00:00|2026-03-03T01:01:01|1-01:01:01|1|64|
101.batch|101.batch|big||chem|batch|CANCELLED|0:15|2026-03-02T00:00:00|2026-03-03T01:01:02|1-01:01:02|1|64|1
102_7|105|big|bob|chem|array|CANCELLED by 1000|0:0|2026-03-02T00:00:00|2026-03-02T00:10:00|00:10:00|1|64|
103+0|103|big|ada|phys|het|COMPLETED|0:0|2026-03-02T00:00:00|2026-03-02T00:10:00|00:10:00|2|128|
103+1|104|big|ada|phys|het|COMPLETED|0:0|2026-03-02T00:00:00|2026-03-02T00:10:00|00:10:00|3|192|
106|106|big|bob|chem|now|RUNNING|0:0|2026-03-02T00:00:00|Unknown|00:10:00|1|64|
107|107|big|bob|chem|later|PENDING|0:0|Unknown|Unknown|00:00:00|1|0|
108|108|big|bob|chem|never|CANCELLED by 0|0:0|None|2026-03-02T00:00:00|00:00:00|1|0|
109|109|big|bob|chem|odd|FAILED|300:0|2026-03-02T00:00:00|2026-03-02T00:01:00|00:01:00|1|64|
"""


def test_sacct():
    report = read(SACCT)
    tap.check(report["records"] == 7 and report["unended"] == 3 and report["unreadable"] == 0,
              "jobs that have steps are their steps, and jobs that run or never ran are left out", report)
    rows = {(row[0], row[1]): row[2:] for row in ask("records.db",
            "SELECT job, step, user, project, executable, nodes, seconds, state, exit_status, normal, core_hours FROM accounting")}
    expected = {
        ("100", "0"): ("ada", "phys", "lulesh", 4, 3600.0, "COMPLETED", 0, 1, 256.0),
        ("100", "1"): ("ada", "phys", "lulesh", 2, 1800.0, "FAILED", 137, 0, 64.0),
        ("101", ""): ("bob", "chem", "job.sh", 1, 90061.0, "TIMEOUT", 0, 0, 90061 / 3600 * 64),
        ("105", ""): ("bob", "chem", "array", 1, 600.0, "CANCELLED", 0, 0, 64 / 6),
        ("103", ""): ("ada", "phys", "het", 2, 600.0, "COMPLETED", 0, 1, 128 / 6),
        ("104", ""): ("ada", "phys", "het", 3, 600.0, "COMPLETED", 0, 1, 192 / 6),
        ("109", ""): ("bob", "chem", "odd", 1, 60.0, "FAILED", 300, 0, 64 / 60),
    }
    wrong = [(key, row, expected.get(key)) for key, row in rows.items()
             if not expected.get(key) or row[:-1] != expected[key][:-1] or abs(row[-1] - expected[key][-1]) > 1e-9 * row[-1]]
    tap.check(len(rows) == 7 and not wrong, "each record is what sacct says of it", *wrong)
    before = content("records.db")
    index("-d", "records.db", "--accounting", "records.txt")
    tap.check(difference(before, content("records.db")) is None, "records that are read again change nothing")
    put("systems.csv", "system,cores_per_node\nbig,32\n")
    put("states.csv", 'state,class\n"COMPLETED",normal\nTIMEOUT,normal\n')
    index("-d", "records.db", "--systems", "systems.csv", "--states", "states.csv")
    rows = dict(ask("records.db", "SELECT job || '.' || step, core_hours FROM accounting"))
    tap.check(rows["100.0"] == 128 and rows["103."] == 64 / 6,
              "where Slurm counts hardware threads, cores of a node from --systems count", rows)
    rows = dict(ask("records.db", "SELECT job || '.' || step, normal FROM accounting"))
    tap.check(rows == {"100.0": 1, "100.1": 0, "101.": 1, "105.": 1, "103.": 1, "104.": 1, "109.": 1},
              "states of --states replace Slurm's, and others go by their exit status", rows)


def test_forms():
    report = read("JobID,Start,End,AllocNodes\r\n7,100,160,2\r\n8,2026-01-01T00:00:00,2026-01-01T00:00:01,1\r\n")
    rows = ask("records.db", "SELECT job, start_ns, end_ns, seconds, nodes, core_hours, normal FROM accounting ORDER BY job")
    tap.check(report["records"] == 2 and rows[0] == ("7", 100 * 10**9, 160 * 10**9, 60, 2, None, None) and
              rows[1][1] == 1767225600 * 10**9, "CSV, few columns, seconds since 1970 and line ends of DOS are read", rows)
    read('JobID,Executable,ElapsedRaw,NNodes,ExitCode\n1,"/opt/a, b/""x""",10,1,256\n')
    rows = ask("records.db", "SELECT program, executable, normal FROM accounting")
    tap.check(rows == [('/opt/a, b/"x"', '"x"', 1)], "CSV has quotes", rows)
    read("JobID|SubmitLine|JobName|Elapsed|NNodes\n1.0|srun -n 4 --mem=1G --mpi pmix -N 2 ./app -n 3|x|10|1\n"
         "2|sbatch -N 2 job.sh|batch|10|1\n3.0|/usr/bin/srun -n 2|y|10|1\n")
    rows = ask("records.db", "SELECT program FROM accounting ORDER BY job")
    tap.check(rows == [("./app",), ("batch",), ("y",)], "the program that srun starts is found", rows)
    done = run("index", "-d", "records.db", "--accounting", "-", input="JobID|Elapsed|NNodes\n4|1|1\n")
    tap.check("records" in done.stdout, "records are read from a pipe")


def test_wrong():
    rows = ["1|10|1|1", "2|x|1|1", "3|10|many|1", "4|10|1", "|10|1|1", "6|10|1|a:b", "7|10|1|1|1", "8|10|1|0:0", "9|10|-1|0"]
    report = read("\n".join(["JobID|Elapsed|NNodes|ExitCode"] + rows) + "\n", status=1)
    lines = [(os.path.basename(row["path"]), row["reason"]) for row in report["unreadable_files"]]
    tap.check(report["records"] == 2 and [line[0] for line in lines] == [f"records.txt:{i}" for i in (3, 4, 5, 6, 7, 8, 10)],
              "lines that are not understood are listed with their number, and left out", report)
    for text, words in (("", "expected a line of headings"), ("JobID|Elapsed\n", "no column NNodes"),
                        ("User|Elapsed|NNodes\n", "no column JobIDRaw"), ("JobID|NNodes|Start\n", "no column ElapsedRaw"),
                        ('"a\n', "a quote without an end")):
        done = run("index", "-d", "records.db", "--accounting", put("records.txt", text), status=1)
        tap.check(f"records.txt:1: {words}" in done.stderr, f"... and so are headings: {words}", done.stderr)
    for option, text, words in (("systems", "system,cores_per_node\nx,0\n", "systems.csv:2: expected a number of cores"),
                                ("states", "state,class\nA,good\n", "states.csv:2: expected class normal or failed"),
                                ("traced", "job,lambda\n7,nan\n", "traced.csv:2: expected lambda_L"),
                                ("ping-pong", "run,bytes,latency_ns\nalone,8,500\nwith,8,520\n", "ping-pong.csv:3: expected run alone or profiled"),
                                ("ping-pong", "run,bytes,latency_ns\nalone,-1,500\n", "ping-pong.csv:2: expected a number of bytes"),
                                ("ping-pong", "run,bytes,latency_ns\nalone,8,1us\n", "ping-pong.csv:2: expected a latency in ns"),
                                ("ping-pong", "run,bytes,latency_ns\nalone,8,0x1f4\n", "ping-pong.csv:2: expected a latency in ns"),
                                ("ping-pong", "run,bytes,latency_ns\nalone,8,inf\n", "ping-pong.csv:2: expected a latency in ns"),
                                ("ping-pong", "run,bytes\nalone,8\n", "ping-pong.csv:1: expected headings run,bytes,latency_ns"),
                                ("domains", "app,domain\n", "domains.csv:1: expected headings application,domain"),
                                ("programmes", "project,programme\na\n", "programmes.csv:2: another number of fields")):
        before = content("records.db")
        done = run("index", "-d", "records.db", f"--{option}", put(f"{option}.csv", text), status=1)
        tap.check(words in done.stderr, f"a wrong table --{option} is refused with its line", done.stderr)
        tap.check(difference(before, content("records.db")) is None, "... and changes nothing")


TABLE = """SELECT count(*), sum(core_hours), count(DISTINCT executable) FROM accounting WHERE """
# Rows of the published tables: condition, jobs, share of core-hours in per cent, executables.
ROWS = (("1", 0, 0), ("in_programme", 1, 1), ("in_filter", 2, 2), ("in_filter AND normal", 3, 3),
        ("in_filter AND NOT normal", 4, 4), ("in_filter AND coverage = 'log'", 5, 5))
PUBLISHED = {
    "mira": ((682255, 505648, 405100, 337942, 67158, 86490), (100, 95.6, 91.1, 54.8, 36.2, 23.0), (1450, 819, 110, 105, 110, 64)),
    "cetus": ((914419, 148494, 100442, 81839, 18603, 34012), (100, 25.9, 23.3, 11.2, 12.0, 4.7), (4352, 651, 28, 28, 28, 15)),
}


def test_published(divisor):
    words = []
    for name in PUBLISHED:
        synth(name, "--table", name, "--divisor", divisor)
        words = ["--programmes", f"{name}/programmes.csv", "--domains", f"{name}/domains.csv"]
    put("systems.csv", "system,cores_per_node\nmira,16\ncetus,16\n")
    # Both machines in one index: each has its own filter.
    index("mira", "cetus", "-d", "published.db", "--accounting", "mira/sacct.txt", "--systems", "systems.csv", *words)
    index("-d", "published.db", "--accounting", "cetus/sacct.txt")
    for name, (jobs, shares, executables) in PUBLISHED.items():
        whole = ask("published.db", TABLE + "system = ?", name)[0][1]
        for (condition, number, _), share in zip(ROWS, shares):
            got = ask("published.db", TABLE + f"system = ? AND {condition}", name)[0]
            # A group of jobs is divided by itself, so that a row may lack one job for each of its groups.
            count_is_right = got[0] == jobs[number] if divisor == 1 else 0 <= jobs[number] / divisor - got[0] < 5
            tap.check(count_is_right and got[2] == executables[number] and abs(100 * got[1] / whole - share) < 0.11,
                      f"{name}: {condition}: {jobs[number]} jobs / {divisor}, {share} %, {executables[number]} executables", got)
        normal, failed = (ask("published.db", TABLE + f"system = ? AND in_filter AND {c}", name)[0][0] for c in ("normal", "NOT normal"))
        filtered = ask("published.db", TABLE + "system = ? AND in_filter", name)[0][0]
        tap.check(normal + failed == filtered and (divisor > 1 or filtered == jobs[2]), f"{name}: both kinds of ends add up")


def test_join():
    synth("jobs", "--jobs", 50, "--unlogged", 30, "--killed", 5)
    tables = ["--programmes", "jobs/programmes.csv", "--domains", "jobs/domains.csv", "--systems", "jobs/systems.csv"]
    report = index("jobs", "-d", "join.db", "--accounting", "jobs/sacct.txt", *tables)
    tap.check(report["jobs_with_record"] == 50 and report["all_records"] == 80, "jobs find their records", report)
    index("-d", "late.db", "--accounting", "jobs/sacct.txt", *tables)
    index("jobs", "-d", "late.db")
    tap.check(difference(content("join.db"), content("late.db")) is None, "... whichever comes first",
              difference(content("join.db"), content("late.db")))
    index("jobs", "-d", "last.db")
    index("-d", "last.db", "--accounting", "jobs/sacct.txt", *tables)
    tap.check(difference(content("join.db"), content("last.db")) is None, "... logs or records",
              difference(content("join.db"), content("last.db")))
    rows = ask("join.db", "SELECT w.core_hours, a.nodes * 16 * a.seconds / 3600 FROM job_weights AS w JOIN jobs AS j ON j.id = w.job "
                          "JOIN accounting AS a ON a.id = j.record")
    tap.check(len(rows) == 50 and all(abs(a - b) < 1e-9 * b for a, b in rows), "a job has the core-hours of its record")
    rows = dict(ask("join.db", "SELECT coverage, count(*) FROM accounting GROUP BY coverage"))
    tap.check(rows == {"log": 50, "killed": 5, "no Finalize": 25}, "the reasons why jobs have no log are told", rows)
    index("jobs", "-d", "alone.db")
    rows = ask("alone.db", "SELECT core_hours, ranks * process_ns / 3.6e12 FROM jobs")
    tap.check(all(abs(a - b) < 1e-9 * b for a, b in rows), "without records and cores a job's core-hours are ranks x hours")


# Ends of jobs as sacct has them.  A job that reached its time limit has exit status 0.
ENDS = (("TIMEOUT", "0:0"), ("CANCELLED by 1000", "0:15"), ("OUT_OF_MEMORY", "0:125"), ("NODE_FAIL", "1:0"), ("PREEMPTED", "0:0"),
        ("COMPLETED", "0:0"), ("COMPLETED", "0:0"), ("COMPLETED", "0:0"), ("TIMEOUT", "0:0"))


def jobs_of(database, name, column):
    """Jobs in the rows of a figure, by a column."""
    rows = csv.DictReader(run("report", "-d", database, "--figure", name, "--format", "csv").stdout.splitlines())
    return {row[column]: int(row["jobs"]) for row in rows}


def test_killed():
    """Five of eight jobs are ended by the scheduler and leave logs of their nodes, a ninth one leaves nothing."""
    synth("killed", "--jobs", 8, "--killed", 5, "--unlogged", 1)
    with open("killed/sacct.txt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("|") for line in file]
    status = rows[0].index("ExitCode")
    lines = [rows[0] + ["State"]] + [row[:status] + [code] + row[status + 1:] + [state] for row, (state, code) in zip(rows[1:], ENDS)]
    put("ends.txt", "".join("|".join(line) + "\n" for line in lines))
    report = index("killed/logs", "-d", "killed.db", "--accounting", "ends.txt", "--systems", "killed/systems.csv")
    tap.check(report["jobs"] == 8 and report["jobs_with_record"] == 8, "logs of jobs that the scheduler ended find their records", report)
    rows = ask("killed.db", 'SELECT a.state, a.normal, j."end", a.coverage, abs(j.core_hours - a.seconds / 3600 * a.nodes * 16) < 1e-6 '
                            "FROM accounting AS a LEFT JOIN jobs AS j ON j.record = a.id ORDER BY a.job")
    ended = [(state.split()[0], 0, "killed", "log", 1) for state, _ in ENDS[:5]]
    tap.check(rows == ended + [("COMPLETED", 1, "finalize", "log", 1)] * 3 + [("TIMEOUT", 0, None, "killed", None)],
              "... all of their core-hours are known, and their end is none that is normal", rows)
    sets = jobs_of("killed.db", "coverage", "set")
    tap.check([sets.get("filtered" + rest) for rest in ("", ", normal end", ", other end", ", with log")] == [9, 3, 6, 8],
              "... and table I has them", sets)
    reasons = jobs_of("killed.db", "coverage-reasons", "reason")
    tap.check(reasons == {"log": 8, "killed": 1}, "a job of which nothing was collected is known to be killed", reasons)
    put("states.csv", "state,class\nCOMPLETED,normal\nTIMEOUT,normal\nPREEMPTED,normal\n")
    index("-d", "killed.db", "--states", "states.csv")
    rows = ask("killed.db", "SELECT state FROM accounting WHERE normal ORDER BY job")
    tap.check([row[0] for row in rows] == ["TIMEOUT", "PREEMPTED"] + ["COMPLETED"] * 3 + ["TIMEOUT"],
              "a site may say that an end by the time limit is normal, as of programs that write checkpoints", rows)


def test_no_cores():
    """Records without CPUs, of a system whose nodes have unknown cores."""
    synth("plain", "--jobs", 40, "--unlogged", 10)
    words = ["--accounting", "plain/sacct.txt", "--programmes", "plain/programmes.csv"]
    index("plain/logs", "-d", "plain.db", *words)
    rows = ask("plain.db", "SELECT count(*), sum(in_filter), count(core_hours) FROM accounting")
    tap.check(rows == [(50, 50, 0)], "without core-hours no executable is too small for the filter", rows)
    said = run("report", "-d", "plain.db", "--figure", "IV-A").stdout.splitlines()[0]
    tap.check("40 jobs with a log that pass the filter" in said and "core-hours of 40 jobs are rank-hours" in said and
              "core-hours of 50 records are not known (llamp-usage index --systems)" in said,
              "... and a report says that jobs have rank-hours, and records nothing", said)
    with open("plain/sacct.txt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("|") for line in file]
    nodes = rows[0].index("NNodes")
    put("nodeless.txt", "".join("|".join(row[:nodes] + (["0"] if i else ["NNodes"]) + row[nodes + 1:]) + "\n" for i, row in enumerate(rows)))
    index("plain/logs", "-d", "nodeless.db", "--accounting", "nodeless.txt")
    bare = run("report", "-d", "nodeless.db", "--figure", "IV-A").stdout.splitlines()[0]
    tap.check("core-hours of 50 records are not known" in bare and "--systems" not in bare,
              "... and does not send for cores of nodes where records have no nodes", bare)
    index("-d", "plain.db", "--systems", "plain/systems.csv")
    said = run("report", "-d", "plain.db", "--figure", "IV-A").stdout.splitlines()[0]
    tap.check("rank-hours" not in said and "not known" not in said, "... until the cores are known", said)
    index("plain/logs", "-d", "logs.db")
    said = run("report", "-d", "logs.db", "--figure", "IV-A").stdout.splitlines()[0]
    tap.check("core-hours of 40 jobs are rank-hours" in said and "not known" not in said, "... and so do jobs without records", said)


def test_several_logs():
    """Two logs of one record share its core-hours; a batch job's logs have no step of their own."""
    synth("two", "--jobs", 2, "--nodes", "0:2,1:2", "--runtime", "0:1000,1:1000", "--fraction", "0:.5,1:.5", "--days", 0)
    text = "JobIDRaw|Cluster|Account|ExitCode|Start|End|ElapsedRaw|NNodes|NTasks|JobName\n"
    start = 1483228800
    text += f"100000|synth|p|0:0|{start - 10}|{start + 2000}|2010|2|8|batch\n"
    text += f"100001|synth|p|0:0|{start + 10**6}|{start + 10**6 + 2000}|2000|2|8|reused\n"
    text += f"100001|synth|p|0:0|{start - 10}|{start + 2000}|2010|2|1|alone\n100002|synth|p|0:0|{start}|{start}|10|1|1|one\n"
    put("two.txt", text)
    put("systems.csv", "system,cores_per_node\nsynth,10\n")
    index("two", "-d", "two.db", "--accounting", "two.txt", "--systems", "systems.csv")
    rows = ask("two.db", "SELECT j.job, a.executable = j.application, a.start_ns, j.core_hours, a.logs FROM jobs AS j JOIN accounting AS a "
                         "ON a.id = j.record ORDER BY j.job")
    tap.check([row[0] for row in rows] == ["100000", "100001"] and all(row[1] and row[2] == (start - 10) * 10**9 for row in rows),
              "a log joins the record of the whole job, of several with this id the one of its time", rows)
    rows = dict(ask("two.db", "SELECT coalesce(executable, ''), coverage FROM accounting WHERE logs = 0"))
    tap.check(rows == {"reused": "not preloaded", "one": "no MPI"}, "a program with one task had no MPI", rows)


def main():
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        os.chdir(folder)
        for test in (test_sacct, test_forms, test_wrong, test_join, test_killed, test_no_cores, test_several_logs):
            test()
        test_published(1 if os.environ.get("LENGTH") == "long" else 50)
    tap.end()


main()
