#include "critpath/share/share_ask.h"
#include "critpath/share/share_run.h"

/*
 * In a scan a rank waits for the last of those before it.  The process that keeps the instance
 * (critpath/share/share_collectives.c) gets all members, and tells each for whom it waits.
 */

/* The call that a member of a scan waits for; call is NO_CALL: none. */
struct cause {
	struct measured_start begin;
	uint32_t rank, unused;
};

struct scans {
	struct waits *waits;
	struct scan_members members; /* of own ranks */
	uint32_t *places;	     /* [member]: number of the member on the process asked */
	/* That this process answers for. */
	struct scan_members kept; /* `end` is the place in which it came */
	struct cause *causes;	  /* [place] */
};

/* ------------------------------------------------------------------- gathering */

static const struct measured_instance *instance_of(const struct scans *scans, size_t number)
{
	const uint32_t instance = scans->members.list.items[number].instance;

	return &scans->waits->run->instances.items[instance];
}

static uint32_t ask_to_keep(const void *own, size_t number, void *question)
{
	const struct scans *scans = own;
	struct scan_member member = scans->members.list.items[number];

	member.instance = instance_of(scans, number)->kept_as;
	*(struct scan_member *)question = member;
	return instance_of(scans, number)->keeper;
}

static int answer_keep(void *data, const void *questions, size_t count, void *answers,
		       struct error *err)
{
	struct scans *scans = data;
	const struct scan_member *members = questions;
	uint32_t *places = answers;

	for (size_t i = 0; i < count; i++) {
		struct scan_member member = members[i];

		places[i] = member.end = (uint32_t)scans->kept.list.count;
		TRY(array_push(&scans->kept.list, member, err));
	}
	return 0;
}

static void take_place(void *own, size_t number, const void *answer)
{
	((struct scans *)own)->places[number] = *(const uint32_t *)answer;
}

/* ---------------------------------------------------------------------- causes */

static int find_causes(struct scans *scans, struct error *err)
{
	const size_t count = scans->kept.list.count;
	const struct scan_member *last = NULL;

	TRY(allocate(&scans->causes, count, sizeof *scans->causes, err));
	if (count)
		qsort(scans->kept.list.items, count, sizeof *scans->kept.list.items,
		      scan_members_compare);
	for (size_t i = 0; i < count; i++) {
		const struct scan_member *member = &scans->kept.list.items[i];
		struct cause *cause = &scans->causes[member->end];

		if (last && last->instance != member->instance)
			last = NULL;
		cause->begin.call = NO_CALL;
		if (last)
			*cause = (struct cause){.begin = last->begin, .rank = last->rank};
		if (!last || member->begin.begin_ns > last->begin.begin_ns)
			last = member;
	}
	return 0;
}

static uint32_t ask_cause(const void *own, size_t number, void *question)
{
	const struct scans *scans = own;

	*(uint32_t *)question = scans->places[number];
	return instance_of(scans, number)->keeper;
}

static int answer_cause(void *data, const void *questions, size_t count, void *answers,
			struct error *err)
{
	const struct scans *scans = data;
	const uint32_t *places = questions;
	struct cause *causes = answers;

	(void)err;
	for (size_t i = 0; i < count; i++)
		causes[i] = scans->causes[places[i]];
	return 0;
}

static void take_cause(void *own, size_t number, const void *answer)
{
	const struct scans *scans = own;
	const struct scan_member *member = &scans->members.list.items[number];
	const struct cause *cause = answer;
	struct wait wait;

	if (cause->begin.call == NO_CALL)
		return;
	wait = wait_on_call(&cause->begin, cause->rank, instance_of(scans, number)->comm,
			    WAIT_COLLECTIVE);
	wait_for(scans->waits, member->rank, member->end, &wait);
}

/* ----------------------------------------------------------------------- waits */

static int list_members(struct scans *scans, struct error *err)
{
	TRY(scan_members_list(&scans->members, scans->waits->run, err));
	return allocate(&scans->places, scans->members.list.count, sizeof *scans->places, err);
}

static int wait_in_scans(struct scans *scans, struct exchange *exchange, struct error *err)
{
	const struct share_questions keeping = {
		.question_bytes = sizeof(struct scan_member),
		.answer_bytes = sizeof(uint32_t),
		.answer = answer_keep,
		.data = scans,
		.ask = ask_to_keep,
		.take = take_place,
		.own = scans,
	};
	const struct share_questions asking = {
		.question_bytes = sizeof(uint32_t),
		.answer_bytes = sizeof(struct cause),
		.answer = answer_cause,
		.data = scans,
		.ask = ask_cause,
		.take = take_cause,
		.own = scans,
	};

	TRY(exchange_agree(exchange, list_members(scans, err), err));
	TRY(share_ask(exchange, &keeping, scans->members.list.count, err));
	TRY(exchange_agree(exchange, find_causes(scans, err), err));
	return share_ask(exchange, &asking, scans->members.list.count, err);
}

int share_waits_find(struct waits *waits, const struct measured_run *run, struct exchange *exchange,
		     struct error *err)
{
	struct scans scans = {.waits = waits};
	int result = waits_find_own(waits, run, err);

	result = exchange_agree(exchange, result, err);
	if (result == 0)
		result = wait_in_scans(&scans, exchange, err);
	array_release(&scans.members.list);
	array_release(&scans.kept.list);
	free(scans.places);
	free(scans.causes);
	if (result < 0)
		waits_release(waits);
	return result;
}
