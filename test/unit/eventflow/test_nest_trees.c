/* Tests of loop trees of generated loop nests: loops, how often each was begun and went round are those of the source. */
#include "eventflow/loops/tree.h"
#include "test/unit/lib/make/make_nest.h"
#include "test/unit/lib/must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* How often the loops of a tree happen. */
struct happened {
	const struct flow_tree *tree;
	uint64_t entries[NEST_MOST_LOOPS], iterations[NEST_MOST_LOOPS]; /* [loop of the graph] */
	uint64_t calls;
};

/* Add what items are, which happen `times` times. */
static void add_items(struct happened *happened, struct flow_tree_list list, uint64_t times)
{
	for (size_t i = 0; i < list.count; i++) {
		const struct flow_tree_symbol *symbol =
			flow_tree_symbol(happened->tree, list.items[i]);
		uint64_t iterations = 0;

		if (!symbol) {
			happened->calls += times;
			continue;
		}
		happened->entries[symbol->loop] += times;
		happened->iterations[symbol->loop] += times * symbol->iterations;
		for (size_t v = 0; v < symbol->variants.count; v++) {
			const struct flow_blocks *blocks = &symbol->variants.items[v].iterations;
			const uint64_t count = flow_blocks_count(blocks->items, blocks->count);

			iterations += count;
			add_items(happened,
				  flow_tree_get(happened->tree, symbol->variants.items[v].list),
				  times * count);
		}
		assert_int_equal(iterations, symbol->iterations);
	}
}

/* Each loop of the source is one of the tree, with the same numbers, and there is no other. */
static void check_happened(const struct happened *happened, const struct nest *nest, size_t loops)
{
	bool taken[NEST_MOST_LOOPS] = {false};

	assert_int_equal(happened->calls, nest->event_count);
	assert_int_equal(loops, nest->loop_count);
	for (uint32_t l = 0; l < nest->loop_count; l++) {
		size_t found = 0;

		while (found < loops &&
		       (taken[found] || happened->entries[found] != nest->loops[l]->entries ||
			happened->iterations[found] != nest->loops[l]->iterations))
			found++;
		assert_true(found < loops);
		taken[found] = true;
	}
}

static void loops_of_a_tree_happen_as_often_as_those_of_its_source(void **state)
{
	uint64_t inner = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct happened happened = {0};
		struct nest nest;
		struct flow *flow;
		struct flow_loops loops;
		struct flow_tree tree;
		struct error err;

		nest_make(&nest, seed);
		flow = nest_flow(&nest);
		MUST(flow_loops_find(&loops, &flow->graphs.items[0], &err));
		MUST(flow_tree_make(&tree, &flow->graphs.items[0], &loops, &err));
		happened.tree = &tree;
		add_items(&happened, flow_tree_root(&tree), 1);
		check_happened(&happened, &nest, loops.loops.count);
		inner += nest.loop_count - 1;
		flow_tree_release(&tree);
		flow_loops_release(&loops);
		flow_release(flow);
		nest_release(&nest);
	}
	assert_true(inner > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_of_a_tree_happen_as_often_as_those_of_its_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
