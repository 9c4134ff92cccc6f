#!/usr/bin/env python3
"""Compare predicted with measured runtimes of an MPI program, at several network latencies.

    validate.py [-n RANKS] [--latencies LIST] [--repeats N] [--params FILE] [--resources LIST]... [-o DIR]
                [--] PROGRAM [ARGUMENT...]

This is the experiment of the LLAMP paper (section III): the program is traced at the lowest latency, llamp predicts its
runtime at all of them, and the program runs at each of them under llamp-inject.  Prints a table, and writes into DIR
table.csv, picture.svg, the trace, its graph program.bin, and params.yaml.

Every run is traced, so that T is the same time in all of them: from the moment at which the last rank has left
MPI_Init to that at which the last one enters MPI_Finalize.  Each latency has N runs, in rounds over all latencies,
and their median counts.  The trace is the run with the least T of three more at the lowest latency: other processes,
and a rank that waits for a processor, only ever add time.

RMSE is the root of the mean squared difference between predicted and measured T, RRMSE is RMSE divided by the mean of
measured T, as in the reference that the paper gives for it (Despotovic et al., 2016).

Exit status: 0 done, whatever the errors; 1 a run or an input is wrong; 2 usage; 3 a command is missing.
"""
import argparse
import csv
import json
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

TIME_LIMIT_S = 300
ATTEMPTS = 3
TRACES = 3
MEASURED_AT_NS = 10e3   # the network's own latency is far below
UNITS = {"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
COLOURS = ["#c44e52", "#4c72b0", "#55a868", "#8172b2", "#ccb974", "#64b5cd"]


class Failure(Exception):
    """Message for the user, and exit status."""

    def __init__(self, message, status=1):
        super().__init__(message)
        self.status = status


def nanoseconds(text):
    match = re.fullmatch(r"([\d.]+(?:e[+-]?\d+)?)(ns|us|ms|s|)", text.strip())
    try:
        return float(match[1]) * UNITS[match[2]]
    except (TypeError, ValueError):
        raise Failure(f"'{text}' is not a time such as 10us", 2) from None


def show(time_ns):
    """A time with four digits and its unit."""
    for unit in "ns", "us", "ms":
        if abs(time_ns) < 1e3 * UNITS[unit]:
            return f"{time_ns / UNITS[unit]:.4g} {unit}"
    return f"{time_ns / 1e9:.4g} s"


def outputs_of(command):
    """(stdout, stderr) of a command that must succeed; its messages are passed on if it fails."""
    if not shutil.which(command[0]):
        raise Failure(f"{command[0]}: not found; 'make all' builds it, PATH must have its folder", 3)
    done = subprocess.run(["timeout", "-k", "10", str(TIME_LIMIT_S)] + command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        why = f"took more than {TIME_LIMIT_S} s" if done.returncode == 124 else f"status {done.returncode}"
        raise Failure(f"{' '.join(command)}: {why}\n{done.stderr.strip() or done.stdout.strip()}")
    return done.stdout, done.stderr


def output_of(command):
    return outputs_of(command)[0]


def runtime_of(archive):
    """T of a traced run and the time between the first and the last begin of a rank, in ns."""
    ticks, begins, ends = 0, {}, {}
    definitions = output_of(["otf2-print", "-G", archive + "/traces.otf2"])
    ticks = int(re.search(r"Ticks per Seconds: (\d+)", definitions)[1])
    for line in output_of(["otf2-print", archive + "/traces.otf2"]).splitlines():
        match = re.match(r'(ENTER|LEAVE) +(\d+) +(\d+) +Region: "(MPI_Init|MPI_Init_thread|MPI_Finalize)"', line)
        if match and match[1] == "LEAVE" and match[4] != "MPI_Finalize":
            begins[match[2]] = int(match[3])
        elif match and match[1] == "ENTER" and match[4] == "MPI_Finalize":
            ends[match[2]] = int(match[3])
    if not begins or begins.keys() != ends.keys():
        raise Failure(f"{archive}: a rank did not call both MPI_Init and MPI_Finalize")
    begin = max(begins.values())
    return (max(ends.values()) - begin) * 1e9 / ticks, (begin - min(begins.values())) * 1e9 / ticks


class Experiment:
    """Program, how it is run, and folder of the files."""

    def __init__(self, program, folder, ranks=2, mpiexec="mpiexec", preset=None):
        self.program, self.folder, self.ranks, self.mpiexec = program, folder, ranks, mpiexec.split()
        self.preset = preset or self.preset_of_mpi()

    def preset_of_mpi(self):
        """The collective algorithms of the MPI that the launcher belongs to."""
        version = output_of(self.mpiexec + ["--version"])
        return "openmpi" if re.search("Open ?MPI|OpenRTE|PRRTE", version, re.IGNORECASE) else "mpich"

    def inject(self, latency_ns, before, command, ranks=None):
        """
        Run a command on all ranks with a network latency, below the command `before`; return the latency that
        the injector has measured.
        """
        command = self.mpiexec + ["-n", str(ranks or self.ranks)] + before \
            + ["llamp-inject", "--latency", f"{latency_ns:.0f}ns"] + command
        said = outputs_of(command)[1]
        match = re.search(r"^llamp-inject: .*measured: \d+ bytes ([\d.]+) (\w+)", said, re.MULTILINE)
        if not match:
            raise Failure(f"{' '.join(command)}: llamp-inject does not report delayed messages\n{said}")
        return nanoseconds(match[1] + match[2])

    def trace(self, latency_ns, name):
        """Run under the tracer: (T, difference of begins, archive, measured latency)."""
        archive = os.path.join(self.folder, name)
        # In this order the injector's check is a part of MPI_Init, and not of the program.
        measured = self.inject(latency_ns, ["llamp-trace", "-o", archive], self.program)
        return runtime_of(archive) + (archive, measured)

    def make_graph(self, latency_ns):
        """Trace and convert the run with the least T; return T of all traces, the least first."""
        runs = sorted(self.trace(latency_ns, f"trace-{i}") for i in range(TRACES))
        for run in runs[1:]:
            shutil.rmtree(run[2])
        os.rename(runs[0][2], os.path.join(self.folder, "trace"))
        # Any two ranks are connected by the injector's network, also on the same node.
        output_of(["schedgen", os.path.join(self.folder, "trace"), "-o", self.graph(), "--preset", self.preset,
                   "--ranks-per-node", "1"])
        return [run[0] for run in runs]

    def graph(self):
        return os.path.join(self.folder, "program.bin")

    def measure_params(self, latency_ns):
        """Write params.yaml, measured under the injector; return its name.  A busy machine needs several attempts."""
        path, fault = os.path.join(self.folder, "params.yaml"), None
        for _ in range(ATTEMPTS):
            try:
                self.inject(latency_ns, [], ["llamp-measure", "params", "-o", path], ranks=2)
            except Failure as failure:      # nothing can be said of L, for one
                fault = failure
                continue
            with open(path, encoding="utf-8") as file:
                found = nanoseconds(re.search(r"^L: *(\S+)", file.read(), re.MULTILINE)[1])
            if abs(found - latency_ns) < latency_ns / 5:
                return path
            fault = Failure(f"{path}: L is {show(found)} where {show(latency_ns)} is injected: the machine is too busy to measure")
        raise fault

    def params_in(self, path):
        """Parameters of a file, in the units of llamp's JSON."""
        return self.analyze(path, [])["parameters"]

    def analyze(self, params, options):
        return json.loads(output_of(["llamp", "analyze", self.graph(), "--engine", "path", "--params", params,
                                     "--format", "json"] + options))

    def predict(self, params, latency_ns, resources):
        """Results of llamp at one latency."""
        options = ["--resources", resources] if resources else []
        return self.analyze(params, ["-L", f"{latency_ns:.3f}ns"] + options)


def rmse(pairs):
    """(RMSE, RRMSE) of pairs (measured, predicted)."""
    root = math.sqrt(statistics.mean((predicted - measured) ** 2 for measured, predicted in pairs))
    return root, root / statistics.mean(measured for measured, _ in pairs)


class Result:
    """Measured times and predictions.

    measured:   {injected latency: [T of each run]}
    one_way:    {injected latency: [that of a message at the start of each run]}
    predicted:  {resources: {injected latency: llamp's answer}}
    curves:     {resources: [(injected latency, T)]}
    """

    def __init__(self):
        self.measured, self.one_way, self.predicted, self.curves = {}, {}, {}, {}
        self.begin_ns = self.offset_ns = self.other_load = 0
        self.traces_ns = []     # T of all traces; the first is the least, from which the predictions come
        self.params = self.title = ""

    def median(self, latency):
        return statistics.median(self.measured[latency])

    def trace_spread(self):
        return max(self.traces_ns) / min(self.traces_ns) - 1

    def rows(self, resources):
        """Rows of the table, one dictionary for each latency."""
        before = None
        for latency, answer in sorted(self.predicted[resources].items()):
            measured, predicted = self.median(latency), answer["runtime_ns"]
            parameters = answer["parameters"]
            slope = (measured - before[1]) / (latency - before[0]) if before else None
            before = latency, measured
            yield {"resources": resources or "none", "L_ns": latency,
                   "one_way_ns": statistics.median(self.one_way[latency]), "measured_ns": measured,
                   "lowest_ns": min(self.measured[latency]), "highest_ns": max(self.measured[latency]),
                   "predicted_ns": predicted, "error": predicted / measured - 1, "slope": slope,
                   "lambda_L": answer["lambda_L"]["right"],
                   "latency_share": answer["lambda_L"]["right"] * parameters["L"] / predicted,
                   "overhead_share": (answer["lambda_o"] * parameters["o"]
                                      + answer.get("lambda_O", 0) * parameters.get("O", 0)) / predicted,
                   "bandwidth_share": answer["lambda_G"] * parameters["G"] / predicted}

    def rmse(self, resources):
        return rmse([(row["measured_ns"], row["predicted_ns"]) for row in self.rows(resources)])


class OtherLoad:
    """Processor time of processes that this one has not started, as a share of all."""

    def __init__(self):
        self.start = self.now()

    @staticmethod
    def now():
        """(time, seconds that the processors were busy, seconds that this process and its children had)."""
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
        own = sum(usage.ru_utime + usage.ru_stime for usage in
                  map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        return (time.monotonic(), (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK"), own)

    def share(self):
        elapsed, busy, own = (now - then for now, then in zip(self.now(), self.start))
        return max(0.0, busy - own) / (elapsed * os.cpu_count())


def validate(experiment, latencies, repeats, params=None, params_latency_ns=None, resources=("",),
             progress=lambda text: None):
    """
    Run the whole experiment; return a Result.  Without parameters L of the model is the injected latency.  Parameters
    that were measured under an injected latency give a slightly smaller L, because part of the overhead comes after the
    moment at which the injector begins to count.
    """
    result, lowest, load = Result(), min(latencies), OtherLoad()
    progress(f"tracing at {show(lowest)}")
    result.traces_ns = experiment.make_graph(lowest)
    result.title = f"{os.path.basename(experiment.program[0])} {' '.join(experiment.program[1:])}".strip() \
        + f", {experiment.ranks} ranks"
    if not params:
        progress("measuring parameters")
        params_latency_ns = max(lowest, MEASURED_AT_NS)
        params = experiment.measure_params(params_latency_ns)
    result.params = experiment.params_in(params)
    offset_ns = 0 if params_latency_ns is None else result.params["L"] - params_latency_ns
    result.offset_ns = offset_ns
    for setting in resources:
        result.predicted[setting] = {latency: experiment.predict(params, max(0, latency + offset_ns), setting)
                                     for latency in latencies}
        points = set(latencies) | {lowest + (max(latencies) - lowest) * i / 10 for i in range(11)}
        result.curves[setting] = [(L, experiment.predict(params, max(0, L + offset_ns), setting)["runtime_ns"])
                                  for L in sorted(points)]
    for i in range(repeats):
        for latency in latencies:
            progress(f"run {i + 1} of {repeats} at {show(latency)}")
            runtime, begin, archive, one_way = experiment.trace(latency, "run")
            result.measured.setdefault(latency, []).append(runtime)
            result.one_way.setdefault(latency, []).append(one_way)
            result.begin_ns = max(result.begin_ns, begin)
            shutil.rmtree(archive)
    result.other_load = load.share()
    return result


def table(result):
    """Lines of the table."""
    p = result.params
    threshold = "none" if p["S"] is None else f"{p['S']} B"
    yield f"program     {result.title}"
    yield f"machine     {os.cpu_count()} processors, of which others took {result.other_load:.0%}"
    yield f"parameters  o {show(p['o'])}, g {show(p['g'])}, G {p['G']:.4g} ns/B, S {threshold}; " \
          f"L: injected {'-' if result.offset_ns < 0 else '+'} {show(abs(result.offset_ns))}"
    yield f"trace       T {show(result.traces_ns[0])}, the least of {len(result.traces_ns)}; spread {result.trace_spread():.2%}"
    yield f"begin       ranks left MPI_Init at most {show(result.begin_ns)} apart"
    for resources in result.predicted:
        yield ""
        yield f"resources   {resources or 'as llamp has them by default'}"
        yield f"{'L':>10}  {'one way':>10}  {'T measured':>12}  {'spread':>8}  {'T predicted':>12}  {'error':>8}  {'slope':>9}" \
              f"  {'lambda_L':>9}  {'latency':>8}  {'overhead':>8}  {'bandwidth':>9}"
        for row in result.rows(resources):
            spread = (row["highest_ns"] - row["lowest_ns"]) / row["measured_ns"]
            slope = "" if row["slope"] is None else f"{row['slope']:.1f}"
            yield f"{show(row['L_ns']):>10}  {show(row['one_way_ns']):>10}  {show(row['measured_ns']):>12}  {spread:8.2%}  " \
                  f"{show(row['predicted_ns']):>12}  {row['error']:+8.2%}  {slope:>9}  {row['lambda_L']:9}" \
                  f"  {row['latency_share']:8.2%}  {row['overhead_share']:8.2%}  {row['bandwidth_share']:9.2%}"
        root, relative = result.rmse(resources)
        yield f"RMSE {show(root)}, RRMSE {relative:.2%}"


def write_csv(result, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = [row for resources in result.predicted for row in result.rows(resources)]
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def ticks(highest):
    """Five to ten round numbers from 0 to `highest`."""
    step = 10 ** math.floor(math.log10(highest / 5))
    step *= next(factor for factor in (1, 2, 5, 10) if highest / (step * factor) <= 10)
    return [i * step for i in range(int(highest / step) + 1)]


def picture(result):
    """T over L as SVG: a line for each prediction, a dot and the range of runs for each measurement."""
    width, height, left, top, right, bottom = 640, 400, 80, 40, 20, 50
    highest_L = max(result.measured)
    highest_T = 1.05 * max([T for curve in result.curves.values() for _, T in curve]
                           + [T for runs in result.measured.values() for T in runs])

    def x(L):
        return left + (width - left - right) * L / highest_L

    def y(T):
        return height - bottom - (height - top - bottom) * T / highest_T

    def text(at_x, at_y, words, anchor="middle"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        return f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="{anchor}">{words}</text>'

    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
    yield f'<rect width="{width}" height="{height}" fill="white"/>'
    yield text(width / 2, 20, result.title)
    for L in ticks(highest_L):
        yield f'<path d="M{x(L):.1f} {y(0):.1f}V{top}" stroke="#ddd"/>' + text(x(L), y(0) + 18, show(L))
    for T in ticks(highest_T):
        yield f'<path d="M{left} {y(T):.1f}H{width - right}" stroke="#ddd"/>' + text(left - 6, y(T) + 4, show(T), "end")
    yield text((left + width - right) / 2, height - 10, "network latency L")
    for i, (resources, curve) in enumerate(result.curves.items()):
        line = " ".join(f"{x(L):.1f},{y(T):.1f}" for L, T in curve)
        name = f"predicted{', resources ' + resources if resources else ''}: RRMSE {result.rmse(resources)[1]:.2%}"
        colour = COLOURS[i % len(COLOURS)]
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        yield f'<path d="M{left + 12} {top + 28 + 18 * i}h24" stroke="{colour}" stroke-width="1.5"/>'
        yield text(left + 44, top + 32 + 18 * i, name, "start")
    yield f'<circle cx="{left + 24}" cy="{top + 10}" r="3.5"/>' + text(left + 44, top + 14, "measured", "start")
    for L, runs in result.measured.items():
        yield f'<path d="M{x(L):.1f} {y(min(runs)):.1f}V{y(max(runs)):.1f}" stroke="black"/>'
        yield f'<circle cx="{x(L):.1f}" cy="{y(result.median(L)):.1f}" r="3.5"/>'
    yield "</svg>"


def write_files(result, folder):
    write_csv(result, os.path.join(folder, "table.csv"))
    with open(os.path.join(folder, "picture.svg"), "w", encoding="utf-8") as file:
        file.write("\n".join(picture(result)) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description="Compare predicted with measured runtimes at several latencies.",
                                     usage="%(prog)s [OPTION]... [--] PROGRAM [ARGUMENT...]")
    parser.add_argument("-n", "--ranks", type=int, default=2, help="number of ranks (2)")
    parser.add_argument("--latencies", default="10us,30us,100us,300us,1ms", metavar="LIST",
                        help="injected latencies (10us,30us,100us,300us,1ms)")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs at each latency (3)")
    parser.add_argument("--params", metavar="FILE",
                        help="parameters o, g, G and S; L is the injected latency (default: measure them)")
    parser.add_argument("--resources", action="append", metavar="LIST",
                        help="resources of the model, as of llamp analyze; may be repeated")
    parser.add_argument("--preset", metavar="NAME", help="algorithms of collectives, as of schedgen (the MPI's)")
    parser.add_argument("--mpiexec", default=os.environ.get("MPIEXEC", "mpiexec"), metavar="COMMAND",
                        help="launcher of the program's MPI ($MPIEXEC or mpiexec)")
    parser.add_argument("-o", "--output", metavar="DIR", help="folder of the results (validate-PROGRAM)")
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.program = given.program[given.program[:1] == ["--"]:]
    if not given.program or given.ranks < 1 or given.repeats < 1:
        parser.error("a PROGRAM, and numbers above 0")
    return given


def main():
    given = arguments()
    latencies = sorted({nanoseconds(word) for word in given.latencies.split(",")})
    folder = os.path.abspath(given.output or f"validate-{os.path.basename(given.program[0])}")
    for command in "llamp-inject", "llamp-trace", "schedgen", "llamp", "otf2-print":
        if not shutil.which(command):
            raise Failure(f"{command}: not found; 'make all' builds it, PATH must have its folder", 3)
    try:
        os.makedirs(folder)
    except FileExistsError:
        raise Failure(f"{folder}: exists; remove it, or name another folder with -o") from None
    experiment = Experiment(given.program, folder, given.ranks, given.mpiexec, given.preset)
    result = validate(experiment, latencies, given.repeats, given.params, None, given.resources or [""],
                      lambda text: print(f"validate: {text}", file=sys.stderr))
    write_files(result, folder)
    print("\n".join(table(result)))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(f"validate: {failure}", file=sys.stderr)
        sys.exit(failure.status)
