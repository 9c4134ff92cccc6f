/* The first pass over one-sided communication: a rank's calls become entries of its targets. */
#include "schedgen/convert/rma.h"

#include <string.h>

static int count_sync(struct rma_plan *plan, uint32_t rank, const char *function,
		      const struct mpi_event *event, struct error *err)
{
	struct rma_pair *pair;

	for (uint32_t i = 0; i < event->group_size; i++) {
		uint32_t other = event->group_ranks[i];

		if (!strcmp(function, "MPI_Win_post")) {
			TRY(rma_plan_add_pair(plan, event->window, other, rank, &pair, err));
			pair->posts++;
		} else if (!strcmp(function, "MPI_Win_start")) {
			TRY(rma_plan_add_pair(plan, event->window, rank, other, &pair, err));
			pair->starts++;
		} else if (!strcmp(function, "MPI_Win_complete")) {
			TRY(rma_plan_add_pair(plan, event->window, rank, other, &pair, err));
			pair->completes++;
		} else if (event->sync != RMA_SYNC_NONE) {
			TRY(rma_plan_add_pair(plan, event->window, other, rank, &pair, err));
			pair->waits++;
		}
	}
	return 0;
}

static bool same(const struct rma_entry *a, const struct rma_entry *b)
{
	return a->window == b->window && a->origin == b->origin && a->index == b->index &&
	       a->epoch == b->epoch && a->what == b->what && a->combines == b->combines &&
	       a->sent == b->sent && a->received == b->received && a->repeat < UINT32_MAX;
}

static int plan_entry(void *data, uint32_t target, const struct rma_entry *entry, uint32_t *op,
		      struct error *err)
{
	struct rma_list *list = &((struct rma_plan *)data)->targets[target];
	size_t count = list->entries.count;
	struct rma_entry own = *entry;

	*op = 0;
	if (count && same(&list->entries.items[count - 1], entry)) {
		list->entries.items[count - 1].repeat++;
		return 0;
	}
	if (count == UINT32_MAX)
		return error_set(err, STATUS_LIMIT,
				 "more than 2^32 operations on one rank's windows");
	own.sequence = (uint32_t)count;
	return array_push(&list->entries, own, err);
}

static int plan_wait(void *data, uint32_t op, struct error *err)
{
	(void)data, (void)op, (void)err;
	return 0;
}

static int plan_access(void *data, uint32_t origin, const struct rma_access *access,
		       struct error *err)
{
	return array_push(&((struct rma_plan *)data)->origins[origin].items, *access, err);
}

int rma_plan_call(struct rma_plan *plan, struct rma_origin *origin, const struct mpi_call *call,
		  struct error *err)
{
	const struct rma_sink sink = {.data = plan,
				      .begin = plan_entry,
				      .wait = plan_wait,
				      .access = plan_access};

	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];

		if (!event_is_rma(event->kind))
			continue;
		if (event->kind == EVENT_RMA_GROUP_SYNC)
			TRY(count_sync(plan, origin->rank, call->function, event, err));
		TRY(rma_origin_event(origin, call->function, event, &sink, err));
	}
	return 0;
}
