#include "trace/flow/file/flow_merge.h"

#include "trace/flow/call/flow_call.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/file/flow_sections.h"
#include "trace/flow/flow_parts.h"

#include <string.h>

/* Numbers of the part in `into`. */
struct merge {
	struct flow *into, *part;
	uint32_t *strings, *signatures, *graphs;
	struct flow_bytes bytes; /* of the signature or graph at hand */
};

int flow_set_world(struct flow *flow, const struct trace_world *world, struct error *err)
{
	struct flow_bytes bytes = {0};
	struct flow_cursor cursor;
	int result = flow_world_put(flow, world, &bytes, err);

	cursor = flow_cursor(bytes.items, bytes.count);
	if (result == 0)
		result = flow_world_get(flow, &cursor, err);
	flow->world.synthetic_times = flow->times != FLOW_TIMES_ALL;
	array_release(&bytes);
	return result;
}

static int merge_damaged(const char *what, struct error *err)
{
	return error_set(err, STATUS_DATA, "damaged: a part has %s", what);
}

/* ------------------------------------------------------- strings and signatures */

static int merge_strings(struct merge *merge, struct error *err)
{
	const struct string_table *from = &merge->part->strings;

	TRY(allocate(&merge->strings, from->starts.count, sizeof *merge->strings, err));
	for (uint32_t i = 0; i < from->starts.count; i++) {
		const char *text = string_table_get(from, i);

		TRY(string_table_add(&merge->into->strings, text, strlen(text), &merge->strings[i],
				     err));
	}
	return 0;
}

static int merge_signatures(struct merge *merge, struct error *err)
{
	const size_t count = merge->part->signatures.starts.count;
	struct flow_copy copy = {.from = merge->part, .strings = merge->strings};

	TRY(allocate(&merge->signatures, count, sizeof *merge->signatures, err));
	copy.signatures = merge->signatures;
	for (uint32_t i = 0; i < count; i++) {
		TRY(flow_signature_copy(&copy, i, &merge->bytes, err));
		TRY(flow_signature_add(merge->into, &merge->bytes, &merge->signatures[i], err));
	}
	return 0;
}

/* ------------------------------------------------------------------------ graphs */

static int number_graph(struct flow *flow, const struct flow_graph *graph, struct flow_bytes *bytes,
			uint32_t *number, struct error *err)
{
	bytes->count = 0;
	TRY(flow_graph_put(graph, bytes, err));
	return string_table_add(&flow->graph_numbers, (const char *)bytes->items, bytes->count,
				number, err);
}

/* Number the graphs that were there before anything was merged. */
static int number_graphs(struct merge *merge, struct error *err)
{
	struct flow *into = merge->into;
	uint32_t number;

	for (size_t i = into->graph_numbers.starts.count; i < into->graphs.count; i++)
		TRY(number_graph(into, &into->graphs.items[i], &merge->bytes, &number, err));
	return into->graph_numbers.starts.count == into->graphs.count
		       ? 0
		       : merge_damaged("equal graphs", err);
}

static int merge_graphs(struct merge *merge, struct error *err)
{
	struct flow *into = merge->into;

	TRY(number_graphs(merge, err));
	TRY(allocate(&merge->graphs, merge->part->graphs.count, sizeof *merge->graphs, err));
	for (size_t i = 0; i < merge->part->graphs.count; i++) {
		struct flow_graph *graph = &merge->part->graphs.items[i];

		for (size_t n = 0; n < graph->nodes.count; n++)
			graph->nodes.items[n].signature =
				merge->signatures[graph->nodes.items[n].signature];
		TRY(number_graph(into, graph, &merge->bytes, &merge->graphs[i], err));
		if (merge->graphs[i] < into->graphs.count)
			continue;
		TRY(array_push(&into->graphs, *graph, err));
		*graph = (struct flow_graph){0};
	}
	return 0;
}

static int number_group(struct flow *flow, size_t number, struct error *err)
{
	const uint32_t id = flow->groups.items[number].id;

	if (number_map_get(&flow->group_numbers, id, 0) != NUMBER_MAP_EMPTY)
		return merge_damaged("a group twice", err);
	return number_map_add(&flow->group_numbers, id, 0, (uint32_t)number, err);
}

static bool is_same_group(const struct flow_group *a, const struct flow_group *b)
{
	return a->members.count == b->members.count &&
	       (!a->members.count || !memcmp(a->members.items, b->members.items,
					     a->members.count * sizeof *a->members.items));
}

