/*
 * One-sided communication from calls to graphs.  The runtimes of small programs are calculated by
 * hand from doc/trace-to-goal.md.
 */
#include "llamp/analysis/analysis.h"
#include "llamp/path/path_engine.h"
#include "llamp/simulate/build.h"
#include "schedgen/convert/convert_internal.h"
#include "schedgen/convert/rma.h"
#include "test/unit/lib/along.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_RANKS = 5 };
enum { L = 1000, O = 100 };		/* ns; G is 1 ns per byte */
enum { BARRIER = 2 * O + L };		/* of two ranks that come to it together */
enum { ROUND_TRIP = 4 * O + 2 * L };	/* there and back, of a byte or none */
enum { BYTES = 1001, B = BYTES - 1 };

static const uint32_t all[MOST_RANKS] = {0, 1, 2, 3, 4};

/* Both passes over a program. */
struct run {
	uint32_t ranks;
	struct trace_comm comm;
	struct trace_window windows[2];
	struct trace_world world;
	struct rma_plan plan;
	struct rma_origin origin;
	struct convert convert;
	bool planning;
	uint32_t thread;	/* that calls next */
	uint64_t now_ns, step_ns;	/* from call to call */
	uint64_t put_ns;		/* in each MPI_Put, in addition to the step */
	/* Slices by rank; NULL: the whole run.  When planning: */
	const struct rank_slice *parts;
	enum slice_stage stage;
	uint64_t messages, compute_ns, cut_halves;	/* of the graph */
	struct error err;
	uint64_t random;	/* the program's */
};
typedef void rank_program(struct run *run, uint32_t rank);

static void call_with(struct run *run, const char *function, const struct mpi_event *events,
		      uint32_t count)
{
	struct mpi_call call = {.function = function, .enter_ns = run->now_ns,
				.leave_ns = run->now_ns, .events = events, .event_count = count,
				.thread = run->thread};
	int result;

	if (!strcmp(function, "MPI_Put"))
		call.leave_ns += run->put_ns;
	run->now_ns = call.leave_ns + run->step_ns;
	if (run->planning && run->parts)
		run->stage = slice_stage_at(run->stage, &run->parts[run->origin.rank],
					      call.enter_ns);
	run->origin.outside = run->parts && run->stage != SLICE_INSIDE;
	result = run->planning
			     ? rma_plan_call(&run->plan, &run->origin, &call, &run->err)
			     : convert_call(&run->convert, &call, &run->err);

	if (result < 0)
		fail_msg("%s: %s", function, run->err.text);
}

#define CALL(function, ...)                                                                    \
	call_with(run, function, (struct mpi_event[]){__VA_ARGS__},                            \
		  sizeof((struct mpi_event[]){__VA_ARGS__}) / sizeof(struct mpi_event))
#define PUT(w, to, n, id)                                                                      \
	CALL("MPI_Put", {.kind = EVENT_RMA_PUT, .window = w, .peer = to, .bytes_sent = n,      \
			 .request = id})
#define GET(w, from, n, id)                                                                    \
	CALL("MPI_Get", {.kind = EVENT_RMA_GET, .window = w, .peer = from,                     \
			 .bytes_received = n, .request = id})
#define FETCH(w, at, n, id)                                                                    \
	CALL("MPI_Fetch_and_op", {.kind = EVENT_RMA_ATOMIC, .window = w, .peer = at,           \
				  .bytes_sent = n, .bytes_received = n, .request = id,         \
				  .atomic = RMA_FETCH_AND_ACCUMULATE, .operation = "MPI_SUM"})
#define DONE(w, id) {.kind = EVENT_RMA_COMPLETE, .window = w, .request = id}
#define THERE(w, id) {.kind = EVENT_RMA_COMPLETE_REMOTE, .window = w, .request = id}
#define SYNC(w, k) {.kind = EVENT_RMA_COLLECTIVE, .window = w, .collective = k}
#define CREATE(w)                                                                              \
	CALL("MPI_Win_create", {.kind = EVENT_WIN_CREATE, .window = w},                        \
	     SYNC(w, COLL_CREATE_HANDLE))
#define FREE(w)                                                                                \
	CALL("MPI_Win_free", {.kind = EVENT_WIN_DESTROY, .window = w},                         \
	     SYNC(w, COLL_DESTROY_HANDLE))
