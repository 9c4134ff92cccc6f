/* Tests of loops, chains and loop trees against their definitions. */
#include "eventflow/graph/chains.h"
#include "eventflow/graph/order.h"
#include "eventflow/loops/tree_lines.h"
#include "test/unit/lib/make/make_flow.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/flow/flow_walk.h"
#include "trace/sequence/loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_LETTERS = 4000 };

/* Make the graph of a sequence of letters. */
static struct flow *flow_of(const char *letters)
{
	struct flow_feed feed;
	struct flow *flow;

	flow_feed_begin(&feed, 1);
	flow_feed_letters(&feed, 0, letters);
	flow = flow_feed_build(&feed, &(struct flow_options){.level = FLOW_BY_SITE});
	flow_feed_release(&feed);
	return flow;
}

static const char *name_of(const struct flow *flow, uint32_t node)
{
	enum flow_signature_kind kind;
	struct flow_cursor cursor = flow_cursor(NULL, 0);

	(void)kind;
	cursor = flow_cursor(string_table_get(&flow->signatures,
					      flow->graphs.items[0].nodes.items[node].signature) +
				     1,
			     8);
	return string_table_get(&flow->strings, (uint32_t)flow_get(&cursor));
}

/* ------------------------------------------------------------------------------ chains */

static void chains_of_minighost_leave_13_nodes_and_16_edges(void **state)
{
	struct flow *flow = make_minighost();
	struct flow_chains chains;
	struct error err;

	(void)state;
	MUST(flow_chains_find(&chains, &flow->graphs.items[0], &err));
	assert_int_equal(chains.nodes, 13);
	assert_int_equal(chains.edges, 16);
	assert_int_equal(chains.chains.count, 3);
	assert_int_equal(chains.chains.items[0].length, 9);
	assert_int_equal(chains.chains.items[1].length, 39);
	assert_int_equal(chains.chains.items[2].length, 29);
	flow_chains_release(&chains);
	flow_release(flow);
}

/* ------------------------------------------------------------------------------- loops */

/* Write the loops of a graph, outer ones first: "A 60/1 (C 360/60)": header, iterations, entries, inner loops. */
static void write_loops(const struct flow *flow, const struct flow_loops *loops, uint32_t parent,
			char *text)
{
	for (uint32_t l = 0; l < loops->loops.count; l++) {
		const struct flow_loop *loop = &loops->loops.items[l];

		if (loop->parent != parent)
			continue;
		sprintf(text + strlen(text), "(%s %llu/%llu%s", name_of(flow, loop->header),
			(unsigned long long)loop->iterations, (unsigned long long)loop->entries,
			loop->irreducible ? " irreducible" : "");
		write_loops(flow, loops, l, text);
		strcat(text, ")");
	}
}

static const char *loops_of(struct flow *flow)
{
	static char text[4096];
	struct flow_loops loops;
	struct error err;

	text[0] = 0;
	MUST(flow_loops_find(&loops, &flow->graphs.items[0], &err));
	write_loops(flow, &loops, NO_LOOP, text);
	flow_loops_release(&loops);
	flow_release(flow);
	return text;
}

/* Repeat: "I" + n times body + "F". */
static struct flow *shape(const char *before, const char *inner, int trips, const char *after,
			  int steps)
{
	char letters[MOST_LETTERS] = "I";

	for (int step = 0; step < steps; step++) {
		strcat(letters, before);
		for (int trip = 0; trip < trips; trip++)
			strcat(letters, inner);
		strcat(letters, after);
	}
	return flow_of(strcat(letters, "F"));
}

static void loops_of_the_six_shapes_have_their_nesting_and_trips(void **state)
{
	(void)state;
	assert_string_equal(loops_of(shape("A", "", 0, "", 7)), "(A 7/1)");
	assert_string_equal(loops_of(shape("AB", "", 0, "", 7)), "(A 7/1)");
	/* The inner loop first: they share the header. */
	assert_string_equal(loops_of(shape("", "AB", 3, "C", 7)), "(A 7/1(A 21/7))");
	assert_string_equal(loops_of(shape("A", "BC", 3, "", 7)), "(A 7/1(B 21/7))");
	assert_string_equal(loops_of(shape("A", "BC", 3, "D", 7)), "(A 7/1(B 21/7))");
	/* ... and goes round differently often, once too. */
	assert_string_equal(loops_of(flow_of("IABABCABABABCABCABABABABCF")), "(A 4/1(A 10/4))");
	assert_string_equal(loops_of(flow_of("IABABABABCABCABCABABCF")), "(A 4/1(A 8/4))");
	/* A call now and then at the end is the rest of an outer loop, a call within an iteration is a condition. */
	assert_string_equal(loops_of(flow_of("IABCABABABCABABABCABF")), "(A 4/1(A 8/4))");
	assert_string_equal(loops_of(flow_of("IACBABABACBABABACBABF")), "(A 8/1)");
	/* If and else. */
	assert_string_equal(loops_of(flow_of("IABACABACABF")), "(A 5/1)");
	/* Nothing is repeated. */
	assert_string_equal(loops_of(flow_of("IABCF")), "");
}

