/* The binary form: an example written by hand, and all kinds of damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "goal/image.h"
#include "test/unit/lib/make/make_goal.h"

/*
 * Two ranks: calc 100, then send 10 bytes to rank 1 with tag 5; a receive of it,
 * and calc 7 on cpu 1 that irequires the receive.
 */
static const uint8_t example[] = {
	/*   0: header */ 0x7f, 0x10, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0,
	/*  14: jump table */ 38, 0, 0, 0, 0, 0, 0, 0, 132, 0, 0, 0, 0, 0, 0, 0,
	132, 0, 0, 0, 0, 0, 0, 0, 226, 0, 0, 0, 0, 0, 0, 0,
	/*  46: rank 0, 2 operations, 1 root */ 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	/*  58: calc */ 0, 0, 0, 0, 3, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	/*  97: send */ 1, 0, 0, 0, 1, 1, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	/* 136: successors */ 1, 0, 0, 0,
	/* 140: rank 1, 2 operations, 1 root */ 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	/* 152: recv */ 0, 0, 0, 0, 2, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	/* 191: calc */ 1, 0, 0, 0, 3, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
	0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	/* 230: successors */ 1, 0, 0, 0,
};

static const char example_text[] =
	"num_ranks 2\n\nrank 0 {\nl1: calc 100\nl2: send 10b to 1 tag 5\nl2 requires l1\n}\n"
	"\nrank 1 {\nl1: recv 10b from 0 tag 5\nl2: calc 7 cpu 1\nl2 irequires l1\n}\n";

static void text_compiles_to_the_bytes_of_the_format(void **state)
{
	struct goal goal;
	struct input binary;
	struct error err;

	(void)state;
	assert_int_equal(make_goal(&goal, example_text, &err), 0);
	assert_int_equal(goal.image.count, sizeof example);
	assert_memory_equal(goal.image.bytes, example, sizeof example);
	binary = write_goal(&goal, GOAL_BINARY);
	assert_int_equal(binary.count, sizeof example);
	assert_memory_equal(binary.bytes, example, sizeof example);
	input_release(&binary);
	goal_release(&goal);
}

static void the_bytes_of_the_format_are_read_and_written_as_text(void **state)
{
	struct input image = make_input(example, sizeof example), text;
	struct goal goal;
	struct error err;
	struct goal_op op;

	(void)state;
	assert_int_equal(goal_from_image(&goal, &image, "image", &err), 0);
	assert_int_equal(goal.rank_count, 2);
	assert_int_equal(goal.op_count, 4);
	assert_int_equal(goal.successor_count, 2);
	assert_int_equal(goal.ranks[1].first_op, 2);
	op = goal_op(&goal.ranks[1], 0);
	assert_int_equal(op.kind, GOAL_RECV);
	assert_int_equal(op.size, 10);
	assert_int_equal(op.irequires_count, 1);
	text = write_goal(&goal, GOAL_TEXT);
	assert_int_equal(text.count, strlen(example_text));
	assert_memory_equal(text.bytes, example_text, text.count);
	input_release(&text);
	goal_release(&goal);
}

static void an_empty_rank_has_no_operations(void **state)
{
	struct goal goal;
	struct error err;

	(void)state;
	assert_int_equal(make_goal(&goal, "num_ranks 1\nrank 0 {\n}", &err), 0);
	assert_int_equal(goal.image.count, 38);
	assert_int_equal(goal.op_count, 0);
	goal_release(&goal);
}

/* One field of the example changed. */
struct damage {
	size_t offset, size;
	uint64_t value;
	const char *expected;
};

