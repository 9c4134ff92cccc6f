#include "critpath/causes/cause_waiters.h"

#include "common/units.h"
#include "critpath/causes/cells.h"
#include "dist/dist_ask.h"

/* A waiter, a cause, and what they have in common. */
struct cause_link {
	struct cause_key waiter, cause;
	__int128 cost_as;
};

int cause_waiters_init(struct cause_waiters *waiters, const struct stretches *stretches,
		       struct cause_rows *rows, struct cause_rows *causes, struct error *err)
{
	const uint64_t count = stretches->first[stretches->waits->run->rank_count];

	*waiters = (struct cause_waiters){
		.stretches = stretches, .waiters = rows, .causes = causes};
	return allocate(&waiters->passes, count, sizeof *waiters->passes, err);
}

void cause_waiters_release(struct cause_waiters *waiters)
{
	free(waiters->passes);
	cause_rows_release(&waiters->links);
}

int cause_waiters_row(struct cause_waiters *waiters, uint32_t stretch, struct cause_row **row,
		      struct error *err)
{
	const struct stretches *stretches = waiters->stretches;
	const struct measured_rank *rank;
	uint32_t call;

	if (stretch == STRETCH_STARTS)
		return cause_rows_get(
			waiters->waiters,
			(struct cause_key){cell_code(NO_FUNCTION, NO_SITE, CELL_CALL), WAIT_AT_END},
			row, err);
	rank = &stretches->waits->run->ranks[stretches->list[stretch].rank];
	call = stretches_call(stretches, rank->rank, stretches_wait_place(stretches, stretch));
	return cause_rows_get(
		waiters->waiters,
		(struct cause_key){cell_code(rank->calls.items[call].function,
					     measured_site(rank, call), CELL_CALL),
				   wait_at(stretches->waits, rank->rank, call)->kind},
		row, err);
}

int cause_waiters_link(struct cause_waiters *waiters, const struct cause_row *waiter,
		       const struct cause_row *cause, __int128 cost_as, struct error *err)
{
	const uint64_t waiter_place = (uint64_t)(waiter - waiters->waiters->list.items);
	const uint64_t cause_place = (uint64_t)(cause - waiters->causes->list.items);
	struct cause_row *link;

	TRY(cause_rows_get(&waiters->links,
			   (struct cause_key){waiter_place << 32 | cause_place, 0}, &link, err));
	link->cost_as += cost_as;
	return 0;
}

/* ------------------------------------------------------------------ propagating */

/* Stretches of other processes through whose waits own walks go. */
struct telling {
	const struct stretches *stretches;
	const struct rank_owners *owners;
	ARRAY(uint32_t) told;
};

static uint32_t tell_owner(const void *own, size_t number, void *question)
{
	const struct telling *telling = own;
	const uint32_t stretch = telling->told.items[number];

	*(uint32_t *)question = stretch;
	return rank_owner(telling->owners, telling->stretches->list[stretch].rank);
}

static int hear(void *data, const void *questions, size_t count, void *answers, struct error *err)
{
	struct cause_waiters *waiters = data;
	const uint32_t *told = questions;

	(void)answers;
	(void)err;
	for (size_t i = 0; i < count; i++)
		waiters->passes[told[i]] = 1;
	return 0;
}

static int list_foreign(const struct cause_waiters *waiters, struct telling *telling,
			struct error *err)
{
	const struct measured_run *run = waiters->stretches->waits->run;
	const uint64_t count = waiters->stretches->first[run->rank_count];

	for (uint64_t s = 0; s < count; s++)
		if (waiters->passes[s] && !measured_owns(run, waiters->stretches->list[s].rank))
			TRY(array_push(&telling->told, (uint32_t)s, err));
	return 0;
}

static int share_passes(struct cause_waiters *waiters, const struct rank_owners *owners,
			struct dist *dist, struct error *err)
{
	struct telling telling = {.stretches = waiters->stretches, .owners = owners};
	const struct dist_questions questions = {
		.question_bytes = sizeof(uint32_t),
		.answer = hear,
		.data = waiters,
		.ask = tell_owner,
		.own = &telling,
	};
	int result = dist_agree(dist, list_foreign(waiters, &telling, err), err);

	if (result == 0)
		result = dist_ask(dist, &questions, telling.told.count, err);
	array_release(&telling.told);
	return result;
}

