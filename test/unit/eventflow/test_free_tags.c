/* Tests of the tags that no message of a run on MPI_COMM_WORLD has. */
#include "eventflow/generate/free_tags.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { WORLD = 0, OTHER = 1 };

static struct free_tags tags;

static void note(enum mpi_event_kind kind, uint32_t comm, uint32_t tag)
{
	struct error err;

	MUST(free_tags_note(&tags, &(struct mpi_event){.kind = kind, .comm = comm, .tag = tag},
			    WORLD, &err));
}

/* Note messages with these tags, the last one first. */
static void note_all(uint32_t first, uint32_t count)
{
	for (uint32_t tag = first + count; tag-- > first;)
		note(EVENT_SEND, WORLD, tag);
}

static void assert_first(uint32_t count, uint32_t expected)
{
	struct error err;
	uint32_t first;

	MUST(free_tags_find(&tags, count, &first, &err));
	assert_int_equal(first, expected);
}

static int clear(void **state)
{
	(void)state;
	free_tags_release(&tags);
	return 0;
}

static void without_messages_all_are_free(void **state)
{
	(void)state;
	assert_first(1, 0);
	assert_first(100000, 0);
	assert_first(UINT32_C(1) << 31, 0);
}

static void messages_of_each_kind_take_their_tag(void **state)
{
	static const enum mpi_event_kind kinds[] = {EVENT_SEND, EVENT_RECV, EVENT_ISEND,
						    EVENT_IRECV};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		clear(state);
		note(kinds[i], WORLD, 100);
		assert_first(100, 0);
		assert_first(101, 101);
	}
}

static void other_events_and_communicators_take_none(void **state)
{
	(void)state;
	note(EVENT_SEND, OTHER, 5);
	note(EVENT_ISEND_COMPLETE, WORLD, 5);
	note(EVENT_COLLECTIVE, WORLD, 5);
	assert_first(10, 0);
}

static void the_lowest_place_with_room_is_taken(void **state)
{
	(void)state;
	note_all(1000, 1000);
	note_all(2010, 5);
	assert_first(1000, 0);
	assert_first(1001, 2015);
	note_all(0, 1000);
	assert_first(10, 2000);
	assert_first(11, 2015);
}

static void a_tag_counts_once_however_many_messages_have_it(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		note_all(3, 2);
	assert_int_equal(tags.used.count, 2);
	assert_first(3, 0);
	assert_first(4, 5);
}

/* As in a program whose tag is the number of its iteration. */
static void if_there_is_no_room_below_they_are_above_all_messages(void **state)
{
	(void)state;
	note_all(0, 50000);
	assert_first(3, 50000);
	note(EVENT_RECV, WORLD, 50002);
	assert_first(3, 50003);
}

static void the_last_tag_of_an_int_may_be_taken_and_none_beyond_it(void **state)
{
	struct error err;
	uint32_t first;

	(void)state;
	note(EVENT_SEND, WORLD, INT32_MAX - 3);
	assert_first(INT32_MAX - 3, 0);
	note(EVENT_SEND, WORLD, 1);
	assert_first(1, 0);
	note(EVENT_SEND, WORLD, 0);
	note(EVENT_SEND, WORLD, INT32_MAX / 2);
	assert_int_equal(free_tags_find(&tags, INT32_MAX - 10, &first, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_messages_all_are_free, clear),
		cmocka_unit_test_setup(messages_of_each_kind_take_their_tag, clear),
		cmocka_unit_test_setup(other_events_and_communicators_take_none, clear),
		cmocka_unit_test_setup(the_lowest_place_with_room_is_taken, clear),
		cmocka_unit_test_setup(a_tag_counts_once_however_many_messages_have_it, clear),
		cmocka_unit_test_setup(if_there_is_no_room_below_they_are_above_all_messages,
				       clear),
		cmocka_unit_test_setup_teardown(
			the_last_tag_of_an_int_may_be_taken_and_none_beyond_it, clear, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
