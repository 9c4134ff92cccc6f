/* The text reader: accepted texts, and the errors of others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/unit/lib/make/make_goal.h"

static void open_text(struct goal *goal, const char *text)
{
	struct error err;

	if (make_goal(goal, text, &err) < 0)
		fail_msg("%s", err.text);
}

static void assert_same_graph(const char *text, const char *expected)
{
	struct goal a, b;

	open_text(&a, text);
	open_text(&b, expected);
	assert_int_equal(a.image.count, b.image.count);
	assert_memory_equal(a.image.bytes, b.image.bytes, a.image.count);
	goal_release(&a);
	goal_release(&b);
}

/* The text of rank 0 of `ranks`. */
static void assert_error_among(int ranks, const char *body, const char *expected)
{
	char text[1024];
	struct goal goal;
	struct error err = {0};
	int used = snprintf(text, sizeof text, "num_ranks %d\nrank 0 {\n%s\n}\n", ranks, body);

	for (int rank = 1; rank < ranks; rank++)
		used += snprintf(text + used, sizeof text - (size_t)used, "rank %d {\n}\n", rank);
	if (make_goal(&goal, text, &err) == 0)
		fail_msg("accepted: %s", text);
	assert_string_equal(err.text, expected);
	assert_int_equal(err.status, STATUS_DATA);
}

static void assert_error(const char *body, const char *expected)
{
	assert_error_among(1, body, expected);
}

static void assert_file_error(const char *text, const char *expected)
{
	struct goal goal;
	struct error err = {0};

	if (make_goal(&goal, text, &err) == 0)
		fail_msg("accepted: %s", text);
	assert_string_equal(err.text, expected);
	assert_int_equal(err.status, STATUS_DATA);
}

static void all_fields_are_read(void **state)
{
	struct goal goal;
	struct goal_op op;

	(void)state;
	open_text(&goal, "num_ranks 3\nrank 0 {\n}\nrank 1 {\n"
		  "l1: calc 18446744073709551615 cpu 255\n"
		  "l2: send 10b to 2 tag 4294967294 cpu 3 nic 255\n"
		  "l3: recv 11b from 0 tag 6 cpu 7 nic 8\n"
		  "l4: recv 12b from -1 tag -1\n"
		  "l2 requires l1\nl3 irequires l1\nl3 requires l2\n}\nrank 2 {\n}\n");
	assert_int_equal(goal.rank_count, 3);
	assert_int_equal(goal.op_count, 4);
	assert_int_equal(goal.successor_count, 3);
	assert_int_equal(goal.ranks[1].root_count, 2);
	op = goal_op(&goal.ranks[1], 0);
	assert_int_equal(op.kind, GOAL_CALC);
	assert_int_equal(op.size, UINT64_MAX);
	assert_int_equal(op.cpu, 255);
	assert_int_equal(op.requires_count, 1);
	assert_int_equal(goal_successor(&goal.ranks[1], op.requires_first), 1);
	assert_int_equal(op.irequires_count, 1);
	assert_int_equal(goal_successor(&goal.ranks[1], op.irequires_first), 2);
	op = goal_op(&goal.ranks[1], 1);
	assert_int_equal(op.kind, GOAL_SEND);
	assert_int_equal(op.size, 10);
	assert_int_equal(op.peer, 2);
	assert_int_equal(op.tag, 4294967294);
	assert_int_equal(op.cpu, 3);
	assert_int_equal(op.nic, 255);
	assert_int_equal(op.dependencies, 1);
	op = goal_op(&goal.ranks[1], 2);
	assert_int_equal(op.kind, GOAL_RECV);
	assert_int_equal(op.peer, 0);
	assert_int_equal(op.tag, 6);
	assert_int_equal(op.cpu, 7);
	assert_int_equal(op.nic, 8);
	assert_int_equal(op.dependencies, 2);
	op = goal_op(&goal.ranks[1], 3);
	assert_int_equal(op.peer, GOAL_ANY);
	assert_int_equal(op.tag, GOAL_ANY);
	goal_release(&goal);
}

