/* Tests of the dimensions of grids: random grids come back from their neighbours and parts, what is no grid is refused; edges of graphs. */
#include "eventflow/generate/grids.h"
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_RANKS = 48, GRID = 1, FIRST_PART = 2, TEXT = 128 };

/* A run in which all ranks make a grid, and maybe parts of it. */
struct grid_run {
	struct flow_feed feed;
	struct trace_comm comms[2 + MOST_RANKS];
	uint32_t members[2 + MOST_RANKS][MOST_RANKS];
	int dimensions;
	uint32_t sizes[GRID_DIMENSIONS], ranks;
	bool periodic[GRID_DIMENSIONS];
	char neighbours[MOST_RANKS][TEXT];
};

/* Ranks from one place to the next in a dimension. */
static uint32_t stride_of(const struct grid_run *run, int dimension)
{
	uint32_t stride = 1;

	for (int i = dimension + 1; i < run->dimensions; i++)
		stride *= run->sizes[i];
	return stride;
}

/* Neighbour of a rank, or -1. */
static int neighbour(const struct grid_run *run, uint32_t rank, int dimension, int step)
{
	const int stride = (int)stride_of(run, dimension), size = (int)run->sizes[dimension];
	const int at = (int)rank / stride % size, to = at + step;

	if ((to < 0 || to == size) && !run->periodic[dimension])
		return -1;
	return (int)rank + ((to + size) % size - at) * stride;
}

static void describe_neighbours(struct grid_run *run, uint32_t rank)
{
	char *to = run->neighbours[rank];

	for (int side = 0; side < 2; side++) {
		const char *comma = "";

		for (int d = 0; d < run->dimensions; d++)
			for (int k = 0; k < 2; k++) {
				/* Sources: above before below; destinations: below before above. */
				const int other = neighbour(run, rank, d, k == side ? 1 : -1);

				if (other < 0)
					continue;
				to += sprintf(to, "%s%d", comma, other);
				comma = ",";
			}
		to += sprintf(to, side ? "" : ";");
	}
}

static void make_run(struct grid_run *run, uint64_t *numbers)
{
	memset(run, 0, sizeof *run);
	do {
		run->dimensions = 1 + (int)random_below(numbers, GRID_DIMENSIONS);
		run->ranks = 1;
		for (int d = 0; d < run->dimensions; d++) {
			run->sizes[d] = 1 + (uint32_t)random_below(numbers, 5);
			run->periodic[d] = random_below(numbers, 2);
			run->ranks *= run->sizes[d];
		}
	} while (run->ranks > MOST_RANKS);
	flow_feed_begin(&run->feed, run->ranks);
	run->comms[0] = run->comms[GRID] = run->feed.comm;
	run->feed.world.comms = run->comms;
	run->feed.world.comm_count = 2;
	for (uint32_t rank = 0; rank < run->ranks; rank++)
		describe_neighbours(run, rank);
}

static void add_making(struct grid_run *run, uint32_t rank, const char *function, uint32_t parent,
		       uint32_t made)
{
	const struct mpi_event events[] = {{.kind = EVENT_COMM_CREATE, .comm = made},
					   {.kind = EVENT_COLLECTIVE,
					    .comm = parent,
					    .collective = COLL_CREATE_HANDLE,
					    .root = NO_ROOT}};

	flow_feed_add(&run->feed, rank, function, events, 2);
}

/* Let all ranks make the grid, and exchange. */
static void add_grid(struct grid_run *run)
{
	for (uint32_t rank = 0; rank < run->ranks; rank++) {
		const struct mpi_event exchange = {.kind = EVENT_COLLECTIVE,
						   .comm = GRID,
						   .collective = COLL_ALLTOALL,
						   .root = NO_ROOT,
						   .neighbours = run->neighbours[rank]};

		add_making(run, rank, "MPI_Cart_create", 0, GRID);
		if (run->neighbours[rank][0])
			flow_feed_add(&run->feed, rank, "MPI_Neighbor_alltoall", &exchange, 1);
	}
}