static int merge_groups(struct merge *merge, struct error *err)
{
	struct flow *into = merge->into;

	for (size_t i = into->group_numbers.count; i < into->groups.count; i++)
		TRY(number_group(into, i, err));
	for (size_t i = 0; i < merge->part->groups.count; i++) {
		struct flow_group *group = &merge->part->groups.items[i];
		const uint32_t found = number_map_get(&into->group_numbers, group->id, 0);

		if (found != NUMBER_MAP_EMPTY && !is_same_group(&into->groups.items[found], group))
			return merge_damaged("other members of a group", err);
		if (found != NUMBER_MAP_EMPTY)
			continue;
		TRY(array_push(&into->groups, *group, err));
		*group = (struct flow_group){0};
		TRY(number_group(into, into->groups.count - 1, err));
	}
	return 0;
}

/* ------------------------------------------------------------------------- ranks */

static int copy_packed(void *data, const struct flow_packed *packed, struct error *err)
{
	uint8_t **to = data;

	(void)err;
	if (packed->count)
		memcpy(*to, packed->bytes, packed->count);
	((struct flow_packed *)packed)->bytes = *to;
	*to += packed->count;
	return 0;
}

/*
 * Copy values and times of a part out of its file, which can be closed then: there may be more
 * parts than files that a process may map.
 */
static int copy_data(struct flow *part, struct error *err)
{
	uint64_t size;
	uint8_t *to;

	TRY(flow_data_size(part, part->first_rank, part->rank_count, &size, err));
	TRY(flow_allocate(part, &to, size, 1, err));
	for (uint32_t r = 0; r < part->rank_count; r++)
		TRY(flow_rank_data(&part->ranks[r], copy_packed, &to, err));
	return 0;
}

/* Keep alive what the ranks of the part refer to. */
static int move_memory(struct flow *into, struct flow *part, struct error *err)
{
	if (part->inputs.count)
		TRY(copy_data(part, err));
	TRY(array_reserve(&into->owned, part->owned.count, err));
	for (size_t i = 0; i < part->owned.count; i++)
		into->owned.items[into->owned.count++] = part->owned.items[i];
	part->owned.count = 0;
	return 0;
}

static void renumber_rank(const struct merge *merge, struct flow_rank *rank)
{
	for (size_t t = 0; t < rank->threads.count; t++) {
		struct flow_thread *thread = &rank->threads.items[t];

		thread->graph = merge->graphs[thread->graph];
		for (size_t i = 0; i < thread->contents.count; i++)
			thread->contents.items[i] = merge->signatures[thread->contents.items[i]];
	}
}

static int merge_ranks(struct merge *merge, struct error *err)
{
	struct flow *into = merge->into, *part = merge->part;
	const uint32_t before = into->rank_count;

	TRY(flow_add_ranks(into, part->rank_count, err));
	TRY(move_memory(into, part, err));
	for (uint32_t r = 0; r < part->rank_count; r++) {
		into->ranks[before + r] = part->ranks[r];
		renumber_rank(merge, &into->ranks[before + r]);
	}
	part->rank_count = 0;
	into->calls += part->calls;
	trace_left_out_add(&into->left_out, &part->left_out);
	return 0;
}

/* Check that the part follows; a flow without ranks becomes like the part. */
static int check_part(struct flow *into, const struct flow *part, struct error *err)
{
	if (!into->rank_count) {
		into->first_rank = part->first_rank;
		into->times = part->times;
		into->level = part->level;
		into->folds = part->folds;
	}
	if (!into->world.rank_count)
		into->world.rank_count = part->world.rank_count;
	if (into->world.rank_count != part->world.rank_count)
		return merge_damaged("another number of ranks in all", err);
	if (into->first_rank + into->rank_count != part->first_rank)
		return error_set(err, STATUS_DATA, "damaged: rank %u of a part follows rank %u",
				 part->first_rank, into->first_rank + into->rank_count - 1);
	if (into->times != part->times || into->level != part->level || into->folds != part->folds)
		return merge_damaged("other times or signatures", err);
	return 0;
}

int flow_merge(struct flow *into, struct flow *part, struct error *err)
{
	struct merge merge = {.into = into, .part = part};
	int result = check_part(into, part, err);

	if (result == 0)
		result = merge_strings(&merge, err);
	if (result == 0)
		result = merge_signatures(&merge, err);
	if (result == 0)
		result = merge_graphs(&merge, err);
	if (result == 0)
		result = merge_groups(&merge, err);
	if (result == 0)
		result = merge_ranks(&merge, err);
	free(merge.strings);
	free(merge.signatures);
	free(merge.graphs);
	array_release(&merge.bytes);
	return result;
}