static const char plain[] = "num_ranks 2\nrank 0 {\nl1: calc 5\n"
			    "l2: send 5b to 1 tag 3 cpu 1 nic 2\nl2 requires l1\n}\n"
			    "rank 1 {\nl1: recv 5b from 0 tag 3\n}\n";

static void graphs_with_other_spaces_and_line_ends_are_the_same(void **state)
{
	(void)state;
	assert_same_graph("num_ranks 2\r\nrank 0 {\r\nl1: calc 5\r\n"
			  "l2: send 5b to 1 tag 3 cpu 1 nic 2\r\n"
			  "l2 requires l1\r\n}\r\nrank 1 {\r\nl1: recv 5b from 0 tag 3\r\n}\r\n",
			  plain);
	assert_same_graph("\n\n  num_ranks\t2\n\n\trank 0 {  \n  l1 : calc 5  \n\t"
			  "l2:send 5 b to 1 tag 3 cpu 1 nic 2\t\n   l2\trequires  l1\n  }\n\n"
			  "  rank 1{\n  l1: recv 5b from 0 tag 3\n  } \n\n", plain);
	assert_same_graph("num_ranks 2\nrank 0 {l1: calc 5\nl2: send 5bto1tag3cpu1nic2\n"
			  "l2 requires l1\n}rank 1 {recv 5bfrom0tag3\n}", plain);
	assert_same_graph("num_ranks 2\nrank 0{calc 5\na_b1: send 5b to 1 tag 3 cpu 1 nic 2\n"
			  "Z: calc 1\na_b1 requires Z\n}\nrank 1 {\n}",
			  "num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 5b to 1 tag 3 cpu 1 nic 2\n"
			  "l3: calc 1\nl2 requires l3\n}\nrank 1 {\n}\n");
}

static void comments_may_be_between_and_after_statements(void **state)
{
	(void)state;
	assert_same_graph("// first\nnum_ranks 2 // two\n/* a\n   b */ rank 0 { // zero\n"
			  "l1: calc 5 // five\n"
			  "/**/\nl2: send 5b to 1 tag 3 cpu 1 nic 2/* * / */\n"
			  "l2 requires l1 /* x */\n"
			  "} /* y */ rank 1 {\nl1: recv 5b from 0 tag 3//\n}\n// last", plain);
}

static void braces_and_slashes_in_comments_do_not_end_a_rank(void **state)
{
	(void)state;
	assert_same_graph("num_ranks 3 // }\n/* } */rank 0 { // } /*\n"
			  "/* // } */ calc 1 /*/ } */ //}\n}"
			  "/* rank 1 { } *//**/rank 1 { /*}*//*}*/ }//}\n"
			  " rank 2 { /***/ calc 2\n} //",
			  "num_ranks 3\nrank 0 {\ncalc 1\n}\nrank 1 {\n}\nrank 2 {\ncalc 2\n}\n");
	assert_file_error("num_ranks 2\nrank 0 {\ncalc 1 / }\n}\nrank 1 {\n}\n",
			  "text:3: expected the end of the line, not '/'");
}

static void the_first_of_several_ranks_in_error_is_named(void **state)
{
	(void)state;
	for (int round = 0; round < 100; round++)
		assert_file_error("num_ranks 4\nrank 0 {\n}\nrank 1 {\ncalc 1\ncalc x\n}\n"
				  "rank 2 {\nsend\n}\nrank 4 {",
				  "text:6: expected the time of the calc, not 'x'");
}

static void a_label_may_begin_with_a_keyword_or_be_a_verb(void **state)
{
	(void)state;
	assert_same_graph("num_ranks 1\nrank 0 {\nsend5: calc 1\nrequires: calc 2\n"
			  "requires requires send5\nranks: calc 3\n}\n",
			  "num_ranks 1\nrank 0 {\nl1: calc 1\nl2: calc 2\nl2 requires l1\n"
			  "l3: calc 3\n}\n");
}