/* Add up the waits of own ranks through which walks go. */
static int add_propagating(struct cause_waiters *waiters, struct error *err)
{
	const struct stretches *stretches = waiters->stretches;
	const struct measured_run *run = stretches->waits->run;

	for (uint64_t s = stretches->first[run->own_first]; s < stretches->first[run->own_end];
	     s++) {
		const struct stretch *stretch = &stretches->list[s];
		struct cause_row *row;
		uint64_t begin_ns;
		uint32_t call;

		if (!waiters->passes[s] || stretch->cause == STRETCH_STARTS)
			continue;
		call = stretches_call(stretches, stretch->rank,
				      stretches_wait_place(stretches, (uint32_t)s));
		begin_ns = run->ranks[stretch->rank].calls.items[call].enter_ns;
		if (!measured_reports(run, begin_ns))
			continue;
		TRY(cause_waiters_row(waiters, (uint32_t)s, &row, err));
		row->propagating_ns += stretch->begin_ns - begin_ns;
	}
	return 0;
}

/* ------------------------------------------------------------------------ links */

struct cause_links {
	ARRAY(struct cause_link) list;
};

/* Name both ends of the links by their keys, which all processes know. */
static int list_links(const struct cause_waiters *waiters, struct cause_links *links,
		      struct error *err)
{
	for (size_t i = 0; i < waiters->links.list.count; i++) {
		const struct cause_row *row = &waiters->links.list.items[i];
		const struct cause_link link = {
			waiters->waiters->list.items[row->key.second >> 32].key,
			waiters->causes->list.items[(uint32_t)row->key.second].key, row->cost_as};

		TRY(array_push(&links->list, link, err));
	}
	return 0;
}

/* Add up the links of all processes by the places of the rows of all. */
static int join_links(struct cause_waiters *waiters, const struct cause_links *links,
		      struct error *err)
{
	cause_rows_release(&waiters->links);
	for (size_t i = 0; i < links->list.count; i++) {
		const struct cause_link *link = &links->list.items[i];
		struct cause_row *waiter, *cause;

		TRY(cause_rows_get(waiters->waiters, link->waiter, &waiter, err));
		TRY(cause_rows_get(waiters->causes, link->cause, &cause, err));
		TRY(cause_waiters_link(waiters, waiter, cause, link->cost_as, err));
	}
	return 0;
}

/* Whether a cause is to be named in place of another one: it cost more, or as much and comes first. */
static bool is_larger(const struct cause_row *waiter, struct cause_key cause, __int128 cost_as)
{
	if (cost_as != waiter->cause_as)
		return cost_as > waiter->cause_as;
	if (cause.first != waiter->cause.first)
		return cause.first < waiter->cause.first;
	return cause.second < waiter->cause.second;
}

static void find_largest(struct cause_waiters *waiters)
{
	for (size_t i = 0; i < waiters->links.list.count; i++) {
		const struct cause_row *link = &waiters->links.list.items[i];
		struct cause_row *waiter =
			&waiters->waiters->list.items[link->key.second >> 32];
		const struct cause_key cause =
			waiters->causes->list.items[(uint32_t)link->key.second].key;

		if (is_larger(waiter, cause, link->cost_as)) {
			waiter->cause = cause;
			waiter->cause_as = link->cost_as;
		}
	}
}

static int gather(struct cause_waiters *waiters, struct cause_links *links, struct dist *dist,
		  struct error *err)
{
	int result = 0;

	TRY(dist_agree(dist, list_links(waiters, links, err), err));
	TRY(cause_rows_gather(waiters->waiters, dist, err));
	TRY(cause_rows_gather(waiters->causes, dist, err));
	TRY(dist_gather_array(dist, &links->list, err));
	if (dist->rank == 0)
		result = join_links(waiters, links, err);
	TRY(dist_agree(dist, result, err));
	if (dist->rank == 0)
		find_largest(waiters);
	return 0;
}

int cause_waiters_finish(struct cause_waiters *waiters, const struct rank_owners *owners,
			 struct dist *dist, struct error *err)
{
	struct cause_links links = {0};
	int result;

	TRY(share_passes(waiters, owners, dist, err));
	TRY(dist_agree(dist, add_propagating(waiters, err), err));
	result = gather(waiters, &links, dist, err);
	array_release(&links.list);
	return result;
}
