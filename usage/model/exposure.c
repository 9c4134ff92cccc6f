#include "usage/model/exposure.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

static double log2_up(uint32_t ranks)
{
	return ranks > 1 ? 32 - __builtin_clz(ranks - 1) : 0;
}

/* Whether the name of a function, without MPI_, an I of non-blocking ones and _c, is `plain`. */
static bool is_form_of(const char *name, const char *plain)
{
	const size_t length = strlen(plain);

	name += strlen("MPI_");
	if (strncasecmp(name, plain, length) != 0 && *name == 'I')
		name++;
	return !strncasecmp(name, plain, length) && (!name[length] || !strcmp(name + length, "_c"));
}

static bool is_any_form(const char *name, const char *const *plain)
{
	for (; *plain; plain++)
		if (is_form_of(name, *plain))
			return true;
	return false;
}

static double depth_of_collective(const char *name, double steps)
{
	static const char *const deep[] = {"Barrier",	"Bcast",	  "Reduce",
					   "Allreduce", "Gather",	  "Scatter",
					   "Allgather", "Allgatherv",	  "Scan",
					   "Exscan",	"Reduce_scatter", "Reduce_scatter_block",
					   NULL};
	static const char *const flat[] = {"Gatherv",
					   "Scatterv",
					   "Alltoall",
					   "Alltoallv",
					   "Alltoallw",
					   "Neighbor_allgather",
					   "Neighbor_allgatherv",
					   "Neighbor_alltoall",
					   "Neighbor_alltoallv",
					   "Neighbor_alltoallw",
					   NULL};

	return is_any_form(name, deep) ? steps : is_any_form(name, flat) ? fmin(steps, 1) : 0;
}

static double depth_of_window(const char *name, double steps)
{
	static const char *const collective[] = {"Win_fence",	 "Win_create",
						 "Win_allocate", "Win_allocate_shared",
						 "Win_free",	 NULL};
	static const char *const waiting[] = {"Win_unlock",   "Win_unlock_all",
					      "Win_flush",    "Win_flush_all",
					      "Win_complete", "Win_wait",
					      "Win_start",    NULL};

	return is_any_form(name, collective) ? steps : is_any_form(name, waiting) ? 1 : 0;
}

static double depth_of_message(const char *name)
{
	static const char *const receives[] = {"Recv", "Mrecv", "Sendrecv", "Sendrecv_replace",
					       NULL};

	/* Non-blocking receives wait in what completes them. */
	if (!strncmp(name, "MPI_I", strlen("MPI_I")))
		return 0;
	return is_any_form(name, receives) ? 1 : is_form_of(name, "Ssend") ? 2 : 0;
}

static double depth_of_making(const char *name, double steps)
{
	static const char *const local[] = {"Comm_free", "Comm_disconnect", "Comm_set_name", NULL};

	return is_any_form(name, local) ? 0 : steps;
}

static double depth_by_name(uint16_t function, double steps)
{
	const char *const name = mpi_functions[function].name;

	switch (mpi_functions[function].class) {
	case MPI_CLASS_COLLECTIVE:
		return depth_of_collective(name, steps);
	case MPI_CLASS_COMMUNICATOR:
		return depth_of_making(name, steps);
	case MPI_CLASS_RMA:
		return depth_of_window(name, steps);
	case MPI_CLASS_P2P:
		return depth_of_message(name);
	default:
		return 0;
	}
}

/*
 * Depth of each function in a tree of no steps, and of as many as there can be: between them it is the number of steps.
 * Logs are read by the hundred thousand, and names take long to compare.
 */
static struct {
	double least, most;
} depths[MPI_FUNCTION_COUNT];
static pthread_once_t depths_once = PTHREAD_ONCE_INIT;

static void find_depths(void)
{
	for (uint16_t i = 0; i < MPI_FUNCTION_COUNT; i++) {
		depths[i].least = depth_by_name(i, 0);
		depths[i].most = depth_by_name(i, log2_up(UINT32_MAX));
	}
}

double exposure_depth(uint16_t function, uint32_t ranks)
{
	if (function >= MPI_FUNCTION_COUNT)
		return 0;
	pthread_once(&depths_once, find_depths);
	return fmax(depths[function].least, fmin(log2_up(ranks), depths[function].most));
}

/* Size of the communicators of a class: the job's own size if it is in that class, else the greatest one. */
static uint32_t ranks_of_class(const struct exposure *exposure, uint8_t comm_class)
{
	const uint64_t most = usage_comm_most(comm_class);

	if (comm_class == 0 || comm_class == usage_comm_class(exposure->ranks) ||
	    most > exposure->ranks)
		return exposure->ranks;
	return (uint32_t)most;
}

void exposure_add_cell(struct exposure *exposure, uint16_t function, uint8_t comm_class,
		       uint64_t calls)
{
	if (function >= MPI_FUNCTION_COUNT)
		return;
	exposure->calls[function] += (double)calls;
	exposure->messages[function] += (double)calls *
					exposure_depth(function,
						       ranks_of_class(exposure, comm_class));
}

static bool starts_receive(uint16_t function)
{
	static const char *const names[] = {"Recv", "Mrecv", "Sendrecv", "Sendrecv_replace", NULL};

	if (function == CALL_Start || function == CALL_Startall)
		return true;
	return function < MPI_FUNCTION_COUNT && mpi_functions[function].class == MPI_CLASS_P2P &&
	       !strncmp(mpi_functions[function].name, "MPI_I", strlen("MPI_I")) &&
	       is_any_form(mpi_functions[function].name, names);
}

static bool completes(uint16_t function)
{
	return function < MPI_FUNCTION_COUNT &&
	       mpi_functions[function].class == MPI_CLASS_COMPLETION && function != CALL_Start &&
	       function != CALL_Startall;
}

double exposure_of_calls(const struct exposure *exposure, const struct job_calls *calls,
			 size_t count)
{
	double sum = 0, completions = 0, receives = 0;

	for (size_t i = 0; i < count; i++) {
		const uint16_t function = calls[i].function;

		if (function < MPI_FUNCTION_COUNT && exposure->calls[function] > 0)
			sum += (double)calls[i].calls * exposure->messages[function] /
			       exposure->calls[function];
		completions += completes(function) ? (double)calls[i].calls : 0;
		receives += starts_receive(function) ? (double)calls[i].calls : 0;
	}
	return sum + fmin(completions, receives);
}

struct job_exposure exposure_of_log(const struct job_log *log)
{
	struct exposure exposure = {.ranks = log->ranks};
	struct job_exposure result = {0};

	for (size_t i = 0; i < log->cells.count; i++) {
		const struct usage_cell *cell = &log->cells.items[i].cell;

		exposure_add_cell(&exposure, cell->key.function, cell->key.comm_class, cell->calls);
	}
	for (size_t i = 0; i < log->rank_list.count; i++) {
		const struct job_rank *rank = &log->rank_list.items[i];
		const double own = exposure_of_calls(&exposure, rank->calls.items,
						     rank->calls.count);

		if (rank->roles & JOB_AVERAGE)
			result.average = own;
		result.most = fmax(result.most, own);
	}
	return result;
}

double exposure_tolerance_ns(uint64_t runtime_ns, double exposure, double percent)
{
	if (runtime_ns == USAGE_UNKNOWN)
		return NAN;
	return exposure > 0 ? percent / 100 * (double)runtime_ns / exposure : INFINITY;
}
