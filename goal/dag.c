#include "goal/dag.h"

#include "common/array.h"

/*
 * Find a cycle among the vertices that still wait. Each has a predecessor that waits, so walking
 * back reaches some vertex a second time, and that vertex is on a cycle.
 */
static int dag_find_cycle(const struct dag *dag, const uint32_t *waiting, uint32_t **cycle,
			  uint32_t *cycle_count, struct error *err)
{
	uint32_t *predecessor;
	uint32_t start = 0, count = 0, v;

	TRY(allocate(&predecessor, dag->vertex_count, sizeof *predecessor, err));
	for (v = 0; v < dag->vertex_count; v++) {
		if (waiting[v] == 0)
			continue;
		start = v;
		for (uint64_t i = dag->first[v]; i < dag->first[v + 1]; i++)
			predecessor[dag->successor[i]] = v;
	}
	/* After as many steps as there are vertices the walk is on the cycle. */
	for (uint32_t steps = 0; steps < dag->vertex_count; steps++)
		start = predecessor[start];
	v = start;
	do {
		v = predecessor[v];
		count++;
	} while (v != start);
	if (allocate(cycle, count, sizeof **cycle, err) < 0) {
		free(predecessor);
		return -1;
	}
	for (uint32_t i = count; i-- > 0; v = predecessor[v])
		(*cycle)[i] = v;
	*cycle_count = count;
	free(predecessor);
	return 1;
}

int dag_order(const struct dag *dag, uint32_t *order, uint32_t **cycle, uint32_t *cycle_count,
	      struct error *err)
{
	uint32_t *waiting;	/* number of predecessors that a vertex still waits for */
	uint32_t ready = 0;
	int result = 0;

	TRY(allocate(&waiting, dag->vertex_count, sizeof *waiting, err));
	for (uint64_t i = 0; i < dag->first[dag->vertex_count]; i++)
		waiting[dag->successor[i]]++;
	for (uint32_t v = 0; v < dag->vertex_count; v++)
		if (waiting[v] == 0)
			order[ready++] = v;
	/* order[] is also the queue. */
	for (uint32_t done = 0; done < ready; done++) {
		uint32_t v = order[done];

		for (uint64_t i = dag->first[v]; i < dag->first[v + 1]; i++)
			if (--waiting[dag->successor[i]] == 0)
				order[ready++] = dag->successor[i];
	}
	if (ready < dag->vertex_count)
		result = dag_find_cycle(dag, waiting, cycle, cycle_count, err);
	free(waiting);
	return result;
}
