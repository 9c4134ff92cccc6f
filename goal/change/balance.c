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
	ARRAY(uint32_t)
	parts; /* the computation before the call that is visited: several operations if it is divided */
};

static void gathering_release(struct gathering *gathering)
{
	for (size_t i = 0; i < gathering->of.count; i++)
		array_release(&gathering->of.items[i].occurrences);
	array_release(&gathering->of);
	array_release(&gathering->seen);
	array_release(&gathering->parts);
	goal_call_keys_release(&gathering->keys);
}

/* What to do with the i-th call of a key on a rank, and with gathering->parts. */
typedef int visit_call(void *data, uint32_t key, uint32_t number, struct error *err);

/* A rank whose calls are visited. */
struct visited {
	struct gathering *gathering;
	const struct goal_block *block;
	uint8_t *ops; /* of the copy that is changed */
};

/* Visit a call all of whose entries were read.  key: GOAL_NO_KEY if it is not asked for. */
static int visit_whole_call(struct gathering *gathering, uint32_t key, visit_call *visit,
			    void *data, struct error *err)
{
	if (key == GOAL_NO_KEY)
		return 0;
	while (gathering->seen.count <= key)
		TRY(array_push(&gathering->seen, 0, err));
	return visit(data, key, gathering->seen.items[key]++, err);
}

/* Visit the calls of the keys on a rank, in order. */
static int visit_rank(struct visited *visited, const struct goal_calls *calls, uint32_t rank,
		      struct goal_calls_cursor *cursor, visit_call *visit, struct error *err)
{
	struct gathering *gathering = visited->gathering;
	uint32_t key = GOAL_NO_KEY;
	uint64_t last = 0;
	struct goal_call call;
	int found;

	goal_calls_cursor_start(cursor, calls, rank);
	goal_call_keys_start(&gathering->keys);
	for (size_t i = 0; i < gathering->seen.count; i++)
		gathering->seen.items[i] = 0;
	for (uint32_t op = 0; (found = goal_calls_find(cursor, op, &call, err)) == 0;
	     op = cursor->end_op) {
		/* The entries of one call follow each other. */
		if (call.number != last) {
			TRY(visit_whole_call(gathering, key, visit, visited, err));
			TRY(goal_call_keys_find(&gathering->keys, cursor, &call, &key, err));
			gathering->parts.count = 0;
			last = call.number;
		}
		if (call.before && goal_op(visited->block, cursor->first_op).kind == GOAL_CALC)
			TRY(array_push(&gathering->parts, cursor->first_op, err));
	}
	return found < 0 ? -1 : visit_whole_call(gathering, key, visit, visited, err);
}

static int add_ns(const struct gathering *gathering, uint32_t key, uint64_t ns, uint64_t *sum,
		  struct error *err)
{
	if (!__builtin_add_overflow(*sum, ns, sum))
		return 0;
	return error_set(err, STATUS_LIMIT, "the computation before calls of %s is 2^64 ns or more",
			 gathering->keys.list.items[key].function);
}

/* Add up the computation before the call that is visited. */
static int sum_parts(const struct visited *visited, uint32_t key, uint64_t *ns, struct error *err)
{
	const struct gathering *gathering = visited->gathering;

	*ns = 0;
	for (size_t i = 0; i < gathering->parts.count; i++)
		TRY(add_ns(gathering, key, goal_op(visited->block, gathering->parts.items[i]).size,
			   ns, err));
	return 0;
}

static int gather_call(void *data, uint32_t key, uint32_t number, struct error *err)
{
	const struct visited *visited = data;
	struct gathering *gathering = visited->gathering;
	struct gathered *gathered;
	struct occurrence *occurrence;
	uint64_t ns;

	TRY(sum_parts(visited, key, &ns, err));
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
	return add_ns(gathering, key, ns, &occurrence->total_ns, err);
}

static int gather_all(struct gathering *gathering, const struct goal *goal,
		      const struct goal_calls *calls, struct goal_calls_cursor *cursor,
		      struct error *err)
{
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		struct visited visited = {gathering, &goal->ranks[rank], NULL};

		TRY(visit_rank(&visited, calls, rank, cursor, gather_call, err));
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

	if (a->excess_ns != b->excess_ns)
		return a->excess_ns < b->excess_ns ? 1 : -1;
	return goal_call_key_order(&a->key, &b->key);
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

/* Let parts that take `given_ns` take `wanted_ns`, each in its proportion but for less than 1 ns. */
static void scale_parts(const struct visited *visited, uint64_t given_ns, uint64_t wanted_ns)
{
	const struct gathering *gathering = visited->gathering;

	for (size_t i = 0; i < gathering->parts.count && given_ns; i++) {
		const uint32_t op = gathering->parts.items[i];
		const uint64_t was_ns = goal_op(visited->block, op).size;
		const uint64_t ns = (uint64_t)((__uint128_t)was_ns * wanted_ns / given_ns);

		given_ns -= was_ns;
		wanted_ns -= ns;
		goal_store64(visited->ops + (size_t)op * GOAL_OP_BYTES + GOAL_AT_SIZE, ns);
	}
}

/* Give the rank its share of the i-th computation.  ranks counts down from the lowest rank. */
static int share_call(void *data, uint32_t key, uint32_t number, struct error *err)
{
	const struct visited *visited = data;
	struct occurrence *of = &visited->gathering->of.items[key].occurrences.items[number];
	uint64_t given_ns, share_ns;

	TRY(sum_parts(visited, key, &given_ns, err));
	if (!given_ns)
		return 0;
	share_ns = (of->total_ns + of->ranks - 1) / of->ranks;
	of->total_ns -= share_ns;
	of->ranks--;
	scale_parts(visited, given_ns, share_ns);
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
	result = visit_rank(&visited, calls, rank, cursor, share_call, err);
	if (result == 0)
		result = goal_writer_called_block(writer, &block, calls, rank, err);
	free(copy);
	return result;
}

static int write_balanced_ranks(struct gathering *gathering, const struct goal *goal,
				const struct goal_calls *calls, struct goal_calls_cursor *cursor,
				struct goal_writer *writer, struct error *err)
{

	TRY(gather_all(gathering, goal, calls, cursor, err));
	for (size_t i = 0; i < gathering->keys.list.count; i++) {
		const struct goal_call_key *key = &gathering->keys.list.items[i];

		if (i >= gathering->of.count || !excess_of(gathering, i).total_ns)
			return error_set(err, STATUS_DATA,
					 "%s: no rank computes before a call of %s%s%s",
					 calls->path, key->function, key->site ? " at " : "",
					 key->site ? key->site : "");
	}
	TRY(goal_changed_calls(writer, calls, err));
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