static void loops_are_deep_and_beside_each_other(void **state)
{
	(void)state;
	assert_string_equal(loops_of(flow_of("IABBCABBCABBCDEDEDEF")), "(A 3/1(B 6/3))(D 3/1)");
	assert_string_equal(loops_of(flow_of("IABCCCBCCCABCCCBCCCABCCCBCCCF")),
			    "(A 3/1(B 6/3(C 18/6)))");
	assert_string_equal(loops_of(flow_of("AAA")), "(A 3/1)");
	/* Into a loop beside its header. */
	assert_string_equal(loops_of(flow_of("IABABIBABIABF")), "(I 3/1(A 4/2 irreducible))");
}

static void loops_of_minighost_are_60_and_6(void **state)
{
	(void)state;
	assert_string_equal(loops_of(make_minighost()), "(A 60/1(C 360/60))");
}

/* Independent definition: strongly connected components, without their header, again. */
struct oracle {
	const struct flow_graph *graph;
	bool reaches[32][32];
	bool headers[32];
	bool reducible;
};

static void find_reachable(struct oracle *oracle, const bool *in)
{
	const size_t count = oracle->graph->nodes.count;

	memset(oracle->reaches, 0, sizeof oracle->reaches);
	for (size_t e = 0; e < oracle->graph->edges.count; e++) {
		const struct flow_edge *edge = &oracle->graph->edges.items[e];

		if (in[edge->from] && in[edge->to])
			oracle->reaches[edge->from][edge->to] = true;
	}
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < count; j++)
				oracle->reaches[i][j] |= oracle->reaches[i][k] &&
							 oracle->reaches[k][j];
}

static void oracle_loops(struct oracle *oracle, const bool *in)
{
	const uint32_t count = (uint32_t)oracle->graph->nodes.count;
	bool done[32] = {false};

	for (uint32_t node = 0; node < count; node++) {
		bool members[32] = {false};
		uint32_t entries = 0, header = 0;

		find_reachable(oracle, in);
		if (!in[node] || done[node] || !oracle->reaches[node][node])
			continue;
		for (uint32_t n = 0; n < count; n++)
			members[n] = done[n] = done[n] || (oracle->reaches[node][n] &&
							   oracle->reaches[n][node]);
		for (uint32_t n = 0; n < count; n++)
			members[n] = oracle->reaches[node][n] && oracle->reaches[n][node];
		for (uint32_t n = 0; n < count; n++) {
			bool entered = n == 0;

			for (size_t e = 0; e < oracle->graph->edges.count; e++)
				entered |= oracle->graph->edges.items[e].to == n &&
					   !members[oracle->graph->edges.items[e].from];
			if (members[n] && entered) {
				entries++;
				header = n;
			}
		}
		if (entries != 1) {
			oracle->reducible = false;
			return;
		}
		oracle->headers[header] = true;
		members[header] = false;
		oracle_loops(oracle, members);
	}
}

static void check_headers(struct flow *flow, uint32_t *reducible)
{
	struct oracle oracle = {.graph = &flow->graphs.items[0], .reducible = true};
	bool all[32], found[32] = {false}, irreducible = false;
	struct flow_loops loops;
	struct error err;

	memset(all, true, sizeof all);
	oracle_loops(&oracle, all);
	MUST(flow_loops_find_all(&loops, &flow->graphs.items[0], &err));
	for (size_t l = 0; l < loops.loops.count; l++) {
		found[loops.loops.items[l].header] = true;
		irreducible |= loops.loops.items[l].irreducible;
		/* A parent has another depth, all of its members. */
		if (loops.loops.items[l].parent != NO_LOOP)
			assert_true(loops.loops.items[loops.loops.items[l].parent].depth <
				    loops.loops.items[l].depth);
	}
	if (oracle.reducible) {
		assert_memory_equal(found, oracle.headers, sizeof found);
		assert_false(irreducible);
	}
	*reducible += oracle.reducible;
	flow_loops_release(&loops);
	flow_release(flow);
}

