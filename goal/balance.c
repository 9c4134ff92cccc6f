#include "goal/balance.h"

#include "goal/image.h"

/* The i-th calls of all ranks. */
struct occurrence {
	uint64_t total_ns, most_ns;
	uint32_t ranks; /* that compute before the call */
};

struct gathered {
	struct goal_balance_key key;
	ARRAY(struct occurrence) occurrences;
};

struct gathering {
	const struct goal_balance_key *only; /* NULL: all keys */
	size_t only_count;
	struct source_lines *lines; /* for their sites; or NULL */
	ARRAY(struct gathered) keys;
	struct string_map numbers; /* of the keys, by the text of one */
	ARRAY(char *) texts;
	/* Of the rank: the key of each function of the cursor, and the calls of each key so far. */
	ARRAY(uint32_t) key_of;
	ARRAY(uint32_t) seen;
};

enum { NO_KEY = UINT32_MAX };

static void gathering_release(struct gathering *gathering)
{
	for (size_t i = 0; i < gathering->keys.count; i++)
		array_release(&gathering->keys.items[i].occurrences);
	for (size_t i = 0; i < gathering->texts.count; i++)
		free(gathering->texts.items[i]);
	array_release(&gathering->keys);
	array_release(&gathering->texts);
	array_release(&gathering->key_of);
	array_release(&gathering->seen);
	string_map_release(&gathering->numbers);
}


/* Find the first key that a call fits, or NO_KEY. */
static int first_fit(const struct gathering *gathering, const struct goal_call *call, uint32_t *found,
		     struct error *err)
{
	const char *name = call->site;

	if (name && gathering->lines)
		TRY(source_lines_name(gathering->lines, call->site, &name, err));
	for (size_t i = 0; i < gathering->only_count; i++) {
		const struct goal_balance_key *key = &gathering->only[i];

		if (strcmp(key->function, call->function) != 0)
			continue;
		if (!key->site || (name && call_site_is(key->site, call->site, name))) {
			*found = (uint32_t)i;
			return 0;
		}
	}
	*found = NO_KEY;
	return 0;
}

/* Find or add the key of a call. */
static int key_number(struct gathering *gathering, const struct goal_call *call, uint32_t *number,
		     struct error *err)
{
	const struct goal_balance_key key = {call->function, call->site};
	const struct gathered added = {.key = key};
	const size_t bytes = strlen(call->function) + (call->site ? strlen(call->site) : 0) + 2;
	char *text = malloc(bytes);

	if (!text)
		return error_set_memory(err, bytes);
	snprintf(text, bytes, "%s@%s", call->function, call->site ? call->site : "");
	*number = string_map_get(&gathering->numbers, text, (uint32_t)bytes - 1);
	if (*number != STRING_MAP_EMPTY) {
		free(text);
		return 0;
	}
	if (array_push(&gathering->texts, text, err) < 0) {
		free(text);
		return -1;
	}
	*number = (uint32_t)gathering->keys.count;
	TRY(string_map_add(&gathering->numbers, text, (uint32_t)bytes - 1, *number, err));
	return array_push(&gathering->keys, added, err);
}