#define FENCE(w) CALL("MPI_Win_fence", SYNC(w, COLL_BARRIER))
#define GROUP(function, level, with)                                                           \
	CALL(function, {.kind = EVENT_RMA_GROUP_SYNC, .sync = level, .group_size = 1,          \
			.group_ranks = &all[with]})

static void run_rank(struct run *run, rank_program *program, uint32_t rank)
{
	run->now_ns = 1000;
	run->random = 7 + rank;
	run->stage = SLICE_BEFORE;
	if (run->planning)
		rma_origin_begin(&run->origin, rank);
	else
		convert_begin(&run->convert, rank);
	call_with(run, "MPI_Init", NULL, 0);
	program(run, rank);
	call_with(run, "MPI_Finalize", NULL, 0);
	if (!run->planning && convert_end(&run->convert, &run->err) < 0)
		fail_msg("%s", run->err.text);
}

static void init(struct run *run, uint32_t ranks, double reduce_ns_per_byte)
{
	struct convert_options options = {.compute_scale = 1, .rma_plan = &run->plan,
					  .reduce_ns_per_byte = reduce_ns_per_byte};
	struct error err;

	memset(run, 0, sizeof *run);
	run->comm = (struct trace_comm){.defined = true, .identity = true, .name = "",
					.size = ranks, .ranks = all};
	run->windows[0] = run->windows[1] = (struct trace_window){.defined = true, .name = ""};
	run->world = (struct trace_world){.rank_count = run->ranks = ranks, .comm_count = 1,
					  .comms = &run->comm, .window_count = 2,
					  .windows = run->windows};
	MUST(rma_plan_init(&run->plan, &run->world, &err));
	MUST(rma_origin_init(&run->origin, &run->world, NULL, &err));
	MUST(convert_init(&run->convert, &run->world, &options, &err));
}

static void release(struct run *run)
{
	rma_plan_release(&run->plan);
	rma_origin_release(&run->origin);
	convert_release(&run->convert);
}

/* Survey the channels of the slices. */
static void survey(struct run *run, rank_program *program, struct slice_channels *channels,
		   struct goal_tags *tags)
{
	struct error err;

	for (uint32_t rank = 0; rank < run->ranks; rank++) {
		run_rank(run, program, rank);
		MUST(goal_tags_join(&run->convert.tags, tags, &err));
		MUST(slice_channels_add(channels, rank, &run->convert.channels, &run->convert.tags,
					&err));
	}
}

static void write_rank(struct run *run, uint32_t rank, const struct slice_channels *channels,
		       struct goal_writer *writer)
{
	struct goal_builder *builder = &run->convert.builder;
	struct slice_dropped dropped = {0};
	struct error err;

	if (run->parts)
		MUST(slice_channels_apply(channels, rank, &run->convert.channels,
					  &run->convert.tags, builder, &dropped, &err));
	run->cut_halves += dropped.sends + dropped.others;
	for (size_t i = 0; i < builder->ops.count; i++)
		if (builder->ops.items[i].kind == GOAL_CALC)
			run->compute_ns += builder->ops.items[i].size;
		else
			run->messages += builder->ops.items[i].kind == GOAL_SEND;
	MUST(goal_writer_rank(writer, builder, &err));
}

static void make_graph(struct run *run, rank_program *program, struct goal *goal)
{
	struct goal_writer writer;
	struct goal_tags tags = {.world_comm = NO_COMM};
	struct slice_channels channels = {0};
	struct input image;
	struct error err;

	run->planning = true;
	for (uint32_t rank = 0; rank < run->ranks; rank++)
		run_rank(run, program, rank);
	rma_plan_sort(&run->plan);
	run->planning = false;
	run->convert.options.slices = run->parts;
	if (run->parts)
		survey(run, program, &channels, &tags);
	MUST(goal_writer_open_memory(&writer, run->ranks, &err));
	for (uint32_t rank = 0; rank < run->ranks; rank++) {
		run_rank(run, program, rank);
		write_rank(run, rank, &channels, &writer);
	}
	slice_channels_release(&channels);
	goal_tags_release(&tags);
	MUST(goal_writer_finish(&writer, &image, &err));
	MUST(goal_from_image(goal, &image, "graph", &err));
}