static void headers_are_those_of_components_of_reducible_graphs(void **state)
{
	uint64_t numbers = 3;
	uint32_t reducible = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		char letters[64] = "";
		const uint32_t length = 3 + (uint32_t)random_below(&numbers, 40);
		const uint64_t alphabet = 2 + random_below(&numbers, 10);

		/* Mostly one of the next letters, so that many graphs are reducible. */
		for (uint32_t i = 0, at = 0; i < length; i++) {
			letters[i] = (char)('A' + at);
			at = random_below(&numbers, 3) ? (at + 1) % (uint32_t)alphabet
						       : (uint32_t)random_below(&numbers, alphabet);
		}
		check_headers(flow_of(letters), &reducible);
	}
	assert_true(reducible > 200 && reducible < 3000);
}

/* ------------------------------------------------------------------------------- trees */

/* Append the nodes of an item of a tree. */
static size_t expand(const struct flow_tree *tree, uint32_t item, uint32_t *nodes, size_t count);

static size_t expand_list(const struct flow_tree *tree, struct flow_tree_list list, uint32_t *nodes,
			  size_t count)
{
	for (size_t i = 0; i < list.count; i++)
		count = expand(tree, list.items[i], nodes, count);
	return count;
}

static size_t expand(const struct flow_tree *tree, uint32_t item, uint32_t *nodes, size_t count)
{
	const struct flow_tree_symbol *symbol = flow_tree_symbol(tree, item);

	if (!symbol) {
		nodes[count] = item;
		return count + 1;
	}
	for (uint64_t i = 0; i < symbol->iterations; i++) {
		uint32_t found = 0;

		for (size_t v = 0; v < symbol->variants.count; v++) {
			struct flow_run run =
				flow_run_first(symbol->variants.items[v].iterations.items,
					       symbol->variants.items[v].iterations.count);

			while (run.begin != UINT64_MAX && run.last < i)
				flow_run_next(&run);
			if (run.begin > i)
				continue;
			found++;
			count = expand_list(tree,
					    flow_tree_get(tree, symbol->variants.items[v].list),
					    nodes, count);
		}
		assert_int_equal(found, 1);
	}
	return count;
}

static void check_tree(struct flow *flow)
{
	const struct flow_graph *graph = &flow->graphs.items[0];
	struct flow_loops loops;
	struct flow_tree tree;
	struct flow_walk walk;
	struct error err;
	uint32_t *nodes = malloc(graph->events * sizeof *nodes + 1);
	size_t count;

	assert_non_null(nodes);
	MUST(flow_loops_find(&loops, graph, &err));
	MUST(flow_tree_make(&tree, graph, &loops, &err));
	count = expand_list(&tree, flow_tree_root(&tree), nodes, 0);
	assert_int_equal(count, graph->events);
	MUST(flow_walk_begin(&walk, graph, &err));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(flow_walk_next(&walk, &err), 1);
		assert_int_equal(walk.node, nodes[i]);
	}
	flow_walk_release(&walk);
	flow_tree_release(&tree);
	flow_loops_release(&loops);
	free(nodes);
	flow_release(flow);
}

static void add_nest(char *letters, size_t *count, uint64_t *numbers, int depth)
{
	const uint64_t body = *numbers;
	const uint32_t parts = 1 + (uint32_t)random_below(numbers, 4);

	for (uint64_t trips = 1 + random_below(numbers, 4); trips; trips--) {
		uint64_t again = body + 1;

		for (uint32_t part = 0; part < parts && *count < MOST_LETTERS - 1; part++) {
			if (depth && random_below(&again, 2))
				add_nest(letters, count,
					 random_below(numbers, 3) ? &again : numbers, depth - 1);
			else
				letters[(*count)++] = (char)('A' + random_below(&again, 26));
		}
	}
}

static void trees_have_all_events(void **state)
{
	uint64_t numbers = 4;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		static char letters[MOST_LETTERS];
		size_t count = 0;

		add_nest(letters, &count, &numbers, 3);
		letters[count ? count : 1] = 0;
		check_tree(flow_of(count ? letters : "A"));
	}
	for (int round = 0; round < 500; round++) {
		char letters[200] = "";

		for (size_t i = 0; i < sizeof letters - 1; i++)
			letters[i] = (char)('A' + random_below(&numbers, 2 + (uint64_t)round % 9));
		check_tree(flow_of(letters));
	}
}

