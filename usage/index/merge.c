#include "usage/index/merge.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------- ranks in two logs */

/* A rank in the list of a log. */
struct listed {
	uint32_t rank;
	size_t part;
};

static int compare_listed(const void *a, const void *b)
{
	const struct listed *const x = a, *const y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

static uint32_t lowest_rank(const struct job_log *log)
{
	return log->rank_list.count ? log->rank_list.items[0].rank : UINT32_MAX;
}

/* Those that count come first. */
static int compare_parts(const void *a, const void *b)
{
	const struct job_log *const x = a, *const y = b;
	const uint64_t x_ns = x->mpi_ns == USAGE_UNKNOWN ? 0 : x->mpi_ns;
	const uint64_t y_ns = y->mpi_ns == USAGE_UNKNOWN ? 0 : y->mpi_ns;

	if (x->ranks_seen != y->ranks_seen)
		return x->ranks_seen > y->ranks_seen ? -1 : 1;
	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return lowest_rank(x) < lowest_rank(y) ? -1 : lowest_rank(x) > lowest_rank(y);
}

/* Find out which parts have no rank in common with a part that counts before them. */
static int choose_parts(bool *counts, const struct job_log *parts, size_t count, struct error *err)
{
	ARRAY(struct listed) ranks = {0};

	for (size_t i = 0; i < count; i++) {
		counts[i] = true;
		if (array_reserve(&ranks, parts[i].rank_list.count, err) < 0) {
			array_release(&ranks);
			return -1;
		}
		for (size_t j = 0; j < parts[i].rank_list.count; j++)
			ranks.items[ranks.count++] =
				(struct listed){parts[i].rank_list.items[j].rank, i};
	}
	if (ranks.count)
		qsort(ranks.items, ranks.count, sizeof *ranks.items, compare_listed);
	for (size_t i = 1; i < ranks.count; i++)
		if (ranks.items[i].rank == ranks.items[i - 1].rank)
			counts[ranks.items[i].part] = false;
	array_release(&ranks);
	return 0;
}

/* ---------------------------------------------------------------------- times */

static int compare_times(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Time of a rank, counted by time, as the quantiles of its log tell. */
static uint64_t time_between(const struct job_log *log, uint32_t number)
{
	const uint64_t last = log->ranks_seen - 1, steps = JOB_QUANTILES - 1;
	unsigned above = 0;
	uint64_t low, high;

	while (above < steps && above * last / steps < number)
		above++;
	high = above * last / steps;
	if (above == 0 || high == number)
		return log->quantiles_ns[above];
	low = (above - 1) * last / steps;
	return log->quantiles_ns[above - 1] +
	       (uint64_t)((double)(log->quantiles_ns[above] - log->quantiles_ns[above - 1]) *
			  (double)(number - low) / (double)(high - low));
}

static int merge_quantiles(struct job_log *merged, const struct job_log *parts, const bool *counts,
			   size_t count, struct error *err)
{
	uint64_t *times;
	uint32_t filled = 0;

	TRY(allocate(&times, merged->ranks_seen, sizeof *times, err));
	for (size_t i = 0; i < count; i++)
		for (uint32_t j = 0; counts[i] && j < parts[i].ranks_seen; j++)
			times[filled++] = time_between(&parts[i], j);
	qsort(times, filled, sizeof *times, compare_times);
	for (unsigned i = 0; i < JOB_QUANTILES; i++)
		merged->quantiles_ns[i] = times[(uint64_t)i * (filled - 1) / (JOB_QUANTILES - 1)];
	free(times);
	return 0;
}

static void merge_times(struct job_log *merged, const struct job_log *parts, const bool *counts,
			size_t count)
{
	double sum = 0, squares = 0;

	merged->least_ns = UINT64_MAX;
	merged->most_ns = 0;
	for (size_t i = 0; i < count; i++) {
		const struct job_log *const part = &parts[i];

		if (!counts[i])
			continue;
		sum += part->ranks_seen * part->mean_ns;
		if (part->least_ns < merged->least_ns)
			merged->least_ns = part->least_ns;
		if (part->most_ns > merged->most_ns)
			merged->most_ns = part->most_ns;
	}
	merged->mean_ns = sum / merged->ranks_seen;
	for (size_t i = 0; i < count; i++) {
		const double apart = parts[i].mean_ns - merged->mean_ns;

		if (counts[i])
			squares += parts[i].ranks_seen *
				   (parts[i].deviation_ns * parts[i].deviation_ns + apart * apart);
	}
	merged->deviation_ns = sqrt(squares / merged->ranks_seen);
}

/* ---------------------------------------------------------------------- cells */

static int compare_merged(const void *a, const void *b)
{
	return usage_compare_keys(&((const struct job_cell *)a)->cell.key,
				  &((const struct job_cell *)b)->cell.key);
}

static int merge_cells(struct job_log *merged, const struct job_log *parts, const bool *counts,
		       size_t count, struct error *err)
{
	size_t last = 0;

	for (size_t i = 0; i < count; i++) {
		if (!counts[i])
			continue;
		TRY(array_reserve(&merged->cells, parts[i].cells.count, err));
		for (size_t j = 0; j < parts[i].cells.count; j++)
			merged->cells.items[merged->cells.count++] = parts[i].cells.items[j];
	}
	if (!merged->cells.count)
		return 0;
	qsort(merged->cells.items, merged->cells.count, sizeof *merged->cells.items,
	      compare_merged);
	for (size_t i = 1; i < merged->cells.count; i++) {
		struct job_cell *const into = &merged->cells.items[last];
		const struct job_cell from = merged->cells.items[i];

		if (!usage_same_key(&into->cell.key, &from.cell.key)) {
			merged->cells.items[++last] = from;
			continue;
		}
		usage_cell_merge(&into->cell, &from.cell);
		into->ranks += from.ranks;
		if (from.rank_most_ns > into->rank_most_ns)
			into->rank_most_ns = from.rank_most_ns;
	}
	merged->cells.count = last + 1;
	return 0;
}

/* ---------------------------------------------------------------------- ranks */

static int copy_log_text(char **to, const char *from, struct error *err)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to ? 0 : error_set_memory(err, strlen(from) + 1);
}

static int copy_rank(struct job_log *merged, const struct job_rank *from, struct error *err)
{
	struct job_rank *to;

	TRY(array_reserve(&merged->rank_list, 1, err));
	to = &merged->rank_list.items[merged->rank_list.count++];
	*to = *from;
	to->roles = 0;
	to->host = NULL;
	memset(&to->calls, 0, sizeof to->calls);
	TRY(copy_log_text(&to->host, from->host, err));
	TRY(array_reserve(&to->calls, from->calls.count, err));
	for (size_t i = 0; i < from->calls.count; i++)
		to->calls.items[to->calls.count++] = from->calls.items[i];
	return 0;
}

static int compare_by_rank(const void *a, const void *b)
{
	const struct job_rank *const x = a, *const y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Give the roles, ties to the lowest rank. */
static void give_roles(struct job_log *merged)
{
	struct job_rank *const ranks = merged->rank_list.items;
	struct job_rank *most = ranks, *least = ranks, *average = ranks;

	for (struct job_rank *rank = ranks; rank < ranks + merged->rank_list.count; rank++) {
		if (rank->mpi_ns > most->mpi_ns)
			most = rank;
		if (rank->mpi_ns < least->mpi_ns)
			least = rank;
		if (fabs((double)rank->mpi_ns - merged->mean_ns) <
		    fabs((double)average->mpi_ns - merged->mean_ns))
			average = rank;
	}
	if (ranks->rank == 0)
		ranks->roles |= JOB_FIRST;
	most->roles |= JOB_MOST;
	least->roles |= JOB_LEAST;
	average->roles |= JOB_AVERAGE;
}

static int merge_ranks(struct job_log *merged, const struct job_log *parts, const bool *counts,
		       size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; counts[i] && j < parts[i].rank_list.count; j++)
			TRY(copy_rank(merged, &parts[i].rank_list.items[j], err));
	if (!merged->rank_list.count)
		return 0;
	qsort(merged->rank_list.items, merged->rank_list.count, sizeof *merged->rank_list.items,
	      compare_by_rank);
	give_roles(merged);
	return 0;
}

/* ------------------------------------------------------------------------ job */

static int copy_names(struct job_log *merged, const struct job_log *from, struct error *err)
{
	TRY(copy_log_text(&merged->system, from->system, err));
	TRY(copy_log_text(&merged->job, from->job, err));
	TRY(copy_log_text(&merged->step, from->step, err));
	TRY(copy_log_text(&merged->parent, from->parent, err));
	TRY(copy_log_text(&merged->user, from->user, err));
	TRY(copy_log_text(&merged->program, from->program, err));
	TRY(copy_log_text(&merged->build_id, from->build_id, err));
	TRY(copy_log_text(&merged->library, from->library, err));
	TRY(copy_log_text(&merged->clock, from->clock, err));
	return copy_log_text(&merged->reason, from->reason, err);
}

/* Add the nodes of a part to the histogram. */
static int add_nodes(struct job_log *merged, const struct job_log *part, struct error *err)
{
	for (size_t i = 0; i < part->ranks_per_node.count; i++) {
		const struct job_nodes add = part->ranks_per_node.items[i];
		size_t at = 0;

		while (at < merged->ranks_per_node.count &&
		       merged->ranks_per_node.items[at].ranks < add.ranks)
			at++;
		if (at < merged->ranks_per_node.count &&
		    merged->ranks_per_node.items[at].ranks == add.ranks) {
			merged->ranks_per_node.items[at].nodes += add.nodes;
			continue;
		}
		TRY(array_reserve(&merged->ranks_per_node, 1, err));
		memmove(merged->ranks_per_node.items + at + 1, merged->ranks_per_node.items + at,
			(merged->ranks_per_node.count - at) * sizeof add);
		merged->ranks_per_node.items[at] = add;
		merged->ranks_per_node.count++;
	}
	return 0;
}

static uint32_t nodes_listed(const struct job_log *log)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < log->ranks_per_node.count; i++)
		sum += log->ranks_per_node.items[i].nodes;
	return sum;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	if (a == USAGE_UNKNOWN || b == USAGE_UNKNOWN)
		return a == USAGE_UNKNOWN ? b : a;
	return a > b ? a : b;
}