/* Runtime T.  Every message must have both ends, and the graph must have no cycle. */
static int64_t runtime_of(struct run *run, rank_program *program, uint64_t rendezvous)
{
	struct loggps loggps = loggps_of(INT64_C(1000000000) * L, INT64_C(1000000000) * O,
					 1000000000);
	struct cost_graph graph;
	struct goal goal;
	struct line line;
	struct error err;

	loggps.S = rendezvous;
	make_graph(run, program, &goal);
	MUST(cost_graph_build(&graph, &goal, &loggps, &err));
	MUST(path_evaluate(&graph, ALONG(&loggps, VARIABLE_L),
			   rational_from(loggps_value(&loggps, VARIABLE_L)), SIDE_RIGHT, &line,
			   NULL, &err));
	cost_graph_release(&graph);
	goal_release(&goal);
	return (int64_t)(line_runtime_ns(&line, rational_from(loggps_value(&loggps, VARIABLE_L))) +
			 0.5);
}

static void expect_runtime_of(uint32_t ranks, rank_program *program, double reduce_ns_per_byte,
			      int64_t expected_ns)
{
	struct run run;

	init(&run, ranks, reduce_ns_per_byte);
	assert_int_equal(runtime_of(&run, program, LOGGPS_NO_RENDEZVOUS), expected_ns);
	release(&run);
}

static void expect_runtime(rank_program *program, double reduce_ns_per_byte, int64_t expected_ns)
{
	expect_runtime_of(2, program, reduce_ns_per_byte, expected_ns);
}

/* ------------------------------------------------------------------ fences */

static void put_in_fences(struct run *run, uint32_t rank)
{
	CREATE(0);
	FENCE(0);
	if (rank == 0) {
		PUT(0, 1, BYTES, 5);
		CALL("MPI_Win_fence", DONE(0, 5), SYNC(0, COLL_BARRIER));
	} else {
		FENCE(0);
	}
}

static void get_in_fences(struct run *run, uint32_t rank)
{
	CREATE(0);
	FENCE(0);
	if (rank == 0) {
		GET(0, 1, BYTES, 5);
		CALL("MPI_Win_fence", DONE(0, 5), THERE(0, 5), SYNC(0, COLL_BARRIER));
	} else {
		FENCE(0);
	}
}

static void the_target_leaves_the_fence_when_the_data_is_there(void **state)
{
	(void)state;
	/* The target's end of the fence, or the data that travels concurrently. */
	expect_runtime(put_in_fences, 0, 2 * BARRIER + L + (2 * O + B > 3 * O ? 2 * O + B : 3 * O));
}

static void the_origin_enters_the_fence_when_a_get_is_back(void **state)
{
	(void)state;
	expect_runtime(get_in_fences, 0, 2 * BARRIER + (4 * O + 2 * L + B) + (2 * O + L));
}

/* ------------------------------------------------------------------- locks */

static void put_under_a_lock(struct run *run)
{
	CALL("MPI_Win_lock", {.kind = EVENT_RMA_LOCK, .peer = 1, .exclusive = true});
	PUT(0, 1, BYTES, 5);
	CALL("MPI_Win_unlock", DONE(0, 5), THERE(0, 5), {.kind = EVENT_RMA_UNLOCK, .peer = 1});
}

static void put_in_a_lock(struct run *run, uint32_t rank)
{
	CREATE(0);
	if (rank == 0)
		put_under_a_lock(run);
}

static void a_lock_and_an_unlock_are_round_trips(void **state)
{
	(void)state;
	expect_runtime(put_in_a_lock, 0, BARRIER + (4 * O + 2 * L) + (4 * O + 2 * L + B));
}

static void fetch_in_lock_all(struct run *run, uint32_t rank)
{
	CREATE(0);
	CALL("MPI_Win_lock_all", {.kind = EVENT_RMA_LOCK, .peer = RMA_ALL});
	if (rank == 0) {
		FETCH(0, 1, 8, 5);
		CALL("MPI_Win_flush", DONE(0, 5), THERE(0, 5));
	}
	CALL("MPI_Win_unlock_all", {.kind = EVENT_RMA_UNLOCK, .peer = RMA_ALL});
}

static void a_fetch_goes_there_combines_and_comes_back(void **state)
{
	(void)state;
	expect_runtime(fetch_in_lock_all, 0, BARRIER + ROUND_TRIP + ROUND_TRIP + 2 * 7);
	expect_runtime(fetch_in_lock_all, 3, BARRIER + ROUND_TRIP + ROUND_TRIP + 2 * 7 + 8 * 3);
}

