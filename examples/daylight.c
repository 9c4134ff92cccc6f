/*
 * The air around a globe: columns of it that are on the day side take three times as long to compute.
 *
 *	mpiexec -n 8 daylight [--columns N] [--levels N] [--steps K] [--day STEPS] [--every STEPS]
 *		[--deal] [--late] [--barrier] [--means allreduce|reduce-bcast|allgather|alltoall]
 *		[--sleep MICROSECONDS]
 *
 * Each rank has N columns around the equator.  In a step it exchanges columns with the ranks in the west and in the east,
 * finds the light that its columns absorb by day and send out by night, lets heat flow between neighbours, and learns the
 * mean of each level over all columns, with --every only in every so many steps.  The day side moves on around the globe,
 * in so many steps; with --day 0 it stays.
 *
 * It shows what makes a program wait, and what helps.  Neighbours in space are neighbours in a rank, so that ranks
 * on the day side are late: --deal gives every rank columns of both sides, as cards are dealt, for more bytes to send.
 * --barrier keeps ranks together after each step, as programs do that print times.  --late waits for the messages after
 * the light has been found, which needs none of them.  --means finds the means by other collectives.  With --sleep a
 * column by day also sleeps so long, and one by night a third of it.
 *
 * Flow keeps the sum of heat, and light adds as much in every step, so that the sum at the end is known.
 */
#include "sleep.h"
#include "tally.h"

#include <math.h>
#include <stdbool.h>

enum { DAY_PASSES = 30, NIGHT_PASSES = 10 };

static const double depth = 1e-4, flow = 0.1; /* of light in a pass; of heat to each side */

enum means { BY_ALLREDUCE, BY_REDUCE_BCAST, BY_ALLGATHER, BY_ALLTOALL, WAYS };

static const char *const ways[WAYS] = {"allreduce", "reduce-bcast", "allgather", "alltoall"};

struct globe {
	int rank, ranks;
	int columns, levels;	 /* of this rank; of each column */
	int steps, every;	 /* all; from mean to mean */
	int day, sleep;		 /* steps, 0: the sun stands still; us for a column by day */
	int deal, late, barrier; /* flags */
	enum means means;
	int edge;		     /* columns that go to each neighbour */
	double *heat, *before;	     /* columns x levels */
	double *west, *east;	     /* columns received: edge x levels */
	double *mean, *sums, *parts; /* levels; levels of this rank; of all ranks */
};

static double *zeros(size_t count)
{
	double *values = calloc(count, sizeof *values);

	if (!values)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return values;
}

static void globe_init(struct globe *globe)
{
	const size_t levels = globe->levels;

	globe->edge = globe->deal ? globe->columns : 1;
	globe->heat = zeros(globe->columns * levels);
	globe->before = zeros(globe->columns * levels);
	globe->west = zeros(globe->edge * levels);
	globe->east = zeros(globe->edge * levels);
	globe->mean = zeros(levels);
	globe->sums = zeros(levels);
	globe->parts = zeros(globe->ranks * levels);
}

static void globe_release(struct globe *globe)
{
	double *const all[] = {globe->heat, globe->before, globe->west, globe->east,
			       globe->mean, globe->sums,   globe->parts};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
}

