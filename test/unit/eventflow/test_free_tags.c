/* Tests of the tags that no message of a run on MPI_COMM_WORLD has. */
#include "eventflow/generate/free_tags.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { WORLD = 0, OTHER = 1 };

static struct free_tags tags;

static void note(enum mpi_event_kind kind, uint32_t comm, uint32_t tag)
{
	free_tags_note(&tags, &(struct mpi_event){.kind = kind, .comm = comm, .tag = tag}, WORLD);
}

static void note_all(uint32_t first, uint32_t count)
{
	for (uint32_t tag = first; tag < first + count; tag++)
		note(EVENT_SEND, WORLD, tag);
}

static void assert_longest(uint32_t first, uint32_t count)
{
	const struct tag_range range = free_tags_longest(&tags);

	assert_int_equal(range.first, first);
	assert_int_equal(range.count, count);
}

static int clear(void **state)
{
	(void)state;
	tags = (struct free_tags){0};
	return 0;
}

static void without_messages_all_are_free(void **state)
{
	(void)state;
	assert_longest(0, TAGS);
}

static void messages_of_each_kind_take_their_tag(void **state)
{
	static const enum mpi_event_kind kinds[] = {EVENT_SEND, EVENT_RECV, EVENT_ISEND,
						    EVENT_IRECV};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		tags = (struct free_tags){0};
		note(kinds[i], WORLD, 100);
		assert_longest(101, TAGS - 101);
	}
}

static void other_events_and_communicators_take_none(void **state)
{
	(void)state;
	note(EVENT_SEND, OTHER, 5);
	note(EVENT_ISEND_COMPLETE, WORLD, 5);
	note(EVENT_COLLECTIVE, WORLD, 5);
	assert_longest(0, TAGS);
}

static void the_longest_range_is_found_at_both_ends_and_between(void **state)
{
	(void)state;
	note_all(1000, 1000);
	assert_longest(2000, TAGS - 2000);
	note_all(30000, TAGS - 30000);
	assert_longest(2000, 28000);
	note_all(2000, 27500);
	assert_longest(0, 1000);
}

static void of_ranges_of_one_length_it_is_the_first(void **state)
{
	(void)state;
	note_all(0, TAGS / 4);
	note_all(TAGS / 2, TAGS / 4);
	assert_longest(TAGS / 4, TAGS / 4);
}

static void one_free_tag_is_found(void **state)
{
	static const uint32_t last[] = {0, 63, 64, TAGS - 1};

	(void)state;
	for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
		tags = (struct free_tags){0};
		note_all(0, last[i]);
		note_all(last[i] + 1, TAGS - 1 - last[i]);
		assert_longest(last[i], 1);
	}
}

static void if_none_is_free_all_are_taken(void **state)
{
	(void)state;
	note_all(0, TAGS);
	assert_longest(0, TAGS);
}

static void tags_beyond_those_of_each_mpi_do_not_matter(void **state)
{
	(void)state;
	note(EVENT_SEND, WORLD, TAGS);
	note(EVENT_RECV, WORLD, UINT32_MAX);
	assert_longest(0, TAGS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_messages_all_are_free, clear),
		cmocka_unit_test_setup(messages_of_each_kind_take_their_tag, clear),
		cmocka_unit_test_setup(other_events_and_communicators_take_none, clear),
		cmocka_unit_test_setup(the_longest_range_is_found_at_both_ends_and_between, clear),
		cmocka_unit_test_setup(of_ranges_of_one_length_it_is_the_first, clear),
		cmocka_unit_test_setup(one_free_tag_is_found, clear),
		cmocka_unit_test_setup(if_none_is_free_all_are_taken, clear),
		cmocka_unit_test_setup(tags_beyond_those_of_each_mpi_do_not_matter, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
