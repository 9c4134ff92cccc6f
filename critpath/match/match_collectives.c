/* Instances of collectives, joined from the parts that the processes have. */
#include "common/hash.h"
#include "dist/dist_ask.h"
#include "critpath/match/match_steps.h"

/*
 * The k-th collectives of a communicator, or of one persistent collective, have one process that keeps
 * them.  It joins what the processes know of their members, and tells them the result.
 */

/* What a process knows of an instance. */
struct report {
	uint64_t key;	 /* of its stream */
	uint64_t number; /* k */
	struct measured_instance instance;
};

struct collectives {
	struct measured_run *run;
	uint32_t processes;
	/* Of own ranks: [instance] */
	uint64_t *keys;
	uint32_t *numbers;
	/* That this process keeps. */
	struct number_map places; /* by key and k */
	ARRAY(struct measured_instance) kept;
};

/* Add the members that `from` has to those of `to`, another part of the same instance. */
static void join(struct measured_instance *to, const struct measured_instance *from)
{
	const bool later = from->last.begin_ns > to->last.begin_ns ||
			   (from->last.begin_ns == to->last.begin_ns &&
			    from->last_rank < to->last_rank);

	if (from->members && (!to->members || later)) {
		to->last = from->last;
		to->last_rank = from->last_rank;
	}
	to->differs |= from->differs;
	measured_instance_joins(to, from->kind, from->root_rank);
	if (from->root.call != NO_CALL)
		to->root = from->root;
	if (from->first_rank < to->first_rank) {
		to->first_rank = from->first_rank;
		to->kind = from->kind;
	}
	if (from->first_end_ns < to->first_end_ns)
		to->first_end_ns = from->first_end_ns;
	to->members += from->members;
	to->split |= from->split;
}

/* -------------------------------------------------------------------- joining */

static uint32_t ask_to_keep(const void *own, size_t number, void *question)
{
	const struct collectives *collectives = own;
	const struct report report = {collectives->keys[number], collectives->numbers[number],
				      collectives->run->instances.items[number]};

	*(struct report *)question = report;
	return (uint32_t)(mix64_add(mix64(report.key), report.number) % collectives->processes);
}

static int keep(struct collectives *collectives, const struct report *report, uint32_t *place,
		struct error *err)
{
	*place = number_map_get(&collectives->places, report->key, (uint32_t)report->number);
	if (*place != NUMBER_MAP_EMPTY) {
		join(&collectives->kept.items[*place], &report->instance);
		return 0;
	}
	*place = (uint32_t)collectives->kept.count;
	TRY(number_map_add(&collectives->places, report->key, (uint32_t)report->number, *place,
			   err));
	return array_push(&collectives->kept, report->instance, err);
}

static int answer_keep(void *data, const void *questions, size_t count, void *answers,
		       struct error *err)
{
	const struct report *reports = questions;
	uint32_t *places = answers;

	for (size_t i = 0; i < count; i++)
		TRY(keep(data, &reports[i], &places[i], err));
	return 0;
}

static void take_keeper(void *own, size_t number, const void *answer)
{
	struct measured_instance *instance =
		&((struct collectives *)own)->run->instances.items[number];
	struct report report;

	instance->owner = ask_to_keep(own, number, &report);
	instance->index_at_owner = *(const uint32_t *)answer;
}

/* --------------------------------------------------------------------- results */

static uint32_t ask_result(const void *own, size_t number, void *question)
{
	const struct measured_instance *instance =
		&((const struct collectives *)own)->run->instances.items[number];

	*(uint32_t *)question = instance->index_at_owner;
	return instance->owner;
}

static int answer_result(void *data, const void *questions, size_t count, void *answers,
			 struct error *err)
{
	const struct collectives *collectives = data;
	const uint32_t *places = questions;
	struct measured_instance *instances = answers;

	(void)err;
	for (size_t i = 0; i < count; i++)
		instances[i] = collectives->kept.items[places[i]];
	return 0;
}

static void take_result(void *own, size_t number, const void *answer)
{
	struct measured_instance *instance =
		&((struct collectives *)own)->run->instances.items[number];
	const uint32_t owner = instance->owner, index_at_owner = instance->index_at_owner;

	*instance = *(const struct measured_instance *)answer;
	instance->owner = owner;
	instance->index_at_owner = index_at_owner;
}

/* --------------------------------------------------------------------- whole */

static int list_keys(struct collectives *collectives, const struct measured_matching *matching,
		     struct error *err)
{
	const size_t count = collectives->run->instances.count;

	TRY(allocate(&collectives->keys, count, sizeof *collectives->keys, err));
	TRY(allocate(&collectives->numbers, count, sizeof *collectives->numbers, err));
	for (size_t s = 0; s < matching->streams.count; s++) {
		const struct match_stream *stream = &matching->streams.items[s];

		for (uint32_t k = 0; k < stream->instances.count; k++) {
			if (stream->instances.items[k] == NO_MATCH)
				continue;
			collectives->keys[stream->instances.items[k]] = stream->key;
			collectives->numbers[stream->instances.items[k]] = k;
		}
	}
	return 0;
}

static int collectives_complete(struct collectives *collectives, struct dist *dist,
				struct error *err)
{
	const size_t count = collectives->run->instances.count;
	const struct dist_questions joining = {
		.question_bytes = sizeof(struct report),
		.answer_bytes = sizeof(uint32_t),
		.answer = answer_keep,
		.data = collectives,
		.ask = ask_to_keep,
		.take = take_keeper,
		.own = collectives,
	};
	const struct dist_questions results = {
		.question_bytes = sizeof(uint32_t),
		.answer_bytes = sizeof(struct measured_instance),
		.answer = answer_result,
		.data = collectives,
		.ask = ask_result,
		.take = take_result,
		.own = collectives,
	};

	TRY(dist_ask(dist, &joining, count, err));
	return dist_ask(dist, &results, count, err);
}

/* Count those whose first rank is of this process, so that each is counted once. */
static void count_instances(struct measured_run *run)
{
	run->instance_count = 0;
	for (size_t i = 0; i < run->instances.count; i++)
		run->instance_count += measured_owns(run, run->instances.items[i].first_rank);
}

int match_collectives(struct measured_matching *matching, struct dist *dist, struct error *err)
{
	struct collectives collectives = {.run = matching->run, .processes = dist->size};
	int result;

	/* The instances of one process are complete, and it owns them. */
	if (dist->size == 1)
		return 0;
	result = dist_agree(dist, list_keys(&collectives, matching, err), err);

	if (result == 0)
		result = collectives_complete(&collectives, dist, err);
	free(collectives.keys);
	free(collectives.numbers);
	number_map_release(&collectives.places);
	array_release(&collectives.kept);
	if (result == 0)
		count_instances(matching->run);
	return result;
}
