#include "eventflow/generate/proxy_class.h"

#include "trace/flow/recover/flow_times.h"

#include <string.h>

/* ------------------------------------------------------------------------ classes */

static void name_class(struct proxy_class *class)
{
	const uint32_t *ranks = class->ranks.items;
	const size_t count = class->ranks.count;
	int length;

	if (count == 1) {
		snprintf(class->name, sizeof class->name, "rank_%u", ranks[0]);
	} else if (ranks[count - 1] - ranks[0] == count - 1) {
		snprintf(class->name, sizeof class->name, "ranks_%u_to_%u", ranks[0],
			 ranks[count - 1]);
	} else {
		length = snprintf(class->name, sizeof class->name, "ranks");
		for (size_t r = 0; r < count && r < 4; r++)
			length += snprintf(class->name + length,
					   sizeof class->name - (size_t)length, "_%u", ranks[r]);
		if (count > 4)
			snprintf(class->name + length, sizeof class->name - (size_t)length,
				 "_and_%zu", count - 4);
	}
}

/* Add the times between a rank's calls to its class.  *total becomes their sum. */
static int add_times(struct proxy_class *class, const struct flow *flow, uint32_t rank,
		     double *total, struct error *err)
{
	const struct flow_graph *graph = &flow->graphs.items[class->graph];
	struct flow_stat *nodes = NULL, *edges = NULL;
	int result = allocate(&nodes, graph->nodes.count, sizeof *nodes, err);

	if (result == 0)
		result = allocate(&edges, graph->edges.count + 1, sizeof *edges, err);
	if (result == 0)
		result = flow_thread_stats(flow, &flow->ranks[rank].threads.items[0], nodes, edges,
					   err);
	*total = 0;
	for (size_t e = 0; result == 0 && e < graph->edges.count; e++) {
		class->sums[e] += edges[e].sum;
		class->counts[e] += edges[e].count;
		*total += (double)edges[e].sum;
	}
	free(nodes);
	free(edges);
	return result;
}

static int new_class(struct proxy_classes *classes, const struct flow *flow, uint32_t graph,
		     struct replay_rank *found, struct error *err)
{
	struct proxy_class class = {.graph = graph};
	const size_t edges = flow->graphs.items[graph].edges.count + 1;

	class.sequences.items = found->sequences.items;
	class.sequences.count = found->sequences.count;
	class.sequences.capacity = found->sequences.capacity;
	memset(&found->sequences, 0, sizeof found->sequences);
	TRY(array_push(&classes->classes, class, err));
	TRY(allocate(&classes->classes.items[classes->classes.count - 1].sums, edges,
		     sizeof *class.sums, err));
	return allocate(&classes->classes.items[classes->classes.count - 1].counts, edges,
			sizeof *class.counts, err);
}

static int add_rank(struct proxy_classes *classes, struct replay_program *program, uint32_t rank,
		    struct string_table *keys, struct error *err)
{
	const struct flow *flow = program->flow;
	struct replay_rank found = {0};
	const size_t before = keys->starts.count;
	uint32_t number, graph;
	int result = replay_rank(program, rank, &found, err);

	graph = flow->ranks[rank].threads.count ? flow->ranks[rank].threads.items[0].graph : 0;
	if (result == 0)
		result = array_push(&found.sequences, graph, err);
	if (result == 0)
		result = string_table_add(keys, (const char *)found.sequences.items,
					  found.sequences.count * sizeof(uint32_t), &number, err);
	if (result == 0 && keys->starts.count > before)
		result = new_class(classes, flow, graph, &found, err);
	array_release(&found.sequences);
	TRY(result);
	classes->of[rank] = number;
	TRY(array_push(&classes->classes.items[number].ranks, rank, err));
	return add_times(&classes->classes.items[number], flow, rank, &classes->pace[rank], err);
}

/* Turn the sums of ranks into ratios to the mean of their class. */
static void find_pace(struct proxy_classes *classes)
{
	for (size_t c = 0; c < classes->classes.count; c++) {
		const struct proxy_class *class = &classes->classes.items[c];
		double sum = 0;

		for (size_t r = 0; r < class->ranks.count; r++)
			sum += classes->pace[class->ranks.items[r]];
		for (size_t r = 0; r < class->ranks.count; r++) {
			double *pace = &classes->pace[class->ranks.items[r]];

			*pace = sum > 0 ? *pace * (double)class->ranks.count / sum : 1;
		}
	}
}

static int find_classes(struct proxy_classes *classes, struct replay_program *program,
			struct error *err)
{
	const uint32_t ranks = program->flow->world.rank_count;
	struct string_table keys = {0};
	int result = 0;

	TRY(allocate(&classes->of, ranks, sizeof *classes->of, err));
	TRY(allocate(&classes->pace, ranks, sizeof *classes->pace, err));
	for (uint32_t r = 0; r < ranks && result == 0; r++)
		result = add_rank(classes, program, r, &keys, err);
	string_table_release(&keys);
	TRY(result);
	find_pace(classes);
	for (size_t c = 0; c < classes->classes.count; c++)
		name_class(&classes->classes.items[c]);
	return 0;
}

/* ---------------------------------------------------------------------------- all */

/* Find how the program begins. */
static void find_begin(struct proxy_classes *classes, struct replay_program *program)
{
	const struct flow *flow = program->flow;

	for (uint32_t s = 0; s < flow->signatures.starts.count; s++) {
		const char *function = flow_signature_label(flow, s).function;

		classes->level |= !strcmp(function, "MPI_Init_thread");
		program->sessions |= !strcmp(function, "MPI_Session_init");
	}
}

int proxy_classes_make(struct proxy_classes *classes, struct replay_program *program,
		       struct error *err)
{
	size_t sizes[2];
	FILE *tables, *code;
	int result = 0;

	find_begin(classes, program);
	TRY(find_classes(classes, program, err));
	tables = open_memstream(&classes->tables, &sizes[0]);
	code = open_memstream(&classes->code, &sizes[1]);
	if (!tables || !code)
		result = error_set_memory(err, 1);
	for (uint32_t c = 0; c < classes->classes.count && result == 0; c++)
		result = proxy_write_class(classes, program, c, tables, code, err);
	if (tables && fclose(tables) != 0 && result == 0)
		result = error_set_memory(err, 1);
	if (code && fclose(code) != 0 && result == 0)
		result = error_set_memory(err, 1);
	return result;
}

void proxy_classes_release(struct proxy_classes *classes)
{
	for (size_t c = 0; c < classes->classes.count; c++) {
		array_release(&classes->classes.items[c].ranks);
		array_release(&classes->classes.items[c].sequences);
		free(classes->classes.items[c].sums);
		free(classes->classes.items[c].counts);
	}
	array_release(&classes->classes);
	free(classes->of);
	free(classes->pace);
	array_release(&classes->records);
	number_map_release(&classes->record_of);
	free(classes->tables);
	free(classes->code);
}