/* Twice rank 0 writes to both other ranks, to one of them twice, and to itself. */
static void put_in_lock_all(struct run *run, uint32_t rank)
{
	CREATE(0);
	for (int i = 0; i < 2; i++) {
		CALL("MPI_Win_lock_all", {.kind = EVENT_RMA_LOCK, .peer = RMA_ALL});
		for (uint32_t target = 0; rank == 0 && target < 3; target++)
			PUT(0, target, 1, 5);
		if (rank == 0)
			PUT(0, 2, 1, 5);
		CALL("MPI_Win_unlock_all", DONE(0, 5), THERE(0, 5),
		     {.kind = EVENT_RMA_UNLOCK, .peer = RMA_ALL});
	}
}

/*
 * The second request leaves o after the first, and its grant is back after o + ROUND_TRIP.  The
 * last of three puts leaves 2 o after the first, and its acknowledgement is back ROUND_TRIP after
 * that.
 */
static void a_lock_of_all_is_one_of_each_that_is_accessed(void **state)
{
	const int64_t made = 2 * BARRIER;	/* of three ranks: two rounds */

	(void)state;
	expect_runtime_of(3, put_in_lock_all, 0, made + 2 * (O + ROUND_TRIP + 2 * O + ROUND_TRIP));
}

static void nothing_but_locks_of_all(struct run *run, uint32_t rank)
{
	CREATE(0);
	CALL("MPI_Win_lock_all", {.kind = EVENT_RMA_LOCK, .peer = RMA_ALL});
	PUT(0, rank, 1, 5);
	CALL("MPI_Win_unlock_all", DONE(0, 5), THERE(0, 5),
	     {.kind = EVENT_RMA_UNLOCK, .peer = RMA_ALL});
}

static void a_lock_of_all_under_which_nobody_is_accessed_is_nothing(void **state)
{
	(void)state;
	expect_runtime(nothing_but_locks_of_all, 0, BARRIER);
}

/* The lock is held by rank 0 on itself: nobody is asked, nothing is moved. */
static void put_to_itself(struct run *run, uint32_t rank)
{
	CREATE(0);
	CALL("MPI_Win_lock", {.kind = EVENT_RMA_LOCK, .peer = rank});
	PUT(0, rank, BYTES, 5);
	CALL("MPI_Win_unlock", DONE(0, 5), THERE(0, 5), {.kind = EVENT_RMA_UNLOCK, .peer = rank});
}

static void accesses_of_a_rank_to_itself_are_not_messages(void **state)
{
	(void)state;
	expect_runtime(put_to_itself, 0, BARRIER);
}

static void time_in_accesses_of_a_rank_to_itself_is_computation(void **state)
{
	struct run run;

	(void)state;
	init(&run, 2, 0);
	run.put_ns = 300;
	assert_int_equal(runtime_of(&run, put_to_itself, LOGGPS_NO_RENDEZVOUS), BARRIER + 300);
	release(&run);
	init(&run, 2, 0);
	run.put_ns = 300;
	assert_int_equal(runtime_of(&run, put_in_a_lock, LOGGPS_NO_RENDEZVOUS),
			 BARRIER + 2 * ROUND_TRIP + B);
	release(&run);
}

/* Rank 1 computes nothing and is not asked before it frees the window. */
static void put_and_free(struct run *run, uint32_t rank)
{
	put_in_a_lock(run, rank);
	FREE(0);
}

static void freeing_is_a_barrier_after_the_unlock(void **state)
{
	int64_t unlocked = BARRIER + (4 * O + 2 * L) + (4 * O + 2 * L + B);

	(void)state;
	/* Rank 1 waits for rank 0, which comes last: send, latency, receive. */
	expect_runtime(put_and_free, 0, unlocked + 2 * O + L);
}

/* ------------------------------------------------------------------ groups */

