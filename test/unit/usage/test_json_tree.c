/* JSON texts as trees: what is JSON and what is not, values, places of errors. */
#include "usage/log/json_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

enum { DEPTH = 4 };

static struct error err;
static struct json_tree tree;

static const struct tree_value *parsed(const char *text)
{
	assert_int_equal(json_tree_parse(&tree, text, strlen(text), DEPTH, &err), 0);
	if (tree.wrong)
		fail_msg("%s: %s", text, tree.wrong);
	assert_int_equal(tree.values.items->size, tree.values.count);
	return tree.values.items;
}

static void numbers_have_their_values(void **state)
{
	(void)state;
	assert_true(parsed(" 18446744073709551615 ")->integer == UINT64_MAX);
	json_tree_release(&tree);
	assert_true(parsed("99999999999999999999999")->integer == UINT64_MAX);
	json_tree_release(&tree);
	assert_true(parsed("-12")->negative && tree.values.items->integer == 12);
	json_tree_release(&tree);
	assert_true(parsed("0")->kind == TREE_INTEGER && tree.values.items->integer == 0);
	json_tree_release(&tree);
	assert_true(parsed("-1.5e3")->kind == TREE_REAL && tree.values.items->real == -1500);
	json_tree_release(&tree);
	assert_true(parsed("1E+2")->kind == TREE_REAL && tree.values.items->real == 100);
	json_tree_release(&tree);
}

static void texts_have_their_characters(void **state)
{
	(void)state;
	assert_string_equal(parsed("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\"")->text, "a\"\\/\b\f\n\r\t");
	json_tree_release(&tree);
	assert_string_equal(parsed("\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"")->text,
			    "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	json_tree_release(&tree);
	assert_string_equal(parsed("\"\xc3\xa9\xf0\x9f\x98\x80\"")->text,
			    "\xc3\xa9\xf0\x9f\x98\x80");
	json_tree_release(&tree);
	assert_int_equal(parsed("\"a\\u0000b\"")->count, 3);
	json_tree_release(&tree);
}

static void items_follow_their_list(void **state)
{
	const struct tree_value *item, *list;

	(void)state;
	list = parsed("[[1, [2]], {\"a\": null, \"b\": [true], \"a\": false}, \"\"]");
	assert_int_equal(list->count, 3);
	item = list + 1;
	assert_int_equal(item->count, 2);
	assert_int_equal(item->size, 4);
	item += item->size;
	assert_int_equal(item->kind, TREE_OBJECT);
	assert_int_equal(item->count, 3);
	assert_int_equal(tree_member(item, "a")->kind, TREE_BOOLEAN);
	assert_false(tree_member(item, "a")->truth);
	assert_int_equal(tree_member(item, "b")->kind, TREE_ARRAY);
	assert_null(tree_member(item, "c"));
	item += item->size;
	assert_int_equal(item->kind, TREE_STRING);
	assert_ptr_equal(item + item->size, list + list->size);
	json_tree_release(&tree);
}

static void what_is_no_json_is_refused_at_its_place(void **state)
{
	static const struct {
		const char *text;
		size_t at;
	} bad[] = {
		{"", 0},
		{" ", 1},
		{"[", 1},
		{"[1,]", 3},
		{"[1 2]", 3},
		{"{\"a\"}", 4},
		{"{a:1}", 1},
		{"{\"a\":1,}", 7},
		{"01", 1},
		{"-", 1},
		{"+1", 0},
		{"1.", 2},
		{".5", 0},
		{"1e", 2},
		{"nul", 0},
		{"nulll", 4},
		{"\"a", 2},
		{"\"\\x\"", 2},
		{"\"\\u12g4\"", 5},
		{"\"\t\"", 1},
		{"\"\xff\"", 1},
		{"\"\xc0\x80\"", 1},
		{"\"\xed\xa0\x80\"", 1},
		{"[1] 2", 4},
		{"[[[[[1]]]]]", 5},
		{"\"\\ud800\"", 7},
		{"\"\\udc00\"", 7},
		{"'a'", 0},
		{"\"\xf4\x90\x80\x80\"", 1},
		{"\"\xe2\x82", 1},
		{"{\"a\\u0000\":1}", 10},
		{"[1}", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(json_tree_parse(&tree, bad[i].text, strlen(bad[i].text), DEPTH,
						 &err),
				 0);
		if (!tree.wrong || tree.at != bad[i].at)
			fail_msg("%s: %s at %zu", bad[i].text, tree.wrong ? tree.wrong : "accepted",
				 tree.at);
		json_tree_release(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_their_values),
		cmocka_unit_test(texts_have_their_characters),
		cmocka_unit_test(items_follow_their_list),
		cmocka_unit_test(what_is_no_json_is_refused_at_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
