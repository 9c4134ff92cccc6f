#include "critpath/path/splits.h"

#include "critpath/path/program_edges.h"

/* Hubs that have an edge from and to each rank, in the order of the calls of rank 0. */
struct finder {
	const struct program_graph *graph;
	struct splits *splits;
	uint32_t first_hub;
	uint32_t *number_of;  /* [hub]: its number among them, or UINT32_MAX */
	uint64_t *passing;    /* [number]: edges that lead past it, as differences */
	ARRAY(uint32_t) hubs; /* [number]: vertex */
	struct error *err;
};

static const struct measured_run *run_of(const struct finder *finder)
{
	return finder->graph->waits->run;
}

/* Number of the hub of a part in a collective, or UINT32_MAX. */
static uint32_t number_of_part(const struct finder *finder, uint32_t rank, size_t part)
{
	const uint32_t instance = run_of(finder)->instance_of[rank][part];

	return instance == NO_MATCH ? UINT32_MAX : finder->number_of[instance];
}

/* The calls of a rank that are in hubs with a number. */
struct steps {
	struct step {
		uint32_t call, number;
	} * list;
	size_t count;
};

static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return x->call < y->call ? -1 : x->call > y->call;
}

/* Number the hubs that join all ranks by the calls of rank 0. */
static int number_hubs(struct finder *finder)
{
	const struct measured_run *run = run_of(finder);
	const struct measured_rank *rank = &run->ranks[0];
	struct steps steps = {0};
	int result = 0;

	TRY(allocate(&steps.list, rank->parts.count, sizeof *steps.list, finder->err));
	for (uint32_t i = 0; i < rank->parts.count; i++) {
		const uint32_t instance = run->instance_of[0][i];

		if (instance != NO_MATCH &&
		    program_joins_all(finder->graph->waits, &run->instances.items[instance]))
			steps.list[steps.count++] = (struct step){rank->parts.items[i].begin,
								  finder->first_hub + instance};
	}
	qsort(steps.list, steps.count, sizeof *steps.list, compare_steps);
	for (size_t i = 0; result == 0 && i < steps.count; i++) {
		finder->number_of[steps.list[i].number - finder->first_hub] = (uint32_t)i;
		result = array_push(&finder->hubs, steps.list[i].number, finder->err);
	}
	free(steps.list);
	return result;
}

/* Give the vertices of a rank's calls their parts.  *ordered: it meets the hubs in their order. */
static int place_calls(struct finder *finder, uint32_t number, bool *ordered)
{
	const struct measured_rank *rank = &run_of(finder)->ranks[number];
	uint32_t *part_of = finder->splits->part_of + finder->graph->first_vertex[number];
	struct steps steps = {0};
	uint32_t passed = 0;

	TRY(allocate(&steps.list, rank->parts.count, sizeof *steps.list, finder->err));
	for (size_t i = 0; i < rank->parts.count; i++) {
		const uint32_t hub = number_of_part(finder, number, i);

		if (hub != UINT32_MAX)
			steps.list[steps.count++] = (struct step){rank->parts.items[i].begin, hub};
	}
	qsort(steps.list, steps.count, sizeof *steps.list, compare_steps);
	for (size_t i = 0; i < steps.count; i++)
		*ordered &= steps.list[i].number == i &&
			    (!i || steps.list[i].call > steps.list[i - 1].call);
	for (uint32_t c = 0; c < rank->calls.count; c++) {
		part_of[2 * (size_t)c] = passed;
		passed += passed < steps.count && steps.list[passed].call == c;
		part_of[2 * (size_t)c + 1] = passed;
	}
	free(steps.list);
	return 0;
}

/* Give hubs their parts: those with a number end it, others have that of the last call to them. */
static void place_hubs(struct finder *finder)
{
	const struct program_graph *graph = finder->graph;
	uint32_t *part_of = finder->splits->part_of;

	for (uint32_t v = 0; v < graph->vertex_count; v++)
		for (uint64_t i = graph->first_edge[v]; i < graph->first_edge[v + 1]; i++) {
			const uint32_t to = graph->edges[i].to;

			if (to >= finder->first_hub && part_of[v] > part_of[to])
				part_of[to] = part_of[v];
		}
}

