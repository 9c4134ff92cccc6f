/* Tests of event flow files: windows of iterations, lossy ranks, damaged files. */
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/trace_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int ignore_call(void *data, const struct mpi_call *call, struct error *err)
{
	(void)data, (void)call, (void)err;
	return 0;
}

/* Check that a file of these bytes is refused. */
static bool is_refused(const uint8_t *bytes, size_t count)
{
	FILE *file = fopen(scratch_path, "wb");
	struct flow *flow;
	struct error err;

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
	if (flow_read(&flow, scratch_path, &err) < 0)
		return err.status == STATUS_DATA || err.status == STATUS_LIMIT;
	flow_release(flow);
	return false;
}

/* Make the flow of MiniGhost, of whose loop over C some iterations were recorded in full. */
static struct flow *make_recorded_minighost(void)
{
	static const struct flow_window windows[] = {
		{.first_call = 100,
		 .calls = 200,
		 .header = 12,
		 .first_visit = 6,
		 .visits = 60,
		 .round = 6},
		{.first_call = 320, .calls = 20, .round = 1},
	};
	struct flow *flow = make_minighost();
	struct error err;

	for (size_t i = 0; i < 2; i++)
		MUST(array_push(&flow->ranks[0].recorded, windows[i], &err));
	return flow;
}

static uint8_t *file_of_minighost(size_t *count)
{
	struct flow *flow = make_recorded_minighost();
	uint8_t *bytes = malloc(1 << 20);
	FILE *file;

	flow_to_file(flow, scratch_path);
	file = fopen(scratch_path, "rb");
	assert_non_null(bytes);
	assert_non_null(file);
	*count = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	flow_release(flow);
	return bytes;
}

static void windows_survive_their_file(void **state)
{
	struct flow *flow = make_recorded_minighost(), *read;
	struct error err;

	(void)state;
	flow_to_file(flow, scratch_path);
	MUST(flow_read(&read, scratch_path, &err));
	assert_int_equal(read->ranks[0].recorded.count, 2);
	assert_memory_equal(read->ranks[0].recorded.items, flow->ranks[0].recorded.items,
			    2 * sizeof(struct flow_window));
	assert_false(read->ranks[0].lossy);
	flow_release(flow);
	flow_release(read);
}

/* Whether a file is read in which the first window of MiniGhost is another one. */
static bool window_is_read(const struct flow_window *window)
{
	struct flow *flow = make_recorded_minighost(), *read;
	struct error err;
	int result;

	flow->ranks[0].recorded.items[0] = *window;
	flow->ranks[0].recorded.count = 1;
	flow_to_file(flow, scratch_path);
	result = flow_read(&read, scratch_path, &err);
	assert_true(result == 0 || (err.status == STATUS_DATA && strstr(err.text, "at byte")));
	flow_release(flow);
	flow_release(read);
	return result == 0;
}

static void windows_beyond_the_calls_or_visits_are_refused(void **state)
{
	/* Field by field: the last one that there can be, and one more. */
	(void)state;
	assert_true(window_is_read(&(struct flow_window){0, 3160, 0, 360, 12, 1}));
	assert_false(window_is_read(&(struct flow_window){0, 3161, 0, 360, 12, 1}));
	assert_true(window_is_read(&(struct flow_window){3159, 1, 0, 360, 12, 1}));
	assert_false(window_is_read(&(struct flow_window){3160, 1, 0, 360, 12, 1}));
	assert_false(window_is_read(&(struct flow_window){1, UINT64_MAX, 0, 360, 12, 1}));
	assert_false(window_is_read(&(struct flow_window){0, 3160, 1, 360, 12, 1}));
	assert_false(window_is_read(&(struct flow_window){0, 3160, 0, 361, 12, 1}));
	assert_true(window_is_read(&(struct flow_window){0, 3160, 0, 1, 86, 1}));
	assert_false(window_is_read(&(struct flow_window){0, 3160, 0, 1, 87, 1}));
	assert_false(window_is_read(&(struct flow_window){0, 3160, 0, 360, 12, 0}));
	assert_true(window_is_read(&(struct flow_window){0, 3160, 0, 0, 0, 1}));
	assert_false(window_is_read(&(struct flow_window){0, 3160, 0, 0, 12, 1}));
}