/* Part of the grid that a rank is in: the rank in it whose other coordinates are 0. */
static uint32_t part_of(const struct grid_run *run, uint32_t rank, unsigned kept)
{
	for (int d = 0; d < run->dimensions; d++)
		if (kept & 1u << d)
			rank -= rank / stride_of(run, d) % run->sizes[d] * stride_of(run, d);
	return rank;
}

/* Let all ranks make a part: its members are in the order of their ranks. */
static void add_parts(struct grid_run *run, unsigned kept)
{
	for (uint32_t rank = 0; rank < run->ranks; rank++) {
		const uint32_t id = FIRST_PART + part_of(run, rank, kept);
		struct trace_comm *comm = &run->comms[id];

		if (!comm->defined)
			*comm = (struct trace_comm){.defined = true,
						    .name = "",
						    .ranks = run->members[id]};
		run->members[id][comm->size++] = rank;
		add_making(run, rank, "MPI_Cart_sub", GRID, id);
	}
	run->feed.world.comm_count = FIRST_PART + run->ranks;
	/* Ids of ranks that are no first one of a part. */
	for (uint32_t i = FIRST_PART; i < run->feed.world.comm_count; i++)
		if (!run->comms[i].defined)
			run->comms[i] = (struct trace_comm){.name = ""};
}

static int find(struct grid_run *run, struct grids *grids, struct error *err)
{
	static const struct flow_options options = {.level = FLOW_BY_CALL};
	struct flow *flow = flow_feed_build(&run->feed, &options);
	const int result = grids_find(grids, flow, err);

	flow_release(flow);
	flow_feed_release(&run->feed);
	return result;
}

/* The shape gives the same neighbours, whichever it is. */
static void expect_neighbours(const struct grid_run *run, const struct grid_shape *shape)
{
	struct grid_run found = {.dimensions = shape->count};

	memcpy(found.sizes, shape->sizes, sizeof found.sizes);
	memcpy(found.periodic, shape->periodic, sizeof found.periodic);
	for (uint32_t rank = 0; rank < run->ranks; rank++) {
		describe_neighbours(&found, rank);
		assert_string_equal(found.neighbours[rank], run->neighbours[rank]);
	}
}

static void neighbours_tell_the_shape(void **state)
{
	uint64_t numbers = 5;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct grids grids = {0};
		struct grid_run run;
		struct error err;

		make_run(&run, &numbers);
		add_grid(&run);
		MUST(find(&run, &grids, &err));
		expect_neighbours(&run, &grids_call(&grids, 0, 0)->shape);
		assert_true(grids_call(&grids, 0, 0)->shape.count <= run.dimensions);
		grids_release(&grids);
	}
}

static void parts_tell_the_shape(void **state)
{
	uint64_t numbers = 7;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct grids grids = {0};
		struct grid_run run, found;
		struct error err;
		const struct grid_call *call;
		unsigned kept;

		make_run(&run, &numbers);
		kept = (unsigned)random_below(&numbers, 1u << run.dimensions);
		if (round % 2)
			memset(run.neighbours, 0, sizeof run.neighbours);
		add_grid(&run);
		add_parts(&run, kept);
		MUST(find(&run, &grids, &err));
		call = grids_call(&grids, GRID, 0);
		assert_non_null(call);
		/* The same ranks are together. */
		memset(&found, 0, sizeof found);
		found.dimensions = grids_call(&grids, 0, 0)->shape.count;
		memcpy(found.sizes, grids_call(&grids, 0, 0)->shape.sizes, sizeof found.sizes);
		for (uint32_t rank = 0; rank < run.ranks; rank++)
			assert_int_equal(part_of(&found, rank, call->kept),
					 part_of(&run, rank, kept));
		grids_release(&grids);
	}
}

