#include "critpath/share/share_ask.h"
#include "critpath/share/share_groups.h"
#include "critpath/share/share_map.h"

struct asking {
	struct groups *groups;
	struct share_map map;
};

static uint32_t ask(const void *own, size_t number, void *question)
{
	const struct asking *asking = own;
	const struct compute_interval *longest = &asking->groups->list.items[number].longest;

	*(struct compute_interval *)question = *longest;
	return share_map_process(&asking->map, longest->rank);
}

static int answer(void *data, const void *questions, size_t count, void *answers,
		  struct error *err)
{
	const struct measured_run *run = data;
	const struct compute_interval *intervals = questions;
	struct compute_call *calls = answers;

	for (size_t i = 0; i < count; i++) {
		if (!measured_owns(run, intervals[i].rank))
			return error_set(err, STATUS_DATA, "a question about another process");
		calls[i] = compute_interval_call(&run->ranks[intervals[i].rank], &intervals[i]);
	}
	return 0;
}

static void take(void *own, size_t number, const void *found)
{
	((struct asking *)own)->groups->list.items[number].next =
		*(const struct compute_call *)found;
}

int share_groups_calls(struct groups *groups, const struct measured_run *run,
		       struct exchange *exchange, struct error *err)
{
	struct asking asking = {.groups = groups};
	const struct share_questions questions = {
		.question_bytes = sizeof(struct compute_interval),
		.answer_bytes = sizeof(struct compute_call),
		.answer = answer,
		.data = (void *)run,
		.ask = ask,
		.take = take,
		.own = &asking,
	};
	int result;

	TRY(share_map_make(&asking.map, run, exchange, err));
	result = share_ask(exchange, &questions, groups->list.count, err);
	share_map_release(&asking.map);
	return result;
}
