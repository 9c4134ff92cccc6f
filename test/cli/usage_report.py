#!/usr/bin/python3
"""llamp-usage report: every figure's CSV against a computation on the logs themselves, without the index.

LENGTH=long takes 5 times as many jobs.
"""
import bisect
import collections
import csv
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap
from usage_logs import index, run, synth

JOBS = 5000 if os.environ.get("LENGTH") == "long" else 1000
COLLECTIVE = re.compile(r"MPI_I?(Barrier|Bcast|Gatherv?|Scatterv?|Allgatherv?|Alltoall[vw]?|Reduce|Allreduce|Reduce_scatter"
                        r"(_block)?|Scan|Exscan)$")
MESSAGE = re.compile(r"MPI_(I?[bsr]?send|I?recv|Send|Recv|Sendrecv)$", re.I)
WAIT = re.compile(r"MPI_(Wait|Test)(all|any|some)?$")
EMPTY = ("MPI_Barrier", "MPI_Ibarrier")


def read_logs(folder):
    """Every log as it is in its file."""
    paths = sorted(glob.glob(folder + "/logs/**/*.usage", recursive=True))
    logs, decoder = [], json.JSONDecoder()
    for first in range(0, len(paths), 500):
        text = subprocess.run(["zstd", "-dcq", *paths[first:first + 500]], capture_output=True, text=True, check=True).stdout.strip()
        while text:
            log, end = decoder.raw_decode(text)
            logs.append(log)
            text = text[end:].lstrip()
    return logs


class Job:
    """What the figures take from a log: the average rank's times and calls, weights."""

    def __init__(self, log, number):
        rank = next(rank for rank in log["rank_list"] if "average" in rank["roles"])
        self.log, self.number, self.rank = log, number, rank
        self.application = os.path.basename(log["program"])
        self.time = log["mpi_ns"] * max(log["threads"], 1)
        self.fraction = rank["mpi_ns"] / self.time
        self.seconds = log["process_ns"] / 1e9
        self.hours = log["ranks"] * self.seconds / 3600
        names = rank["calls"]["function"]
        self.calls = {name: [rank["calls"][key][i] for key in ("calls", "bytes", "ns")] for i, name in enumerate(names)}

    def part(self, which):
        return sum(row[2] for name, row in self.calls.items() if which(name)) / self.time

    def messages(self):
        return self.part(lambda name: MESSAGE.match(name) or WAIT.match(name))

    def collectives(self):
        return self.part(COLLECTIVE.match)


def figure(name, *words):
    text = run("report", "-d", "jobs.db", "--figure", name, "--format", "csv", *words).stdout
    return list(csv.DictReader(io.StringIO(text)))


def close(one, other, tolerance=1e-9):
    return abs(one - other) <= tolerance * max(1, abs(one), abs(other))


def compare(name, rows, expected, keys):
    """Rows of a figure as {key columns: numbers of all other columns named in expected}."""
    found = {tuple(row[key] for key in keys): row for row in rows}
    wrong = [f"{key} is missing" for key in expected if key not in found] + [f"{key} is too much" for key in found if key not in expected]
    for key, numbers in expected.items():
        for column, value in numbers.items() if key in found else ():
            if not close(float(found[key][column] or "nan"), value):
                wrong.append(f"{key} {column}: {found[key][column]} instead of {value}")
    tap.check(rows and not wrong, f"figure {name} is what the logs say", *wrong[:5])