static const struct damage damages[] = {
	{0, 8, 2342, "image: offset 0: the graph was consumed by a LogGOPSim --save-mem run:"
	 " make it again"},
	{0, 8, 4224, "image: offset 0: not a binary GOAL file: it would begin with 4223, not 4224"},
	{8, 4, 0, "image: offset 8: there must be at least one rank"},
	{8, 4, 0xffffffff, "image: offset 8: the file ends in its jump table: it is too short for"
	 " 4294967295 ranks"},
	{8, 4, 1, "image: offset 14: the block of rank 0 must begin at 22 and end by 226, not span"
	 " 38 to 132"},
	{12, 1, 2, "image: offset 12: the highest cpu and nic are 1 and 0, not 2 and 0"},
	{13, 1, 1, "image: offset 12: the highest cpu and nic are 1 and 0, not 1 and 1"},
	{14, 8, 0, "image: offset 14: the block of rank 0 must begin at 38 and end by 226, not span"
	 " 0 to 132"},
	{22, 8, 37, "image: offset 14: the block of rank 0 must begin at 38 and end by 226, not"
	 " span 38 to 37"},
	{22, 8, UINT64_MAX, "image: offset 14: the block of rank 0 must begin at 38 and end by 226,"
	 " not span 38 to 18446744073709551615"},
	{22, 8, 40, "image: offset 46: the block ends before its operation and root counts"},
	{38, 8, 222, "image: offset 175: 0 and 1 successors do not fit the block's 0"},
	{46, 4, 3, "image: offset 46: 3 operations and 1 root do not fit the block's 94 bytes"},
	{46, 4, 0xffffffff, "image: offset 46: 4294967295 operations and 1 root do not fit the"
	 " block's 94 bytes"},
	{46, 4, 1, "image: offset 46: the block's 94 bytes are not a whole number of successors after"
	 " 1 operation"},
	{50, 4, 3, "image: offset 46: 2 operations and 3 roots do not fit the block's 94 bytes"},
	{54, 4, 1, "image: offset 54: root 0 should be operation 0, not 1"},
	{58, 4, 1, "image: offset 58: operation 0 has 0 dependencies, not 1"},
	{97, 4, 0, "image: offset 97: operation 1 has 1 dependency, not 0"},
	{62, 1, 0, "image: offset 62: 0 is not a kind of operation (1 send, 2 recv, 3 calc)"},
	{62, 1, 4, "image: offset 62: 4 is not a kind of operation (1 send, 2 recv, 3 calc)"},
	{63, 4, 1, "image: offset 63: peer, tag and nic of a calc must be 0"},
	{75, 4, 1, "image: offset 63: peer, tag and nic of a calc must be 0"},
	{80, 1, 1, "image: offset 63: peer, tag and nic of a calc must be 0"},
	{102, 4, 2, "image: offset 102: peer 2 is not a rank: the highest is 1"},
	{102, 4, 0xffffffff, "image: offset 102: peer 4294967295 is not a rank: the highest is 1"},
	{81, 4, 2, "image: offset 81: 2 and 0 successors do not fit the block's 1"},
	{81, 4, 0xffffffff, "image: offset 81: 4294967295 and 0 successors do not fit the"
	 " block's 1"},
	{85, 4, 1, "image: offset 85: the successors must begin at 0 and 1, not 1 and 1"},
	{93, 4, 0, "image: offset 85: the successors must begin at 0 and 1, not 0 and 0"},
	{136, 4, 2, "image: offset 136: successor 2 is not an operation: the rank has 2"},
	{136, 4, 0, "image: offset 136: operation 0 depends on itself"},
	{183, 4, 0, "image: offset 218: the successors must begin at 0 and 0, not 1 and 1"},
};

static void damage_is_found_and_its_offset_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		struct input image = make_input(example, sizeof example);
		struct error err = {0};
		struct goal goal;

		memcpy((uint8_t *)image.bytes + damages[i].offset, &damages[i].value,
		       damages[i].size);
		if (goal_from_image(&goal, &image, "image", &err) == 0)
			fail_msg("%zu: damage at offset %zu was accepted", i, damages[i].offset);
		assert_int_equal(err.status, STATUS_DATA);
		assert_string_equal(err.text, damages[i].expected);
	}
}

static void a_receive_from_any_rank_is_accepted(void **state)
{
	struct input image = make_input(example, sizeof example);
	struct error err = {0};
	struct goal goal;

	(void)state;
	memset((uint8_t *)image.bytes + 157, 0xff, 4);
	assert_int_equal(goal_from_image(&goal, &image, "image", &err), 0);
	assert_int_equal(goal_op(&goal.ranks[1], 0).peer, GOAL_ANY);
	goal_release(&goal);
}

static void bytes_after_the_last_rank_are_found(void **state)
{
	uint8_t longer[sizeof example + 3] = {0};
	struct input image;
	struct error err = {0};
	struct goal goal;

	(void)state;
	memcpy(longer, example, sizeof example);
	image = make_input(longer, sizeof longer);
	assert_int_equal(goal_from_image(&goal, &image, "image", &err), -1);
	assert_string_equal(err.text,
			    "image: offset 234: the file has 3 more bytes after the block"
			    " of the last rank");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_compiles_to_the_bytes_of_the_format),
		cmocka_unit_test(the_bytes_of_the_format_are_read_and_written_as_text),
		cmocka_unit_test(an_empty_rank_has_no_operations),
		cmocka_unit_test(damage_is_found_and_its_offset_named),
		cmocka_unit_test(a_receive_from_any_rank_is_accepted),
		cmocka_unit_test(bytes_after_the_last_rank_are_found),
	};

	return cmocka_run_group_tests_name("goal image", tests, NULL, NULL);
}
