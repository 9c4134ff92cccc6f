#include "goal/change/balance.h"

#include "goal/change/rewrite.h"
#include "goal/image.h"

/* The i-th calls of all ranks. */
struct occurrence {
	uint64_t total_ns, most_ns;
	uint32_t ranks; /* that compute before the call */
};

struct gathered {
	ARRAY(struct occurrence) occurrences;
};

struct gathering {
	struct goal_call_keys keys;
	ARRAY(struct gathered) of; /* [key] */
	ARRAY(uint32_t) seen;	   /* [key]: its calls on the rank so far */
};

static void gathering_release(struct gathering *gathering)
{
	for (size_t i = 0; i < gathering->of.count; i++)
		array_release(&gathering->of.items[i].occurrences);
	array_release(&gathering->of);
	array_release(&gathering->seen);
	goal_call_keys_release(&gathering->keys);
}

/* What to do with the i-th call of a key on a rank, and the computation before it. */
typedef int visit_call(void *data, uint32_t key, uint32_t number, bool computes, uint32_t op,
		       struct error *err);

/* Visit the calls of the keys on a rank, in order. */
static int visit_rank(struct gathering *gathering, const struct goal_calls *calls, uint32_t rank,
		      struct goal_calls_cursor *cursor, visit_call *visit, void *data,
		      struct error *err)
{
	uint64_t last = 0;
	struct goal_call call;
	uint32_t key;
	int found;

	goal_calls_cursor_start(cursor, calls, rank);
	goal_call_keys_start(&gathering->keys);
	for (size_t i = 0; i < gathering->seen.count; i++)
		gathering->seen.items[i] = 0;
	for (uint32_t op = 0; (found = goal_calls_find(cursor, op, &call, err)) == 0;
	     op = cursor->end_op) {
		/* The entries of one call follow each other. */
		if (call.number == last)
			continue;
		last = call.number;
		TRY(goal_call_keys_find(&gathering->keys, cursor, &call, &key, err));
		if (key == GOAL_NO_KEY)
			continue;
		while (gathering->seen.count <= key)
			TRY(array_push(&gathering->seen, 0, err));
		TRY(visit(data, key, gathering->seen.items[key]++, call.before, cursor->first_op,
			  err));
	}
	return found < 0 ? -1 : 0;
}

/* A rank whose calls are visited. */
struct visited {
	struct gathering *gathering;
	const struct goal_block *block;
	uint8_t *ops; /* of the copy that is changed */
};

static uint64_t computation(const struct goal_block *block, bool computes, uint32_t op)
{
	const struct goal_op found = goal_op(block, op);

	return computes && found.kind == GOAL_CALC ? found.size : 0;
}

static int gather_call(void *data, uint32_t key, uint32_t number, bool computes, uint32_t op,
		       struct error *err)
{
	const struct visited *visited = data;
	struct gathering *gathering = visited->gathering;
	struct gathered *gathered;
	const uint64_t ns = computation(visited->block, computes, op);
	struct occurrence *occurrence;

	while (gathering->of.count <= key)
		TRY(array_push(&gathering->of, ((struct gathered){0}), err));
	gathered = &gathering->of.items[key];
	while (gathered->occurrences.count <= number)
		TRY(array_push(&gathered->occurrences, ((struct occurrence){0}), err));
	if (!ns)
		return 0;
	occurrence = &gathered->occurrences.items[number];
	occurrence->ranks++;
	if (ns > occurrence->most_ns)
		occurrence->most_ns = ns;
	if (__builtin_add_overflow(occurrence->total_ns, ns, &occurrence->total_ns))
		return error_set(err, STATUS_LIMIT,
				 "the computation before calls of %s is 2^64 ns or more",
				 gathering->keys.list.items[key].function);
	return 0;
}

static int gather_all(struct gathering *gathering, const struct goal *goal,
		      const struct goal_calls *calls, struct goal_calls_cursor *cursor,
		      struct error *err)
{
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		struct visited visited = {gathering, &goal->ranks[rank], NULL};

		TRY(visit_rank(gathering, calls, rank, cursor, gather_call, &visited, err));
	}
	return 0;
}

/* ---------------------------------------------------------------------- survey */

static struct goal_balance_sum excess_of(const struct gathering *gathering, size_t key)
{
	const struct gathered *gathered = &gathering->of.items[key];
	struct goal_balance_sum sum = {.key = gathering->keys.list.items[key],
				       .occurrences = (uint32_t)gathered->occurrences.count};