static void duplicates_of_dependencies_are_kept(void **state)
{
	struct goal goal;

	(void)state;
	open_text(&goal, "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\nb requires a\nb requires a\n"
		  "b irequires a\n}\n");
	assert_int_equal(goal.successor_count, 3);
	assert_int_equal(goal_op(&goal.ranks[0], 1).dependencies, 3);
	goal_release(&goal);
}

static void labels_that_look_like_numbers_are_told_apart(void **state)
{
	(void)state;
	assert_same_graph("num_ranks 1\nrank 0 {\nl01: calc 1\nl1: calc 2\nl4000000000: calc 3\n"
			  "l999999999: calc 4\nl: calc 5\nL1: calc 6\nl1x: calc 7\nl0: calc 8\n"
			  "l1 requires l01\nl4000000000 requires l1\n"
			  "l999999999 requires l4000000000\n"
			  "l requires l999999999\nL1 requires l\nl1x requires L1\nl0 requires l1x\n"
			  "}\n",
			  "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nc: calc 3\nd: calc 4\n"
			  "e: calc 5\n"
			  "f: calc 6\ng: calc 7\nh: calc 8\nb requires a\nc requires b\n"
			  "d requires c\n"
			  "e requires d\nf requires e\ng requires f\nh requires g\n}\n");
}

/* Every name is its own label, in either table. */
static void random_labels_name_their_operations(void **state)
{
	enum { RANKS = 20, OPS = 400 };
	uint64_t numbers = 6;
	char *text = malloc(RANKS * OPS * 100);
	size_t used = (size_t)sprintf(text, "num_ranks %d\n", RANKS);
	uint32_t before[RANKS][OPS];
	struct goal goal;

	(void)state;
	for (int rank = 0; rank < RANKS; rank++) {
		char names[OPS][24];
		/* Full ranks and nearly empty ones, so that tables are cleared both ways. */
		int ops = rank % 3 ? 2 + (int)random_below(&numbers, 5) : OPS;

		used += (size_t)sprintf(text + used, "rank %d {\n", rank);
		for (int i = 0; i < ops; i++) {
			static const char *const prefixes[] = {"l", "l0", "x", "l5000", "lab_el"};

			sprintf(names[i], "%s%d", prefixes[random_below(&numbers, 5)], i + 1);
			used += (size_t)sprintf(text + used, "%s: calc %d\n", names[i], i);
			before[rank][i] = (uint32_t)i;
			if (i > 0) {
				before[rank][i] = (uint32_t)random_below(&numbers, (uint64_t)i);
				used += (size_t)sprintf(text + used, "%s requires %s\n", names[i],
							names[before[rank][i]]);
			}
		}
		used += (size_t)sprintf(text + used, "}\n");
	}
	open_text(&goal, text);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		const struct goal_block *block = &goal.ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op op = goal_op(block, i);

			for (uint32_t k = 0; k < op.requires_count; k++)
				assert_int_equal(before[rank][goal_successor(
							 block, op.requires_first + k)], i);
		}
		assert_int_equal(block->successor_count, block->op_count - 1);
	}
	goal_release(&goal);
	free(text);
}

