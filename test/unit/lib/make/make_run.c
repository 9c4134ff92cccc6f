#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/lib/check/dist_check.h"
#include "test/unit/lib/must.h"
#include "critpath/match/run_match.h"

void made_begin(struct made_run *made, uint32_t ranks)
{
	struct error err;

	memset(made, 0, sizeof *made);
	made->world = (struct trace_world){.rank_count = ranks, .comms = made->comms};
	made->run.world = &made->world;
	made->run.rank_count = made->run.own_end = ranks;
	MUST(allocate(&made->run.ranks, ranks, sizeof *made->run.ranks, &err));
	for (uint32_t r = 0; r < ranks; r++)
		made->members[0][r] = r;
	made_comm(made, ranks, made->members[0]);
	made->comms[0].identity = true;
	made->comms[1] = (struct trace_comm){.defined = true, .self = true, .name = "", .size = 1};
	made->world.comm_count = 2;
	for (uint32_t r = 0; r < ranks; r++) {
		struct measured_reading *reading = &made->readings[r];

		made->run.ranks[r].rank = r;
		reading->world = &made->world;
		reading->names = &made->run.names;
		measured_reading_begin(reading, &made->run.ranks[r]);
	}
}

uint32_t made_comm(struct made_run *made, uint32_t size, const uint32_t *ranks)
{
	const uint32_t id = made->world.comm_count++;

	assert_in_range(id, 0, MADE_COMMS - 1);
	memmove(made->members[id], ranks, size * sizeof *ranks);
	made->comms[id] = (struct trace_comm){.defined = true,
					      .name = "",
					      .size = size,
					      .ranks = made->members[id]};
	return id;
}

static void take(struct made_run *made, uint32_t rank, const struct mpi_call *call)
{
	struct mpi_call shifted = *call;
	struct error err;

	shifted.enter_ns += MADE_BEGIN_NS + (uint64_t)made->clocks_ns[rank];
	shifted.leave_ns += MADE_BEGIN_NS + (uint64_t)made->clocks_ns[rank];
	MUST(measured_take_call(&made->readings[rank], &shifted, &err));
	MUST(iteration_finder_call(made->finders[rank], &shifted, &err));
}

void made_take(struct made_run *made, uint32_t rank, const struct mpi_call *call)
{
	const struct mpi_call init = {.function = "MPI_Init", .enter_ns = (uint64_t)-100};

	struct error err;

	if (!made->finders[rank]) {
		MUST(iteration_finder_begin(&made->finders[rank], &made->world, rank, NULL, NULL,
					    &err));
		take(made, rank, &init);
	}
	take(made, rank, call);
}

void made_check(const struct measured_run *run, const struct waits *waits, const struct walk *walk,
		const struct totals *totals)
{
	uint64_t at_ns = 0, sum_ns = 0;

	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];

		assert_int_equal(segment->start_ns, at_ns);
		assert_true(segment->end_ns > at_ns);
		assert_true(segment->rank < run->rank_count);
		at_ns = segment->end_ns;
	}
	assert_int_equal(at_ns, walk->length_ns);
	assert_int_equal(walk->length_ns, run->end_ns - run->begin_ns);
	for (int c = 0; c < WALK_CATEGORIES; c++)
		sum_ns += walk->category_ns[c];
	assert_int_equal(sum_ns, walk->length_ns);
	assert_int_equal(totals->sum.path_compute_ns, walk->category_ns[WALK_COMPUTE]);
	assert_int_equal(totals->sum.path_mpi_ns, walk->category_ns[WALK_CALL]);
	for (uint32_t r = 0; r < run->rank_count; r++) {
		const struct measured_rank *rank = &run->ranks[r];
		const struct rank_total *total = &totals->ranks[r];

		assert_int_equal(total->compute_ns + total->mpi_ns, rank->end_ns - rank->begin_ns);
		assert_true(total->wait_ns <= total->mpi_ns);
		for (uint32_t c = 0; c < rank->calls.count; c++)
			assert_true(wait_ns(waits, r, c) <=
				    rank->calls.items[c].leave_ns - rank->calls.items[c].enter_ns);
	}
}

/* Check that processes that share the run find the same: one number of them for each run. */
static void check_shares(const struct made_run *made)
{
	static uint32_t runs;
	const struct found_alone alone = {&made->run, &made->waits, &made->walk, &made->totals};

	dist_check(&alone, 1 + runs++ % 5);
}

void made_match(struct made_run *made)
{
	struct error err;

	for (uint32_t r = 0; r < made->run.rank_count; r++)
		MUST(measured_reading_end(&made->readings[r], &err));
	for (uint32_t r = 0; r < made->run.rank_count; r++)
		if (made->finders[r])
			MUST(iteration_finder_end(made->finders[r], &made->iterations[r], &err));
	made->run.iterations = made->iterations;
	MUST(run_match(&made->run, dist_alone(), &err));
}

void made_end(struct made_run *made)
{
	struct error err;

	made_match(made);
	MUST(waits_find(&made->waits, &made->run, dist_alone(), &err));
	MUST(walk_find(&made->walk, &made->waits, dist_alone(), &err));
	MUST(totals_find(&made->totals, &made->waits, &made->walk, dist_alone(), &err));
	made_check(&made->run, &made->waits, &made->walk, &made->totals);
	check_shares(made);
}

void made_release(struct made_run *made)
{
	for (uint32_t r = 0; r < made->run.rank_count; r++)
		measured_reading_release(&made->readings[r]);
	for (uint32_t r = 0; r < made->run.rank_count; r++) {
		iteration_finder_release(made->finders[r]);
		iterations_release(&made->iterations[r]);
	}
	totals_release(&made->totals);
	walk_release(&made->walk);
	waits_release(&made->waits);
	measured_run_release(&made->run);
}

void made_expect(const struct made_run *made, const char *path)
{
	char text[4096] = "";
	size_t length = 0;

	for (size_t i = 0; i < made->walk.segments.count; i++) {
		const struct walk_segment *segment = &made->walk.segments.items[i];
		const char *what = walk_category_names[segment->category];

		if (segment->category == WALK_CALL)
			what = measured_function(
				&made->run.names,
				made->run.ranks[segment->rank].calls.items[segment->call].function);
		length += (size_t)snprintf(text + length, sizeof text - length,
					   "%s%u %s %" PRIu64 "-%" PRIu64, i ? ", " : "",
					   segment->rank, what, segment->start_ns, segment->end_ns);
		assert_true(length < sizeof text);
	}
	assert_string_equal(text, path);
}

void made_expect_wait(const struct made_run *made, uint32_t rank, uint32_t call, uint64_t ns,
		      uint32_t for_rank, uint32_t for_call)
{
	const struct wait *wait = wait_at(&made->waits, rank, call);

	assert_true(call < made->run.ranks[rank].calls.count);
	assert_int_equal(wait_ns(&made->waits, rank, call), ns);
	assert_int_not_equal(wait->kind, WAIT_NONE);
	assert_int_equal(wait->rank, for_rank);
	assert_int_equal(wait->call, for_call);
}

void made_expect_no_wait(const struct made_run *made, uint32_t rank, uint32_t call)
{
	assert_true(call < made->run.ranks[rank].calls.count);
	assert_int_equal(wait_at(&made->waits, rank, call)->kind, WAIT_NONE);
	assert_int_equal(wait_ns(&made->waits, rank, call), 0);
}
