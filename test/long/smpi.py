"""Compare the runtime that SimGrid's SMPI simulates for a program with the one that llamp predicts from its trace.

SMPI's network is that of LogGP with g = 0.  SMPI adds a header of 16 bytes, so that a message of s bytes takes
L + (s + 16) G.  llamp charges L + (s - 1) G, and L if s = 0.  llamp at L + 17 G therefore equals SMPI at L if no
message of the critical path is empty, and llamp at L + 16 G does if all are.
"""
import os
import shutil
import threading

import predict

G = 0.1                                             # ns per byte
LATENCIES = (1000, 10000, 100000, 1000000)          # ns
TOLERANCE = 0.001                                   # ns: SMPI adds up seconds in floating point
SETTINGS = {
    # A link has the latency and the bandwidth of the platform, however many messages it carries.
    "network/model": "CM02", "network/TCP-gamma": 0, "network/crosstraffic": "no", "network/weight-S": 0,
    "network/latency-factor": 1, "network/bandwidth-factor": 1, "smpi/bw-factor": "0:1", "smpi/lat-factor": "0:1",
    # Calls take no time except the overhead below.
    "smpi/wtime": 0, "smpi/init": 0, "smpi/test": 0, "smpi/iprobe": 0,
    "smpi/simulate-computation": "no",
    # Messages are eager, and leave before their receives are posted.
    "smpi/async-small-thresh": 10**9, "smpi/send-is-detached-thresh": 10**9,
    "surf/precision": "1e-12", "smpi/display-timing": "yes",
}
# Last message of the simulation, with all digits of its time.
LOG = ["--log=root.thres:critical", "--log=smpi_utils.thres:info", "--log=smpi_utils.fmt:simulated=%.15r%n"]
WRITING = threading.Lock()      # files that several jobs use
MISSING = "the Debian package libsimgrid-dev is missing; make deps-long installs it"


def build(source):
    """Compile a program for MPI, as its name without ending, and for SMPI, as NAME.smpi."""
    predict.build(source)
    predict.compiled("smpicc", source, predict.name_of(source) + ".smpi")


def platform(ranks, latency, gap=G):
    """Write the description of a network, one link in all routes: names of the two files."""
    name = f"{ranks}-{latency}-{gap}"
    hosts = "".join(f'<host id="{host}" speed="1Gf"/>' for host in range(ranks))
    routes = "".join(f'<route src="{a}" dst="{b}"><link_ctn id="link"/></route>'
                     for a in range(ranks) for b in range(a, ranks))
    with WRITING:
        if os.path.exists(name + ".xml"):
            return name + ".xml", name + ".hosts"
        with open(name + ".hosts", "w") as file:
            file.write("".join(f"{host}\n" for host in range(ranks)))
        with open(name + ".xml", "w") as file:
            file.write('<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
                       f'<platform version="4.1"><zone id="all" routing="Full">{hosts}'
                       f'<link id="link" latency="{latency}ns" bandwidth="{1 / gap}GBps" sharing_policy="FATPIPE"/>'
                       f'{routes}</zone></platform>\n')
    return name + ".xml", name + ".hosts"


def run(latency, ranks, program, arguments, algorithms, overhead=0, settings={}, gap=G):
    """Simulate a program: the process that ran.

    algorithms: {collective: SMPI's name}; overhead: of each send and receive; settings: beside SETTINGS; gap: per byte.
    """
    network, hosts = platform(ranks, latency, gap)
    options = [f"--cfg={name}:{value}" for name, value in (SETTINGS | settings).items()]
    options += [f"--cfg=smpi/{name}:0:{overhead}e-9:0" for name in ("os", "ois", "or")]
    options += [f"--cfg=smpi/{name}:{value}" for name, value in algorithms.items()]
    # Leave out libraries that are preloaded for an MPI library.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return predict.call(["smpirun", "-np", ranks, "-platform", network, "-hostfile", hosts, *options, *LOG,
                         f"./{program}.smpi", *arguments], env=environment)


def simulated(*arguments, **more):
    """Simulate a program as run does: runtime in ns."""
    return float(run(*arguments, **more).stderr.split("simulated=")[1].split()[0]) * 1e9


def wrong_times(graph, times, header):
    """Difference between SMPI's times, {latency: ns}, and llamp's with a header of `header` bytes; None if there is none."""
    for latency, time in times.items():
        expected, _ = predict.predicted(graph, latency + header * G, G=G)
        if abs(time - expected) > TOLERANCE:
            return f"L = {latency} ns: {time:.6f} ns instead of {expected} ns"
    return None


def wrong_errors(graph, times):
    """Latency at which SMPI's time is below llamp's, or above by more than 17 G for each message of the path, or None."""
    for latency, time in times.items():
        expected, _ = predict.predicted(graph, latency, G=G)
        _, messages = predict.predicted(graph, latency + 17 * G, G=G)
        if not -TOLERANCE <= time - expected <= 17 * G * messages + TOLERANCE:
            return f"L = {latency} ns: {time:.6f} ns instead of {expected} ns, with {messages} messages"
    return None


def wrong_slope(graph, times, header):
    """Difference between the slope of SMPI's times and lambda_L with a header of `header` bytes, or None."""
    low, high = min(times), max(times)
    slope = (times[high] - times[low]) / (high - low)
    for latency in times:
        _, messages = predict.predicted(graph, latency + header * G, G=G)
        if messages < 1 or abs(slope - messages) > TOLERANCE / (high - low):
            return f"the slope is {slope:.12f}, lambda_L {messages} at L = {latency} ns"
    return None


def main(jobs, prepare):
    """Call predict.main, or skip the test if there is no SMPI."""
    if shutil.which("smpirun") and shutil.which("smpicc"):
        predict.main(jobs, prepare)
    else:
        print(f"1..1\nok 1 - llamp predicts the runtime that SMPI simulates # SKIP {MISSING}")
