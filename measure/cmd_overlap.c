/* llamp-measure overlap: becomes the MPI program, which reads the same options again. */
#include "launch/launch_preload.h"
#include "launch/launch_program.h"
#include "measure/commands.h"
#include "measure/overlap/overlap_options.h"

#include <unistd.h>

char **measure_arguments;

static void warn_once(const char *text)
{
	if (launch_is_first_rank())
		tool_warning("llamp-measure", "%s", text);
}

static int cmd_overlap(char **operands, int operand_count, struct error *err)
{
	(void)operands;
	(void)operand_count;
	TRY(overlap_settle((unsigned)sysconf(_SC_NPROCESSORS_ONLN), warn_once, err));
	return launch_program("llamp-measure", measure_arguments, err);
}

static const char overlap_notes[] =
	"A rank begins a message, computes, and waits for the message. How long does this take "
	"compared with the message and the computation alone?\n\n"
	"  ratio = (T_measured - max(T_comm, T_comp)) / min(T_comm, T_comp)\n\n"
	"0: the shorter one is hidden. 1: one comes after the other. Above 1: worse than that. "
	"Each cell of the plane of sizes and computations is measured in some 50 rounds, in which T_comm, "
	"T_comp and T_measured take turns; medians are taken. Coarse grids come first.\n\n"
	"Start it with the launcher of the MPI that your programs use, with two ranks, each with a core of "
	"its own:\n\n"
	"  mpiexec -n 2 llamp-measure overlap -o mpi.overlap --quick\n\n"
	"Benchmarks between two ranks: sender, receiver, both (sides), noncontig (a vector), cpu (time of "
	"the processor for a message), nload (blocking messages beside computing threads), "
	"persistent-send, persistent-recv, partitioned-send, partitioned-recv (MPI 4), put, get, put-target, "
	"get-target.\n\n"
	"Benchmarks of all ranks: ibarrier, ibcast, ireduce, iallreduce, iallgather, iallgatherv, ialltoall, "
	"ialltoallv, igather, iscatter, ireduce-scatter, iscan, ineighbor-allgather, "
	"ineighbor-alltoall.\n\n"
	"Kernels: work is a fixed number of operations, so that whatever takes the processor away makes it longer; "
	"time ends by the clock; memory changes an array that is larger than the caches.\n\n"
	"A run that is interrupted leaves the cells that it has measured, and --append goes on with the "
	"others. FILE must not exist otherwise. Without -o the verdicts are printed.";

static const struct help_entry overlap_examples[] = {
	{"mpiexec -n 2 llamp-measure overlap -o node.overlap --quick",
	 "what overlaps between two ranks of a node, in less than a minute"},
	{"mpiexec -n 2 -ppn 1 llamp-measure overlap -o network.overlap",
	 "whole planes between two nodes (MPICH; with Open MPI --map-by node)"},
	{"mpiexec -n 2 llamp-trace llamp-measure overlap --cell receiver:512KiB:200us",
	 "trace one cell to see why"},
	{"mpiexec -n 16 llamp-measure overlap -o coll.overlap --bench collectives --quick",
	 "non-blocking collectives"},
	{0},
};

static const struct help_entry overlap_files[] = {
	{"FILE.overlap", "a header and the cells as JSON lines, written as they are measured"},
	{0},
};

const struct command overlap_command = {
	.name = "overlap",
	.operands = "",
	.summary = "Measure how messages and computation overlap.",
	.notes = overlap_notes,
	.options = overlap_options,
	.run = cmd_overlap,
	.examples = overlap_examples,
	.files = overlap_files,
};