static void calls_of_lossy_ranks_are_not_recovered(void **state)
{
	struct flow *flow = make_minighost(), *read;
	struct error err;

	(void)state;
	flow->ranks[0].lossy = true;
	flow_to_file(flow, scratch_path);
	MUST(flow_read(&read, scratch_path, &err));
	assert_true(read->ranks[0].lossy);
	assert_int_equal(flow_recover(read, 0, ignore_call, NULL, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "limit of memory"));
	flow_release(flow);
	flow_release(read);
}

static void what_a_trace_lacks_is_counted_once_by_all_its_readers(void **state)
{
	struct flow *flow = make_minighost();
	struct trace_reader *first, *again;
	struct error err;

	(void)state;
	flow->left_out.unfinished_calls = 3;
	flow_to_file(flow, scratch_path);
	MUST(trace_reader_open(&first, scratch_path, &err));
	MUST(trace_reader_again(&again, first, &err));
	assert_int_equal(trace_reader_left_out(first).unfinished_calls, 3);
	assert_int_equal(trace_reader_left_out(again).unfinished_calls, 0);
	trace_reader_close(again);
	trace_reader_close(first);
	flow_release(flow);
}

/* ---------------------------------------------------------------------------- damage */

static void files_with_a_wrong_bit_are_refused(void **state)
{
	size_t count;
	uint8_t *bytes = file_of_minighost(&count);

	(void)state;
	for (size_t bit = 0; bit < count * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
		if (!is_refused(bytes, count))
			fail_msg("bit %zu of %zu bytes", bit, count);
		bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	assert_false(is_refused(bytes, count));
	free(bytes);
}

static void files_that_are_cut_or_longer_are_refused(void **state)
{
	size_t count;
	uint8_t *bytes = file_of_minighost(&count);

	(void)state;
	for (size_t cut = 0; cut < count; cut++)
		assert_true(is_refused(bytes, cut));
	assert_true(is_refused(bytes, count + 1));
	free(bytes);
}

/* Damage what checksums would find: change bytes of a graph in memory. */
static void graphs_that_are_none_are_refused_or_end(void **state)
{
	uint64_t numbers = 8;
	struct flow *flow = make_minighost();
	struct flow_graph *graph = &flow->graphs.items[0];
	uint32_t refused = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct flow_block *block =
			&graph->blocks.items[random_below(&numbers, (uint32_t)graph->blocks.count)];
		const struct flow_block before = *block;
		struct error err;

		block->first += random_below(&numbers, 3) - 1;
		block->last += random_below(&numbers, 3) - 1;
		if (!flow_block_is_valid(block)) {
			*block = before;
			continue;
		}
		refused += flow_recover(flow, 0, ignore_call, NULL, &err) < 0;
		*block = before;
	}
	assert_true(refused > 100);
	flow_release(flow);
}

/*
 * Sets of visits of I B R B S B R B S B R B S F: I (0) leads to B (1), B to R (2) and S (3), both to B, S to F (4).  One of
 * them is another one in the file.
 */