def curve(name, rows, series):
    """Rows of a distribution against {series: [(value, weight)]}."""
    wrong, seen = [], collections.Counter(row["series"] for row in rows)
    for of, samples in series.items():
        samples.sort()
        values = [value for value, _ in samples]
        sums = [0]
        for _, weight in samples:
            sums.append(sums[-1] + weight)
        own = [row for row in rows if row["series"] == of]
        key = list(own[0])[2] if own else None
        if sum(int(row["jobs"]) for row in own) != len(samples):
            wrong.append(f"{of}: {sum(int(row['jobs']) for row in own)} jobs instead of {len(samples)}")
        for row in own[::max(len(own) // 3000, 1)]:
            value = float(row[key])
            low, high = bisect.bisect_left(values, value), bisect.bisect_right(values, value)
            if low == high or not close(float(row["cdf"]), sums[high] / sums[-1]) or \
                    not close(float(row["ccdf"]), 1 - sums[low] / sums[-1]) or int(row["n"]) != len(values):
                wrong.append(f"{of} at {value}: {row}")
    tap.check(rows and set(seen) == set(series) and not wrong, f"figure {name} is the distribution in the logs", seen, *wrong[:5])


def quantile(samples, share):
    """The least value with CDF >= share; the mean of it and the next one where CDF = share."""
    samples = sorted(samples)
    whole, total = sum(weight for _, weight in samples), 0
    for i, (value, weight) in enumerate(samples):
        total += weight
        if total > share * whole + 1e-9 * whole:
            return value
        if total >= share * whole - 1e-9 * whole:
            return (value + samples[i + 1][0]) / 2
    return samples[-1][0]


def sums(jobs, which, factor=lambda job: 1):
    result = collections.defaultdict(lambda: [0, 0, 0, 0])
    for job in jobs:
        for name, (calls, count, ns) in job.calls.items():
            if which(name):
                row = result[name]
                row[0] += calls * factor(job)
                row[1] += count * factor(job)
                row[2] += job.hours * ns / job.time
                row[3] += 1
    return result


def check_sums(jobs):
    in_mpi = sum(job.hours * job.fraction for job in jobs)
    for names, which in (("8 9 10", COLLECTIVE.match), ("18 19 20", lambda name: MESSAGE.match(name) or WAIT.match(name))):
        calls, hours, count = names.split()
        of = sums(jobs, which)
        compare(calls, figure(calls), {(name,): {"calls": row[0], "n": row[3]} for name, row in of.items()}, ("function",))
        compare(hours, figure(hours), {(name,): {"core_hours": row[2], "share": row[2] / in_mpi} for name, row in of.items()}, ("function",))
        compare(count, figure(count), {(name,): {"bytes": row[1], "bytes_per_call": row[1] / row[0]}
                                       for name, row in of.items() if row[1]}, ("function",))
        of = sums(jobs, which, lambda job: job.log["ranks"])
        compare(calls + " --scale ranks", figure(calls, "--scale", "ranks"), {(name,): {"calls": row[0]} for name, row in of.items()},
                ("function",))


def check_curves(jobs):
    for weight, name in ((lambda job: 1, "jobs"), (lambda job: job.hours, "core-hours")):
        words = ("--weight", name)
        for number, series, value in (("6", "MPI", lambda job: job.fraction), ("14", "collectives", Job.collectives),
                                      ("24", "point-to-point", Job.messages)):
            curve(f"{number} by {name}", figure(number, *words), {series: [(value(job), weight(job)) for job in jobs]})
        sizes = collections.defaultdict(list)
        for job in jobs:
            for function, (calls, count, _) in job.calls.items():
                if COLLECTIVE.match(function) and function not in EMPTY:
                    sizes[function].append((count / calls, weight(job)))
        curve(f"16 by {name}", figure("16", *words), sizes)
    curve("4", figure("4"), {"with log": [(job.seconds, job.hours) for job in jobs]})
    curve("imbalance", figure("imbalance"), {"ranks": [((job.log["most_ns"] - job.log["mean_ns"]) / job.log["most_ns"], 1) for job in jobs]})


def by_application(jobs):
    result = collections.defaultdict(list)
    for job in jobs:
        result[job.application].append(job)
    return result


def check_applications(jobs):
    groups = by_application(jobs)
    for words, weight in (((), lambda job: 1), (("--weight", "core-hours"), lambda job: job.hours)):
        expected = {}
        for name, of in groups.items():
            samples = [(job.fraction, weight(job)) for job in of]
            expected[name,] = {"n": len(of), "core_hours": sum(job.hours for job in of), "quartile_1": quantile(samples, 0.25),
                               "median": quantile(samples, 0.5), "quartile_3": quantile(samples, 0.75)}
        for number in ("26", "28"):
            rows = figure(number, *words)
            compare(" ".join((number, *words)), rows, expected, ("application",))
            key = "median" if number == "26" else "core_hours"
            order = [float(row[key]) for row in rows]
            tap.check(order == sorted(order, reverse=True), f"figure {number} is sorted by {key}")
    expected, functions = {}, {}
    for name, of in groups.items():
        hours = sum(job.hours for job in of)
        parts = {"compute": sum(job.hours * (1 - job.fraction) for job in of),
                 "point-to-point": sum(job.hours * job.messages() for job in of),
                 "collectives": sum(job.hours * job.collectives() for job in of)}
        rest = hours - sum(parts.values())
        parts["other MPI"] = rest if abs(rest) > 1e-12 * hours else 0  # a difference of sums
        expected.update({(name, part): {"core_hours": value, "share": value / hours, "n": len(of)} for part, value in parts.items()})
        each = sums(of, lambda name: not name.startswith("MPI_Comm_"))
        whole = sum(row[2] for row in each.values())
        functions.update({(name, function): {"core_hours": row[2], "share": row[2] / whole} for function, row in each.items() if row[2]})
    compare("29", figure("29"), expected, ("application", "part"))
    compare("30", figure("30"), functions, ("application", "part"))


def check_tables(jobs):
    hours = sum(job.hours for job in jobs)
    levels, densities, nodes = (collections.defaultdict(list) for _ in range(3))
    for job in jobs:
        levels[job.log["level_asked"] or job.log["level_given"]].append(job)
        densities[str(max(job.log["ranks_per_node"]["ranks"]))].append(job)
        nodes["with log", str(1 << (job.log["nodes"] - 1).bit_length())].append(job)
    share = lambda of: {"n": len(of), "jobs_share": len(of) / len(jobs), "core_hours_share": sum(job.hours for job in of) / hours}
    compare("A.1 (table)", figure("table A.1"), {(level,): share(of) for level, of in levels.items()}, ("level",))
    compare("A.2 (table)", figure("table A.2"), {(count,): share(of) for count, of in densities.items()}, ("ranks_per_node",))
    compare("2", figure("2"), {key: {"n": len(of), "share": sum(job.hours for job in of) / hours} for key, of in nodes.items()},
            ("set", "nodes"))
    in_mpi = sum(job.hours * job.fraction for job in jobs)
    compare("IV-A", figure("IV-A"), {(str(len(jobs)),): {"core_hours": hours, "mpi_core_hours": in_mpi, "share": in_mpi / hours}}, ("n",))


# Kinds of calls, which sizes are meant, and classes of sizes that have exactly these.
SIZES = {"reductions, at most 256 B": (re.compile(r"MPI_I?(All)?reduce$", re.I), lambda size: size <= 256, range(0, 18)),
         "reductions, at most 16 KiB": (re.compile(r"MPI_I?(All)?reduce$", re.I), lambda size: size <= 2**14, range(0, 30)),
         "MPI_Allreduce, at least 512 KiB": (re.compile("MPI_Allreduce$"), lambda size: size >= 2**19, range(39, 128)),
         "MPI_Bcast, at least 16 MiB": (re.compile("MPI_Bcast$"), lambda size: size >= 2**24, range(49, 128))}


def check_sizes(jobs):
    expected = {}
    for what, (which, fits, classes) in SIZES.items():
        means, some, calls, fit, cells = [], 0, 0, 0, 0
        for job in jobs:
            own = [row for name, row in job.calls.items() if which.match(name)]
            if own:
                means.append(fits(sum(row[1] for row in own) / sum(row[0] for row in own)))
            of = job.log["cells"]
            all_calls = [(of["calls"][i], of["size_class"][i] in classes) for i, name in enumerate(of["function"])
                         if which.match(name) and not of["failed"][i]]
            cells += bool(all_calls)
            some += any(own for _, own in all_calls)
            calls += sum(count for count, _ in all_calls)
            fit += sum(count for count, own in all_calls if own)
        expected[what,] = {"by_mean": sum(means) / len(means), "n_mean": len(means), "exact": some / cells, "calls_share": fit / calls,
                           "n": cells}
    compare("of exact sizes", figure("message-sizes"), expected, ("calls",))


def check_identity():
    """Of uniform fractions the distribution is the identity; of jobs that are there three times, it is the same."""
    synth("uniform", "--jobs", 500)
    index("uniform/logs", "-d", "jobs.db")
    one = figure("6")
    tap.check(len(one) == 500 and all(abs(float(row["cdf"]) - float(row["fraction"])) <= 0.001 + 1e-9 for row in one),
              "the distribution of uniform fractions is the identity")
    calls = figure("8")
    os.unlink("jobs.db")
    synth("thrice", "--jobs", 500, "--copies", 3)
    index("thrice/logs", "-d", "jobs.db")
    keys = ("fraction", "cdf", "ccdf")
    same = all(close(float(a[key]), float(b[key])) for a, b in zip(one, figure("6")) for key in keys)
    tap.check(same and len(figure("6")) == 500, "jobs that are there three times do not change a distribution")
    tap.check(all(close(3 * float(a["calls"]), float(b["calls"])) for a, b in zip(calls, figure("8"))), "... and triple sums")
    os.unlink("jobs.db")


def check_ping_pong():
    """Figure 1 has what was measured, each time a table of it is given."""
    for latency, extra in ((600, 0.2), (510, 0.02)):
        with open("ping-pong.csv", "w", encoding="utf-8") as file:
            file.write(f"latency_ns,bytes,run\n500,8,alone\n520,8,alone\n{latency},8,profiled\n")
        run("index", "-d", "jobs.db", "--ping-pong", "ping-pong.csv")
        compare("1", figure("1"), {("alone", "8"): {"latency_ns": 500, "n": 2}, ("profiled", "8"): {"latency_ns": latency, "extra": extra, "n": 1}},
                ("run", "bytes"))
    tap.check(figure("1", "--where", "nodes >= 1024") == figure("1"), "... which is of no jobs")
    text = run("report", "-d", "jobs.db", "--figure", "1").stdout
    tap.check("510 ns" in text and "2.00 %" in text, "... as text", text)
    with open("ping-pong.csv", "a", encoding="utf-8") as file:
        file.write("400,0,alone\n")
    run("index", "-d", "jobs.db", "--ping-pong", "ping-pong.csv")
    tap.check(any(row["bytes"] == "0" and row["latency_ns"] == "400" for row in figure("1")), "... with messages of no data", figure("1"))
    picture = run("report", "-d", "jobs.db", "--figure", "1", "--format", "svg").stdout
    tap.check("alone" in picture and "n = " not in picture and "inf" not in picture and "nan" not in picture,
              "... which the picture leaves out, as its axis is logarithmic; it has no n of jobs", picture)
    with open("ping-pong.csv", "w", encoding="utf-8") as file:
        file.write("run,bytes,latency_ns\n")
    run("index", "-d", "jobs.db", "--ping-pong", "ping-pong.csv")
    text = run("report", "-d", "jobs.db", "--figure", "1").stdout
    tap.check("(ping-pong): the index has no such measurements; llamp-usage index --ping-pong adds them\n" in text,
              "a figure without rows says what is missing", text)
    done = run("report", "-d", "jobs.db", "--figure", "1", "--format", "svg", status=1)
    tap.check(": ping-pong: the index has no such measurements; llamp-usage index --ping-pong adds them\n" in done.stderr and not done.stdout,
              "... as picture, too, by an error", done.stderr)


def check_command():
    for words, part in ((("--figure", "31"), "unknown figure '31'"), (("--where", "nodes >"), "--where"),
                        (("--format", "csv"), "--figure"), (("--format", "svg", "--figure", "I"), "no picture"),
                        (("--format", "schema", "--figure", "6"), "schema")):
        done = run("report", "-d", "jobs.db", *words, status=2)
        tap.check(part in done.stderr and not done.stdout, f"{' '.join(words)} is refused", done.stderr)
    rows = figure("IV-A", "--where", "nodes >= 1024")
    tap.check(0 < int(rows[0]["n"]) < JOBS, "--where chooses jobs", rows)
    both = figure("IV-A", "--compare", "jobs.db")
    tap.check(len(both) == 2 and both[0] == both[1], "--compare has the rows of both indexes", both)
    report = json.loads(run("report", "-d", "jobs.db", "--format", "json").stdout)
    schema = run("report", "--format", "schema").stdout
    with open(os.path.join(os.environ["SOURCE"], "doc/usage-report.schema.json"), encoding="utf-8") as file:
        tap.check(file.read() == schema, "the schema of the report is the one in doc/")
    try:
        import jsonschema
        faults = [error.message[:200] for error in jsonschema.validators.validator_for(json.loads(schema))(json.loads(schema)).iter_errors(report)]
        tap.check(not faults, "... and accepts a report", *faults[:3])
    except ImportError:
        pass
    tap.check(len(report["figures"]) > 30, "a report has all figures")
    text = run("report", "-d", "jobs.db").stdout
    tap.check("Figure 6: MPI fraction" in text and "Table A.3" in text, "... as text, too")
    run("report", "-d", "jobs.db", "--figure", "9", "-o", "nine.svg")
    run("report", "-d", "jobs.db", "-o", "report.html")
    tap.check(os.path.getsize("nine.svg") > 1000 and os.path.getsize("report.html") > 100000, "... as a picture and as a page")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_identity()
        synth("jobs", "--profile", "mira", "--jobs", JOBS, "--sizes", 4)
        index("jobs/logs", "-d", "jobs.db")
        jobs = [Job(log, number) for number, log in enumerate(read_logs("jobs"))]
        tap.check(len(jobs) == JOBS, "all logs are read")
        for check in (check_sums, check_curves, check_applications, check_tables, check_sizes):
            check(jobs)
        check_ping_pong()
        check_command()
    tap.end()


main()