static int merge_part(struct job_log *merged, const struct job_log *part, struct error *err)
{
	merged->ranks_seen += part->ranks_seen;
	merged->nodes_seen += part->nodes_seen;
	if (part->start_unix_ns < merged->start_unix_ns)
		merged->start_unix_ns = part->start_unix_ns;
	merged->mpi_ns = longer(merged->mpi_ns, part->mpi_ns);
	merged->process_ns = longer(merged->process_ns, part->process_ns);
	if (part->end > merged->end)
		merged->end = part->end;
	if (part->threads > merged->threads)
		merged->threads = part->threads;
	merged->overflow |= part->overflow;
	/* A part may know all nodes of the job. */
	if (nodes_listed(merged) < merged->nodes)
		return add_nodes(merged, part, err);
	return 0;
}

static int merge(struct job_log *merged, const struct job_log *parts, const bool *counts,
		 size_t count, struct error *err)
{
	*merged = *parts;
	memset(&merged->ranks_per_node, 0, sizeof merged->ranks_per_node);
	memset(&merged->cells, 0, sizeof merged->cells);
	memset(&merged->rank_list, 0, sizeof merged->rank_list);
	merged->ranks_seen = merged->nodes_seen = 0;
	merged->system = merged->job = merged->step = merged->parent = merged->user = NULL;
	merged->program = merged->build_id = merged->library = merged->clock = merged->reason =
		NULL;
	TRY(copy_names(merged, parts, err));
	for (size_t i = 0; i < count; i++)
		if (counts[i])
			TRY(merge_part(merged, &parts[i], err));
	merge_times(merged, parts, counts, count);
	TRY(merge_quantiles(merged, parts, counts, count, err));
	TRY(merge_cells(merged, parts, counts, count, err));
	return merge_ranks(merged, parts, counts, count, err);
}

int logs_merge(struct job_log *merged, struct job_log *parts, size_t count, struct error *err)
{
	bool *counts;
	int result;

	qsort(parts, count, sizeof *parts, compare_parts);
	TRY(allocate(&counts, count, sizeof *counts, err));
	result = choose_parts(counts, parts, count, err);
	if (result == 0) {
		result = merge(merged, parts, counts, count, err);
		if (result < 0)
			job_log_release(merged);
	}
	free(counts);
	return result;
}
