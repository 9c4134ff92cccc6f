"""Changes that are really made to programs: what they are, and how much of the runtime `llamp advise` says that they gain.

A program runs before and after each change, which advise makes in the model alone.  Programs run in slow motion: ranks
sleep instead of computing, and also where they wait, while the injector lets messages take as long as they sleep.  They
hardly need a processor.  Each rank has a host name of its own, so that no host has more ranks than cores.  It needs
a machine with free cores all the same: llamp advise gives no advice if a rank waited for a core for too long.
"""
import json
import os
import re
import subprocess

SOURCE = os.environ["SOURCE"]
BUILD = os.environ["BUILD"]
SLEEP_US = 200          # of ranks that wait
NETWORK_NS = 5000       # latency without the injector, about
ATTEMPTS = 3            # a rank may fail to start on a busy machine
TIME_LIMIT_S = 120
RANK_VARIABLE = {"mpich": "PMI_RANK", "openmpi": "OMPI_COMM_WORLD_RANK"}
# The ranks yield where they poll: launch/mpi_implementations.def.
with open(os.path.join(SOURCE, "launch/mpi_implementations.def"), encoding="utf-8") as table:
    MPI_SETTINGS = re.findall(r'^TEST_SETTING\((\w+), "(\w+)", "([^"]+)"\)', table.read(), re.MULTILINE)


# Algorithms of SMPI that are MPICH's choice for messages of 8 bytes.
SMPI_CHOICE = {"allreduce": "rdb", "allgather": "rdb", "barrier": "ompi_bruck", "bcast": "binomial_tree", "reduce": "binomial"}


class State:
    """How a program runs before or after a change.

    arguments:  of the program, or {rank or None: those of this rank or of all others}
    variables:  of the environment, by which MPI is told algorithms
    smpi:       {collective: algorithm of SMPI} where it is not that of SMPI_CHOICE; None: SMPI cannot run it
    latency:    of the network, in ns; None: no injector, the messages take what they take
    gap:        of the network, in ns per byte
    """

    def __init__(self, arguments="", latency=20e6, gap=0, smpi=None, **variables):
        self.arguments, self.latency, self.gap, self.variables = arguments, latency, gap, variables
        self.smpi = None if smpi is None else SMPI_CHOICE | smpi

    def of_rank(self, rank):
        if isinstance(self.arguments, str):
            return self.arguments.split()
        return self.arguments.get(rank, self.arguments[None]).split()

    def text(self, program):
        """The program with its arguments, in Markdown."""
        if isinstance(self.arguments, str):
            return f"`{program} {self.arguments}`"
        return f"`{program} {self.arguments[None]}`, " + ", ".join(
            f"rank {rank} `{arguments}`" for rank, arguments in self.arguments.items() if rank is not None)


class Change:
    """A program, two ways to run it, and the change of advise that leads from the one to the other."""

    def __init__(self, what, program, name, before, after, options="", ranks=8, mpi="mpich"):
        self.what, self.program, self.name, self.before, self.after = what, program, name, before, after
        self.options, self.ranks, self.mpi = options.split(), ranks, mpi