static void what_is_no_grid_is_refused(void **state)
{
	uint64_t numbers = 9;
	int refused = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct grids grids = {0};
		struct grid_run run;
		struct error err;

		make_run(&run, &numbers);
		if (run.ranks < 5) {
			flow_feed_release(&run.feed);
			continue;
		}
		/* The last rank has a neighbour that has not it. */
		sprintf(run.neighbours[run.ranks - 1], "1,2,2,3,0;0,0,1,2,2");
		add_grid(&run);
		assert_int_equal(find(&run, &grids, &err), -1);
		assert_int_equal(err.status, STATUS_LIMIT);
		assert_non_null(strstr(err.text, "no grid of 4 dimensions or fewer"));
		grids_release(&grids);
		refused++;
	}
	assert_true(refused > 50);
}

static void a_grid_in_another_order_is_found_to_be_so(void **state)
{
	static const uint32_t turned[] = {1, 0};
	struct grid_run run = {.dimensions = 1, .sizes = {2}, .ranks = 2};
	struct error err;

	(void)state;
	for (int ordered = 0; ordered < 2; ordered++) {
		struct grids grids = {0};

		flow_feed_begin(&run.feed, 2);
		run.comms[0] = run.comms[GRID] = run.feed.comm;
		if (!ordered) {
			run.comms[GRID].identity = false;
			run.comms[GRID].ranks = turned;
		}
		run.feed.world.comms = run.comms;
		run.feed.world.comm_count = 2;
		add_grid(&run);
		MUST(find(&run, &grids, &err));
		assert_int_equal(grids_call(&grids, 0, 0)->reordered, !ordered);
		grids_release(&grids);
	}
}

/* A graph of 4 places in which place 3 has no collective, and place 1 is not the rank 1. */
static void edges_of_a_graph_come_from_the_collectives_of_all_ranks(void **state)
{
	static const char *const neighbours[] = {"1,2;1,2", "0;0", "0,3;0,3"};
	static const struct flow_options options = {.level = FLOW_BY_CALL};
	static const uint32_t members[] = {0, 2, 1, 3};
	static const int32_t ends[] = {2, 4, 5, 5}, edges_of_all[] = {1, 2, 0, 3, 0};
	struct grid_numbers index = {0}, edges = {0};
	struct grid_run run = {.ranks = 4};
	struct grids grids = {0};
	struct flow *flow;
	struct error err;

	(void)state;
	flow_feed_begin(&run.feed, 4);
	run.comms[0] = run.comms[GRID] = run.feed.comm;
	run.comms[GRID].identity = false;
	run.comms[GRID].ranks = members;
	run.feed.world.comms = run.comms;
	run.feed.world.comm_count = 2;
	for (uint32_t rank = 0; rank < 4; rank++) {
		const struct mpi_event exchange = {.kind = EVENT_COLLECTIVE,
						   .comm = GRID,
						   .collective = COLL_ALLTOALL,
						   .root = NO_ROOT,
						   .neighbours = rank < 3 ? neighbours[rank]
									  : NULL};

		add_making(&run, rank, "MPI_Graph_create", 0, GRID);
		if (rank < 3)
			flow_feed_add(&run.feed, rank, "MPI_Neighbor_alltoall", &exchange, 1);
	}
	flow = flow_feed_build(&run.feed, &options);
	MUST(grids_find(&grids, flow, &err));
	assert_true(grids_call(&grids, 0, 0)->reordered);
	MUST(grids_edges(&grids, flow, grids_call(&grids, 0, 0), &index, &edges, &err));
	assert_int_equal(index.count, 4);
	assert_memory_equal(index.items, ends, sizeof ends);
	assert_int_equal(edges.count, 5);
	assert_memory_equal(edges.items, edges_of_all, sizeof edges_of_all);
	array_release(&index);
	array_release(&edges);
	grids_release(&grids);
	flow_release(flow);
	flow_feed_release(&run.feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_tell_the_shape),
		cmocka_unit_test(parts_tell_the_shape),
		cmocka_unit_test(what_is_no_grid_is_refused),
		cmocka_unit_test(a_grid_in_another_order_is_found_to_be_so),
		cmocka_unit_test(edges_of_a_graph_come_from_the_collectives_of_all_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
