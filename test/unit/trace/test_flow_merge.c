/* Tests of flows of some ranks: merged in any order of pairs, by any number of threads, damaged. */
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/file/flow_merge.h"
#include "trace/flow/recover/flow_recover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct flow_options every_options[] = {
	{.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE},
	{.times = FLOW_TIMES_STATS, .level = FLOW_BY_CALL},
	{.times = FLOW_TIMES_NONE, .level = FLOW_BY_FUNCTION},
	{.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE, .folds = FLOW_FOLD_BYTES | FLOW_FOLD_TAG},
	{.times = FLOW_TIMES_NONE, .level = FLOW_BY_SITE, .folds = FLOW_FOLD_PEER},
};
enum { OPTIONS = sizeof every_options / sizeof *every_options };

/* Make the bytes of a flow, and release it. */
static struct flow_bytes bytes_of(struct flow *flow)
{
	struct flow_bytes bytes;
	struct error err;

	MUST(flow_to_bytes(flow, &bytes, &err));
	flow_release(flow);
	return bytes;
}

/* Send a flow as from one process to another one. */
static struct flow *sent(struct flow *flow)
{
	struct flow_bytes bytes = bytes_of(flow);
	struct flow *arrived;
	struct error err;

	MUST(flow_from_bytes(&arrived, &bytes, &err));
	return arrived;
}

/* Make the flow of ranks `first` to `end` - 1 of halves, cut anywhere, down to single ranks or to none. */
static struct flow *merged(const struct flow_source *source, const struct flow_options *options,
			   uint32_t first, uint32_t end, uint64_t *numbers)
{
	const uint32_t middle = first + random_below(numbers, end - first + 1);
	struct flow *low, *high;
	struct error err;

	if (end - first < 2 || random_below(numbers, 4) == 0) {
		MUST(flow_build_ranks(&low, source, options, first, end - first, &err));
		return low;
	}
	low = merged(source, options, first, middle, numbers);
	high = merged(source, options, middle, end, numbers);
	if (random_below(numbers, 2))
		high = sent(high);
	MUST(flow_merge(low, high, &err));
	flow_release(high);
	return low;
}

static void check_equal(struct flow_bytes *a, struct flow_bytes *b)
{
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->items, b->items, a->count);
	array_release(a);
	array_release(b);
}

/* Merge the ranks behind the processes of the run. */
static struct flow *whole(const struct flow_source *source, const struct flow_options *options,
			  uint64_t *numbers)
{
	struct flow *flow, *part = merged(source, options, 0, source->world->rank_count, numbers);
	struct error err;

	MUST(flow_make(&flow, &err));
	flow->times = options->times;
	MUST(flow_set_world(flow, source->world, &err));
	MUST(flow_merge(flow, part, &err));
	flow_release(part);
	return flow;
}

static void parts_merged_by_any_twos_give_the_bytes_of_the_whole(void **state)
{
	uint64_t numbers = 11;

	(void)state;
	for (uint32_t round = 0; round < 60; round++) {
		const struct flow_options *options = &every_options[round % OPTIONS];
		struct flow_bytes expected, found;
		struct flow_source source;
		struct flow_feed feed;

		flow_feed_begin(&feed, 1 + round % 9);
		flow_feed_random(&feed, 1 + round % 3, 60, &numbers);
		source = flow_feed_source(&feed);
		expected = bytes_of(flow_feed_build(&feed, options));
		found = bytes_of(whole(&source, options, &numbers));
		check_equal(&expected, &found);
		flow_feed_release(&feed);
	}
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
	uint64_t numbers = 12;
	struct flow_feed feed;

	(void)state;
	flow_feed_begin(&feed, 20);
	flow_feed_random(&feed, 2, 100, &numbers);
	for (size_t i = 0; i < OPTIONS; i++) {
		struct flow_source source = flow_feed_source(&feed);
		struct flow_bytes expected;

		source.threads = 1;
		for (unsigned threads = 1; threads < 9; threads++) {
			struct flow_bytes found;
			struct flow *flow;
			struct error err;

			source.threads = threads;
			MUST(flow_build(&flow, &source, &every_options[i], &err));
			found = bytes_of(flow);
			if (threads == 1)
				MUST((expected = (struct flow_bytes){0},
				      flow_put_bytes(&expected, found.items, found.count, &err)));
			assert_int_equal(found.count, expected.count);
			assert_memory_equal(found.items, expected.items, found.count);
			array_release(&found);
		}
		array_release(&expected);
	}
	flow_feed_release(&feed);
}

/* Add rounds through a ring: all ranks do alike. */
static void add_ring(struct flow_feed *feed, int rounds)
{
	const uint32_t ranks = feed->world.rank_count;

	for (uint32_t rank = 0; rank < ranks; rank++)
		for (int i = 0; i < rounds; i++) {
			flow_feed_add(feed, rank, "MPI_Send",
				      &(struct mpi_event){.kind = EVENT_SEND,
							  .peer = (rank + 1) % ranks,
							  .bytes = 8},
				      1);
			flow_feed_add(feed, rank, "MPI_Recv",
				      &(struct mpi_event){.kind = EVENT_RECV,
							  .peer = (rank + ranks - 1) % ranks,
							  .bytes = 8},
				      1);
		}
}

