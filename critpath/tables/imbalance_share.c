#include "critpath/tables/imbalance_share.h"

#include "dist/dist_ask.h"
#include "critpath/match/match_steps.h"

/* ---------------------------------------------------------------------- groups */

/* Numbers of a group that are added up. */
enum { COUNT, LEFT_OUT, BEFORE, EXECUTION, AFTER, NUMBERS };

static int add_groups(struct parts_group *groups, size_t count, uint64_t (*numbers)[NUMBERS],
		      struct dist *dist, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		numbers[i][COUNT] = groups[i].count;
		numbers[i][LEFT_OUT] = groups[i].left_out;
		numbers[i][BEFORE] = groups[i].calls.before_ns;
		numbers[i][EXECUTION] = groups[i].calls.execution_ns;
		numbers[i][AFTER] = groups[i].calls.after_ns;
	}
	TRY(dist_allreduce(dist, *numbers, count * NUMBERS, DIST_SUM, err));
	for (size_t i = 0; i < count; i++) {
		groups[i].count = numbers[i][COUNT];
		groups[i].left_out = numbers[i][LEFT_OUT];
		groups[i].calls = (struct call_parts){numbers[i][BEFORE], numbers[i][EXECUTION],
						      numbers[i][AFTER]};
	}
	return 0;
}

static int share_groups(struct parts_group *groups, size_t count, struct dist *dist,
			struct error *err)
{
	uint64_t(*numbers)[NUMBERS];
	int result = allocate(&numbers, count, sizeof *numbers, err);

	result = dist_agree(dist, result, err);
	if (result == 0)
		result = add_groups(groups, count, numbers, dist, err);
	free(numbers);
	return result;
}

/* ------------------------------------------------------------------- instances */

/* Parts of an instance, by its number on the process that keeps it. */
struct kept_parts {
	uint64_t index_at_owner;
	struct call_parts parts;
};

struct keeping {
	struct imbalance *imbalance;
	ARRAY(struct call_parts) kept;
};

static const struct measured_instance *instance_at(const struct keeping *keeping, size_t number)
{
	return &keeping->imbalance->waits->run->instances.items[number];
}

static uint32_t ask_to_add(const void *own, size_t number, void *question)
{
	const struct keeping *keeping = own;
	const struct measured_instance *instance = instance_at(keeping, number);

	*(struct kept_parts *)question = (struct kept_parts){instance->index_at_owner,
							     keeping->imbalance->instances[number]};
	return instance->owner;
}

static int imbalance_share_add(struct keeping *keeping, const struct kept_parts *added,
			       struct error *err)
{
	struct call_parts *sum;

	while (keeping->kept.count <= added->index_at_owner)
		TRY(array_push(&keeping->kept, (struct call_parts){0}, err));
	sum = &keeping->kept.items[added->index_at_owner];
	sum->before_ns += added->parts.before_ns;
	sum->execution_ns += added->parts.execution_ns;
	sum->after_ns += added->parts.after_ns;
	return 0;
}

static int answer_add(void *data, const void *questions, size_t count, void *answers,
		      struct error *err)
{
	const struct kept_parts *added = questions;

	(void)answers;
	for (size_t i = 0; i < count; i++)
		TRY(imbalance_share_add(data, &added[i], err));
	return 0;
}

static uint32_t ask_sum(const void *own, size_t number, void *question)
{
	const struct measured_instance *instance = instance_at(own, number);

	*(uint32_t *)question = instance->index_at_owner;
	return instance->owner;
}

static int answer_sum(void *data, const void *questions, size_t count, void *answers,
		      struct error *err)
{
	const struct keeping *keeping = data;
	const uint32_t *numbers = questions;
	struct call_parts *sums = answers;

	(void)err;
	for (size_t i = 0; i < count; i++)
		sums[i] = keeping->kept.items[numbers[i]];
	return 0;
}

static void take_sum(void *own, size_t number, const void *answer)
{
	((struct keeping *)own)->imbalance->instances[number] = *(const struct call_parts *)answer;
}

static int share_instances(struct imbalance *imbalance, struct dist *dist, struct error *err)
{
	const size_t count = imbalance->waits->run->instances.count;
	struct keeping keeping = {.imbalance = imbalance};
	const struct dist_questions adding = {
		.question_bytes = sizeof(struct kept_parts),
		.answer = answer_add,
		.data = &keeping,
		.ask = ask_to_add,
		.own = &keeping,
	};
	const struct dist_questions asking = {
		.question_bytes = sizeof(uint32_t),
		.answer_bytes = sizeof(struct call_parts),
		.answer = answer_sum,
		.data = &keeping,
		.ask = ask_sum,
		.take = take_sum,
		.own = &keeping,
	};
	int result;

	if (dist->size == 1)
		return 0;
	result = dist_ask(dist, &adding, count, err);
	if (result == 0)
		result = dist_ask(dist, &asking, count, err);
	array_release(&keeping.kept);
	return result;
}

int imbalance_share(struct imbalance *imbalance, struct dist *dist, struct error *err)
{
	const struct measured_run *run = imbalance->waits->run;

	TRY(dist_allreduce(dist, imbalance->instance_states, INSTANCE_STATES, DIST_SUM, err));
	TRY(share_groups(imbalance->functions.items, imbalance->functions.count, dist, err));
	TRY(share_groups(imbalance->comms.items, imbalance->comms.count, dist, err));
	TRY(share_instances(imbalance, dist, err));
	return gather_ranks(run, imbalance->ranks, sizeof *imbalance->ranks, dist, err);
}