/* Write a tree as its lines, without the labels of calls. */
static const char *tree_of(struct flow *flow)
{
	static char text[8192];
	const struct flow_graph *graph = &flow->graphs.items[0];
	struct flow_loops loops;
	struct flow_chains chains;
	struct flow_tree tree;
	struct tree_lines lines = {0};
	struct error err;
	char *at = text;

	MUST(flow_loops_find(&loops, graph, &err));
	MUST(flow_chains_find(&chains, graph, &err));
	MUST(flow_tree_make(&tree, graph, &loops, &err));
	MUST(tree_lines_make(&lines, &tree, &chains, 1000, &err));
	for (size_t i = 0; i < lines.count; i++) {
		const struct tree_line *line = &lines.items[i];
		char blocks[200] = "";

		if (line->blocks)
			flow_blocks_text(line->blocks, line->block_count, blocks, sizeof blocks);
		at += sprintf(at, "%*s", (int)line->depth, "");
		if (line->kind == TREE_ROOT)
			at += sprintf(at, "ROOT\n");
		else if (line->kind == TREE_LOOP)
			at += sprintf(at, "LOOP %llu\n", (unsigned long long)line->count);
		else if (line->kind == TREE_SEQUENCE)
			at += sprintf(at, "SEQUENCE%s\n", blocks);
		else if (line->kind == TREE_CHAIN)
			at += sprintf(at, "%s, %llu\n", name_of(flow, line->node),
				      (unsigned long long)line->count);
		else
			at += sprintf(at, "%s\n", name_of(flow, line->node));
	}
	array_release(&lines);
	flow_tree_release(&tree);
	flow_chains_release(&chains);
	flow_loops_release(&loops);
	flow_release(flow);
	return text;
}

static void tree_of_minighost_is_as_published(void **state)
{
	(void)state;
	assert_string_equal(tree_of(make_minighost()), "ROOT\n"
						       " SEQUENCE\n  MPI_Init\n  s1.0, 9\n"
						       " LOOP 60\n"
						       "  SEQUENCE\n   A\n   B\n"
						       "  LOOP 6\n"
						       "   SEQUENCE[0,2,2,1 | 4,5,0,2]\n    C\n"
						       "   SEQUENCE[1,1,0,1]\n    C\n    E\n    D\n"
						       "   SEQUENCE[3,3,0,1]\n    C\n    G\n    F\n"
						       "  SEQUENCE\n   s3.0, 39\n   H\n"
						       " SEQUENCE\n  s2.0, 29\n  MPI_Finalize\n");
}

static void known_answers_of_small_programs(void **state)
{
	(void)state;
	/* A barrier in every third iteration. */
	assert_string_equal(tree_of(flow_of("IABABACBABABACBABABACBF")),
			    "ROOT\n SEQUENCE\n  I\n LOOP 9\n"
			    "  SEQUENCE[0,7,3,2]\n   A\n   B\n"
			    "  SEQUENCE[2,8,3,1]\n   A\n   C\n   B\n SEQUENCE\n  F\n");
	/* 10 trips or 20: only counts and ends of blocks differ. */
	assert_string_equal(loops_of(shape("A", "BC", 10, "", 7)), "(A 7/1(B 70/7))");
	assert_string_equal(loops_of(shape("A", "BC", 20, "", 7)), "(A 7/1(B 140/7))");
	/* A phase that is run twice from one place has twice the entries and as many trips, and is in the tree twice. */
	assert_string_equal(loops_of(flow_of("IPABABABF")), "(A 3/1)");
	assert_string_equal(loops_of(flow_of("IPABABABPABABABF")), "(A 6/2)");
	assert_string_equal(tree_of(flow_of("IPABABABPABABABF")),
			    "ROOT\n SEQUENCE\n  I\n  P\n LOOP 3\n  SEQUENCE\n   A\n   B\n"
			    " SEQUENCE\n  P\n LOOP 3\n  SEQUENCE\n   A\n   B\n SEQUENCE\n  F\n");
	/* The phase alone, with something between. */
	assert_string_equal(loops_of(flow_of("IABABABCABABABF")), "(A 6/2)");
	assert_string_equal(loops_of(flow_of("IABABABCABABABCF")), "(A 6/2)");
	/* Three times are a loop. */
	assert_string_equal(loops_of(flow_of("IABABABCABABABCABABABCF")), "(A 3/1(A 9/3))");
}

/* ------------------------------------------------------------------------------- order */