/* Whether an edge goes through a hub with a number, or through the call of one of its members. */
static bool goes_through(const struct finder *finder, uint32_t from, uint32_t to)
{
	const uint32_t *part_of = finder->splits->part_of;

	if (part_of[to] != part_of[from] + 1)
		return false;
	if (from >= finder->first_hub)
		return finder->number_of[from - finder->first_hub] == part_of[from];
	/* A begin has an even number, and the end of the call the next one. */
	return from > finder->graph->sink && from % 2 == 0 && to == from + 1;
}

static void count_passing(struct finder *finder)
{
	const struct program_graph *graph = finder->graph;
	const uint32_t *part_of = finder->splits->part_of;

	for (uint32_t v = 0; v < graph->vertex_count; v++)
		for (uint64_t i = graph->first_edge[v]; i < graph->first_edge[v + 1]; i++) {
			const uint32_t from = part_of[v], to = part_of[graph->edges[i].to];

			if (from == to || goes_through(finder, v, graph->edges[i].to))
				continue;
			finder->passing[from < to ? from : to]++;
			finder->passing[from < to ? to : from]--;
		}
}

/* Keep the hubs that no edge leads past, and number the parts again. */
static int keep_splits(struct finder *finder)
{
	uint32_t *part_of = finder->splits->part_of, *part_after;
	uint64_t passing = 0;
	int result = 0;

	TRY(allocate(&part_after, finder->hubs.count + 1, sizeof *part_after, finder->err));
	for (size_t k = 0; result == 0 && k < finder->hubs.count; k++) {
		passing += finder->passing[k];
		if (!passing)
			result = array_push(&finder->splits->hubs, finder->hubs.items[k],
					    finder->err);
		part_after[k + 1] = (uint32_t)finder->splits->hubs.count;
	}
	for (uint32_t v = 0; v < finder->graph->vertex_count; v++)
		part_of[v] = part_after[part_of[v]];
	free(part_after);
	return result;
}

static int divide(struct finder *finder, uint32_t hub_count)
{
	const struct program_graph *graph = finder->graph;
	bool ordered = true;

	TRY(allocate(&finder->splits->part_of, graph->vertex_count, sizeof(uint32_t), finder->err));
	TRY(allocate(&finder->number_of, hub_count, sizeof *finder->number_of, finder->err));
	for (uint32_t hub = 0; hub < hub_count; hub++)
		finder->number_of[hub] = UINT32_MAX;
	TRY(number_hubs(finder));
	for (uint32_t r = 0; r < run_of(finder)->rank_count; r++)
		TRY(place_calls(finder, r, &ordered));
	/* Threads may meet collectives of several communicators in any order. */
	if (!ordered) {
		for (uint32_t v = 0; v < graph->vertex_count; v++)
			finder->splits->part_of[v] = 0;
		return 0;
	}
	finder->splits->part_of[graph->sink] = (uint32_t)finder->hubs.count;
	place_hubs(finder);
	TRY(allocate(&finder->passing, finder->hubs.count + 1, sizeof *finder->passing,
		     finder->err));
	count_passing(finder);
	return keep_splits(finder);
}

int splits_find(struct splits *splits, const struct program_graph *graph, struct error *err)
{
	struct finder finder = {.graph = graph, .splits = splits, .err = err};
	int result;

	*splits = (struct splits){.graph = graph};
	finder.first_hub = graph->first_vertex[graph->waits->run->rank_count];
	result = divide(&finder, graph->vertex_count - finder.first_hub);
	free(finder.number_of);
	free(finder.passing);
	array_release(&finder.hubs);
	if (result < 0)
		splits_release(splits);
	return result;
}

void splits_release(struct splits *splits)
{
	array_release(&splits->hubs);
	free(splits->part_of);
	splits->part_of = NULL;
}
