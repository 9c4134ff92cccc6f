"""Helpers of the tests of llamp-usage: logs of known distributions, the command, questions to an index."""
import json
import os
import sqlite3
import subprocess

# In memory where that is possible: an index waits for the disk at the end of each transaction.
SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
SYNTH = os.path.join(os.environ["BUILD"], "test/usage-synth")


def synth(folder, *words):
    """Write logs into the folder logs of a new folder, with the records that belong to them."""
    subprocess.run([SYNTH, folder, *map(str, words)], check=True)


def run(*words, status=0, **more):
    """Run llamp-usage, which must end with this status."""
    done = subprocess.run(["llamp-usage", *map(str, words)], capture_output=True, text=True, check=False, **more)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done


def index(*words, status=0, **more):
    """Run llamp-usage index and return its report."""
    return json.loads(run("index", *words, "--format", "json", status=status, **more).stdout)


def ask(database, sql, *values):
    """Rows of a question."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return connection.execute(sql, values).fetchall()


# Everything that is said of jobs, without ids, files and order.
CONTENT = {
    "jobs": "SELECT system, job, step, start_ns, user, program, application, args_hash, mpi_ns, ranks, nodes, ranks_seen, "
            "nodes_seen, ranks_per_node, threads, level_given, mean_ns, least_ns, most_ns, quantiles, average_ns, "
            "collective_ns, p2p_ns, completion_ns, local_ns, core_hours FROM jobs",
    "ranks": "SELECT j.job, k.rank, k.roles, k.host, k.mpi_ns FROM job_ranks AS k JOIN jobs AS j ON j.id = k.job",
    "calls": "SELECT j.job, c.role, c.function, c.calls, c.bytes, c.moved, c.ns FROM rank_calls AS c JOIN jobs AS j ON j.id = c.job",
    "cells": "SELECT j.job, c.function, c.size_class, c.comm_class, c.place, c.failed, c.calls, c.bytes, c.ns, c.least_ns, "
             "c.most_ns, c.rank_most_ns, c.ranks, c.bins FROM cells AS c JOIN jobs AS j ON j.id = c.job",
    "records": "SELECT system, job, step, user, project, programme, executable, nodes, start_ns, end_ns, seconds, state, "
               "exit_status, core_hours, normal, in_programme, in_filter, logs, coverage FROM accounting",
}


def content(database):
    """All rows of CONTENT, sorted."""
    return {name: sorted(ask(database, sql), key=repr) for name, sql in CONTENT.items()}


def difference(one, other):
    """The first difference of two contents, or None."""
    for name, rows in one.items():
        for a, b in zip(rows, other[name]):
            if a != b:
                return f"{name}: {a} and {b}"
        if len(rows) != len(other[name]):
            return f"{name}: {len(rows)} and {len(other[name])} rows"
    return None