static void errors_in_the_frame_name_the_line(void **state)
{
	(void)state;
	assert_file_error("", "text: the file is empty");
	assert_file_error("\n\n",
			  "text:3: expected 'num_ranks', with which GOAL text begins, not the"
			  " end of the file");
	assert_file_error("rank 0 {\n}\n",
			  "text:1: expected 'num_ranks', with which GOAL text begins,"
			  " not 'rank'");
	assert_file_error("\xef\xbb\xbfnum_ranks 1",
			  "text:1: expected 'num_ranks', with which GOAL text"
			  " begins, not the byte 0xef");
	assert_file_error("num_ranks x\n", "text:1: expected the number of ranks, not 'x'");
	assert_file_error("num_ranks\n1\n",
			  "text:1: expected the number of ranks, not the end of the line");
	assert_file_error("num_ranks 0\n", "text:1: there must be at least one rank");
	assert_file_error("num_ranks 4294967295\n",
			  "text:1: the file is too short for 4294967295 ranks");
	assert_file_error("num_ranks 4294967296\n",
			  "text:1: the number of ranks is larger than 4294967295");
	assert_file_error("num_ranks 1\nrank 1 {\n}\n",
			  "text:2: expected rank 0, not rank 1: ranks ascend from 0 without gaps");
	assert_file_error("num_ranks 3\nrank 0 {\n}\nrank 2 {\n}\n",
			  "text:4: expected rank 1, not rank 2: ranks ascend from 0 without gaps");
	assert_file_error("num_ranks 2\nrank 0 {\n}\n", "text:4: the file ends before rank 1 of 2");
	assert_file_error("num_ranks 1\nrank 0 \n{\n}\n",
			  "text:2: expected '{', not the end of the line");
	assert_file_error("num_ranks 1\nrank 0 {\ncalc 5\n",
			  "text:2: the block of rank 0 that begins here is not closed by '}'");
	assert_file_error("num_ranks 2\nrank 0 {\ncalc 5\nrank 1 {\n}\n",
			  "text:4: expected '}' to end the rank, not 'rank'");
	assert_file_error("num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n",
			  "text:4: expected the end of the file after the last rank, not 'rank'");
	assert_file_error("num_ranks 1\nrank 0 {\n}\n}\n",
			  "text:4: expected the end of the file after the last rank, not '}'");
	assert_file_error("num_ranks 1\nrank 0 {\n/* calc 5\n}\n",
			  "text:3: the comment that begins here does not end");
	assert_file_error("num_ranks 1 /*/\n", "text:1: the comment that begins here does not end");
}

static void errors_in_operations_name_the_line(void **state)
{
	(void)state;
	assert_error("calc", "text:3: expected the time of the calc, not the end of the line");
	assert_error("calc -5", "text:3: expected the time of the calc, not '-'");
	assert_error("calc 1.5", "text:3: expected the end of the line, not '.'");
	assert_error("\ncalc 5 calc 6", "text:4: expected the end of the line, not 'calc'");
	assert_error("calc 5 }", "text:3: expected the end of the line, not '}'");
	assert_error("calc 5 nic 1", "text:3: expected the end of the line, not 'nic'");
	assert_error("calc 5 tag 1", "text:3: expected the end of the line, not 'tag'");
	assert_error("calc 5 # five", "text:3: expected the end of the line, not '#'");
	assert_error("# five", "text:3: expected an operation, a dependency or '}', not '#'");
	assert_error("_a: calc 5", "text:3: expected an operation, a dependency or '}', not '_a'");
	assert_error("5: calc 5", "text:3: expected an operation, a dependency or '}', not '5'");
	assert_error("a: jump 5", "text:3: expected 'calc', 'send' or 'recv', not 'jump'");
	assert_error("a:\ncalc 5",
		     "text:3: expected 'calc', 'send' or 'recv', not the end of the line");
	assert_error("calc5",
		     "text:3: expected ':', 'requires' or 'irequires', not the end of the line");
	assert_error("send 5 to 0", "text:3: expected 'b' for bytes, not 'to'");
	assert_error("send 5b from 0", "text:3: expected 'to', not 'from'");
	assert_error("recv 5b to 0", "text:3: expected 'from', not 'to'");
	assert_error("send 5kb to 0", "text:3: expected 'b' for bytes, not 'kb'");
	assert_error("send 5b to -1", "text:3: a send needs a destination, not any rank");
	assert_error("recv 5b from -2", "text:3: expected the source, not '-'");
	assert_error("recv 5b from -12", "text:3: the source is negative");
	assert_error("send 5b to 0 cpu 1 tag 2", "text:3: expected the end of the line, not 'tag'");
	assert_error("send 5b to 0 nic 1 cpu 2", "text:3: expected the end of the line, not 'cpu'");
	assert_error("send 5b to 0 tag", "text:3: expected the tag, not the end of the line");
}