static void check_fault(uint32_t from, uint32_t to, struct flow_block block, const char *says)
{
	struct flow_feed feed;
	struct flow *flow, *read;
	struct error err;
	size_t edge = 0;
	int result;

	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, "IBRBSBRBSBRBSF");
	flow = flow_feed_build(&feed, &(struct flow_options){.level = FLOW_BY_CALL});
	while (flow->graphs.items[0].edges.items[edge].from != from ||
	       flow->graphs.items[0].edges.items[edge].to != to)
		edge++;
	flow->graphs.items[0].blocks.items[flow->graphs.items[0].edges.items[edge].blocks] = block;
	flow_to_file(flow, scratch_path);
	result = flow_read(&read, scratch_path, &err);
	if (result == 0)
		result = flow_recover(read, 0, ignore_call, NULL, &err);
	if (!says)
		assert_int_equal(result, 0);
	else if (result == 0 || err.status != STATUS_DATA || !strstr(err.text, says))
		fail_msg("'%s' is not '%s'", result ? err.text : "", says);
	flow_release(read);
	flow_release(flow);
	flow_feed_release(&feed);
}

static void sets_that_do_not_divide_the_visits_are_refused_with_the_place(void **state)
{
	const uint64_t most = INT64_MAX - 1;

	(void)state;
	check_fault(1, 3, (struct flow_block){1, 5, 2, 1}, NULL);
	/* Visits that two edges have, that none has, that there are not. */
	check_fault(1, 3, (struct flow_block){1, 3, 0, 3}, "node 1: two edges have visit 2");
	check_fault(1, 2, (struct flow_block){0, 5, 5, 1}, "at byte");
	check_fault(1, 2, (struct flow_block){0, 2, 0, 3}, "node 1: two edges have visit 1");
	check_fault(1, 3, (struct flow_block){2, 4, 0, 3}, "node 1: no edge has visit 1");
	check_fault(1, 3, (struct flow_block){1, 3, 2, 1}, "at byte");
	check_fault(1, 3, (struct flow_block){1, 7, 2, 1}, "at byte");
	check_fault(2, 1, (struct flow_block){0, 0, 0, 1}, "at byte");
	/* Numbers of visits near 2^63. */
	check_fault(1, 3, (struct flow_block){1, most, 0, most}, "at byte");
	check_fault(2, 1, (struct flow_block){0, most, 2, 1}, "at byte");
	check_fault(0, 1, (struct flow_block){0, most / 4, 0, most / 4 + 1}, "at byte");
}

/* A graph whose numbers fit, but in which a circle of calls cannot be reached, and so never ends. */
static void circles_that_cannot_be_reached_are_refused_with_the_place(void **state)
{
	struct flow_feed feed;
	struct flow *flow, *read;
	struct flow_edge *edges;
	struct error err;

	(void)state;
	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, "IABABF");
	flow = flow_feed_build(&feed, &(struct flow_options){.level = FLOW_BY_CALL});
	edges = flow->graphs.items[0].edges.items;
	assert_int_equal(flow->graphs.items[0].edges.count, 4);
	for (size_t e = 0; e < 4; e++) {
		if (edges[e].from == 0)
			edges[e].to = 3;
		else if (edges[e].to == 3)
			edges[e].to = 1;
	}
	flow_to_file(flow, scratch_path);
	MUST(flow_read(&read, scratch_path, &err));
	assert_int_equal(flow_recover(read, 0, ignore_call, NULL, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "node 3: no edge has visit 0"));
	flow_release(read);
	flow_release(flow);
	flow_feed_release(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_survive_their_file),
		cmocka_unit_test(windows_beyond_the_calls_or_visits_are_refused),
		cmocka_unit_test(calls_of_lossy_ranks_are_not_recovered),
		cmocka_unit_test(what_a_trace_lacks_is_counted_once_by_all_its_readers),
		cmocka_unit_test(files_with_a_wrong_bit_are_refused),
		cmocka_unit_test(files_that_are_cut_or_longer_are_refused),
		cmocka_unit_test(graphs_that_are_none_are_refused_or_end),
		cmocka_unit_test(sets_that_do_not_divide_the_visits_are_refused_with_the_place),
		cmocka_unit_test(circles_that_cannot_be_reached_are_refused_with_the_place),
	};

	return cmocka_run_group_tests(tests, scratch_file_make, scratch_file_remove);
}
