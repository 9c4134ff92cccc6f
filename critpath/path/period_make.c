/* The periods of a run whose ranks are shared among processes. */
#include "critpath/path/period.h"

/* Ends of calls from which all processes find where periods begin: of each process. */
enum { SAMPLES = 64 };

struct making {
	const struct waits *waits;
	struct dist *dist;
	struct jump_calls *lists; /* of own ranks */
	uint64_t *counts;	  /* [process]: calls listed */
	uint64_t *sampled_ns;	  /* [process][sample] */
	uint64_t *end_ns;	  /* [process]: of its period */
	uint64_t *sizes;	  /* [process]: bytes for it */
	struct byte_array packed;
};

static uint32_t own_ranks(const struct making *making)
{
	return making->waits->run->own_end - making->waits->run->own_first;
}

/* --------------------------------------------------------------------- samples */

/* End of a call that is listed, by its number in all lists. */
static uint64_t listed_end(const struct making *making, uint64_t number)
{
	const struct jump_calls *list = making->lists;

	for (; number >= list->calls.count; list++)
		number -= list->calls.count;
	return making->waits->run->ranks[list->rank]
		.calls.items[list->calls.items[number]]
		.leave_ns;
}

static int list_calls(struct making *making, struct error *err)
{
	const struct waits *waits = making->waits;
	const uint32_t processes = making->dist->size;
	uint64_t *count;

	TRY(allocate(&making->lists, own_ranks(making), sizeof *making->lists, err));
	TRY(allocate(&making->counts, processes, sizeof *making->counts, err));
	TRY(allocate(&making->sampled_ns, (size_t)processes * SAMPLES, sizeof *making->sampled_ns,
		     err));
	TRY(allocate(&making->end_ns, processes, sizeof *making->end_ns, err));
	TRY(allocate(&making->sizes, processes, sizeof *making->sizes, err));
	count = &making->counts[making->dist->rank];
	for (uint32_t i = 0; i < own_ranks(making); i++) {
		TRY(jump_calls_list(&making->lists[i], waits, waits->run->own_first + i, err));
		*count += making->lists[i].calls.count;
	}
	for (uint64_t s = 0; *count && s < SAMPLES; s++)
		making->sampled_ns[making->dist->rank * SAMPLES + s] =
			listed_end(making, *count / SAMPLES * s + *count % SAMPLES * s / SAMPLES);
	return 0;
}

/* A sample is for `calls` calls of its process. */
struct sample {
	uint64_t ns;
	double calls;
};

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Let the periods end where their share of the calls has ended. */
static int find_ends(struct making *making, struct error *err)
{
	const uint32_t processes = making->dist->size;
	const size_t count = (size_t)processes * SAMPLES;
	struct sample *samples;
	double calls = 0, before = 0;
	uint32_t period = 0;

	TRY(allocate(&samples, count, sizeof *samples, err));
	for (size_t i = 0; i < count; i++) {
		samples[i].ns = making->sampled_ns[i];
		samples[i].calls = (double)making->counts[i / SAMPLES] / SAMPLES;
		calls += samples[i].calls;
	}
	qsort(samples, count, sizeof *samples, compare_samples);
	for (size_t i = 0; i < count; i++) {
		while (period + 1 < processes && before >= calls / processes * (period + 1))
			making->end_ns[period++] = samples[i].ns;
		before += samples[i].calls;
	}
	while (period < processes)
		making->end_ns[period++] = UINT64_MAX;
	free(samples);
	return 0;
}

static int share_ends(struct making *making, struct error *err)
{
	struct dist *dist = making->dist;

	TRY(dist_agree(dist, list_calls(making, err), err));
	TRY(dist_allreduce(dist, making->counts, dist->size, DIST_SUM, err));
	TRY(dist_allreduce(dist, making->sampled_ns, (size_t)dist->size * SAMPLES, DIST_SUM, err));
	return dist_agree(dist, find_ends(making, err), err);
}

/* ------------------------------------------------------------------------ pack */

static int period_pack(struct making *making, uint64_t *jumps, struct error *err)
{
	for (uint32_t p = 0; p < making->dist->size; p++) {
		const size_t before = making->packed.bytes.count;

		jumps[p] = 0;
		for (uint32_t i = 0; i < own_ranks(making); i++) {
			struct jump_calls *list = &making->lists[i];
			const size_t first = list->next;

			TRY(jumps_pack(list, making->waits, making->end_ns[p], &making->packed,
				       err));
			jumps[p] += (list->next - first) << list->all;
		}
		making->sizes[p] = making->packed.bytes.count - before;
	}
	return 0;
}

static int period_unpack(struct period *period, const struct making *making,
			 const struct dist_arrived *arrived, uint64_t jumps, struct error *err)
{
	const uint64_t bytes = arrived->ends[making->dist->size - 1];
	struct varint_reader reader = {arrived->bytes, arrived->bytes + bytes};
	struct jump_row row;

	TRY(allocate(&period->rows, period->rank_count, sizeof *period->rows, err));
	TRY(array_reserve(&period->jumps.list, jumps, err));
	while (reader.at < reader.end) {
		TRY(jumps_unpack(&period->jumps, &row, &reader, err));
		period->rows[row.rank] = row;
	}
	return 0;
}

static int share_jumps(struct period *period, struct making *making, struct error *err)
{
	struct dist *dist = making->dist;
	/* The counts of calls are not needed any more. */
	uint64_t *const jumps = making->counts;
	struct dist_arrived arrived;
	int result;

	TRY(dist_agree(dist, period_pack(making, jumps, err), err));
	TRY(dist_allreduce(dist, jumps, dist->size, DIST_SUM, err));
	TRY(dist_alltoallv(dist, making->packed.bytes.items, making->sizes, &arrived, err));
	array_release(&making->packed.bytes);
	result = period_unpack(period, making, &arrived, jumps[dist->rank], err);
	dist_arrived_release(&arrived);
	return dist_agree(dist, result, err);
}

static void release(struct making *making)
{
	for (uint32_t i = 0; making->lists && i < own_ranks(making); i++)
		jump_calls_release(&making->lists[i]);
	free(making->lists);
	free(making->counts);
	free(making->sampled_ns);
	free(making->end_ns);
	free(making->sizes);
	array_release(&making->packed.bytes);
}

int period_make(struct period *period, const struct waits *waits, struct dist *dist,
		struct error *err)
{
	struct making making = {.waits = waits, .dist = dist};
	int result;

	*period = (struct period){.first = dist->rank == 0,
				  .begin_ns = waits->run->begin_ns,
				  .rank_count = waits->run->rank_count};
	result = share_ends(&making, err);
	if (result == 0)
		result = share_jumps(period, &making, err);
	release(&making);
	if (result < 0)
		period_release(period);
	return result;
}
