"""What SimGrid's SMPI simulates for a program, and what llamp predicts for its trace.

SMPI's network is set to LogGP's with o = g = 0: it charges a message of s bytes L + (s + 16) G, for it adds a header of 16 bytes,
and nothing waits for anything but its data.  llamp charges L + (s - 1) G, and L if s = 0.  So llamp at L + 17 G is SMPI at L,
exactly, if no message of the critical path is empty, and llamp at L + 16 G if all are.
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.environ["SOURCE"]
MPICC = os.environ["MPICC"]
MPIEXEC = os.environ["MPIEXEC"]
G = 0.1                                             # ns per byte
LATENCIES = (1000, 10000, 100000, 1000000)          # ns
TOLERANCE = 0.001                                   # ns: SMPI adds up seconds in floating point
SETTINGS = {
    # A link has the latency and the bandwidth of the platform, however many messages it carries.
    "network/model": "CM02", "network/TCP-gamma": 0, "network/crosstraffic": "no", "network/weight-S": 0,
    "network/latency-factor": 1, "network/bandwidth-factor": 1, "smpi/bw-factor": "0:1", "smpi/lat-factor": "0:1",
    # No call takes time.
    "smpi/os": "0:0:0", "smpi/or": "0:0:0", "smpi/ois": "0:0:0", "smpi/wtime": 0, "smpi/init": 0, "smpi/test": 0,
    "smpi/iprobe": 0, "smpi/simulate-computation": "no",
    # Messages are eager, and leave before their receives are posted.
    "smpi/async-small-thresh": 10**9, "smpi/send-is-detached-thresh": 10**9,
    "surf/precision": "1e-12", "smpi/display-timing": "yes",
}
# The last message of the simulation, with its time in full.
LOG = ["--log=root.thres:critical", "--log=smpi_utils.thres:info", "--log=smpi_utils.fmt:simulated=%.15r%n"]
MISSING = "the Debian package simgrid is missing; make deps-long installs it"


def available():
    return shutil.which("smpirun") and shutil.which("smpicc")


def call(command, **more):
    """The standard output of a command; its errors, if it fails."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, **more)
    if result.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def name_of(source):
    return os.path.basename(source)[:-len(".c")]


def build(source):
    """Compile a program for MPI and for SMPI: NAME and NAME.smpi."""
    name = name_of(source)
    for compiler, program in (MPICC, name), ("smpicc", name + ".smpi"):
        call([compiler, "-std=c11", "-D_GNU_SOURCE", "-O1", "-o", program, os.path.join(SOURCE, source), "-lm"])


def platform(ranks, latency):
    """Write the description of a network, one link in all routes: names of the two files."""
    name = f"{ranks}-{latency}"
    if not os.path.exists(name + ".xml"):
        hosts = "".join(f'<host id="{host}" speed="1Gf"/>' for host in range(ranks))
        routes = "".join(f'<route src="{a}" dst="{b}"><link_ctn id="link"/></route>'
                         for a in range(ranks) for b in range(a, ranks))
        with open(name + ".xml", "w") as file:
            file.write('<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
                       f'<platform version="4.1"><zone id="all" routing="Full">{hosts}'
                       f'<link id="link" latency="{latency}ns" bandwidth="{1 / G}GBps" sharing_policy="FATPIPE"/>'
                       f'{routes}</zone></platform>\n')
        with open(name + ".hosts", "w") as file:
            file.write("".join(f"{host}\n" for host in range(ranks)))
    return name + ".xml", name + ".hosts"


def simulated(latency, ranks, program, arguments, algorithms):
    """The runtime in ns that SMPI simulates; algorithms: {collective: SMPI's name}."""
    network, hosts = platform(ranks, latency)
    options = [f"--cfg={name}:{value}" for name, value in SETTINGS.items()]
    options += [f"--cfg=smpi/{name}:{value}" for name, value in algorithms.items()]
    # What is preloaded for an MPI library has no place here.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    output = call(["smpirun", "-np", ranks, "-platform", network, "-hostfile", hosts, *options, *LOG,
                   f"./{program}.smpi", *arguments], env=environment)
    return float(output.split("simulated=")[1].split()[0]) * 1e9


def trace(name, ranks, program, arguments):
    """Trace a run as NAME.trace."""
    call([MPIEXEC, "-n", ranks, "llamp-trace", "-o", f"{name}.trace", f"./{program}", *arguments])


def graph(name, output, algorithms):
    """Convert NAME.trace to OUTPUT, without computation; algorithms: {collective: schedgen's name}."""
    options = [word for choice in algorithms.items() for word in ("--coll", "=".join(choice))]
    call(["schedgen", f"{name}.trace", "--compute-scale", 0, *options, "-o", output])


def predicted(graph, latency):
    """llamp's T in ns, and lambda_L for more latency, at a latency in ns."""
    result = json.loads(call(["llamp", "analyze", graph, "-L", f"{latency}ns", "--overhead", 0, "-G", G, "--format", "json"]))
    return result["runtime_ns"], result["lambda_L"]["right"]


def wrong_times(graph, times, header):
    """What differs between SMPI's times, {latency: ns}, and llamp's with a header of so many bytes; None: nothing."""
    for latency, time in times.items():
        expected, _ = predicted(graph, latency + header * G)
        if abs(time - expected) > TOLERANCE:
            return f"L = {latency} ns: {time:.6f} ns instead of {expected} ns"
    return None


def wrong_errors(graph, times):
    """Where SMPI's times are below llamp's, or above by more than 17 G for each message on the path; None: nowhere."""
    for latency, time in times.items():
        expected, _ = predicted(graph, latency)
        _, messages = predicted(graph, latency + 17 * G)
        if not -TOLERANCE <= time - expected <= 17 * G * messages + TOLERANCE:
            return f"L = {latency} ns: {time:.6f} ns instead of {expected} ns, with {messages} messages"
    return None


def wrong_slope(graph, times):
    """How the slope of SMPI's times differs from lambda_L; None: it does not."""
    low, high = min(times), max(times)
    slope = (times[high] - times[low]) / (high - low)
    for latency in times:
        _, messages = predicted(graph, latency)
        if messages < 1 or abs(slope - messages) > TOLERANCE / (high - low):
            return f"the slope is {slope:.12f}, lambda_L {messages} at L = {latency} ns"
    return None


def outcomes(job):
    """The pairs (sentence, fault or None) of a job: a sentence, and a function that makes them."""
    sentence, compare = job
    try:
        return list(compare())
    except (OSError, RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        return [(sentence, str(error))]


def main(jobs, prepare):
    """Run the jobs in a scratch folder, after prepare(), and print their outcomes as TAP."""
    if not available():
        print(f"1..1\nok 1 - what SMPI simulates is what llamp predicts # SKIP {MISSING}")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = [result for results in pool.map(outcomes, jobs) for result in results]
        os.chdir("/")
    print(f"1..{len(results)}")
    for number, (sentence, fault) in enumerate(results, 1):
        print(f"{'not ok' if fault else 'ok'} {number} - {sentence}")
        if fault:
            print("".join(f"# {line}\n" for line in fault.splitlines()), end="")
    sys.exit(any(fault for _, fault in results))
