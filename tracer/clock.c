/*
 * Offsets are measured down two trees: from rank 0 to the first rank of each
 * computer, and from there to the other ranks of the computer.  Ranks of a computer share one
 * clock and take the offset of its first rank.  Measuring each against another computer would
 * give them different offsets, with errors larger than the time of their messages.
 *
 * In each round of a tree of n ranks, every rank with a known offset serves one rank without,
 * so the tree takes log2 n rounds of at most a few ms.  A waiting rank lets other processes
 * run, as the ranks may be more than the cores.
 */
#include "tracer/clock.h"

#include "common/array.h"
#include "common/hash.h"
#include "pmpi/process.h"
#include "pmpi/together.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Numbers of trips.  TRIPS_IF_SAME show that clocks are the same.  Otherwise stop after VAIN_TRIPS
 * trips in a row that did not narrow the bounds, or after MOST_NS and FEWEST_TRIPS.  A clock that is set
 * back again and again narrows them each time, and shows no time passed: so MOST_TRIPS end it, too.
 */
enum { TRIPS_IF_SAME = 5, FEWEST_TRIPS = 20, VAIN_TRIPS = 50, MOST_NS = 5000000, MOST_TRIPS = 10000 };

/* Number of tests for a message before other processes may run. */
enum { EAGER_TESTS = 50 };

enum { TAG = 0 };

struct peer {
	uint64_t computer;
	int rank;
};

/* Ranks that measure in a tree: the first knows its clock. */
struct tree {
	MPI_Comm comm;
	int *ranks;
	int count, own;		/* own: this rank's index in `ranks`, or -1 */
};

static struct clock_point start;
static bool started;
static bool one_clock;		/* all ranks share a clock, nothing is to be measured */

static bool worked(int result)
{
	return result == MPI_SUCCESS;
}

static bool finished(MPI_Request *request)
{
	int done = 0;

	for (int i = 0; !done; i++) {
		if (i > EAGER_TESTS)
			sched_yield();
		if (!worked(PMPI_Test(request, &done, MPI_STATUS_IGNORE)))
			return false;
	}
	return true;
}

/* Answer the trips of `other`, then send it this rank's point. */
static bool clock_answer(MPI_Comm comm, int other, const struct clock_point *own)
{
	uint64_t more, time_ns;
	MPI_Request request;

	for (;;) {
		if (!worked(PMPI_Irecv(&more, 1, MPI_UINT64_T, other, TAG, comm, &request)) ||
		    !finished(&request))
			return false;
		time_ns = now_ns();
		if (!more)
			return worked(PMPI_Send(own, sizeof *own, MPI_BYTE, other, TAG, comm));
		if (!worked(PMPI_Send(&time_ns, 1, MPI_UINT64_T, other, TAG, comm)))
			return false;
	}
}

/* Send `more`, which is 0 after the last trip, and receive a reply of `bytes`. */
static bool clock_ask(MPI_Comm comm, int other, uint64_t more, void *reply, int bytes)
{
	MPI_Request request;

	return worked(PMPI_Irecv(reply, bytes, MPI_BYTE, other, TAG, comm, &request)) &&
	       worked(PMPI_Send(&more, 1, MPI_UINT64_T, other, TAG, comm)) && finished(&request);
}

static bool enough(const struct clock_bounds *bounds, unsigned vain_trips, uint64_t took_ns)
{
	if (clock_bounds_same(bounds))
		return bounds->trips >= TRIPS_IF_SAME;
	return vain_trips >= VAIN_TRIPS || bounds->trips >= MOST_TRIPS ||
	       (bounds->trips >= FEWEST_TRIPS && took_ns >= MOST_NS);
}

/* Compare the clock with the clock of `other`, which calls clock_answer(). */
static bool clock_compare(MPI_Comm comm, int other, struct clock_point *own)
{
	struct clock_bounds bounds = {0};
	struct clock_point point;
	uint64_t begin_ns = now_ns(), sent_ns, answered_ns, received_ns;
	unsigned vain = 0;

	do {
		sent_ns = now_ns();
		if (!clock_ask(comm, other, 1, &answered_ns, sizeof answered_ns))
			return false;
		received_ns = now_ns();
		vain = clock_bounds_add(&bounds, sent_ns, answered_ns, received_ns) ? 0 : vain + 1;
	} while (!enough(&bounds, vain, passed_ns(begin_ns, received_ns)));
	if (!clock_ask(comm, other, 0, &point, sizeof point))
		return false;
	*own = clock_bounds_point(&bounds, &point);
	return true;
}

static bool measure_tree(const struct tree *tree, struct clock_point *own)
{
	for (int64_t known = 1; known < tree->count; known *= 2) {
		if (tree->own >= known && tree->own < 2 * known) {
			if (!clock_compare(tree->comm, tree->ranks[tree->own - known], own))
				return false;
		} else if (tree->own >= 0 && tree->own < known && tree->own + known < tree->count) {
			if (!clock_answer(tree->comm, tree->ranks[tree->own + known], own))
				return false;
		}
	}
	return true;
}

