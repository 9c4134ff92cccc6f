#!/usr/bin/python3
"""Compare what advised changes gain with what they gain where SMPI simulates the changed program.

advise knows a trace of the program before the change, made in slow motion (changes.py).  SMPI runs the program itself
before and after the change.  It needs no trace and takes the sleeps as computation, so that its times depend on nothing
else that runs on the machine; those of the trace do a little.
"""
import functools
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import changes
import predict
import smpi

POINTS, SHARE = 0.02, 0.2      # most error of a gain, or of this share of it
JUDGED = [change for change in changes.CHANGES if change.before.smpi is not None and change.mpi == "mpich"]
NO_NAMES = "the host name cannot be changed, as root or a user namespace could"


def prepare():
    for program in {change.program for change in JUDGED}:
        predict.compiled(predict.MPICC, f"examples/{program}.c", program)
        predict.compiled("smpicc", f"examples/{program}.c", program + ".smpi")


def simulated(change, state):
    """T of SMPI in ns."""
    return smpi.simulated(state.latency, change.ranks, change.program, state.of_rank(0), state.smpi, gap=state.gap or smpi.G)


def advised(change, archive):
    """Trace the program before the change: the gain that advise tells."""
    done = changes.trace(change, change.before, archive, predict.MPIEXEC, ".")
    if done.returncode:
        raise RuntimeError(f"{change.program}: status {done.returncode}\n{done.stdout}{done.stderr}")
    advice = changes.advice(change, archive)
    for row in advice["changes"]:
        if row["change"] == change.name and row["gain_alone"] is not None:
            return row["gain_alone"]
    raise RuntimeError(f"no '{change.name}' in the advice; T is {advice['runtime_ns']} ns where the traced run took"
                       f" {advice['traced_ns']} ns; withheld: {advice['withheld']}")


def fault_of(gain, expected):
    """What is wrong with a gain, or None."""
    if gain * expected > 0 and abs(gain - expected) <= max(POINTS, SHARE * abs(expected)):
        return None
    return f"advised {gain:+.2%}, simulated {expected:+.2%}"


def compare(number):
    change = JUDGED[number]
    before, after = (simulated(change, state) for state in (change.before, change.after))
    expected, faults = 1 - after / before, []
    # Ranks that wait for a processor make computation longer in the trace: another one may have fewer of them.
    for attempt in range(changes.ATTEMPTS):
        try:
            fault = fault_of(advised(change, f"{number}-{attempt}.trace"), expected)
        except RuntimeError as error:
            fault = str(error)
        if not fault:
            break
        faults.append(fault)
    yield sentence(change), "\n".join(faults) if len(faults) == changes.ATTEMPTS else None


def sentence(change):
    program = change.before.text(change.program).strip("`")
    return f"{program}, {change.what}: the gain is that of the changed program"


if subprocess.run(["unshare", "--uts", "true"], stderr=subprocess.DEVNULL, check=False).returncode or os.environ["MPI"] != "mpich":
    print(f"1..1\nok 1 - changes gain what is advised # SKIP {NO_NAMES}, or MPI is not MPICH")
else:
    smpi.main([(sentence(change), functools.partial(compare, number)) for number, change in enumerate(JUDGED)], prepare)
