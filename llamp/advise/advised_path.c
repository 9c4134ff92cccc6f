#include "llamp/advise/advised_path.h"

#include <math.h>
#include <string.h>

static int find_advised_path(struct advised_path *advised_path, struct error *err)
{
	int found;

	TRY(critical_path_find(&advised_path->path, &advised_path->model, err));
	found = critical_calls_find(&advised_path->calls, &advised_path->path, &advised_path->model,
				    err);
	advised_path->are_known = found == 0;
	if (found >= 0)
		return 0;
	critical_path_release(&advised_path->path);
	return -1;
}

int advised_path_open(struct advised_path *advised_path, struct evaluation *evaluation,
		      const struct change *const *changes, size_t count, struct error *err)
{
	struct loggps loggps;
	const char *path;

	TRY(evaluation_graph(evaluation, changes, count, &advised_path->made, &loggps, err));
	path = advised_path->made ? advised_path->made : evaluation->base;
	advised_path->is_bound = true;
	for (size_t i = 0; i < count; i++)
		if (changes[i]->kind == CHANGE_PROGRESS)
			advised_path->is_bound = false;
	if (model_open(&advised_path->model, path, &loggps, MODEL_EVENTS, err) == 0) {
		if (find_advised_path(advised_path, err) == 0)
			return 0;
		model_release(&advised_path->model);
	}
	graph_maker_remove(advised_path->made);
	return -1;
}

void advised_path_close(struct advised_path *advised_path)
{
	if (advised_path->are_known)
		critical_calls_release(&advised_path->calls);
	critical_path_release(&advised_path->path);
	model_release(&advised_path->model);
	graph_maker_remove(advised_path->made);
}

static bool is_same(const char *wanted, const char *name)
{
	return !wanted || (name && !strcmp(wanted, name));
}

int128 advised_path_time(const struct advised_path *advised_path, const struct change *change)
{
	int128 sum_as = 0;

	for (size_t i = 0; i < advised_path->calls.calls.count; i++) {
		const struct critical_call *call = &advised_path->calls.calls.items[i];

		if (!call->before && call->function &&
		    is_form_of(call->function, change->collective) &&
		    is_same(change->site, call->site) &&
		    is_same(change->communicator, call->communicator))
			sum_as += call->all_as;
	}
	return sum_as;
}

/* Whether each rank needs something of every other one. */
static bool joins_all(const char *collective)
{
	static const char *const names[] = {"allreduce", "allgather", "alltoall",
					    "reduce_scatter_block", NULL};
	int i = 0;

	while (names[i] && strcmp(names[i], collective) != 0)
		i++;
	return names[i] != NULL;
}

double advised_path_bound(const struct advised_path *advised_path, const struct change *change)
{
	int128 time_as;

	/* Where CPUs or links are shared, other messages may gain from messages that are not on the path. */
	if (change->kind != CHANGE_ALGORITHM || !advised_path->are_known ||
	    !advised_path->is_bound || advised_path->model.simulation.unit_as)
		return INFINITY;
	/* Calls that make windows and communicators are barriers, too. */
	if (strcmp(change->collective, "barrier") == 0)
		return INFINITY;
	time_as = advised_path_time(advised_path, change);
	if (time_as && !joins_all(change->collective))
		return INFINITY;
	return (double)time_as / AS_PER_NS;
}