static void numbers_that_do_not_fit_are_errors(void **state)
{
	(void)state;
	assert_error("calc 18446744073709551616",
		     "text:3: the time of the calc is larger than 18446744073709551615");
	assert_error("calc 99999999999999999999999",
		     "text:3: the time of the calc is larger than 18446744073709551615");
	assert_error("calc 5 cpu 256", "text:3: cpu is larger than 255");
	assert_error("send 5b to 0 nic 300", "text:3: nic is larger than 255");
	assert_error("send 5b to 0 tag 4294967295", "text:3: the tag is larger than 4294967294");
	assert_error("send 5b to 5", "text:3: the destination is larger than 0, the last rank");
	assert_error_among(2, "recv 5b from 2",
			   "text:3: the source is larger than 1, the last rank");
	assert_error_among(2, "recv 5b from 4294967297",
			   "text:3: the source is larger than 1, the last rank");
}

static void errors_in_dependencies_name_the_line(void **state)
{
	(void)state;
	assert_error("a: calc 5\na: calc 6", "text:4: the label 'a' is defined a second time");
	assert_error("l7: calc 5\nl7: calc 6", "text:4: the label 'l7' is defined a second time");
	assert_error("a: calc 5\nb requires a", "text:4: the label 'b' is not defined above");
	assert_error("a: calc 5\na requires b\nb: calc 5",
		     "text:4: the label 'b' is not defined above");
	assert_error("a: calc 5\na requires a", "text:4: operation 0 depends on itself");
	assert_error("a: calc 5\nb: calc 5\na needs b",
		     "text:5: expected ':', 'requires' or 'irequires', not 'needs'");
	assert_error("a: calc 5\nb: calc 5\nb requires",
		     "text:5: expected a label, not the end of the line");
	assert_error("a: calc 5\nb: calc 5\nc: calc 5\nc requires a, b",
		     "text:6: expected the end of the line, not ','");
	assert_error("a: calc 5\nb: calc 5\nc: calc 5\nc requires a b",
		     "text:6: expected the end of the line, not 'b'");
}

static void labels_belong_to_their_rank(void **state)
{
	(void)state;
	assert_file_error("num_ranks 2\nrank 0 {\na: calc 1\nb: calc 1\n}\nrank 1 {\na: calc 1\n"
			  "a requires b\n}\n", "text:8: the label 'b' is not defined above");
	assert_file_error("num_ranks 2\nrank 0 {\nl1: calc 1\nl2: calc 1\n}\nrank 1 {\nl1: calc 1\n"
			  "l1 requires l2\n}\n", "text:8: the label 'l2' is not defined above");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields_are_read),
		cmocka_unit_test(graphs_with_other_spaces_and_line_ends_are_the_same),
		cmocka_unit_test(comments_may_be_between_and_after_statements),
		cmocka_unit_test(braces_and_slashes_in_comments_do_not_end_a_rank),
		cmocka_unit_test(the_first_of_several_ranks_in_error_is_named),
		cmocka_unit_test(a_label_may_begin_with_a_keyword_or_be_a_verb),
		cmocka_unit_test(duplicates_of_dependencies_are_kept),
		cmocka_unit_test(labels_that_look_like_numbers_are_told_apart),
		cmocka_unit_test(random_labels_name_their_operations),
		cmocka_unit_test(errors_in_the_frame_name_the_line),
		cmocka_unit_test(errors_in_operations_name_the_line),
		cmocka_unit_test(numbers_that_do_not_fit_are_errors),
		cmocka_unit_test(errors_in_dependencies_name_the_line),
		cmocka_unit_test(labels_belong_to_their_rank),
	};

	return cmocka_run_group_tests_name("goal text", tests, NULL, NULL);
}
