#include "llamp/advise/path_calls.h"

#include <math.h>
#include <string.h>

static int find_path_calls(struct path_calls *path_calls, struct error *err)
{
	int found;

	TRY(critical_path_find(&path_calls->path, &path_calls->model, err));
	found = critical_calls_find(&path_calls->calls, &path_calls->path, &path_calls->model, err);
	path_calls->are_known = found == 0;
	if (found >= 0)
		return 0;
	critical_path_release(&path_calls->path);
	return -1;
}

int path_calls_open(struct path_calls *path_calls, struct evaluation *evaluation,
		    const struct change *const *changes, size_t count, struct error *err)
{
	struct loggps loggps;
	const char *path;

	TRY(evaluation_graph(evaluation, changes, count, &path_calls->made, &loggps, err));
	path = path_calls->made ? path_calls->made : evaluation->base;
	if (model_open(&path_calls->model, path, &loggps, MODEL_EVENTS, err) == 0) {
		if (find_path_calls(path_calls, err) == 0)
			return 0;
		model_release(&path_calls->model);
	}
	graph_maker_remove(path_calls->made);
	return -1;
}

void path_calls_close(struct path_calls *path_calls)
{
	if (path_calls->are_known)
		critical_calls_release(&path_calls->calls);
	critical_path_release(&path_calls->path);
	model_release(&path_calls->model);
	graph_maker_remove(path_calls->made);
}

static bool is_same(const char *wanted, const char *name)
{
	return !wanted || (name && !strcmp(wanted, name));
}

int128 path_calls_time(const struct path_calls *path_calls, const struct change *change)
{
	int128 sum_as = 0;

	for (size_t i = 0; i < path_calls->calls.calls.count; i++) {
		const struct critical_call *call = &path_calls->calls.calls.items[i];

		if (!call->before && call->function && is_form_of(call->function, change->collective) &&
		    is_same(change->site, call->site) &&
		    is_same(change->communicator, call->communicator))
			sum_as += call->all_as;
	}
	return sum_as;
}

/* Whether each rank needs something of every other one. */
static bool joins_all(const char *collective)
{
	static const char *const names[] = {"barrier", "allreduce", "allgather", "alltoall",
					    "reduce_scatter_block", NULL};
	int i = 0;

	while (names[i] && strcmp(names[i], collective) != 0)
		i++;
	return names[i] != NULL;
}

double path_calls_bound(const struct path_calls *path_calls, const struct change *change)
{
	int128 time_as;

	/* Where CPUs or links are shared, other messages may gain from messages that are not on the path. */
	if (change->kind != CHANGE_ALGORITHM || !path_calls->are_known ||
	    path_calls->model.simulation.unit_as)
		return INFINITY;
	time_as = path_calls_time(path_calls, change);
	if (time_as && !joins_all(change->collective))
		return INFINITY;
	return (double)time_as / AS_PER_NS;
}
