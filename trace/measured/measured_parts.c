#include "trace/measured/measured_parts.h"

#include "trace/measured/measured_iterations.h"

/* ------------------------------------------------------------------- iterations */

static int add_iterations(struct measured_rank_parts *parts, const struct iterations *iterations,
			  struct error *err)
{
	const size_t count = iterations->starts_ns.count;

	TRY(array_reserve(&parts->spans, count, err));
	for (size_t i = 0; i < count; i++)
		parts->spans.items[i] = (struct time_span){
			.begin_ns = iterations->starts_ns.items[i],
			.end_ns = i + 1 < count ? iterations->starts_ns.items[i + 1]
						: iterations->end_ns,
		};
	parts->spans.count = count;
	return 0;
}

static int read_iteration_parts(struct measured_parts *parts, const struct measured_run *run,
				struct error *err)
{
	struct measured_iterations all = {0};
	const struct iterations *iterations;
	int result = 0;

	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++) {
		result = measured_iterations_of(&all, run, r, &iterations, err);
		if (result == 0)
			result = add_iterations(&parts->ranks[r], iterations, err);
	}
	measured_iterations_release(&all);
	return result;
}

/* ---------------------------------------------------------------------- regions */

/* The rank that is read. */
struct visiting {
	struct measured_rank_parts *parts;
	uint32_t depth;
	int result;
	struct error *err;
};

static void see_visit(void *data, uint64_t time_ns, bool enters)
{
	struct visiting *visiting = data;
	struct measured_rank_parts *parts = visiting->parts;
	const struct time_span span = {time_ns, UINT64_MAX};

	if (!enters && !visiting->depth)
		return;
	visiting->depth += enters ? 1 : -1U;
	if (enters && visiting->depth == 1 && visiting->result == 0)
		visiting->result = array_push(&parts->spans, span, visiting->err);
	if (!enters && !visiting->depth && parts->spans.count)
		parts->spans.items[parts->spans.count - 1].end_ns = time_ns;
}

static int ignore_call(void *data, const struct mpi_call *call, struct error *err)
{
	(void)data, (void)call, (void)err;
	return 0;
}

static int read_visits(struct measured_parts *parts, const struct measured_run *run,
		       struct trace_reader *reader, const char *region, struct error *err)
{
	struct visiting visiting = {.err = err};

	trace_reader_watch(reader, region, see_visit, &visiting);
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		visiting.parts = &parts->ranks[r];
		visiting.depth = 0;
		TRY(trace_reader_rank(reader, r, ignore_call, NULL, err));
		if (visiting.result < 0)
			return -1;
	}
	return 0;
}

static int find_visits(struct measured_parts *parts, const struct measured_run *run,
		       const char *region, struct error *err)
{
	struct trace_reader *reader;
	int result;

	TRY(trace_reader_again(&reader, run->reader, err));
	result = read_visits(parts, run, reader, region, err);
	trace_reader_close(reader);
	return result;
}

int measured_parts_none(const struct measured_run *run, const char *region, struct error *err)
{
	const char *like = trace_reader_region_like(run->reader, region);

	if (like && strcmp(like, region) != 0)
		return error_set(err, STATUS_DATA, "region '%s' does not occur, but '%s' does",
				 region, like);
	return error_set(err, STATUS_DATA, "region '%s' does not occur", region);
}

/* ------------------------------------------------------------------------- both */

/* Let each part begin after the one before, also where times of a damaged trace go back. */
static void put_in_order(struct measured_rank_parts *parts)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < parts->spans.count; i++) {
		struct time_span *span = &parts->spans.items[i];

		if (i + 1 < parts->spans.count && span->end_ns > parts->spans.items[i + 1].begin_ns)
			span->end_ns = parts->spans.items[i + 1].begin_ns;
		if (span->begin_ns < last_ns)
			span->begin_ns = last_ns;
		if (span->end_ns < span->begin_ns)
			span->end_ns = span->begin_ns;
		last_ns = span->end_ns;
	}
}

static void count_parts(struct measured_parts *parts, const struct measured_run *run)
{
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		const uint32_t count = (uint32_t)parts->ranks[r].spans.count;

		if (count < parts->least)
			parts->least = count;
		if (count > parts->most)
			parts->most = count;
	}
}

int measured_parts_find(struct measured_parts *parts, const struct measured_run *run,
			const char *region, struct error *err)
{
	int result;

	*parts = (struct measured_parts){.rank_count = run->rank_count, .least = UINT32_MAX};
	TRY(allocate(&parts->ranks, run->rank_count, sizeof *parts->ranks, err));
	result = region ? find_visits(parts, run, region, err)
			: read_iteration_parts(parts, run, err);
	if (result < 0) {
		measured_parts_release(parts);
		return -1;
	}
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		put_in_order(&parts->ranks[r]);
	count_parts(parts, run);
	return 0;
}

void measured_parts_release(struct measured_parts *parts)
{
	for (uint32_t r = 0; parts->ranks && r < parts->rank_count; r++)
		array_release(&parts->ranks[r].spans);
	free(parts->ranks);
	parts->ranks = NULL;
}

uint32_t measured_part_at(const struct measured_parts *parts, uint32_t rank, uint64_t time_ns)
{
	const struct measured_rank_parts *of_rank = &parts->ranks[rank];
	size_t low = 0, high = of_rank->spans.count;

	/* The last that begins no later. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (of_rank->spans.items[middle].begin_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	/* Parts without time are in front of those that begin at once. */
	return low && time_ns < of_rank->spans.items[low - 1].end_ns ? (uint32_t)low - 1 : NO_PART;
}