/* Begin to send the first columns to the west and the last ones to the east, and to receive those of the neighbours. */
static void begin_exchange(struct globe *globe, MPI_Request requests[4])
{
	const int west = (globe->rank + globe->ranks - 1) % globe->ranks;
	const int east = (globe->rank + 1) % globe->ranks;
	const int count = globe->edge * globe->levels;
	const long bytes = count * (long)sizeof(double);
	const double *last = globe->before + (size_t)(globe->columns - globe->edge) * globe->levels;

	MPI_Irecv(globe->west, count, MPI_DOUBLE, west, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(globe->east, count, MPI_DOUBLE, east, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(last, count, MPI_DOUBLE, east, 0, MPI_COMM_WORLD, &requests[2]);
	MPI_Isend(globe->before, count, MPI_DOUBLE, west, 1, MPI_COMM_WORLD, &requests[3]);
	tally_receive(west, bytes);
	tally_receive(east, bytes);
	tally_send(east, bytes);
	tally_send(west, bytes);
}

static bool is_day(const struct globe *globe, int column, int step)
{
	const int all = globe->columns * globe->ranks;
	const int place = globe->deal ? column * globe->ranks + globe->rank
				      : globe->rank * globe->columns + column;
	const int sun = globe->day ? (int)((long)step * all / globe->day % all) : 0;

	return (place - sun + all) % all < all / 2;
}

/* Follow light through a column, pass by pass.  Return what is left of 1. */
static double light_after(int passes, int levels)
{
	double light = 1;

	for (int pass = 0; pass < passes; pass++)
		for (int level = 0; level < levels; level++)
			light *= exp(-depth / levels);
	return light;
}

static void find_light(struct globe *globe, int step)
{
	long sleep = 0;

	for (int c = 0; c < globe->columns; c++) {
		const bool day = is_day(globe, c, step);
		const double change = day ? 1 - light_after(DAY_PASSES, globe->levels)
					  : light_after(NIGHT_PASSES, globe->levels) - 1;

		for (int level = 0; level < globe->levels; level++)
			globe->heat[(size_t)c * globe->levels + level] += change;
		sleep += day ? globe->sleep : globe->sleep / 3;
	}
	sleep_us(sleep);
}

/* Column that is a neighbour of column `c` in the west (side -1) or in the east (side 1). */
static const double *neighbour(const struct globe *globe, int c, int side)
{
	const double *received = side < 0 ? globe->west : globe->east;
	const int next = c + side;

	if (globe->deal) {
		const bool is_beyond = side < 0 ? globe->rank == 0
						: globe->rank == globe->ranks - 1;
		const int there = is_beyond ? (next + globe->columns) % globe->columns : c;

		return received + (size_t)there * globe->levels;
	}
	if (next < 0 || next == globe->columns)
		return received;
	return globe->before + (size_t)next * globe->levels;
}

static void let_flow(struct globe *globe)
{
	for (int c = 0; c < globe->columns; c++) {
		const double *west = neighbour(globe, c, -1), *east = neighbour(globe, c, 1);
		const double *here = globe->before + (size_t)c * globe->levels;
		double *heat = globe->heat + (size_t)c * globe->levels;

		for (int level = 0; level < globe->levels; level++)
			heat[level] += flow * (west[level] - 2 * here[level] + east[level]);
	}
}

/* Send each rank its levels, add them up there, and collect the sums. */
static void sum_by_alltoall(struct globe *globe)
{
	const int part = globe->levels / globe->ranks;
	double *own = globe->mean + (size_t)globe->rank * part;

	MPI_Alltoall(globe->sums, part, MPI_DOUBLE, globe->parts, part, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int level = 0; level < part; level++) {
		own[level] = 0;
		for (int r = 0; r < globe->ranks; r++)
			own[level] += globe->parts[r * part + level];
	}
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, globe->mean, part, MPI_DOUBLE,
		      MPI_COMM_WORLD);
	tally_collective("MPI_Alltoall");
	tally_collective("MPI_Allgather");
}

static void sum_by_allgather(struct globe *globe)
{
	const int levels = globe->levels;

	MPI_Allgather(globe->sums, levels, MPI_DOUBLE, globe->parts, levels, MPI_DOUBLE,
		      MPI_COMM_WORLD);
	tally_collective("MPI_Allgather");
	for (int level = 0; level < levels; level++) {
		globe->mean[level] = 0;
		for (int r = 0; r < globe->ranks; r++)
			globe->mean[level] += globe->parts[(size_t)r * levels + level];
	}
}

static void sum_by_reduce_and_bcast(struct globe *globe)
{
	MPI_Reduce(globe->sums, globe->mean, globe->levels, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Bcast(globe->mean, globe->levels, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	tally_collective("MPI_Reduce");
	tally_collective("MPI_Bcast");
}

static void sum_by_allreduce(struct globe *globe)
{
	MPI_Allreduce(globe->sums, globe->mean, globe->levels, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	tally_collective("MPI_Allreduce");
}

/* Find the mean of each level over the columns of all ranks. */
static void find_means(struct globe *globe)
{
	static void (*const sum[WAYS])(struct globe *) = {sum_by_allreduce, sum_by_reduce_and_bcast,
							  sum_by_allgather, sum_by_alltoall};

	for (int level = 0; level < globe->levels; level++) {
		globe->sums[level] = 0;
		for (int c = 0; c < globe->columns; c++)
			globe->sums[level] += globe->heat[(size_t)c * globe->levels + level];
	}
	sum[globe->means](globe);
	for (int level = 0; level < globe->levels; level++)
		globe->mean[level] /= (double)globe->columns * globe->ranks;
}

static void do_step(struct globe *globe, int step)
{
	MPI_Request requests[4];

	memcpy(globe->before, globe->heat,
	       (size_t)globe->columns * globe->levels * sizeof *globe->heat);
	begin_exchange(globe, requests);
	if (!globe->late)
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	find_light(globe, step);
	if (globe->late)
		MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
	let_flow(globe);
	if ((step + 1) % globe->every == 0 || step + 1 == globe->steps)
		find_means(globe);
	if (globe->barrier) {
		MPI_Barrier(MPI_COMM_WORLD);
		tally_collective("MPI_Barrier");
	}
}

/* Largest difference of a level's mean from what half of the columns by day and half by night have added. */
static double largest_error(const struct globe *globe)
{
	const double gain = exp(-NIGHT_PASSES * depth) - exp(-DAY_PASSES * depth);
	double error = 0;

	for (int level = 0; level < globe->levels; level++)
		error = fmax(error, fabs(globe->mean[level] - globe->steps * gain / 2));
	return error;
}

static bool read_number(struct globe *globe, const char *name, const char *value)
{
	int *number = !strcmp(name, "--columns")  ? &globe->columns
		      : !strcmp(name, "--levels") ? &globe->levels
		      : !strcmp(name, "--steps")  ? &globe->steps
		      : !strcmp(name, "--day")	  ? &globe->day
		      : !strcmp(name, "--every")  ? &globe->every
		      : !strcmp(name, "--sleep")  ? &globe->sleep
						  : NULL;

	if (!number && !strcmp(name, "--means"))
		for (int way = 0; way < WAYS; way++)
			if (!strcmp(value, ways[way])) {
				globe->means = way;
				return true;
			}
	return number && sscanf(value, "%d", number) == 1;
}

static bool read_settings(struct globe *globe, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int *flag = !strcmp(argv[i], "--deal")	    ? &globe->deal
			    : !strcmp(argv[i], "--late")    ? &globe->late
			    : !strcmp(argv[i], "--barrier") ? &globe->barrier
							    : NULL;

		if (flag)
			*flag = 1;
		else if (i + 1 == argc || !read_number(globe, argv[i], argv[i + 1]))
			return false;
		else
			i++;
	}
	return globe->columns > 0 && globe->levels > 0 && globe->steps > 0 && globe->day >= 0 &&
	       globe->every > 0 && globe->columns * globe->ranks % 2 == 0 &&
	       (globe->means != BY_ALLTOALL || globe->levels % globe->ranks == 0);
}

int main(int argc, char **argv)
{
	struct globe globe = {.columns = 16, .levels = 64, .steps = 24, .day = 24, .every = 1};
	double error;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &globe.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &globe.ranks);
	if (!read_settings(&globe, argc, argv)) {
		if (globe.rank == 0)
			fprintf(stderr,
				"usage: daylight [--columns N] [--levels N] [--steps K] [--day STEPS]"
				" [--every STEPS] [--deal] [--late] [--barrier] [--means allreduce|reduce-bcast|allgather|alltoall]"
				" [--sleep MICROSECONDS]; an even number of columns, for alltoall as many levels"
				" for each rank\n");
		MPI_Finalize();
		return 2;
	}
	tally_begin();
	globe_init(&globe);
	for (int step = 0; step < globe.steps; step++)
		do_step(&globe, step);
	error = largest_error(&globe);
	if (globe.rank == 0)
		printf("daylight: %d ranks of %d columns, %d steps, mean %.4f: %s (error %.1e)\n",
		       globe.ranks, globe.columns, globe.steps, globe.mean[0],
		       error < 1e-9 ? "correct" : "WRONG", error);
	globe_release(&globe);
	tally_end();
	MPI_Finalize();
	return error < 1e-9 ? 0 : 1;
}
