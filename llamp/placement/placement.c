#include "llamp/placement/placement.h"

#include "common/hash.h"
#include "common/parallel/parallel.h"
#include "llamp/placement/placement_descent.h"

#include <stdio.h>
#include <string.h>

const struct placement_options placement_options_default = {
	.random_starts = 8,
	.seed = 1,
	.tries = 16,
};

/* ------------------------------------------------------------------- mappings */

static int add_mapping(struct placements *placements, const struct placement_task *task,
		       const char *name, const uint32_t *hosts, struct error *err)
{
	const uint32_t ranks = task->model->goal.rank_count;
	struct placement placement = {0};

	snprintf(placement.name, sizeof placement.name, "%s", name);
	TRY(allocate(&placement.hosts, ranks, sizeof *placement.hosts, err));
	memcpy(placement.hosts, hosts, ranks * sizeof *hosts);
	if (array_push(&placements->list, placement, err) == 0)
		return 0;
	free(placement.hosts);
	return -1;
}

/* Place ranks on slots of the first hosts in random order. */
static int fill_random(const struct placement_task *task, uint32_t host_count, uint64_t seed,
		       uint32_t *hosts, struct error *err)
{
	const uint32_t slots = host_count * task->slots;
	const uint32_t ranks = task->model->goal.rank_count;
	uint32_t *order;

	TRY(allocate(&order, slots, sizeof *order, err));
	for (uint32_t i = 0; i < slots; i++)
		order[i] = i;
	for (uint32_t i = 0; i < ranks; i++) {
		const uint32_t k = i + (uint32_t)(mix64(seed + i) % (slots - i));
		const uint32_t slot = order[k];

		order[k] = order[i];
		hosts[i] = task->hosts.order[slot / task->slots];
	}
	free(order);
	return 0;
}

static int add_regular(struct placements *placements, const struct placement_task *task,
		       uint32_t *hosts, struct error *err)
{
	const uint32_t ranks = task->model->goal.rank_count;
	const uint32_t used = placement_packed_hosts(task);
	const struct network *network = task->model->loggps.network;
	uint32_t *given;

	for (uint32_t rank = 0; rank < ranks; rank++)
		hosts[rank] = rank / task->slots;
	TRY(add_mapping(placements, task, "block", hosts, err));
	for (uint32_t rank = 0; rank < ranks; rank++)
		hosts[rank] = rank % used;
	TRY(add_mapping(placements, task, "cyclic", hosts, err));
	if (!placement_has_given(task))
		return 0;
	TRY(network_place(network, ranks, &given, err));
	memcpy(hosts, given, ranks * sizeof *hosts);
	free(given);
	return add_mapping(placements, task, network->mapping == MAPPING_LIST ? "given" : "trace",
			   hosts, err);
}

static int add_baselines(struct placements *placements, const struct placement_task *task,
			 const struct placement_options *options, uint32_t *hosts,
			 struct error *err)
{
	int missing;

	TRY(add_regular(placements, task, hosts, err));
	missing = placement_by_scotch(task, hosts, err);
	TRY(missing);
	if (!missing)
		TRY(add_mapping(placements, task, "scotch", hosts, err));
	for (uint32_t i = 0; i < options->random_starts; i++) {
		char name[48];

		snprintf(name, sizeof name, "random %u", i + 1);
		/* Each second one has room to spread. */
		TRY(fill_random(task, i % 2 ? placement_near_hosts(task)
					    : placement_packed_hosts(task),
				mix64(options->seed + i), hosts, err));
		TRY(add_mapping(placements, task, name, hosts, err));
	}
	return 0;
}

static int copy_baselines(struct placements *placements, const struct placement_task *task,
			  struct error *err)
{
	const size_t count = placements->list.count;

	for (size_t i = 0; i < count; i++) {
		char name[64];

		snprintf(name, sizeof name, "%s + swaps", placements->list.items[i].name);
		TRY(add_mapping(placements, task, name, placements->list.items[i].hosts, err));
	}
	return 0;
}

/* ------------------------------------------------------------------------ all */

struct work {
	struct placements *placements;
	const struct placement_task *task;
	const struct placement_options *options;
	size_t baselines;
};

struct progress {
	uint64_t evaluations;
};

