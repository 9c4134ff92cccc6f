/* Tests of event flow files whose checksums are right and whose content is not: they are refused or end. */
#include "common/hash.h"
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/file/flow_merge.h"
#include "trace/flow/file/flow_sections.h"
#include "trace/flow/flow_parts.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/flow/recover/flow_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_CALLS = 5000 };

/* Content of the sections of a file. */
struct content {
	struct flow_bytes sections[SECTIONS];
};

/* Take a file apart. */
static void open_content(const struct flow_bytes *file, struct content *content)
{
	struct flow_cursor cursor = flow_cursor(file->items, file->count);
	struct error err;

	memset(content, 0, sizeof *content);
	flow_get_bytes(&cursor, FLOW_MAGIC_BYTES + 2);
	for (unsigned number = SECTION_STRINGS; number < SECTIONS; number++) {
		struct flow_cursor stored, unpacked;
		size_t raw_count;
		void *memory;

		assert_int_equal(flow_get(&cursor), number);
		raw_count = flow_get(&cursor);
		stored = flow_get_block(&cursor);
		MUST(flow_unpack(&(struct flow_packed){stored.at, flow_left(&stored), raw_count},
				 &unpacked, &memory, &err));
		MUST(flow_put_bytes(&content->sections[number], unpacked.at, flow_left(&unpacked),
				    &err));
		free(memory);
		flow_get_bytes(&cursor, FLOW_CHECKSUM_BYTES);
	}
	assert_false(cursor.damaged);
}

/* Put a file together, with right checksums. */
static struct flow_bytes close_content(const struct content *content)
{
	static const uint8_t version[] = {FLOW_VERSION, (uint8_t)~FLOW_VERSION};
	struct flow_bytes file = {0};
	struct error err;

	MUST(flow_put_bytes(&file, FLOW_MAGIC, FLOW_MAGIC_BYTES, &err));
	MUST(flow_put_bytes(&file, version, sizeof version, &err));
	for (unsigned i = 1; i <= SECTIONS; i++) {
		const unsigned number = i % SECTIONS; /* the end is the last one */
		const struct flow_bytes *section = &content->sections[number];
		const size_t begin = file.count;
		uint64_t checksum;

		MUST(flow_put(&file, number, &err));
		MUST(flow_put(&file, section->count, &err));
		MUST(flow_put_block(&file, section->items, section->count, &err));
		checksum = hash_bytes(file.items + begin, file.count - begin);
		MUST(flow_put_bytes(&file, &checksum, sizeof checksum, &err));
	}
	return file;
}

static void release_content(struct content *content)
{
	for (unsigned number = 0; number < SECTIONS; number++)
		array_release(&content->sections[number]);
}

/* Take calls until there are more than any of these files has. */
static int count_call(void *data, const struct mpi_call *call, struct error *err)
{
	(void)call;
	return ++*(uint64_t *)data > MOST_CALLS ? error_set(err, STATUS_LIMIT, "enough") : 0;
}

static int count_calls(void *data, const struct mpi_call *call, uint64_t count, struct error *err)
{
	(void)count;
	return count_call(data, call, err);
}

/* Use all of a flow that may be wrong.  Returns whether all of it was right. */
static bool use_thread(const struct flow *flow, uint32_t rank, const struct flow_thread *thread)
{
	const struct flow_graph *graph = &flow->graphs.items[thread->graph];
	struct flow_stat *nodes, *edges;
	uint64_t calls = 0;
	struct error err;
	bool right = true;

	MUST(allocate(&nodes, graph->nodes.count, sizeof *nodes, &err));
	MUST(allocate(&edges, graph->edges.count, sizeof *edges, &err));
	right &= flow_thread_stats(flow, thread, nodes, edges, &err) == 0;
	right &= flow_thread_calls(flow, rank, thread, count_calls, &calls, &err) == 0;
	free(nodes);
	free(edges);
	return right;
}

static bool use_flow(const struct flow *flow)
{
	bool right = true;

	for (uint32_t rank = 0; rank < flow->rank_count; rank++) {
		uint64_t calls = 0;
		struct error err;

		right &= flow_recover(flow, rank, count_call, &calls, &err) == 0;
		for (size_t t = 0; t < flow->ranks[rank].threads.count; t++)
			right &= use_thread(flow, rank, &flow->ranks[rank].threads.items[t]);
	}
	return right;
}