def algorithm(collective, value):
    """The setting of MPICH for the algorithm of a collective."""
    return {f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM": value}


def tuned(collective, value):
    """The setting of Open MPI for the algorithm of a collective."""
    return {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", f"OMPI_MCA_coll_tuned_{collective}_algorithm": value}


def choose(program, arguments, collective, before, after, mpi="mpich", latency=20e6, gap=0):
    """Choose another algorithm; before, after: names of schedgen, of the library and of SMPI, or None."""
    setting = {"mpich": algorithm, "openmpi": tuned}[mpi]
    states = [State(arguments, latency, gap, {collective: smpi} if smpi else None, **setting(collective, library))
              for _, library, smpi in (before, after)]
    return Change(f"{collective}: {before[0]} to {after[0]}", program, f"MPI_{collective.capitalize()} by {after[0]}",
                  *states, f"--coll {collective}={before[0]}", mpi=mpi)


def through_ucx(arguments, threshold, **variables):
    """Messages of so many bytes and more use a rendezvous, in which they move in MPI calls only; the injector would prevent it."""
    return State(arguments, None, MPIR_CVAR_NOLOCAL="1", UCX_RNDV_THRESH=threshold, **variables)


def without_rendezvous(what, program, arguments, name, threshold, **variables):
    """Let messages of 4 KiB and more move while their receivers compute."""
    return Change(what, program, name, through_ucx(arguments, "4096"), through_ucx(arguments, threshold, **variables),
                  "-S 4095 --progress calls")


def halve_latency(program, arguments):
    return Change("half of the latency", program, "half of L", State(arguments, smpi={}), State(arguments, 10e6, smpi={}))


def balance(program, before, after, function, latency=20e6, smpi=None):
    """Share computation: arguments before and after, and the call before which ranks then compute equally long."""
    return Change("equal computation", program, f"equal computation before {function}",
                  State(before, latency, smpi=smpi), State(after, latency, smpi=smpi))


DOUBLING, RABENSEIFNER = ("recursive-doubling", "recursive_doubling", "rdb"), \
    ("rabenseifner", "reduce_scatter_allgather", "rab_rdb")
REDUCE_BCAST = ("reduce-bcast", "nonoverlapping", None)
GATHER_RING, GATHER_DOUBLING, GATHER_BRUCK = ("ring", "ring", "ring"), \
    ("recursive-doubling", "recursive_doubling", "rdb"), ("bruck", "brucks", "bruck")
SCATTERED, PAIRWISE, BRUCK = ("linear", "scattered", "basic_linear"), ("pairwise", "pairwise", "pair"), \
    ("bruck", "brucks", "bruck")
TREE, SCATTER_RING = ("binomial", "binomial", "binomial_tree"), \
    ("scatter-ring-allgather", "scatter_ring_allgather", "scatter_LR_allgather")
DAY = "--sleep 5000 --steps 12"
# Half of the ranks have day in one step, the others in the next; nothing but the exchange keeps them together.
JUMPS = "--columns 2 --levels 1024 --sleep 60000 --steps 12 --late --every 12 --day"

CHANGES = [
    choose("daylight", DAY, "allreduce", RABENSEIFNER, DOUBLING),
    choose("daylight", DAY, "allreduce", DOUBLING, RABENSEIFNER),
    choose("daylight", DAY + " --levels 1024 --columns 4", "allreduce", DOUBLING, RABENSEIFNER, gap=2000, latency=2e6),
    choose("daylight", DAY + " --means allgather", "allgather", GATHER_RING, GATHER_DOUBLING),
    choose("daylight", DAY + " --means allgather", "allgather", GATHER_RING, GATHER_BRUCK),
    choose("daylight", DAY + " --means allgather --late", "allgather", GATHER_DOUBLING, GATHER_RING),
    choose("daylight", DAY + " --means alltoall", "alltoall", PAIRWISE, SCATTERED),
    choose("daylight", DAY + " --means alltoall", "alltoall", BRUCK, SCATTERED),
    choose("daylight", DAY + " --means alltoall --deal", "alltoall", SCATTERED, PAIRWISE),
    choose("daylight", DAY + " --means reduce-bcast", "bcast", SCATTER_RING, TREE),
    choose("daylight", DAY + " --means reduce-bcast", "bcast", TREE, SCATTER_RING),
    choose("daylight", DAY + " --means reduce-bcast", "reduce",
           ("reduce-scatter-gather", "reduce_scatter_gather", "scatter_gather"), ("binomial", "binomial", "binomial")),
    choose("daylight", DAY, "allreduce", REDUCE_BCAST, DOUBLING, "openmpi"),
    choose("cg", "--size 8 --tolerance 0.05 --sleep 50000", "allreduce", REDUCE_BCAST, DOUBLING, "openmpi"),
    choose("hydro3d", "--size 4 --iterations 10 --sleep 50000", "allreduce", DOUBLING, REDUCE_BCAST, "openmpi"),
    choose("daylight", DAY + " --barrier", "barrier", ("linear", "linear", None), ("dissemination", "bruck", None), "openmpi"),
    choose("daylight", DAY + " --means reduce-bcast", "bcast", ("chain", "pipeline", None), ("binomial", "binomial", None), "openmpi"),
    balance("daylight", DAY + " --day 0", DAY + " --day 0 --deal", "MPI_Allreduce", smpi={"allreduce": "rab_rdb"}),
    balance("daylight", DAY, DAY + " --deal", "MPI_Allreduce", smpi={"allreduce": "rab_rdb"}),
    balance("cg", {None: "--size 8 --tolerance 0.05 --sleep 40000", 5: "--size 8 --tolerance 0.05 --sleep 120000"},
            "--size 8 --tolerance 0.05 --sleep 50000", "MPI_Startall"),
    balance("hydro3d", {None: "--size 4 --iterations 10 --sleep 40000", 3: "--size 4 --iterations 10 --sleep 120000"},
            "--size 4 --iterations 10 --sleep 50000", "MPI_Irecv"),
    Change("no barriers", "daylight", "no barriers", State(DAY + " --barrier", smpi={"allreduce": "rab_rdb"}),
           State(DAY, smpi={"allreduce": "rab_rdb"})),
    without_rendezvous("eager messages up to 8 KiB", "daylight", f"{JUMPS} 2", "eager messages up to 8 KiB", "inf"),
    without_rendezvous("eager messages up to 8 KiB", "daylight", f"{JUMPS} 4", "eager messages up to 8 KiB", "inf"),
    without_rendezvous("a progress thread", "daylight", f"{JUMPS} 2", "a thread that moves messages", "4096",
                       MPIR_CVAR_ASYNC_PROGRESS="1"),
    without_rendezvous("a progress thread", "daylight", f"{JUMPS} 4", "a thread that moves messages", "4096",
                       MPIR_CVAR_ASYNC_PROGRESS="1"),
    halve_latency("cg", "--size 8 --tolerance 0.05 --sleep 50000"),
    halve_latency("stencil2d", "--size 40 --iterations 10 --sleep 50000"),
    halve_latency("stencil2d", "--blocking --size 40 --iterations 5 --sleep 50000"),
    halve_latency("hydro3d", "--size 4 --iterations 10 --sleep 50000"),
    halve_latency("multigrid", "--size 4 --tolerance 0.05 --sleep 100000"),
    halve_latency("fem3d", "--size 12 --tolerance 0.1 --sleep 50000"),
]


def environment(change, state):
    """Variables for the MPI of a change, whose ranks sleep while they wait."""
    variables = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    variables.update({name: os.path.join(BUILD, value) if "/" in value else value
                      for mpi, name, value in MPI_SETTINGS if mpi == change.mpi})
    variables.update(state.variables, LD_PRELOAD=os.path.join(BUILD, "test/mpi/yield.so"),
                     YIELD_SLEEP_US=str(SLEEP_US), LLAMP_TRACE_QUIET="1", LC_ALL="C")
    return variables


def trace(change, state, archive, launcher, folder):
    """Trace a run, under the injector if there is a latency."""
    injected = ["llamp-inject", "--latency", f"{state.latency:.0f}ns", "--gap-per-byte", f"{state.gap}ns"] \
        if state.latency else []
    wrapped = ["unshare", "--uts", "sh", "-c", f'hostname "node${RANK_VARIABLE[change.mpi]}" && exec "$@"', "rank",
               "llamp-trace", "-o", archive, *injected, os.path.join(folder, change.program)]
    command = [launcher]
    for rank in range(change.ranks):
        command += [":"] * (rank > 0) + ["-n", "1", *wrapped, *state.of_rank(rank)]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIME_LIMIT_S,
                              env=environment(change, state), check=False)
    except subprocess.TimeoutExpired as late:  # as timeout(1) says it
        return subprocess.CompletedProcess(command, 124, "", str(late))


def advice(change, archive):
    """What advise says about a trace from before a change, as JSON."""
    done = subprocess.run(["llamp", "advise", archive, "--preset", change.mpi, *change.options, "-L",
                           f"{change.before.latency or NETWORK_NS:.0f}ns", "--overhead", "1us", "-G", f"{change.before.gap}ns", "--at-least", "0",
                           "--steps", "1", "--format", "json"], capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(f"llamp advise {archive}: {done.stderr}")
    return json.loads(done.stdout)