/* Compute T of a baseline, and descend from its copy. */
static int run_start(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct work *work = shared;
	struct placement *items = work->placements->list.items;
	struct placement *baseline = &items[item], *copy = &items[work->baselines + item];
	struct progress *progress = state;

	TRY(placement_runtime(work->task, baseline->hosts, &baseline->runtime_as, err));
	copy->runtime_as = baseline->runtime_as;
	return placement_descend(copy, &(struct descent){
		.task = work->task, .tries = work->options->tries,
		.settles = item >= work->baselines - work->options->random_starts,
		.seed = mix64(work->options->seed + item)}, &progress->evaluations, err);
}

static int take_start(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct work *work = shared;

	(void)item;
	(void)err;
	work->placements->evaluations += 1 + ((struct progress *)state)->evaluations;
	return 0;
}

/* -------------------------------------------------------------- second descent */

/* Descents that go on with more tries, and how many times more. */
enum { DEEP_DESCENTS = 4, DEEPER = 13 };

struct deep_work {
	const struct work *work;
	size_t of[DEEP_DESCENTS];	/* indices of mappings */
	uint32_t count;
};

static bool same_mapping(const struct work *work, size_t a, size_t b)
{
	const struct placement *items = work->placements->list.items;

	return memcmp(items[a].hosts, items[b].hosts,
		      work->task->model->goal.rank_count * sizeof *items[a].hosts) == 0;
}

/* Add a descent if it is among the best ones, and another one does not have its mapping. */
static void choose_deep(struct deep_work *deep, size_t number)
{
	const struct placement *items = deep->work->placements->list.items;
	uint32_t at = deep->count;

	for (uint32_t i = 0; i < deep->count; i++)
		if (same_mapping(deep->work, deep->of[i], number))
			return;
	while (at > 0 && items[number].runtime_as < items[deep->of[at - 1]].runtime_as)
		at--;
	if (at == DEEP_DESCENTS)
		return;
	if (deep->count < DEEP_DESCENTS)
		deep->count++;
	memmove(&deep->of[at + 1], &deep->of[at], (deep->count - 1 - at) * sizeof *deep->of);
	deep->of[at] = number;
}

static int run_deep(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct deep_work *deep = shared;
	struct progress *progress = state;

	return placement_descend(&deep->work->placements->list.items[deep->of[item]],
				 &(struct descent){.task = deep->work->task,
						   .tries = DEEPER * deep->work->options->tries},
				 &progress->evaluations, err);
}

static int take_deep(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct deep_work *deep = shared;

	(void)item;
	(void)err;
	deep->work->placements->evaluations += ((struct progress *)state)->evaluations;
	return 0;
}

/* Go on with the best descents: most starts only find out that they are not worth it. */
static int run_deep_descents(struct work *work, struct error *err)
{
	struct deep_work deep = {.work = work};
	const struct parallel_work parallel = {.make = run_deep, .take = take_deep,
					       .shared = &deep,
					       .state_bytes = sizeof(struct progress)};

	for (size_t i = 0; i < work->baselines; i++)
		choose_deep(&deep, work->baselines + i);
	return parallel_run(&parallel, deep.count, processor_count(), err);
}

static int run_starts(struct placements *placements, const struct placement_task *task,
		      const struct placement_options *options, struct error *err)
{
	struct work shared = {placements, task, options, placements->list.count};
	const struct parallel_work work = {.make = run_start, .take = take_start,
					   .shared = &shared,
					   .state_bytes = sizeof(struct progress)};

	TRY(copy_baselines(placements, task, err));
	TRY(parallel_run(&work, (uint32_t)shared.baselines, processor_count(), err));
	TRY(run_deep_descents(&shared, err));
	for (size_t i = 0; i < placements->list.count; i++)
		if (placements->list.items[i].runtime_as <
		    placements->list.items[placements->best].runtime_as)
			placements->best = i;
	return 0;
}

int placements_find(struct placements *placements, const struct placement_task *task,
		    const struct placement_options *options, struct error *err)
{
	uint32_t *hosts;
	int result;

	*placements = (struct placements){0};
	TRY(allocate(&hosts, task->model->goal.rank_count, sizeof *hosts, err));
	result = add_baselines(placements, task, options, hosts, err);
	free(hosts);
	if (result == 0)
		result = run_starts(placements, task, options, err);
	if (result < 0)
		placements_release(placements);
	return result;
}

void placements_release(struct placements *placements)
{
	for (size_t i = 0; i < placements->list.count; i++)
		free(placements->list.items[i].hosts);
	array_release(&placements->list);
}