/* The key of the entry at the cursor, NO_KEY if it is not asked for. */
static int key_at(struct gathering *gathering, const struct goal_calls_cursor *cursor,
		  const struct goal_call *call, uint32_t *key, struct error *err)
{
	while (gathering->key_of.count <= cursor->function)
		TRY(array_push(&gathering->key_of, NO_KEY - 1, err));
	*key = gathering->key_of.items[cursor->function];
	if (*key != NO_KEY - 1)
		return 0;
	if (!gathering->only)
		TRY(key_number(gathering, call, key, err));
	else
		TRY(first_fit(gathering, call, key, err));
	gathering->key_of.items[cursor->function] = *key;
	return 0;
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
	gathering->key_of.count = 0;
	for (size_t i = 0; i < gathering->seen.count; i++)
		gathering->seen.items[i] = 0;
	for (uint32_t op = 0; (found = goal_calls_find(cursor, op, &call, err)) == 0;
	     op = cursor->end_op) {
		/* The entries of one call follow each other. */
		if (call.number == last)
			continue;
		last = call.number;
		TRY(key_at(gathering, cursor, &call, &key, err));
		if (key == NO_KEY)
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
	struct gathered *gathered = &visited->gathering->keys.items[key];
	const uint64_t ns = computation(visited->block, computes, op);
	struct occurrence *occurrence;

	while (gathered->occurrences.count <= number)
		TRY(array_push(&gathered->occurrences, ((struct occurrence){0}), err));
	if (!ns)
		return 0;
	occurrence = &gathered->occurrences.items[number];
	occurrence->ranks++;
	if (ns > occurrence->most_ns)
		occurrence->most_ns = ns;
	if (__builtin_add_overflow(occurrence->total_ns, ns, &occurrence->total_ns))
		return error_set(err, STATUS_LIMIT, "the computation before calls of %s is 2^64 ns or more",
				 gathered->key.function);
	return 0;
}

static int gather_all(struct gathering *gathering, const struct goal *goal,
		  const struct goal_calls *calls, struct goal_calls_cursor *cursor, struct error *err)
{
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		struct visited visited = {gathering, &goal->ranks[rank], NULL};

		TRY(visit_rank(gathering, calls, rank, cursor, gather_call, &visited, err));
	}
	return 0;
}

/* ---------------------------------------------------------------------- survey */

static struct goal_balance_sum excess_of(const struct gathered *gathered)
{
	struct goal_balance_sum sum = {.key = gathered->key,
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
	return order ? order : strcmp(a->key.site ? a->key.site : "", b->key.site ? b->key.site : "");
}

int goal_balance_survey(struct goal_balance_sums *sums, const struct goal *goal,
			const struct goal_calls *calls, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct gathering gathering = {0};
	int result = gather_all(&gathering, goal, calls, &cursor, err);

	*sums = (struct goal_balance_sums){0};
	for (size_t i = 0; i < gathering.keys.count && result == 0; i++)
		result = array_push(&sums->list, excess_of(&gathering.keys.items[i]), err);
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
	struct occurrence *of = &visited->gathering->keys.items[key].occurrences.items[number];
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
		      const struct goal_calls *calls, uint32_t rank, struct goal_calls_cursor *cursor,
		      struct goal_writer *writer, struct error *err)
{
	struct goal_block block = goal->ranks[rank];
	const uint8_t *const begin = block.roots - GOAL_BLOCK_BYTES;
	const size_t bytes = (size_t)(block.successors - begin) + (size_t)block.successor_count * 4;
	struct visited visited = {gathering, &goal->ranks[rank], NULL};
	uint8_t *copy;
	int result;

	TRY(allocate(&copy, bytes, 1, err));
	memcpy(copy, begin, bytes);
	block.roots = copy + GOAL_BLOCK_BYTES;
	block.ops = visited.ops = copy + (block.ops - begin);
	block.successors = copy + (block.successors - begin);
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

	for (size_t i = 0; i < gathering->only_count; i++) {
		const struct gathered added = {.key = gathering->only[i]};

		TRY(array_push(&gathering->keys, added, err));
	}
	TRY(gather_all(gathering, goal, calls, cursor, err));
	for (size_t i = 0; i < gathering->only_count; i++) {
		const struct goal_balance_key *key = &gathering->only[i];

		if (!excess_of(&gathering->keys.items[i]).total_ns)
			return error_set(err, STATUS_DATA, "%s: no rank computes before a call of %s%s%s",
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
		 const struct goal_balance_key *keys, size_t count, struct source_lines *lines,
		 struct goal_writer *writer, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct gathering gathering = {.only = keys, .only_count = count, .lines = lines};
	const int result = write_balanced_ranks(&gathering, goal, calls, &cursor, writer, err);

	gathering_release(&gathering);
	goal_calls_cursor_release(&cursor);
	return result;
}

int goal_balance_key_parse(char *text, struct goal_balance_key *key, struct error *err)
{
	char *at = strchr(text, '@');

	if (!*text || at == text || (at && !at[1]))
		return error_set(err, STATUS_USAGE, "'%s' is not FUNCTION or FUNCTION@SITE", text);
	if (at)
		*at = '\0';
	*key = (struct goal_balance_key){text, at ? at + 1 : NULL};
	return 0;
}
