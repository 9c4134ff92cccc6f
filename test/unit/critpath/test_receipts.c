/*
 * When messages are received and found by probes, in programs whose times are given to the nanosecond:
 * waits and all searches go by it.
 */
#include "critpath/graph/program_graph.h"
#include "critpath/graph/minimum_wait.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

/* Expect that all methods find a path without wait, and that the graph leaves out no edge. */
static void expect_all_agree(const struct made_run *made)
{
	static const struct minimum_wait_options options[] = {{0, SYNC_POINTS_OFF},
							      {7, SYNC_POINTS_OFF},
							      {UINT64_MAX, SYNC_POINTS_OFF},
							      {0, SYNC_POINTS_IN_TURN},
							      {7, SYNC_POINTS_AT_ONCE}};
	struct program_graph graph;
	struct error err;

	MUST(program_graph_build(&graph, &made->waits, &err));
	assert_int_equal(graph.left_out, 0);
	program_graph_release(&graph);
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		struct minimum_wait_found found;
		struct walk path;

		MUST(minimum_wait_path(&path, &made->waits, &options[i], dist_alone(), &found,
				       &err));
		assert_int_equal(found.wait_ns, 0);
		assert_int_equal(path.length_ns, made->walk.length_ns);
		for (int c = 0; c < WALK_CATEGORIES; c++)
			assert_int_equal(path.category_ns[c], made->walk.category_ns[c]);
		walk_release(&path);
	}
}

/* Whether the trace tells what probes have found, and how the message is received. */
struct way {
	bool told, matched, posts;
};

static void probe_message(struct made_run *made, const struct way *way, uint64_t sent)
{
	const char *probe = way->matched ? "MPI_Mprobe" : "MPI_Probe";

	if (way->told)
		made_call(made, 0, probe, 1000, sent + 20, PROBED(0, 1, 3));
	else
		made_plain(made, 0, probe, 1000, sent + 20);
	made_plain(made, 0, "MPI_Get_count", sent + 21, sent + 22);
	if (way->posts) {
		made_call(made, 0, way->matched ? "MPI_Imrecv" : "MPI_Irecv", sent + 30, sent + 31,
			  POST(1));
		made_call(made, 0, "MPI_Wait", sent + 32, sent + 40, IRECV(0, 1, 3, 8, 1));
	} else {
		made_call(made, 0, way->matched ? "MPI_Mrecv" : "MPI_Recv", sent + 30, sent + 40,
			  RECV(0, 1, 3, 8));
	}
	made_plain(made, 0, "MPI_Finalize", sent + 100, sent + 110);
}

static void the_run_takes_as_much_longer_as_the_send_that_a_probe_waits_for(void **state)
{
	const struct way ways[] = {{true, false, false}, {true, true, false},	{true, false, true},
				   {true, true, true},	 {false, false, false}, {false, false, true},
				   {false, true, false}, {false, true, true}};

	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		for (uint64_t sent = 5000; sent <= 1005000; sent += 1000000) {
			struct made_run made;

			made_begin(&made, 2);
			made.world.has_probes = ways[i].told;
			probe_message(&made, &ways[i], sent);
			made_call(&made, 1, "MPI_Send", sent, sent + 2, SEND(0, 0, 3, 8));
			made_plain(&made, 1, "MPI_Finalize", sent + 50, sent + 60);
			made_end(&made);
			made_expect_wait(&made, 0, 1, sent - 1000, 1, 1);
			assert_int_equal(made.walk.length_ns, sent + 100);
			assert_int_equal(made.walk.category_ns[WALK_UNKNOWN], 0);
			assert_int_equal(made.walk.segments.items[0].end_ns, sent);
			assert_int_equal(made.walk.segments.items[0].rank, 1);
			assert_int_equal(made.walk.segments.items[1].call, 1);
			expect_all_agree(&made);
			made_release(&made);
		}
}

static void a_probe_waits_for_the_message_that_it_has_found_whatever_comes_between(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made.world.has_probes = true;
	/* A receive of the same channel that was posted before the probe gets an earlier message. */
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(1));
	made_call(&made, 0, "MPI_Probe", 10, 65, PROBED(0, 1, 3));
	made_call(&made, 0, "MPI_Recv", 70, 90, RECV(0, 2, 3, 8));
	made_call(&made, 0, "MPI_Wait", 91, 92, IRECV(0, 1, 3, 8, 1));
	/* This one finds nothing, right before a receive. */
	made_plain(&made, 0, "MPI_Iprobe", 93, 95);
	made_call(&made, 0, "MPI_Recv", 96, 97, RECV(0, 1, 3, 8));
	made_call(&made, 1, "MPI_Send", 40, 41, SEND(0, 0, 3, 8));
	made_call(&made, 1, "MPI_Send", 60, 61, SEND(0, 0, 3, 8));
	made_call(&made, 2, "MPI_Send", 80, 81, SEND(0, 0, 3, 8));
	made_end(&made);
	made_expect_wait(&made, 0, 2, 50, 1, 2);
	made_expect_wait(&made, 0, 3, 10, 2, 1);
	made_expect_no_wait(&made, 0, 5);
	expect_all_agree(&made);
	made_release(&made);
}

static void a_freed_receive_depends_on_no_send(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(1));
	made_call(&made, 0, "MPI_Request_free", 10, 12, IRECV(0, 1, 3, 8, 1));
	made_call(&made, 1, "MPI_Send", 40, 41, SEND(0, 0, 3, 8));
	made_end(&made);
	made_expect_no_wait(&made, 0, 2);
	expect_all_agree(&made);
	made_release(&made);
}

static void a_probe_whose_message_the_trace_lacks_is_unknown(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made.world.has_probes = true;
	made_call(&made, 0, "MPI_Probe", 10, 65, PROBED(0, 1, 3));
	made_plain(&made, 0, "MPI_Finalize", 80, 90);
	made_plain(&made, 1, "MPI_Finalize", 40, 50);
	made_end(&made);
	made_expect_no_wait(&made, 0, 1);
	made_expect(&made, "0 compute 0-10, 0 unknown 10-65, 0 compute 65-80");
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_run_takes_as_much_longer_as_the_send_that_a_probe_waits_for),
		cmocka_unit_test(
			a_probe_waits_for_the_message_that_it_has_found_whatever_comes_between),
		cmocka_unit_test(a_freed_receive_depends_on_no_send),
		cmocka_unit_test(a_probe_whose_message_the_trace_lacks_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