/* Merge the flow, which may be wrong, into one without ranks, and read the bytes of that. */
static void merge_flow(struct flow *part)
{
	struct flow_bytes bytes;
	struct flow *flow, *again;
	struct error err;

	MUST(flow_make(&flow, &err));
	if (flow_merge(flow, part, &err) == 0) {
		MUST(flow_to_bytes(flow, &bytes, &err));
		if (flow_from_bytes(&again, &bytes, &err) == 0)
			flow_release(again);
	} else {
		assert_int_equal(err.status, STATUS_DATA);
	}
	flow_release(flow);
}

/* Read a file that may be wrong, and use it.  Returns whether it is refused somewhere. */
static bool is_wrong(struct flow_bytes *file)
{
	struct flow *flow;
	struct error err;
	bool right;

	if (flow_from_bytes(&flow, file, &err) < 0) {
		/* Numbers of things may ask for more memory than there is. */
		assert_true(err.status == STATUS_DATA || err.status == STATUS_LIMIT ||
			    err.status == STATUS_SYSTEM);
		return true;
	}
	right = use_flow(flow);
	merge_flow(flow);
	flow_release(flow);
	return !right;
}

static struct flow_bytes make_file(const struct flow_options *options)
{
	static const struct flow_window window = {
		.first_call = 1, .calls = 3, .first_visit = 0, .visits = 1, .round = 1};
	uint64_t numbers = 31;
	struct flow_feed feed;
	struct flow_bytes bytes;
	struct flow *flow;
	struct error err;

	flow_feed_begin(&feed, 3);
	flow_feed_random(&feed, 2, 25, &numbers);
	flow = flow_feed_build(&feed, options);
	MUST(array_push(&flow->ranks[1].recorded, window, &err));
	MUST(flow_to_bytes(flow, &bytes, &err));
	flow_release(flow);
	flow_feed_release(&feed);
	return bytes;
}

/* Change a section: other bytes, some more, or some less. */
static void damage(struct flow_bytes *section, uint64_t *numbers)
{
	const uint32_t place = random_below(numbers, (uint32_t)section->count);

	switch (random_below(numbers, 8)) {
	case 0:
		section->count = place;
		break;
	case 1:
		section->items[place] = 0xff;
		break;
	case 2:
		section->items[place] = 0;
		break;
	case 3:
		memmove(section->items + place, section->items + place + 1,
			section->count - place - 1);
		section->count--;
		break;
	default:
		section->items[place] ^= (uint8_t)(1U << random_below(numbers, 8));
	}
}

static void content_that_is_wrong_is_refused_or_ends(void **state)
{
	static const struct flow_options every_options[] = {
		{.times = FLOW_TIMES_ALL, .level = FLOW_BY_SITE},
		{.times = FLOW_TIMES_STATS, .level = FLOW_BY_FUNCTION},
		{.times = FLOW_TIMES_ALL, .level = FLOW_BY_CALL, .folds = FLOW_FOLD_PEER},
	};
	const char *more = getenv("PROGRAMS");
	const int rounds = more ? atoi(more) : 1500;
	uint64_t numbers = 32;

	(void)state;
	for (size_t i = 0; i < sizeof every_options / sizeof *every_options; i++) {
		struct flow_bytes file = make_file(&every_options[i]);
		uint32_t wrong = 0;
		struct content content;
		struct flow_bytes same;

		open_content(&file, &content);
		same = close_content(&content);
		assert_false(is_wrong(&same));
		release_content(&content);
		for (int round = 0; round < rounds; round++) {
			const unsigned section = SECTION_STRINGS +
						 random_below(&numbers, SECTIONS - SECTION_STRINGS);
			struct flow_bytes damaged;

			open_content(&file, &content);
			for (uint32_t faults = 1 + random_below(&numbers, 2);
			     faults && content.sections[section].count; faults--)
				damage(&content.sections[section], &numbers);
			damaged = close_content(&content);
			wrong += is_wrong(&damaged);
			release_content(&content);
		}
		/* What remains are other numbers: times, sizes, tags, names. */
		assert_true(wrong > (uint32_t)rounds / 4);
		array_release(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_that_is_wrong_is_refused_or_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
