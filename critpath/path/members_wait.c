/* Waits for members of collectives that other processes have. */
#include "critpath/path/locks.h"
#include "critpath/path/members.h"
#include "dist/dist_ask.h"

/* ------------------------------------------------------------------- gathering */

struct gathering {
	const struct measured_run *run;
	const struct members *own;
	uint32_t *places;     /* [own member], or NULL */
	struct members *kept; /* of instances that this process keeps */
};

static const struct measured_instance *instance_of(const struct gathering *gathering, size_t number)
{
	return &gathering->run->instances.items[gathering->own->list.items[number].instance];
}

static uint32_t ask_to_keep(const void *own, size_t number, void *question)
{
	const struct gathering *gathering = own;
	struct member member = gathering->own->list.items[number];

	member.instance = instance_of(gathering, number)->index_at_owner;
	*(struct member *)question = member;
	return instance_of(gathering, number)->owner;
}

static int answer_keep(void *data, const void *questions, size_t count, void *answers,
		       struct error *err)
{
	struct gathering *gathering = data;
	const struct member *members = questions;
	uint32_t *places = answers;

	for (size_t i = 0; i < count; i++) {
		places[i] = (uint32_t)gathering->kept->list.count;
		TRY(array_push(&gathering->kept->list, members[i], err));
	}
	return 0;
}

static void members_take_place(void *own, size_t number, const void *answer)
{
	struct gathering *gathering = own;

	if (gathering->places)
		gathering->places[number] = *(const uint32_t *)answer;
}

int members_gather(struct members *kept, const struct members *own, uint32_t **places,
		   const struct measured_run *run, struct dist *dist, struct error *err)
{
	struct gathering gathering = {.run = run, .own = own, .kept = kept};
	const struct dist_questions keeping = {
		.question_bytes = sizeof(struct member),
		.answer_bytes = sizeof(uint32_t),
		.answer = answer_keep,
		.data = &gathering,
		.ask = ask_to_keep,
		.take = members_take_place,
		.own = &gathering,
	};
	int result = 0;

	*kept = (struct members){.observed = own->observed};
	if (places)
		result = allocate(&gathering.places, own->list.count, sizeof **places, err);
	result = dist_agree(dist, result, err);
	if (result == 0)
		result = dist_ask(dist, &keeping, own->list.count, err);
	if (result == 0) {
		if (places)
			*places = gathering.places;
		return 0;
	}
	free(gathering.places);
	members_release(kept);
	return -1;
}

/* ----------------------------------------------------------------------- waits */

/* The call that a member waits for; call is NO_CALL: none. */
struct cause {
	struct measured_start begin;
	uint32_t rank, unused;
};

struct waiting {
	struct waits *waits;
	struct members own, kept;
	uint32_t *places;     /* [own member]: its number on the process that keeps it */
	struct cause *causes; /* [number of a kept member] */
};

static void note_cause(void *data, const struct member *member, const struct member *last)
{
	struct cause *causes = ((struct waiting *)data)->causes;

	/* The members that are kept have their number there. */
	causes[member->end] = (struct cause){.begin = last->begin, .rank = last->rank};
}

/* Find for whom the members wait that this process keeps. */
static int find_causes(struct waiting *waiting, struct error *err)
{
	const size_t count = waiting->kept.list.count;

	TRY(allocate(&waiting->causes, count, sizeof *waiting->causes, err));
	for (size_t i = 0; i < count; i++) {
		waiting->kept.list.items[i].end = (uint32_t)i;
		waiting->causes[i].begin.call = NO_CALL;
	}
	members_sort(&waiting->kept);
	members_find_waits(&waiting->kept, note_cause, waiting);
	return 0;
}

static const struct measured_instance *instance_waiting(const struct waiting *waiting,
							size_t number)
{
	const uint32_t instance = waiting->own.list.items[number].instance;

	return &waiting->waits->run->instances.items[instance];
}

static uint32_t ask_cause(const void *own, size_t number, void *question)
{
	const struct waiting *waiting = own;

	*(uint32_t *)question = waiting->places[number];
	return instance_waiting(waiting, number)->owner;
}

static int answer_cause(void *data, const void *questions, size_t count, void *answers,
			struct error *err)
{
	const struct waiting *waiting = data;
	const uint32_t *places = questions;
	struct cause *causes = answers;

	(void)err;
	for (size_t i = 0; i < count; i++)
		causes[i] = waiting->causes[places[i]];
	return 0;
}

static void take_cause(void *own, size_t number, const void *answer)
{
	const struct waiting *waiting = own;
	const struct member *member = &waiting->own.list.items[number];
	const struct cause *cause = answer;
	struct wait wait;

	if (cause->begin.call == NO_CALL)
		return;
	wait = wait_on_call(&cause->begin, cause->rank, instance_waiting(waiting, number)->comm,
			    WAIT_COLLECTIVE);
	wait_for(waiting->waits, member->rank, member->end, &wait);
}

static int wait_for_causes(struct waiting *waiting, struct dist *dist, struct error *err)
{
	const struct dist_questions asking = {
		.question_bytes = sizeof(uint32_t),
		.answer_bytes = sizeof(struct cause),
		.answer = answer_cause,
		.data = waiting,
		.ask = ask_cause,
		.take = take_cause,
		.own = waiting,
	};

	TRY(members_gather(&waiting->kept, &waiting->own, &waiting->places, waiting->waits->run,
			   dist, err));
	TRY(dist_agree(dist, find_causes(waiting, err), err));
	return dist_ask(dist, &asking, waiting->own.list.count, err);
}

int members_wait(struct waits *waits, bool observed, struct dist *dist, struct error *err)
{
	struct waiting waiting = {.waits = waits};
	int result = members_list(&waiting.own, waits->run, observed, err);

	result = dist_agree(dist, result, err);
	if (result == 0)
		result = wait_for_causes(&waiting, dist, err);
	if (result == 0)
		waits->observed |= observed;
	members_release(&waiting.own);
	members_release(&waiting.kept);
	free(waiting.places);
	free(waiting.causes);
	return result;
}

int waits_find(struct waits *waits, const struct measured_run *run, struct dist *dist,
	       struct error *err)
{
	int result = dist_agree(dist, waits_find_own(waits, run, err), err);

	/* In a scan a rank waits for the last of those before it. */
	if (result == 0)
		result = members_wait(waits, false, dist, err);
	if (result == 0)
		result = locks_wait(waits, dist, err);
	if (result < 0)
		waits_release(waits);
	return result;
}
