/* Tests: calls of a journal in chunks, of which the oldest are removed. */
#include "trace/call/mpi_functions.h"
#include "trace/journal/journal_merge.h"
#include "trace/journal/journal_chunks.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RING_BYTES = 4 << 16 };
static char folder[64];
static struct ordinals ordinals;
static struct error err;

#define MUST(...)                                 \
	do {                                      \
		if ((__VA_ARGS__) < 0)            \
			fail_msg("%s", err.text); \
	} while (0)

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/chunks-XXXXXX");
	ordinals_init(&ordinals);
	return mkdtemp(folder) ? 0 : -1;
}

/* Nothing may stay after journal_remove. */
static int tear_down(void **state)
{
	(void)state;
	ordinals_release(&ordinals);
	journal_chunks_remove(folder, 3, 2);
	journal_remove(folder, 3, 2);
	rmdir(folder);
	return access(folder, F_OK) == 0;
}

static struct journal *create(uint32_t thread)
{
	const struct journal_place place = {folder, 3, thread};
	struct journal *journal;

	MUST(journal_create(&journal, &place, 8, 1000, JOURNAL_LEAST_BYTES, &err));
	MUST(journal_divide(journal, RING_BYTES, &ordinals, &err));
	return journal;
}

/* Send number i: at i µs, with i bytes, to a peer and with a tag that come again. */
static void send(struct journal *journal, uint64_t i)
{
	const struct mpi_event event = {.kind = EVENT_SEND,
					.peer = (uint32_t)(i % 3),
					.tag = (uint32_t)(i % 5),
					.bytes = i};
	const struct mpi_call call = {.enter_ns = i * 1000,
				      .leave_ns = i * 1000 + 500,
				      .events = &event,
				      .event_count = 1};

	MUST(journal_chunks_call(journal, CALL_Send, &call, &err));
}

/* What a reader finds: the first call and the number of calls, whose ordinals are checked. */
struct seen {
	uint64_t first, calls;
	uint64_t next[3][5]; /* of the channel, UINT64_MAX: not told */
	uint32_t comms, first_chunk;
	bool ended;
	struct journal_iterations iterations;
};

static void see_call(struct seen *seen, const struct mpi_call *call)
{
	const struct mpi_event *event = call->events;
	const uint64_t i = event->bytes;

	if (!seen->calls++)
		seen->first = i;
	assert_int_equal(i, seen->first + seen->calls - 1);
	assert_int_equal(call->enter_ns, i * 1000);
	assert_int_equal(call->leave_ns, i * 1000 + 500);
	assert_int_equal(seen->next[event->peer][event->tag]++, i / 15);
}

static struct seen read_back(uint32_t thread)
{
	const struct journal_place place = {folder, 3, thread};
	struct journal_reader *reader;
	struct journal_record record;
	struct seen seen = {.first_chunk = UINT32_MAX};
	int got;

	memset(seen.next, 255, sizeof seen.next);
	MUST(journal_open(&reader, &place, &err));
	while ((got = journal_next(reader, &record, &err)) > 0) {
		if (record.kind == JOURNAL_CALL)
			see_call(&seen, &record.call);
		else if (record.kind == JOURNAL_ORDINAL)
			seen.next[record.sequence.peer][record.sequence.tag] = record.ordinal;
		else if (record.kind == JOURNAL_CHUNK && record.number < seen.first_chunk)
			seen.first_chunk = record.number;
		else if (record.kind == JOURNAL_ITERATIONS)
			seen.iterations = record.iterations;
		seen.comms += record.kind == JOURNAL_COMM;
		seen.ended |= record.kind == JOURNAL_END;
	}
	MUST(got);
	assert_false(journal_is_damaged(reader));
	journal_reader_close(reader);
	return seen;
}

static unsigned chunk_files(void)
{
	char path[128];
	struct dirent *entry;
	unsigned count = 0;
	DIR *files;

	snprintf(path, sizeof path, "%s/journal", folder);
	files = opendir(path);
	assert_non_null(files);
	while ((entry = readdir(files)))
		count += strchr(entry->d_name, '.') != strrchr(entry->d_name, '.') &&
			 entry->d_name[0] != '.';
	closedir(files);
	return count;
}

static void all_calls_are_read_if_they_fit_the_ring(void **state)
{
	struct journal *journal = create(0);
	struct seen seen;

	(void)state;
	for (uint64_t i = 0; i < 2000; i++)
		send(journal, i);
	assert_false(journal_has_dropped(journal));
	journal_chunks_close(journal);
	seen = read_back(0);
	assert_int_equal(seen.first, 0);
	assert_int_equal(seen.calls, 2000);
	assert_int_equal(seen.first_chunk, 0);
}