static void equal_ranks_of_parts_share_graphs_and_signatures(void **state)
{
	uint64_t numbers = 13;
	struct flow_source source;
	struct flow_feed feed;
	struct flow *flow;

	(void)state;
	flow_feed_begin(&feed, 32);
	add_ring(&feed, 10);
	source = flow_feed_source(&feed);
	flow = whole(&source, &every_options[0], &numbers);
	assert_int_equal(flow->graphs.count, 1);
	assert_int_equal(flow->signatures.starts.count, 2);
	assert_int_equal(flow->calls, 32 * 20);
	assert_int_equal(flow->rank_count, 32);
	flow_release(flow);
	flow_feed_release(&feed);
}

static void windows_and_lossy_ranks_survive_merging(void **state)
{
	static const struct flow_window window = {.first_call = 2,
						  .calls = 8,
						  .first_visit = 1,
						  .visits = 4,
						  .header = 0,
						  .round = 2};
	struct flow_source source;
	struct flow_feed feed;
	struct flow *flow, *part;
	struct error err;

	(void)state;
	flow_feed_begin(&feed, 2);
	add_ring(&feed, 10);
	source = flow_feed_source(&feed);
	MUST(flow_build_ranks(&flow, &source, &every_options[0], 0, 1, &err));
	MUST(flow_build_ranks(&part, &source, &every_options[0], 1, 1, &err));
	MUST(array_push(&part->ranks[0].recorded, window, &err));
	part->ranks[0].lossy = true;
	part = sent(part);
	MUST(flow_merge(flow, part, &err));
	flow_release(part);
	flow = sent(flow);
	assert_int_equal(flow->ranks[0].recorded.count, 0);
	assert_false(flow->ranks[0].lossy);
	assert_int_equal(flow->ranks[1].recorded.count, 1);
	assert_memory_equal(flow->ranks[1].recorded.items, &window, sizeof window);
	assert_true(flow->ranks[1].lossy);
	flow_release(flow);
	flow_feed_release(&feed);
}

/* Add a group of one member. */
static void add_group(struct flow *flow, uint32_t id, uint32_t member)
{
	struct flow_group group = {.id = id};
	struct error err;

	MUST(array_push(&group.members, member, &err));
	MUST(array_push(&flow->groups, group, &err));
}

static void parts_that_do_not_fit_are_refused(void **state)
{
	const struct flow_options others = {.times = FLOW_TIMES_NONE, .level = FLOW_BY_SITE};
	struct flow_source source;
	struct flow_feed feed;

	(void)state;
	flow_feed_begin(&feed, 4);
	add_ring(&feed, 2);
	source = flow_feed_source(&feed);
	for (int what = 0; what < 5; what++) {
		struct flow *flow, *part;
		struct error err;

		MUST(flow_build_ranks(&flow, &source, &every_options[0], 0, 2, &err));
		MUST(flow_build_ranks(&part, &source, what == 1 ? &others : &every_options[0],
				      what == 0 ? 3 : 2, 1, &err));
		if (what == 2)
			part->world.rank_count = 5;
		if (what >= 3) {
			add_group(flow, 7, 1);
			add_group(part, 7, what == 3 ? 1 : 2);
		}
		assert_int_equal(flow_merge(flow, part, &err), what == 3 ? 0 : -1);
		if (what != 3)
			assert_int_equal(err.status, STATUS_DATA);
		flow_release(flow);
		flow_release(part);
	}
	flow_feed_release(&feed);
}

static void a_part_is_no_file_for_programs(void **state)
{
	char path[] = "/tmp/test-flow-merge-XXXXXX";
	struct flow_source source;
	struct flow_feed feed;
	struct flow *part, *read;
	struct error err;
	FILE *file;

	(void)state;
	flow_feed_begin(&feed, 4);
	add_ring(&feed, 2);
	source = flow_feed_source(&feed);
	MUST(flow_build_ranks(&part, &source, &every_options[0], 1, 2, &err));
	file = fdopen(mkstemp(path), "wb");
	assert_non_null(file);
	MUST(flow_write(part, file, &err));
	fclose(file);
	assert_int_equal(flow_read(&read, path, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "has only 2 of 4 ranks"));
	MUST(flow_read_part(&read, path, &err));
	assert_int_equal(read->first_rank, 1);
	assert_int_equal(read->rank_count, 2);
	flow_release(read);
	flow_release(part);
	remove(path);
	flow_feed_release(&feed);
}