static void put_in_an_epoch_of_groups(struct run *run, uint32_t rank)
{
	if (rank == 0) {
		GROUP("MPI_Win_start", RMA_SYNC_PROCESS, 1);
		PUT(0, 1, BYTES, 5);
		CALL("MPI_Win_complete", DONE(0, 5),
		     {.kind = EVENT_RMA_GROUP_SYNC, .sync = RMA_SYNC_PROCESS | RMA_SYNC_MEMORY,
		      .group_size = 1, .group_ranks = &all[1]});
	} else {
		GROUP("MPI_Win_post", RMA_SYNC_PROCESS, 0);
		GROUP("MPI_Win_test", RMA_SYNC_NONE, 0);
		GROUP("MPI_Win_wait", RMA_SYNC_PROCESS | RMA_SYNC_MEMORY, 0);
	}
}

static void put_in_groups(struct run *run, uint32_t rank)
{
	CREATE(0);
	put_in_an_epoch_of_groups(run, rank);
}

static void the_origin_waits_for_the_post_and_the_target_for_the_data(void **state)
{
	(void)state;
	expect_runtime(put_in_groups, 0,
		       BARRIER + (2 * O + L) + L + (2 * O + B > 3 * O ? 2 * O + B : 3 * O));
}

/* The trace of rank 1 ends before its second post, the trace of rank 0 does not. */
static void cut_off(struct run *run, uint32_t rank)
{
	put_in_groups(run, rank);
	if (rank == 0) {
		GROUP("MPI_Win_start", RMA_SYNC_PROCESS, 1);
		PUT(0, 1, BYTES, 6);
		PUT(0, 1, BYTES, 6);
		PUT(1, 1, BYTES, 7);
	}
}

static void synchronisations_without_the_other_side_are_counted_and_left_out(void **state)
{
	struct run run;

	(void)state;
	init(&run, 2, 0);
	runtime_of(&run, cut_off, LOGGPS_NO_RENDEZVOUS);
	assert_int_equal(run.convert.totals.rma.lost_syncs, 1);
	/* Two equal ones, and one on a window that the target has not made. */
	assert_int_equal(run.convert.totals.rma.lost_operations, 2);
	release(&run);
}

/* ------------------------------------------------------------------ random */

static uint32_t random_below(struct run *run, uint32_t limit)
{
	run->random = run->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(run->random >> 33) % limit;
}

/* Iteration i of the rank begins at this time. */
enum { ITERATIONS = 10, PERIOD = 100 };
static void begin_iteration(struct run *run, uint32_t i)
{
	run->now_ns = 2000 + PERIOD * i;
}

static void random_operations(struct run *run, uint32_t rank, uint32_t window, uint32_t only)
{
	for (uint32_t n = random_below(run, 6); n; n--) {
		uint32_t target = only < run->ranks ? only : random_below(run, run->ranks);
		uint32_t bytes = random_below(run, 100), kind = random_below(run, 3);

		(void)rank;
		if (kind == 0)
			PUT(window, target, bytes, 2 * target);
		else if (kind == 1)
			GET(window, target, bytes, 2 * target + 1);
		else
			FETCH(window, target, bytes, 2 * target);
	}
}

static void complete_all(struct run *run, uint32_t window, bool there)
{
	for (uint32_t target = 0; target < run->ranks; target++) {
		CALL("MPI_Win_flush", DONE(window, 2 * target), DONE(window, 2 * target + 1),
		     THERE(window, 2 * target + 1));
		if (there)
			CALL("MPI_Win_flush", THERE(window, 2 * target));
	}
}

