#include "eventflow/generate/proxy_class.h"

#include "trace/flow/recover/flow_times.h"

#include <string.h>

/* ------------------------------------------------------------------------ classes */

/* Write some ascending numbers as part of a name. */
static int name_numbers(char *name, size_t room, const char *what, const uint32_t *numbers,
			size_t count)
{
	int length;

	if (count == 1)
		return snprintf(name, room, "%s_%u", what, numbers[0]);
	if (numbers[count - 1] - numbers[0] == count - 1)
		return snprintf(name, room, "%ss_%u_to_%u", what, numbers[0], numbers[count - 1]);
	length = snprintf(name, room, "%ss", what);
	for (size_t r = 0; r < count && r < 4; r++)
		length += snprintf(name + length, room - (size_t)length, "_%u", numbers[r]);
	if (count > 4)
		length += snprintf(name + length, room - (size_t)length, "_and_%zu", count - 4);
	return length;
}

static int compare_numbers(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Keep each of the numbers once, in ascending order.  Returns how many they are. */
static size_t sort_numbers(uint32_t *numbers, size_t count)
{
	size_t kept = 0;

	qsort(numbers, count, sizeof *numbers, compare_numbers);
	for (size_t i = 0; i < count; i++)
		if (!kept || numbers[i] != numbers[kept - 1])
			numbers[kept++] = numbers[i];
	return kept;
}

static bool has_name(const struct proxy_classes *classes, size_t before, const char *name)
{
	for (size_t c = 0; c < before; c++)
		if (!strcmp(classes->classes.items[c].name, name))
			return true;
	return false;
}

/* Name a class after its ranks and, if the program has several, its threads. */
static int name_class(struct proxy_classes *classes, size_t number, uint32_t threads,
		      struct error *err)
{
	struct proxy_class *class = &classes->classes.items[number];
	const size_t count = class->members.count;
	uint32_t *numbers;
	int length = 0;

	TRY(allocate(&numbers, count, sizeof *numbers, err));
	if (threads > 1) {
		for (size_t m = 0; m < count; m++)
			numbers[m] = class->members.items[m] % threads;
		length = name_numbers(class->name, sizeof class->name, "thread", numbers,
				      sort_numbers(numbers, count));
		length += snprintf(class->name + length, sizeof class->name - (size_t)length,
				   "_of_");
	}
	for (size_t m = 0; m < count; m++)
		numbers[m] = class->members.items[m] / threads;
	length += name_numbers(class->name + length, sizeof class->name - (size_t)length, "rank",
			       numbers, sort_numbers(numbers, count));
	free(numbers);
	if (has_name(classes, number, class->name))
		snprintf(class->name + length, sizeof class->name - (size_t)length, "_%c%zu", 'v',
			 number);
	return 0;
}

/* Add the times between a thread's calls to its class.  *total becomes their sum. */
static int add_times(struct proxy_class *class, const struct flow *flow,
		     const struct flow_thread *thread, double *total, struct error *err)
{
	const struct flow_graph *graph = &flow->graphs.items[class->graph];
	struct flow_stat *nodes = NULL, *edges = NULL;
	int result = allocate(&nodes, graph->nodes.count, sizeof *nodes, err);

	if (result == 0)
		result = allocate(&edges, graph->edges.count + 1, sizeof *edges, err);
	if (result == 0)
		result = flow_thread_stats(flow, thread, nodes, edges, err);
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
		     struct replay_thread *found, struct error *err)
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

static int add_member(struct proxy_classes *classes, const struct flow *flow, uint32_t member,
		      const struct flow_thread *thread, struct replay_thread *found,
		      struct string_table *keys, struct error *err)
{
	const size_t before = keys->starts.count;
	uint32_t number;

	TRY(array_push(&found->sequences, thread->graph, err));
	TRY(string_table_add(keys, (const char *)found->sequences.items,
			     found->sequences.count * sizeof(uint32_t), &number, err));
	if (keys->starts.count > before)
		TRY(new_class(classes, flow, thread->graph, found, err));
	classes->of[member] = number;
	TRY(array_push(&classes->classes.items[number].members, member, err));
	return add_times(&classes->classes.items[number], flow, thread, &classes->pace[member],
			 err);
}

static int add_rank(struct proxy_classes *classes, struct replay_program *program, uint32_t rank,
		    struct string_table *keys, struct error *err)
{
	const struct flow *flow = program->flow;
	struct replay_rank found = {0};
	int result = replay_rank(program, rank, &found, err);

	for (uint32_t t = 0; result == 0 && t < program->threads; t++)
		if (t < found.threads.count)
			result = add_member(classes, flow, rank * program->threads + t,
					    &flow->ranks[rank].threads.items[t],
					    &found.threads.items[t], keys, err);
		else
			classes->of[rank * program->threads + t] = NO_CLASS;
	replay_rank_release(&found);
	return result;
}

/* Turn the sums of threads into ratios to the mean of their class. */
static void find_pace(struct proxy_classes *classes)
{
	for (size_t c = 0; c < classes->classes.count; c++) {
		const struct proxy_class *class = &classes->classes.items[c];
		double sum = 0;

		for (size_t m = 0; m < class->members.count; m++)
			sum += classes->pace[class->members.items[m]];
		for (size_t m = 0; m < class->members.count; m++) {
			double *pace = &classes->pace[class->members.items[m]];

			*pace = sum > 0 ? *pace * (double)class->members.count / sum : 1;
		}
	}
}

static int find_classes(struct proxy_classes *classes, struct replay_program *program,
			struct error *err)
{
	const uint32_t ranks = program->flow->world.rank_count;
	struct string_table keys = {0};
	int result = 0;

	TRY(allocate(&classes->of, (size_t)ranks * program->threads, sizeof *classes->of, err));
	TRY(allocate(&classes->pace, (size_t)ranks * program->threads, sizeof *classes->pace, err));
	for (uint32_t r = 0; r < ranks && result == 0; r++)
		result = add_rank(classes, program, r, &keys, err);
	string_table_release(&keys);
	TRY(result);
	find_pace(classes);
	for (size_t c = 0; c < classes->classes.count; c++)
		TRY(name_class(classes, c, program->threads, err));
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
	program->threads = 1;
	for (uint32_t r = 0; r < flow->world.rank_count; r++)
		if (flow->ranks[r].threads.count > program->threads)
			program->threads = (uint32_t)flow->ranks[r].threads.count;
	/* Of a trace that begins later, or of MPI_Init with a library that gives more than it is asked for. */
	classes->level |= program->threads > 1;
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
		array_release(&classes->classes.items[c].members);
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