static void the_oldest_chunks_go_and_definitions_stay(void **state)
{
	const struct mpi_comm comm = {.id = 0, .key = 7, .size = 8};
	struct journal *journal = create(0);
	struct seen seen;

	(void)state;
	MUST(journal_comm(journal, &comm, &err));
	for (uint64_t i = 0; i < 100000; i++) {
		send(journal, i);
		if (i % 10000 == 0)
			assert_true(chunk_files() <= JOURNAL_CHUNKS);
	}
	MUST(journal_end(journal, 1000, &err));
	assert_true(journal_has_dropped(journal));
	journal_chunks_close(journal);
	seen = read_back(0);
	assert_int_equal(seen.first + seen.calls, 100000);
	assert_true(seen.first > 0);
	assert_true(seen.calls > 5000); /* three full chunks at least */
	assert_true(seen.first_chunk > 0);
	assert_int_equal(seen.comms, 1);
	assert_true(seen.ended);
}

static void what_is_held_is_not_removed(void **state)
{
	struct journal *journal = create(0);
	struct seen seen;

	(void)state;
	for (uint64_t i = 0; i < 50000; i++)
		send(journal, i);
	journal_hold(journal, 49000 * 1000);
	for (uint64_t i = 50000; i < 90000; i++)
		send(journal, i);
	journal_release(journal);
	journal_want_calls(journal, false);
	for (uint64_t i = 90000; i < 95000; i++)
		send(journal, i);
	journal_chunks_close(journal);
	seen = read_back(0);
	assert_true(seen.first > 40000 && seen.first <= 49000);
	assert_int_equal(seen.first + seen.calls, 90000);
}

static void held_chunks_stay_when_others_are_dropped(void **state)
{
	const struct journal_iterations window = {.first = 5,
						  .count = 10,
						  .begin_ns = 1,
						  .end_ns = UINT64_MAX,
						  .header = 4,
						  .round = 3};
	struct journal *journal = create(0);
	struct seen seen;

	(void)state;
	journal_hold(journal, 0);
	for (uint64_t i = 0; i < 1000; i++)
		send(journal, i);
	MUST(journal_iterations(journal, &window, &err));
	journal_release(journal);
	for (uint64_t i = 1000; i < 50000; i++)
		send(journal, i);
	journal_drop(journal);
	assert_int_equal(chunk_files(), 1);
	journal_chunks_close(journal);
	seen = read_back(0);
	assert_int_equal(seen.first, 0);
	assert_int_equal(seen.calls, 1000);
	assert_memory_equal(&seen.iterations, &window, sizeof window);
}

static void ordinals_count_on_while_calls_are_not_wanted(void **state)
{
	struct journal *journal = create(0);
	struct seen seen;

	(void)state;
	journal_want_calls(journal, false);
	for (uint64_t i = 0; i < 3000; i++)
		send(journal, i);
	assert_int_equal(chunk_files(), 0);
	journal_want_calls(journal, true);
	for (uint64_t i = 3000; i < 4000; i++)
		send(journal, i);
	journal_chunks_close(journal);
	seen = read_back(0);
	assert_int_equal(seen.first, 3000);
	assert_int_equal(seen.calls, 1000);
}

static void threads_share_ordinals(void **state)
{
	struct journal *journals[2] = {create(0), create(1)};
	struct journal_merge *merge;
	struct journal_record record;
	uint64_t next[2][3][5], calls = 0;

	(void)state;
	for (uint64_t i = 0; i < 3000; i++)
		send(journals[i / 7 % 2], i);
	for (int i = 0; i < 2; i++)
		journal_chunks_close(journals[i]);
	MUST(journal_merge_open(&merge, folder, 3, 2, &err));
	while (journal_merge_next(merge, &record, &err) > 0) {
		const struct mpi_event *event = record.call.events;

		if (record.kind == JOURNAL_ORDINAL)
			next[record.thread][record.sequence.peer][record.sequence.tag] =
				record.ordinal;
		if (record.kind != JOURNAL_CALL)
			continue;
		assert_int_equal(event->bytes, calls++);
		assert_int_equal(next[record.thread][event->peer][event->tag]++, event->bytes / 15);
	}
	journal_merge_close(merge);
	assert_int_equal(calls, 3000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_calls_are_read_if_they_fit_the_ring),
		TEST(the_oldest_chunks_go_and_definitions_stay),
		TEST(what_is_held_is_not_removed),
		TEST(held_chunks_stay_when_others_are_dropped),
		TEST(ordinals_count_on_while_calls_are_not_wanted),
		TEST(threads_share_ordinals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
