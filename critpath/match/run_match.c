#include "critpath/match/run_match.h"

#include "critpath/match/match_steps.h"

#include <string.h>

/* ----------------------------------------------------------------------- names */

static int pack_names(struct bytes *bytes, const struct measured_names *names, struct error *err)
{
	for (size_t i = 0; i < names->others.count; i++)
		TRY(bytes_add(bytes, names->others.items[i], strlen(names->others.items[i]) + 1,
			      err));
	return 0;
}

static int add_names(struct measured_names *names, const void *bytes, size_t size,
		     struct error *err)
{
	const char *text = bytes;
	uint32_t function;

	for (size_t at = 0; at < size; at += strlen(text + at) + 1)
		TRY(measured_names_add(names, text + at, &function, err));
	return 0;
}

/* Process 0 joins the names of all processes in their order. */
static int join_names(struct bytes *bytes, struct dist *dist, struct error *err)
{
	struct dist_arrived arrived;
	struct measured_names names = {0};
	int result;

	TRY(dist_gatherv(dist, bytes->list.items, bytes->list.count, &arrived, err));
	bytes->list.count = 0;
	result = add_names(&names, arrived.bytes, arrived.ends[dist->size - 1], err);
	if (result == 0)
		result = pack_names(bytes, &names, err);
	dist_arrived_release(&arrived);
	measured_names_release(&names);
	return dist_agree(dist, result, err);
}

static int tell_names(struct bytes *bytes, struct dist *dist, struct error *err)
{
	uint64_t size = bytes->list.count;
	int result;

	TRY(dist_bcast(dist, 0, &size, sizeof size, err));
	if (dist->rank != 0)
		bytes->list.count = 0;
	result = array_reserve(&bytes->list, size - bytes->list.count, err);
	TRY(dist_agree(dist, result, err));
	bytes->list.count = size;
	return dist_bcast(dist, 0, bytes->list.items, size, err);
}

/* Number the functions of all calls by the names that all processes have. */
static int renumber(struct measured_run *run, const struct bytes *bytes, struct error *err)
{
	struct measured_names before = run->names;
	int result;

	run->names = (struct measured_names){0};
	result = add_names(&run->names, bytes->list.items, bytes->list.count, err);
	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++)
		for (size_t i = 0; result == 0 && i < run->ranks[r].calls.count; i++)
			result = measured_names_copy(&run->names, &before,
						     &run->ranks[r].calls.items[i].function, err);
	measured_names_release(&before);
	return result;
}

static int share_all_names(struct measured_run *run, struct bytes *bytes, struct dist *dist,
			   struct error *err)
{
	uint64_t names = run->names.others.count;

	TRY(dist_allreduce(dist, &names, 1, DIST_MAX, err));
	if (!names)
		return 0;
	TRY(dist_agree(dist, pack_names(bytes, &run->names, err), err));
	TRY(join_names(bytes, dist, err));
	TRY(tell_names(bytes, dist, err));
	return dist_agree(dist, renumber(run, bytes, err), err);
}

/* Give functions that are not in the table the same numbers on all processes, those of one process. */
static int match_names(struct measured_run *run, struct dist *dist, struct error *err)
{
	struct bytes bytes = {0};
	const int result = share_all_names(run, &bytes, dist, err);

	bytes_release(&bytes);
	return result;
}

/* ------------------------------------------------------------------------ sums */

/* Find begin and end of the run, and the rank that ends last. */
static int share_span(struct measured_run *run, struct dist *dist, struct error *err)
{
	const uint64_t own_end_ns = run->end_ns;
	uint64_t last_rank;

	TRY(dist_allreduce(dist, &run->begin_ns, 1, DIST_MIN, err));
	TRY(dist_allreduce(dist, &run->end_ns, 1, DIST_MAX, err));
	last_rank = own_end_ns == run->end_ns ? run->last_rank : UINT64_MAX;
	TRY(dist_allreduce(dist, &last_rank, 1, DIST_MIN, err));
	run->last_rank = (uint32_t)last_rank;
	return 0;
}

/* Find the largest violation: of equal ones, that of the lowest receiver. */
static int share_most_violated(struct clock_violations *violations, struct dist *dist,
			       struct error *err)
{
	const uint64_t own_ns = violations->most_ns;
	uint64_t pair = UINT64_MAX;

	TRY(dist_allreduce(dist, &violations->most_ns, 1, DIST_MAX, err));
	if (own_ns && own_ns == violations->most_ns)
		pair = (uint64_t)violations->receiver << 32 | violations->sender;
	TRY(dist_allreduce(dist, &pair, 1, DIST_MIN, err));
	if (violations->most_ns) {
		violations->receiver = (uint32_t)(pair >> 32);
		violations->sender = (uint32_t)pair;
	}
	return 0;
}

static int share_sums(struct measured_run *run, struct dist *dist, struct error *err)
{
	uint64_t *const sums[] = {&run->calls,
				  &run->incomplete,
				  &run->unmatched_sends,
				  &run->unmatched_recvs,
				  &run->lacking,
				  &run->instance_count,
				  &run->violations.count,
				  &run->violations.messages,
				  &run->left_out.unfinished_calls,
				  &run->left_out.miscounted_locations};
	enum { COUNT = sizeof sums / sizeof *sums };
	uint64_t values[COUNT];

	for (int i = 0; i < COUNT; i++)
		values[i] = *sums[i];
	TRY(dist_allreduce(dist, values, COUNT, DIST_SUM, err));
	for (int i = 0; i < COUNT; i++)
		*sums[i] = values[i];
	return share_most_violated(&run->violations, dist, err);
}

/* -------------------------------------------------------------------- matching */

static int match(struct measured_matching *matching, struct measured_run *run,
		 const struct rank_owners *map, struct dist *dist, struct error *err)
{
	TRY(match_names(run, dist, err));
	TRY(dist_agree(dist, measured_match_own(matching, run, err), err));
	TRY(share_span(run, dist, err));
	TRY(measured_has_calls(run, err));
	TRY(match_messages_between(matching, map, dist, err));
	TRY(match_collectives(matching, dist, err));
	TRY(match_alignment(matching, map, dist, err));
	measured_match_check(run);
	return share_sums(run, dist, err);
}

int run_match(struct measured_run *run, struct dist *dist, struct error *err)
{
	struct measured_matching matching = {.run = run};
	struct rank_owners map;
	int result;

	TRY(rank_owners_find(&map, run, dist, err));
	result = match(&matching, run, &map, dist, err);
	measured_matching_release(&matching);
	rank_owners_release(&map);
	return result;
}

int run_open(struct measured_run *run, const char *path, struct dist *dist, struct error *err)
{
	const int read = measured_run_read(run, path, dist->rank, dist->size, err);

	if (dist_agree(dist, read, err) < 0) {
		if (read == 0)
			measured_run_release(run);
		return -1;
	}
	if (run_match(run, dist, err) == 0)
		return 0;
	measured_run_release(run);
	return error_prefix(err, "%s", path);
}