static void merged_parts_do_not_need_their_files(void **state)
{
	uint64_t numbers = 16;
	char path[] = "/tmp/test-flow-merge-XXXXXX";
	const int descriptor = mkstemp(path);
	struct flow_bytes expected, found;
	struct flow_source source;
	struct flow_feed feed;
	struct flow *flow;
	struct error err;

	(void)state;
	assert_true(descriptor >= 0);
	close(descriptor);
	flow_feed_begin(&feed, 3);
	flow_feed_random(&feed, 2, 200, &numbers);
	source = flow_feed_source(&feed);
	expected = bytes_of(flow_feed_build(&feed, &every_options[0]));
	MUST(flow_make(&flow, &err));
	MUST(flow_set_world(flow, source.world, &err));
	for (uint32_t rank = 0; rank < 3; rank++) {
		FILE *file = fopen(path, "wb");
		struct flow *part;

		MUST(flow_build_ranks(&part, &source, &every_options[0], rank, 1, &err));
		MUST(flow_write(part, file, &err));
		fclose(file);
		flow_release(part);
		MUST(flow_read_part(&part, path, &err));
		MUST(flow_merge(flow, part, &err));
		flow_release(part);
		assert_int_equal(flow->inputs.count, 0);
	}
	remove(path);
	found = bytes_of(flow);
	check_equal(&expected, &found);
	flow_feed_release(&feed);
}

/* ---------------------------------------------------------------------------- damage */

/* Make a part of two ranks, with windows, as bytes. */
static struct flow_bytes make_part(void)
{
	uint64_t numbers = 14;
	struct flow_source source;
	struct flow_feed feed;
	struct flow *part;
	struct error err;

	flow_feed_begin(&feed, 4);
	flow_feed_random(&feed, 2, 12, &numbers);
	source = flow_feed_source(&feed);
	MUST(flow_build_ranks(&part, &source, &every_options[3], 1, 2, &err));
	MUST(array_push(&part->ranks[0].recorded,
			((struct flow_window){.first_call = 1, .calls = 3, .round = 1}), &err));
	flow_feed_release(&feed);
	return bytes_of(part);
}

/* Whether the first `count` of the bytes are refused, with the place if they begin as a file. */
static bool is_refused(const struct flow_bytes *bytes, size_t count, bool place)
{
	struct flow_bytes copy = {0};
	struct flow *part;
	struct error err;

	MUST(flow_put_bytes(&copy, bytes->items, count, &err));
	if (flow_from_bytes(&part, &copy, &err) < 0) {
		assert_true(!place || strstr(err.text, "at byte"));
		return err.status == STATUS_DATA || err.status == STATUS_LIMIT;
	}
	flow_release(part);
	return false;
}

static void parts_with_a_wrong_bit_or_cut_are_refused_with_the_place(void **state)
{
	struct flow_bytes bytes = make_part();

	(void)state;
	assert_false(is_refused(&bytes, bytes.count, false));
	for (size_t bit = 0; bit < bytes.count * 8; bit++) {
		bytes.items[bit / 8] ^= (uint8_t)(1U << bit % 8);
		if (!is_refused(&bytes, bytes.count, bit / 8 > 8))
			fail_msg("bit %zu of %zu bytes", bit, bytes.count);
		bytes.items[bit / 8] ^= (uint8_t)(1U << bit % 8);
	}
	for (size_t cut = 0; cut < bytes.count; cut++)
		assert_true(is_refused(&bytes, cut, cut > 8));
	array_release(&bytes);
}

/* Damage that checksums do not find: signatures in memory that are none. */
static void signatures_that_are_none_are_refused_or_merged(void **state)
{
	uint64_t numbers = 15;
	struct flow_bytes bytes = make_part();
	uint32_t refused = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct flow_bytes copy = {0};
		struct flow *flow, *part;
		struct error err;
		uint32_t number;

		MUST(flow_put_bytes(&copy, bytes.items, bytes.count, &err));
		MUST(flow_from_bytes(&part, &copy, &err));
		number = random_below(&numbers, (uint32_t)part->signatures.starts.count);
		if (part->signature_sizes.items[number] > 1)
			part->signatures.starts.items[number][random_below(
				&numbers, part->signature_sizes.items[number])] ^=
				(char)(1 << random_below(&numbers, 8));
		MUST(flow_make(&flow, &err));
		if (flow_merge(flow, part, &err) < 0) {
			assert_int_equal(err.status, STATUS_DATA);
			refused++;
		}
		flow_release(flow);
		flow_release(part);
	}
	assert_true(refused > 300);
	array_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_merged_by_any_twos_give_the_bytes_of_the_whole),
		cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
		cmocka_unit_test(equal_ranks_of_parts_share_graphs_and_signatures),
		cmocka_unit_test(windows_and_lossy_ranks_survive_merging),
		cmocka_unit_test(parts_that_do_not_fit_are_refused),
		cmocka_unit_test(a_part_is_no_file_for_programs),
		cmocka_unit_test(merged_parts_do_not_need_their_files),
		cmocka_unit_test(parts_with_a_wrong_bit_or_cut_are_refused_with_the_place),
		cmocka_unit_test(signatures_that_are_none_are_refused_or_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