/* Epochs of all kinds on two windows, in an order that no rank chooses alone. */
static void random_program(struct run *run, uint32_t rank)
{
	uint32_t right = (rank + 1) % run->ranks, left = (rank + run->ranks - 1) % run->ranks;

	CREATE(0);
	CREATE(1);
	for (int i = 0; i < 12; i++) {
		uint32_t window = i % 2, target = random_below(run, run->ranks);

		/* Nobody begins an epoch, or frees a window, before all have come to it. */
		if (run->step_ns)
			begin_iteration(run, (uint32_t)i);
		if (i % 4 == 3) {
			CALL("MPI_Win_lock_all", {.kind = EVENT_RMA_LOCK, .window = window,
						  .peer = RMA_ALL});
			random_operations(run, rank, window, run->ranks);
			complete_all(run, window, true);
			CALL("MPI_Win_unlock_all", {.kind = EVENT_RMA_UNLOCK, .window = window,
						    .peer = RMA_ALL});
		} else if (i % 3 == 0) {
			FENCE(window);
			random_operations(run, rank, window, run->ranks);
			complete_all(run, window, false);
			FENCE(window);
		} else if (i % 3 == 1) {
			CALL("MPI_Win_lock", {.kind = EVENT_RMA_LOCK, .window = window,
					      .peer = target});
			random_operations(run, rank, window, target);
			complete_all(run, window, true);
			CALL("MPI_Win_unlock", {.kind = EVENT_RMA_UNLOCK, .window = window,
						.peer = target});
		} else {
			CALL("MPI_Win_post", {.kind = EVENT_RMA_GROUP_SYNC, .window = window,
					      .sync = RMA_SYNC_PROCESS, .group_size = 1,
					      .group_ranks = &all[left]});
			CALL("MPI_Win_start", {.kind = EVENT_RMA_GROUP_SYNC, .window = window,
					       .sync = RMA_SYNC_PROCESS, .group_size = 1,
					       .group_ranks = &all[right]});
			random_operations(run, rank, window, right);
			complete_all(run, window, false);
			CALL("MPI_Win_complete", {.kind = EVENT_RMA_GROUP_SYNC, .window = window,
						  .sync = RMA_SYNC_MEMORY, .group_size = 1,
						  .group_ranks = &all[right]});
			CALL("MPI_Win_wait", {.kind = EVENT_RMA_GROUP_SYNC, .window = window,
					      .sync = RMA_SYNC_MEMORY, .group_size = 1,
					      .group_ranks = &all[left]});
		}
	}
	if (run->step_ns)
		begin_iteration(run, 12);
	FREE(1);
	FREE(0);
}

static void random_programs_match_and_end_at_any_protocol(void **state)
{
	(void)state;
	for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks++) {
		for (uint64_t rendezvous = 0; rendezvous <= 100; rendezvous += 50) {
			struct run run;

			init(&run, ranks, 1);
			runtime_of(&run, random_program, rendezvous);
			assert_int_equal(run.convert.totals.rma.lost_operations, 0);
			assert_int_equal(run.convert.totals.rma.lost_syncs, 0);
			if (ranks > 1)
				assert_true(run.convert.totals.rma.operations > 0);
			release(&run);
		}
	}
}

/* Runs of equal operations are planned as one. */
static void put_often(struct run *run, uint32_t rank)
{
	CREATE(0);
	FENCE(0);
	for (int i = 0; rank == 0 && i < 1000; i++)
		PUT(0, 1, 8, 5);
	CALL("MPI_Win_fence", DONE(0, 5), SYNC(0, COLL_BARRIER));
}

static void equal_operations_are_planned_once_and_received_each(void **state)
{
	struct run run;
	struct goal goal;

	(void)state;
	init(&run, 2, 0);
	run.planning = true;
	for (uint32_t rank = 0; rank < 2; rank++)
		run_rank(&run, put_often, rank);
	assert_int_equal(run.plan.targets[1].entries.count, 1);
	assert_int_equal(run.plan.targets[1].entries.items[0].repeat, 1000);
	release(&run);
	init(&run, 2, 0);
	make_graph(&run, put_often, &goal);
	assert_int_equal(run.convert.totals.rma.operations, 1000);
	goal_release(&goal);
	release(&run);
}

/*
 * Thread 1 of both ranks opens the epoch, and thread 0 ends it.  Thread 1 of the origin writes,
 * too.
 */
static void put_by_threads(struct run *run, uint32_t rank)
{
	CREATE(0);
	run->thread = 1;
	FENCE(0);
	if (rank == 0)
		PUT(0, 1, BYTES, 5);
	run->thread = 0;
	if (rank == 0)
		CALL("MPI_Win_fence", DONE(0, 5), SYNC(0, COLL_BARRIER));
	else
		FENCE(0);
}

/* Find the only operation of the rank of this kind with `bytes` bytes. */
static uint32_t find_op(const struct run *run, enum goal_kind kind, uint64_t bytes)
{
	uint32_t found = NO_OP;

	for (uint32_t i = 0; i < run->convert.builder.ops.count; i++) {
		const struct goal_new_op *op = &run->convert.builder.ops.items[i];

		if (op->kind != kind || op->size != bytes)
			continue;
		assert_int_equal(found, NO_OP);
		found = i;
	}
	assert_int_not_equal(found, NO_OP);
	return found;
}

