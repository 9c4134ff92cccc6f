/* Tests: the journals of several threads are read in the order of their calls. */
#include "common/array.h"
#include "trace/journal/journal_merge.h"
#include "trace/call/mpi_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 5, CALLS = 400, RANK = 2, RANKS = 3 };
static char folder[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/journal-merge-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	journal_remove(folder, RANK, THREADS);
	rmdir(folder);
	return access(folder, F_OK) == 0;
}

static struct journal *create(uint32_t thread)
{
	struct journal_place place = {folder, RANK, thread};
	struct journal *journal;
	struct error err;

	if (journal_create(&journal, &place, RANKS, 100, JOURNAL_LEAST_BYTES, &err) < 0)
		fail_msg("%s", err.text);
	return journal;
}

/* Thread of call i, which is entered at 1000 + 10 i.  Some calls are long. */
static uint32_t thread_of(uint64_t i)
{
	return (uint32_t)(i * 7 % THREADS);
}

static void append(struct journal *journals[], uint64_t i)
{
	struct mpi_event event = {.kind = EVENT_ISEND, .comm = (uint32_t)(i % 8), .request = i};
	struct mpi_call call = {.enter_ns = 1000 + 10 * i, .leave_ns = 1003 + 10 * i + i % 3 * 20,
				.events = &event, .event_count = 1};
	struct error err;

	assert_int_equal(journal_call(journals[thread_of(i)], CALL_Isend, &call, &err), 0);
}

/* Write the journals.  Thread `id` % THREADS defines communicator `id` after its first calls. */
static void write_journals(void)
{
	struct journal *journals[THREADS];
	struct error err;

	for (uint32_t i = 0; i < THREADS; i++)
		journals[i] = create(i);
	for (uint64_t i = 0; i < CALLS; i++)
		append(journals, i);
	for (uint32_t id = 0; id < 8; id++) {
		uint64_t members[] = {2, 1, id};
		struct mpi_comm comm = {.id = id, .key = id + 50, .size = 3,
					    .members = members};

		assert_int_equal(journal_comm(journals[id % THREADS], &comm, &err), 0);
	}
	assert_int_equal(journal_end(journals[3], 1000000, &err), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		journal_close(journals[i]);
}

static struct journal_merge *open_all(uint32_t threads)
{
	struct journal_merge *merge;
	struct error err;

	if (journal_merge_open(&merge, folder, RANK, threads, &err) < 0)
		fail_msg("%s", err.text);
	return merge;
}

/* Read the next record other than a flush, and return its kind, or 0 at the end. */
static int next(struct journal_merge *merge, struct journal_record *record)
{
	struct error err;
	int got;

	do
		got = journal_merge_next(merge, record, &err);
	while (got > 0 && record->kind == JOURNAL_FLUSH);
	assert_true(got >= 0);
	return got ? (int)record->kind : 0;
}

static void communicators_come_first_and_calls_in_the_order_of_their_begin(void **state)
{
	struct journal_merge *merge;
	struct journal_record record;

	(void)state;
	write_journals();
	merge = open_all(THREADS);
	assert_int_equal(next(merge, &record), JOURNAL_BEGIN);
	assert_int_equal(record.rank, RANK);
	assert_int_equal(record.thread, 0);
	assert_int_equal(record.ranks, RANKS);
	for (uint32_t id = 0; id < 8; id++) {
		assert_int_equal(next(merge, &record), JOURNAL_COMM);
		assert_int_equal(record.comm.id, id);
		assert_int_equal(record.comm.key, id + 50);
		assert_int_equal(record.comm.members[2], id);
	}
	for (uint64_t i = 0; i < CALLS; i++) {
		assert_int_equal(next(merge, &record), JOURNAL_CALL);
		assert_int_equal(record.thread, thread_of(i));
		assert_int_equal(record.call.enter_ns, 1000 + 10 * i);
		assert_int_equal(record.call.events[0].request, i);
	}
	assert_int_equal(next(merge, &record), JOURNAL_END);
	assert_int_equal(next(merge, &record), 0);
	assert_int_equal(next(merge, &record), 0);
	assert_false(journal_merge_is_damaged(merge));
	journal_merge_close(merge);
}

static uint64_t count_calls(struct journal_merge *merge)
{
	struct journal_record record;
	uint64_t calls = 0;
	int kind;

	while ((kind = next(merge, &record)))
		calls += kind == JOURNAL_CALL;
	return calls;
}

static void a_journal_that_is_lost_is_damage_to_the_rank(void **state)
{
	struct journal_place place = {folder, RANK, 3};
	struct journal_merge *merge;
	char path[4096];

	(void)state;
	write_journals();
	assert_true(journal_path(path, &place));
	unlink(path);
	merge = open_all(THREADS);
	assert_int_equal(count_calls(merge), CALLS - CALLS / THREADS);
	assert_true(journal_merge_is_damaged(merge));
	journal_merge_close(merge);
}

static void a_journal_of_another_rank_is_not_taken(void **state)
{
	struct journal_place place = {folder, RANK, 4}, other = {folder, RANK - 1, 4};
	struct journal_merge *merge;
	char path[4096], other_path[4096];

	(void)state;
	write_journals();
	assert_true(journal_path(path, &place) && journal_path(other_path, &other));
	rename(path, other_path);
	merge = open_all(4);
	assert_int_equal(count_calls(merge), CALLS - CALLS / THREADS);
	assert_false(journal_merge_is_damaged(merge));
	journal_merge_close(merge);
	rename(other_path, path);
	place.thread = 3;
	assert_true(journal_path(other_path, &place));
	rename(path, other_path);
	merge = open_all(4);
	assert_int_equal(count_calls(merge), CALLS - 2 * CALLS / THREADS);
	assert_true(journal_merge_is_damaged(merge));
	journal_merge_close(merge);
}

static void without_the_first_journal_there_is_no_rank(void **state)
{
	struct journal_merge *merge;
	struct error err;

	(void)state;
	journal_close(create(1));
	assert_int_equal(journal_merge_open(&merge, folder, RANK, 2, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(communicators_come_first_and_calls_in_the_order_of_their_begin),
		TEST(a_journal_that_is_lost_is_damage_to_the_rank),
		TEST(a_journal_of_another_rank_is_not_taken),
		TEST(without_the_first_journal_there_is_no_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
