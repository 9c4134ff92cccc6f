/* Begin and end of slices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/make/make_archive.h"
#include "trace/sequence/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void edges_are_times_regions_and_iterations(void **state)
{
	struct slice_edge edge = {0};
	struct error err;

	(void)state;
	assert_int_equal(slice_edge_parse(&edge, "100.5s", &err), 0);
	assert_int_equal(edge.kind, SLICE_TIME);
	assert_int_equal(edge.time_ns, 100500000000);
	assert_int_equal(slice_edge_parse(&edge, "iteration:17", &err), 0);
	assert_int_equal(edge.kind, SLICE_ITERATION);
	assert_int_equal(edge.number, 17);
	assert_int_equal(slice_edge_parse(&edge, "region:solver::step(int)", &err), 0);
	assert_string_equal(edge.region, "solver::step(int)");
	assert_int_equal(edge.number, 1);
	assert_int_equal(slice_edge_parse(&edge, "region:solver::step:3", &err), 0);
	assert_string_equal(edge.region, "solver::step");
	assert_int_equal(edge.number, 3);
	slice_edge_release(&edge);
}

static void invalid_edges_are_refused(void **state)
{
	static const char *const wrong[] = {"", "-1s", "1h", "iteration:", "iteration:0",
					    "iteration:x", "region:", "region::3", "region:a:0"};
	struct slice_edge edge = {0};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		if (slice_edge_parse(&edge, wrong[i], &err) == 0)
			fail_msg("\"%s\" is taken", wrong[i]);
		assert_int_equal(err.status, STATUS_USAGE);
		slice_edge_release(&edge);
	}
}

static void only_calls_in_the_slice_are_converted(void **state)
{
	/* From 60 ns before the second MPI_Irecv to 70 ns after the second MPI_Send. */
	struct rank_slice slices[4] = {{0}};
	const struct convert_options options = {.compute_scale = 1, .slices = slices};
	struct feed feed;

	(void)state;
	slices[1] = (struct rank_slice){1000000 + 10 + 250, 1000000 + 10 + 600};
	feed_init(&feed, &options);
	feed_begin(&feed, 1);
	feed_ok(&feed, 50, "MPI_Irecv", POST(1));
	feed_ok(&feed, 40, "MPI_Send", SEND(0, 2, 5, 8));
	feed_ok(&feed, 200, "MPI_Irecv", POST(2));
	feed_ok(&feed, 200, "MPI_Send", SEND(0, 2, 5, 9));
	feed_ok(&feed, 100, "MPI_Waitall", IRECV(0, 3, 5, 8, 1), IRECV(0, 3, 5, 7, 2));
	feed_plain(&feed, 100, "MPI_Finalize");
	feed_end(&feed);
	feed_expect(&feed, "calc 60\n"
			   "recv 7 from 3 tag 5 > 0\n"
			   "calc 200 > 0\n"
			   "send 9 to 2 tag 5 > 2\n"
			   "calc 70 > 3\n");
	/* A message of each channel was before the slice. */
	assert_int_equal(feed.convert.channels.ends.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(feed.convert.channels.ends.items[i].first, 1);
		assert_int_equal(feed.convert.channels.ends.items[i].count, 1);
	}
	feed_release(&feed);
}

static void regions_are_found_on_all_ranks_or_none(void **state)
{
	struct slice_edge edge = {.kind = SLICE_REGION, .number = 1};
	struct rank_slice slices[2];
	struct trace_reader *reader;
	char *folder = make_folder(), path[512];
	struct error err;

	(void)state;
	make_archive(folder, "archive", FLAW_NONE);
	snprintf(path, sizeof path, "%s/archive", folder);
	if (trace_reader_open(&reader, path, &err) < 0)
		fail_msg("%s", err.text);
	edge.region = (char[]){"no such region"};
	assert_int_equal(slices_find(slices, reader, 0, 0, 2, &edge, &edge, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text,
			       "region 'no such region' does not occur on rank 0"));
	edge.region = (char[]){"ain"};
	assert_int_equal(slices_find(slices, reader, 0, 0, 2, &edge, &edge, &err), -1);
	assert_string_equal(err.text, "region 'ain' does not occur on rank 0, but 'main' does");
	/* Functions of MPI are no regions. */
	edge.region = (char[]){"MPI_"};
	assert_int_equal(slices_find(slices, reader, 0, 0, 2, &edge, &edge, &err), -1);
	assert_non_null(strstr(err.text, "region 'MPI_' does not occur on rank 0"));
	trace_reader_close(reader);
	remove_folder(folder);
}

struct seen {
	uint32_t entered;
	uint64_t time_ns;
};

static void see(void *data, uint64_t time_ns, bool enters)
{
	struct seen *seen = data;

	if (enters)
		*seen = (struct seen){seen->entered + 1, time_ns};
}

static int take(void *data, const struct mpi_call *call, struct error *err)
{
	(void)data, (void)call, (void)err;
	return 0;
}

/* The second thread is in main before the first. */
static void regions_are_those_of_the_first_thread(void **state)
{
	static const enum archive_flaw archives[] = {FLAW_NONE, THREADS, THREAD_CALLS};
	char *folder = make_folder(), path[512];
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
		struct trace_reader *reader;
		struct seen seen = {0};
		char name[16];

		snprintf(name, sizeof name, "archive%zu", i);
		make_archive(folder, name, archives[i]);
		snprintf(path, sizeof path, "%s/%s", folder, name);
		if (trace_reader_open(&reader, path, &err) < 0)
			fail_msg("%s", err.text);
		trace_reader_watch(reader, "main", see, &seen);
		if (trace_reader_rank(reader, 0, take, NULL, &err) < 0)
			fail_msg("%s", err.text);
		trace_reader_close(reader);
		assert_int_equal(seen.entered, 1);
		assert_int_equal(seen.time_ns, 50);
	}
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_are_times_regions_and_iterations),
		cmocka_unit_test(invalid_edges_are_refused),
		cmocka_unit_test(only_calls_in_the_slice_are_converted),
		cmocka_unit_test(regions_are_found_on_all_ranks_or_none),
		cmocka_unit_test(regions_are_those_of_the_first_thread),
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