static void operations_are_of_the_thread_that_calls_them(void **state)
{
	struct run run;

	(void)state;
	init(&run, 2, 0);
	run.planning = true;
	for (uint32_t rank = 0; rank < 2; rank++)
		run_rank(&run, put_by_threads, rank);
	rma_plan_sort(&run.plan);
	run.planning = false;
	for (uint32_t rank = 0; rank < 2; rank++) {
		run_rank(&run, put_by_threads, rank);
		assert_int_equal(run.convert.builder.ops.items[find_op(
					 &run, rank ? GOAL_RECV : GOAL_SEND, BYTES)].cpu, 1);
	}
	assert_int_equal(run.convert.totals.rma.lost_operations, 0);
	release(&run);
}

/* Thread 0 of the target sends to the origin after leaving the last fence. */
static void put_by_threads_and_answer(struct run *run, uint32_t rank)
{
	put_by_threads(run, rank);
	if (rank == 0)
		CALL("MPI_Recv", {.kind = EVENT_RECV, .peer = 1, .bytes = 1});
	else
		CALL("MPI_Send", {.kind = EVENT_SEND, .peer = 0, .bytes = 1});
}

/*
 * Both threads have a barrier from 0 on.  The put follows the barrier of thread 1, and ends 2o + L
 * + (s - 1)G later in the target, after the last barrier.  The answer follows.
 */
static void a_thread_that_ends_an_epoch_waits_for_data_of_another_thread(void **state)
{
	(void)state;
	expect_runtime(put_by_threads_and_answer, 0, BARRIER + (2 * O + L + B) + (2 * O + L));
}

/* ------------------------------------------------------ slices of the run */

static void fences_in_a_loop(struct run *run, uint32_t rank)
{
	CREATE(0);
	FENCE(0);
	for (uint32_t i = 0; i < ITERATIONS; i++) {
		begin_iteration(run, i);
		if (rank == 0)
			PUT(0, 1, 1, 5);
		CALL("MPI_Win_fence", DONE(0, 5), SYNC(0, COLL_BARRIER));
	}
	run->now_ns += PERIOD;
}

static void locks_in_a_loop(struct run *run, uint32_t rank)
{
	CREATE(0);
	for (uint32_t i = 0; i < ITERATIONS; i++) {
		begin_iteration(run, i);
		if (rank == 1)
			CALL("MPI_Win_sync", {.kind = EVENT_RMA_SYNC});
		else
			put_under_a_lock(run);
	}
	run->now_ns += PERIOD;
}

static void groups_in_a_loop(struct run *run, uint32_t rank)
{
	CREATE(0);
	for (uint32_t i = 0; i < ITERATIONS; i++) {
		begin_iteration(run, i);
		put_in_an_epoch_of_groups(run, rank);
	}
	run->now_ns += PERIOD;
}

/* T of the slice from one iteration to before another, and its messages. */
static void expect_window(rank_program *program, uint32_t from, uint32_t to, int64_t expected_ns,
			  uint64_t messages)
{
	const struct rank_slice slice = {2000 + PERIOD * from, 2000 + PERIOD * to};
	const struct rank_slice slices[2] = {slice, slice};
	struct run run;

	init(&run, 2, 0);
	run.parts = slices;
	assert_int_equal(runtime_of(&run, program, LOGGPS_NO_RENDEZVOUS), expected_ns);
	assert_int_equal(run.messages, messages);
	assert_int_equal(run.cut_halves, 0);
	release(&run);
}

/*
 * Fences: in the first iteration rank 0 leaves at 2o + L.  Rank 1 leaves at 3o + L, because it
 * waits for the message after the message of the put.  Rank 1 therefore enters the second fence o
 * later.  Both leave it 2o + L after that, and the cycle repeats.  The edge cuts the last
 * computation.
 */
static void a_slice_of_iterations_takes_as_long_as_the_iterations(void **state)
{
	const int64_t two_fences = (3 * O + L) + PERIOD + (2 * O + L) + PERIOD;
	const int64_t a_lock = 2 * ROUND_TRIP + B + PERIOD;
	const int64_t a_group = (2 * O + L) + L + (2 * O + B) + PERIOD;

	(void)state;
	for (uint32_t from = 0; from < ITERATIONS; from += 3) {
		for (uint32_t count = 2; from + count <= ITERATIONS; count += 2) {
			const uint32_t to = from + count;

			expect_window(fences_in_a_loop, from, to, count / 2 * two_fences,
				      3 * count);
			expect_window(locks_in_a_loop, from, to, count * a_lock, 4 * count);
			expect_window(groups_in_a_loop, from, to, count * a_group, 3 * count);
		}
	}
}

