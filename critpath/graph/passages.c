#include "critpath/graph/passages.h"

static int compare_passages(const void *a, const void *b)
{
	const struct passage *x = a, *y = b;

	return x->call < y->call ? -1 : x->call > y->call;
}

int passages_list(struct passages *passages, const struct dist_graph *graph, uint32_t rank,
		  struct error *err)
{
	const struct measured_run *run = graph->waits->run;

	passages->list.count = 0;
	for (size_t i = 0; i < run->ranks[rank].parts.count; i++) {
		const struct measured_instance *instance;
		struct passage passage;

		if (run->instance_of[rank][i] == NO_MATCH)
			continue;
		instance = &run->instances.items[run->instance_of[rank][i]];
		if (!program_joins_all(graph->waits, instance))
			continue;
		passage.call = run->ranks[rank].parts.items[i].begin;
		passage.hub = graph->first_hub[instance->owner] + instance->index_at_owner;
		TRY(array_push(&passages->list, passage, err));
	}
	if (passages->list.count)
		qsort(passages->list.items, passages->list.count, sizeof *passages->list.items,
		      compare_passages);
	return 0;
}

void passages_release(struct passages *passages)
{
	array_release(&passages->list);
}