/* ------------------------------------------------------------- the trees */

/*
 * Identify the clock: hash the running kernel, else the host's name, and the time namespace, as a
 * container may have its own clock.
 */
static uint64_t computer_id(void)
{
	char text[256] = "", times[64] = "";
	int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);

	if (file >= 0)
		close(file);
	if (length <= 0)
		gethostname(text, sizeof text - 1);
	if (readlink("/proc/self/ns/time", times, sizeof times - 1) < 0)
		*times = 0;
	return mix64(hash_bytes(text, strlen(text)) ^ hash_bytes(times, strlen(times)));
}

static int by_computer(const void *a, const void *b)
{
	const struct peer *x = a, *y = b;

	if (x->computer != y->computer)
		return x->computer < y->computer ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int peers_by_rank(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void tree_add(struct tree *tree, int rank)
{
	tree->ranks[tree->count++] = rank;
}

static void tree_find_own(struct tree *tree, int rank)
{
	tree->own = -1;
	for (int i = 0; i < tree->count; i++)
		if (tree->ranks[i] == rank)
			tree->own = i;
}

/* Make the trees of the first ranks of all computers and of the ranks of this computer. */
static void make_trees(struct peer *all, int count, int rank, struct tree *firsts,
		       struct tree *neighbours)
{
	uint64_t own = all[rank].computer;

	qsort(all, (size_t)count, sizeof *all, by_computer);
	for (int i = 0; i < count; i++) {
		if (i == 0 || all[i].computer != all[i - 1].computer)
			tree_add(firsts, all[i].rank);
		if (all[i].computer == own)
			tree_add(neighbours, all[i].rank);
	}
	qsort(firsts->ranks, (size_t)firsts->count, sizeof *firsts->ranks, peers_by_rank);
	tree_find_own(firsts, rank);
	tree_find_own(neighbours, rank);
}

/* ------------------------------------------------------------- together */

/* Arrays with one entry for each rank.  Either all ranks have allocated them or none. */
struct room {
	uint64_t *computers;
	struct peer *all;
	int *firsts, *neighbours;
};

static bool clock_make_room(size_t count, struct room *room)
{
	struct error err;
	uint64_t made = allocate(&room->computers, count, sizeof *room->computers, &err) == 0 &&
			allocate(&room->all, count, sizeof *room->all, &err) == 0 &&
			allocate(&room->firsts, count, sizeof *room->firsts, &err) == 0 &&
			allocate(&room->neighbours, count, sizeof *room->neighbours, &err) == 0;

	return together_least(&made, 1) && made;
}

static bool measure_in(uint64_t computer, const struct room *room, struct clock_point *own)
{
	struct tree firsts = {.comm = process.comm, .ranks = room->firsts};
	struct tree neighbours = {.comm = process.comm, .ranks = room->neighbours};
	MPI_Request request;

	if (!worked(PMPI_Iallgather(&computer, 1, MPI_UINT64_T, room->computers, 1, MPI_UINT64_T,
				    process.comm, &request)) || !together_wait(&request))
		return false;
	for (int i = 0; i < process.size; i++)
		room->all[i] = (struct peer){room->computers[i], i};
	make_trees(room->all, process.size, process.rank, &firsts, &neighbours);
	return measure_tree(&firsts, own) && measure_tree(&neighbours, own);
}

static bool measure_computers(uint64_t computer, struct clock_point *own)
{
	struct room room = {0};
	bool done = clock_make_room((size_t)process.size, &room) &&
		    measure_in(computer, &room, own);

	free(room.computers);
	free(room.all);
	free(room.firsts);
	free(room.neighbours);
	return done;
}

/*
 * Find whether all ranks are on one computer and share its clock: then none learns of a time that it has
 * not reached yet.  A program may run with a clock of its own, as by libfaketime.
 */
static bool find_whether_shared(uint64_t computer)
{
	uint64_t least[] = {computer, ~computer, ~now_ns()}, shared;

	if (!together_least(least, 3))
		return false;
	shared = least[0] == ~least[1] && ~least[2] <= now_ns();
	if (!together_least(&shared, 1))
		return false;
	one_clock = shared;
	return true;
}

static bool clock_measure(struct clock_point *own)
{
	const uint64_t computer = computer_id();

	*own = (struct clock_point){.time_ns = now_ns()};
	if (!one_clock && !find_whether_shared(computer))
		return false;
	return one_clock || measure_computers(computer, own);
}

const struct clock_point *clock_measure_start(void)
{
	started = clock_measure(&start);
	return started ? &start : NULL;
}

struct trace_clock clock_measure_end(void)
{
	struct clock_point points[2];
	unsigned count = 0;

	if (started)
		points[count++] = start;
	count += clock_measure(&points[count]);
	return count ? trace_clock_through(points, count) : (struct trace_clock){0};
}