	for (size_t i = 0; i < gathered->occurrences.count; i++) {
		const struct occurrence *of = &gathered->occurrences.items[i];

		sum.total_ns += of->total_ns;
		if (of->ranks)
			sum.excess_ns += of->most_ns - of->total_ns / of->ranks;
	}
	return sum;
}

static int by_excess(const void *one, const void *other)
{
	const struct goal_balance_sum *a = one, *b = other;
	int order;

	if (a->excess_ns != b->excess_ns)
		return a->excess_ns < b->excess_ns ? 1 : -1;
	order = strcmp(a->key.function, b->key.function);
	return order ? order
		     : strcmp(a->key.site ? a->key.site : "", b->key.site ? b->key.site : "");
}

int goal_balance_survey(struct goal_balance_sums *sums, const struct goal *goal,
			const struct goal_calls *calls, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct gathering gathering = {0};
	int result = gather_all(&gathering, goal, calls, &cursor, err);

	*sums = (struct goal_balance_sums){0};
	for (size_t i = 0; i < gathering.of.count && result == 0; i++)
		result = array_push(&sums->list, excess_of(&gathering, i), err);
	if (sums->list.count)
		qsort(sums->list.items, sums->list.count, sizeof *sums->list.items, by_excess);
	gathering_release(&gathering);
	goal_calls_cursor_release(&cursor);
	if (result < 0)
		goal_balance_sums_release(sums);
	return result;
}

void goal_balance_sums_release(struct goal_balance_sums *sums)
{
	array_release(&sums->list);
}

/* --------------------------------------------------------------------- balance */

/* Give the rank its share of the i-th computation.  ranks counts down from the lowest rank. */
static int share_call(void *data, uint32_t key, uint32_t number, bool computes, uint32_t op,
		      struct error *err)
{
	const struct visited *visited = data;
	struct occurrence *of = &visited->gathering->of.items[key].occurrences.items[number];
	uint64_t share_ns;

	(void)err;
	if (!computation(visited->block, computes, op))
		return 0;
	share_ns = (of->total_ns + of->ranks - 1) / of->ranks;
	of->total_ns -= share_ns;
	of->ranks--;
	goal_store64(visited->ops + (size_t)op * GOAL_OP_BYTES + GOAL_AT_SIZE, share_ns);
	return 0;
}

static int write_balanced_rank(struct gathering *gathering, const struct goal *goal,
			       const struct goal_calls *calls, uint32_t rank,
			       struct goal_calls_cursor *cursor, struct goal_writer *writer,
			       struct error *err)
{
	struct goal_block block = goal->ranks[rank];
	struct visited visited = {gathering, &goal->ranks[rank], NULL};
	uint8_t *copy;
	int result;

	TRY(goal_block_copy(&block, &copy, &visited.ops, err));
	result = visit_rank(gathering, calls, rank, cursor, share_call, &visited, err);
	if (result == 0)
		result = goal_writer_called_block(writer, &block, calls, rank, err);
	free(copy);
	return result;
}

static int write_balanced_ranks(struct gathering *gathering, const struct goal *goal,
				const struct goal_calls *calls, struct goal_calls_cursor *cursor,
				struct goal_writer *writer, struct error *err)
{
	struct goal_calls_origin origin = calls->origin;

	TRY(gather_all(gathering, goal, calls, cursor, err));
	for (size_t i = 0; i < gathering->keys.list.count; i++) {
		const struct goal_call_key *key = &gathering->keys.list.items[i];

		if (i >= gathering->of.count || !excess_of(gathering, i).total_ns)
			return error_set(err, STATUS_DATA,
					 "%s: no rank computes before a call of %s%s%s",
					 calls->path, key->function, key->site ? " at " : "",
					 key->site ? key->site : "");
	}
	/* This run was not traced: its run time is not known. */
	origin.run_ns = 0;
	TRY(goal_writer_calls(writer, &origin, err));
	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		TRY(write_balanced_rank(gathering, goal, calls, rank, cursor, writer, err));
	return 0;
}

int goal_balance(const struct goal *goal, const struct goal_calls *calls,
		 const struct goal_call_key *keys, size_t count, struct source_lines *lines,
		 struct goal_writer *writer, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct gathering gathering = {0};
	int result = goal_call_keys_only(&gathering.keys, keys, count, lines, err);

	if (result == 0)
		result = write_balanced_ranks(&gathering, goal, calls, &cursor, writer, err);

	gathering_release(&gathering);
	goal_calls_cursor_release(&cursor);
	return result;
}