/* Count walks that take each edge as often as `left` says, up to 2. */
static uint32_t count_walks(const struct flow_graph *graph, uint32_t node, uint64_t *left,
			    uint64_t steps)
{
	uint32_t walks = 0;

	if (!steps)
		return 1;
	for (uint32_t e = graph->nodes.items[node].edges;
	     e < graph->nodes.items[node].edges + graph->nodes.items[node].edge_count && walks < 2;
	     e++) {
		if (!left[e])
			continue;
		left[e]--;
		walks += count_walks(graph, graph->edges.items[e].to, left, steps - 1);
		left[e]++;
	}
	return walks;
}

/* Check that the sets of visits lead along the walk that the calls were, of all that take the edges as often. */
static void check_walk(const struct flow *flow, const char *letters)
{
	struct flow_walk walk;
	struct error err;

	MUST(flow_walk_begin(&walk, &flow->graphs.items[0], &err));
	for (; *letters; letters++) {
		assert_int_equal(flow_walk_next(&walk, &err), 1);
		assert_int_equal(name_of(flow, walk.node)[0], *letters);
	}
	assert_int_equal(flow_walk_next(&walk, &err), 0);
	flow_walk_release(&walk);
}

static void order_is_fixed_exactly_if_one_walk_exists(void **state)
{
	uint64_t numbers = 9;
	uint32_t fixed_count = 0;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		char letters[32] = "";
		const uint64_t length = 2 + random_below(&numbers, 12),
			       alphabet = 2 + random_below(&numbers, 7);
		struct flow *flow;
		const struct flow_graph *graph;
		uint64_t left[64];
		struct error err;
		bool fixed;

		for (uint64_t i = 0; i < length; i++)
			letters[i] = (char)('A' + random_below(&numbers, alphabet));
		flow = flow_of(letters);
		graph = &flow->graphs.items[0];
		for (size_t e = 0; e < graph->edges.count; e++)
			left[e] = graph->edges.items[e].count;
		MUST(flow_order_is_fixed(graph, &fixed, &err));
		assert_int_equal(fixed, count_walks(graph, 0, left, graph->events - 1) == 1);
		fixed_count += fixed;
		check_walk(flow, letters);
		flow_release(flow);
	}
	assert_true(fixed_count > 400 && fixed_count < 3600);
}

static void order_of_the_two_examples(void **state)
{
	struct flow *one = flow_of("ISRSRSRSRF"), *two = flow_of("IBRBSBRBSBRBSF");
	struct error err;
	bool fixed;

	(void)state;
	MUST(flow_order_is_fixed(&one->graphs.items[0], &fixed, &err));
	assert_true(fixed);
	MUST(flow_order_is_fixed(&two->graphs.items[0], &fixed, &err));
	assert_false(fixed);
	flow_release(one);
	flow_release(two);
}

/* A chain of 10^5 calls, of which some are repeated. */
static void long_chains_do_not_fill_the_stack(void **state)
{
	static char names[100000][8];
	struct flow_feed feed;
	struct flow_loops loops;
	struct flow *flow;
	struct error err;

	(void)state;
	flow_feed_begin(&feed, 1);
	for (uint32_t trip = 0; trip < 2; trip++)
		for (uint32_t i = 0; i < 100000; i++) {
			snprintf(names[i], sizeof names[i], "%u", i);
			flow_feed_add(&feed, 0, names[i], NULL, 0);
		}
	flow = flow_feed_build(&feed, &(struct flow_options){.level = FLOW_BY_SITE});
	MUST(flow_loops_find(&loops, &flow->graphs.items[0], &err));
	assert_int_equal(loops.loops.count, 1);
	assert_int_equal(loops.loops.items[0].nodes, 100000);
	assert_int_equal(loops.loops.items[0].iterations, 2);
	flow_loops_release(&loops);
	flow_release(flow);
	flow_feed_release(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_of_minighost_leave_13_nodes_and_16_edges),
		cmocka_unit_test(loops_of_the_six_shapes_have_their_nesting_and_trips),
		cmocka_unit_test(loops_are_deep_and_beside_each_other),
		cmocka_unit_test(loops_of_minighost_are_60_and_6),
		cmocka_unit_test(headers_are_those_of_components_of_reducible_graphs),
		cmocka_unit_test(trees_have_all_events),
		cmocka_unit_test(tree_of_minighost_is_as_published),
		cmocka_unit_test(known_answers_of_small_programs),
		cmocka_unit_test(order_is_fixed_exactly_if_one_walk_exists),
		cmocka_unit_test(order_of_the_two_examples),
		cmocka_unit_test(long_chains_do_not_fill_the_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