/* The epoch is opened before the slice: the data is received from its begin on. */
static void the_end_of_an_epoch_opened_before_the_slice_waits_for_its_data(void **state)
{
	const struct rank_slice slices[2] = {{1003, UINT64_MAX}, {1003, UINT64_MAX}};
	struct run run;

	(void)state;
	init(&run, 2, 0);
	run.step_ns = 1;
	run.parts = slices;
	/* Init, create, fence, then the put from 0 on and the fence, a step later in the target. */
	assert_int_equal(runtime_of(&run, put_in_fences, LOGGPS_NO_RENDEZVOUS),
			 L + 2 * O + B + 1);
	assert_int_equal(run.messages, 3);
	release(&run);
}

/* Add the part of a random program from begin_ns until before end_ns. */
static void add_part(struct run *sum, uint32_t ranks, uint64_t begin_ns, uint64_t end_ns)
{
	struct rank_slice slices[MOST_RANKS];
	struct run run;

	for (uint32_t rank = 0; rank < ranks; rank++)
		slices[rank] = (struct rank_slice){begin_ns, end_ns};
	init(&run, ranks, 1);
	run.step_ns = 1;
	run.parts = slices;
	runtime_of(&run, random_program, 50);
	sum->messages += run.messages;
	sum->compute_ns += run.compute_ns;
	sum->cut_halves += run.cut_halves;
	release(&run);
}

/* Each message is in one slice or has one half in each of two.  Every graph must match and end. */
static void adjacent_slices_have_all_messages_but_those_that_cross(void **state)
{
	uint64_t cut_halves = 0;

	(void)state;
	for (uint32_t ranks = 2; ranks <= MOST_RANKS; ranks++) {
		for (uint64_t length_ns = 7; length_ns < 400; length_ns = 2 * length_ns + 1) {
			struct run parts = {0}, whole = {0};

			for (uint64_t begin_ns = 0; begin_ns < 4000; begin_ns += length_ns)
				add_part(&parts, ranks, begin_ns, begin_ns + length_ns);
			add_part(&whole, ranks, 0, UINT64_MAX);
			assert_int_equal(2 * parts.messages + parts.cut_halves, 2 * whole.messages);
			assert_int_equal(parts.compute_ns, whole.compute_ns);
			assert_int_equal(whole.cut_halves, 0);
			cut_halves += parts.cut_halves;
		}
	}
	assert_true(cut_halves > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_target_leaves_the_fence_when_the_data_is_there),
		cmocka_unit_test(the_origin_enters_the_fence_when_a_get_is_back),
		cmocka_unit_test(a_lock_and_an_unlock_are_round_trips),
		cmocka_unit_test(a_fetch_goes_there_combines_and_comes_back),
		cmocka_unit_test(a_lock_of_all_is_one_of_each_that_is_accessed),
		cmocka_unit_test(a_lock_of_all_under_which_nobody_is_accessed_is_nothing),
		cmocka_unit_test(accesses_of_a_rank_to_itself_are_not_messages),
		cmocka_unit_test(time_in_accesses_of_a_rank_to_itself_is_computation),
		cmocka_unit_test(freeing_is_a_barrier_after_the_unlock),
		cmocka_unit_test(the_origin_waits_for_the_post_and_the_target_for_the_data),
		cmocka_unit_test(synchronisations_without_the_other_side_are_counted_and_left_out),
		cmocka_unit_test(random_programs_match_and_end_at_any_protocol),
		cmocka_unit_test(equal_operations_are_planned_once_and_received_each),
		cmocka_unit_test(operations_are_of_the_thread_that_calls_them),
		cmocka_unit_test(a_thread_that_ends_an_epoch_waits_for_data_of_another_thread),
		cmocka_unit_test(a_slice_of_iterations_takes_as_long_as_the_iterations),
		cmocka_unit_test(the_end_of_an_epoch_opened_before_the_slice_waits_for_its_data),
		cmocka_unit_test(adjacent_slices_have_all_messages_but_those_that_cross),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
