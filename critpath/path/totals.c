#include "critpath/path/totals.h"

#include "critpath/match/rank_owners.h"
#include "trace/call/mpi_functions.h"

static void add_function(struct function_total *function, struct time_span call,
			 struct time_span waits, struct time_span slice)
{
	function->calls++;
	function->ns += time_span_common_ns(call, slice);
	function->wait_ns += time_span_common_ns(waits, slice);
}

static void totals_add_rank(struct totals *totals, const struct waits *waits, uint32_t number)
{
	const struct measured_rank *rank = &waits->run->ranks[number];
	const struct time_span slice = measured_slice(waits->run);
	const struct time_span run = measured_rank_span(waits->run, number);
	struct rank_total *total = &totals->ranks[number];
	const uint64_t run_ns = run.end_ns - run.begin_ns;

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];
		const struct time_span in = {call->enter_ns, call->leave_ns};
		const struct time_span waited = {call->enter_ns,
					    call->enter_ns + wait_ns(waits, number, c)};

		if (measured_touches(waits->run, call))
			add_function(&totals->functions.items[call->function], in, waited, slice);
		if (call->thread != 0)
			continue;
		total->wait_ns += time_span_common_ns(waited, run);
		total->mpi_ns += time_span_common_ns(in, run);
	}
	/* Damaged traces may have calls that overlap. */
	if (total->mpi_ns > run_ns)
		total->mpi_ns = run_ns;
	total->compute_ns = run_ns - total->mpi_ns;
}

static void add_path(struct totals *totals, const struct walk *walk)
{
	const struct walk_segment *last = NULL;

	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];
		const uint64_t ns = segment->end_ns - segment->start_ns;
		struct rank_total *rank = &totals->ranks[segment->rank];
		struct function_total *function;

		if (segment->category == WALK_COMPUTE)
			rank->path_compute_ns += ns;
		if (segment->category != WALK_CALL)
			continue;
		rank->path_mpi_ns += ns;
		function = &totals->functions.items[segment->function];
		function->path_ns += ns;
		function->calls_on_path += !last || last->rank != segment->rank ||
					   last->call != segment->call;
		last = segment;
	}
}

static int compare_functions(const void *a, const void *b)
{
	const struct function_total *x = a, *y = b;

	if (x->path_ns != y->path_ns)
		return x->path_ns > y->path_ns ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static void keep_functions(struct totals *totals)
{
	size_t kept = 0;

	for (size_t i = 0; i < totals->functions.count; i++)
		if (totals->functions.items[i].calls)
			totals->functions.items[kept++] = totals->functions.items[i];
	totals->functions.count = kept;
	if (kept)
		qsort(totals->functions.items, kept, sizeof *totals->functions.items,
		      compare_functions);
}

static void add_sum(struct totals *totals, uint32_t rank_count)
{
	for (uint32_t r = 0; r < rank_count; r++) {
		totals->sum.compute_ns += totals->ranks[r].compute_ns;
		totals->sum.mpi_ns += totals->ranks[r].mpi_ns;
		totals->sum.wait_ns += totals->ranks[r].wait_ns;
		totals->sum.path_compute_ns += totals->ranks[r].path_compute_ns;
		totals->sum.path_mpi_ns += totals->ranks[r].path_mpi_ns;
	}
}

static int totals_add_own(struct totals *totals, const struct waits *waits, struct error *err)
{
	const struct measured_run *run = waits->run;
	const uint32_t count = MPI_FUNCTION_COUNT + (uint32_t)run->names.others.count;

	*totals = (struct totals){0};
	if (array_reserve(&totals->functions, count, err) < 0 ||
	    allocate(&totals->ranks, run->rank_count, sizeof *totals->ranks, err) < 0) {
		totals_release(totals);
		return -1;
	}
	for (uint32_t i = 0; i < count; i++)
		totals->functions.items[i] = (struct function_total){.function = i};
	totals->functions.count = count;
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		totals_add_rank(totals, waits, r);
	return 0;
}

static void totals_finish(struct totals *totals, uint32_t rank_count, const struct walk *walk)
{
	add_path(totals, walk);
	add_sum(totals, rank_count);
	keep_functions(totals);
}

/* Numbers of a function that are added up. */
enum { CALLS, TIME, WAIT, NUMBERS };

static int share_functions(struct totals *totals, struct dist *dist, struct error *err)
{
	const size_t count = totals->functions.count;
	uint64_t(*numbers)[NUMBERS];
	int result = allocate(&numbers, count, sizeof *numbers, err);

	result = dist_agree(dist, result, err);
	for (size_t f = 0; result == 0 && f < count; f++) {
		numbers[f][CALLS] = totals->functions.items[f].calls;
		numbers[f][TIME] = totals->functions.items[f].ns;
		numbers[f][WAIT] = totals->functions.items[f].wait_ns;
	}
	if (result == 0)
		result = dist_allreduce(dist, *numbers, count * NUMBERS, DIST_SUM, err);
	for (size_t f = 0; result == 0 && f < count; f++) {
		totals->functions.items[f].calls = numbers[f][CALLS];
		totals->functions.items[f].ns = numbers[f][TIME];
		totals->functions.items[f].wait_ns = numbers[f][WAIT];
	}
	free(numbers);
	return result;
}

/* Add up over all processes. */
static int join_totals(struct totals *totals, const struct measured_run *run, struct dist *dist,
		       struct error *err)
{
	TRY(share_functions(totals, dist, err));
	return gather_ranks(run, totals->ranks, sizeof *totals->ranks, dist, err);
}

int totals_find(struct totals *totals, const struct waits *waits, const struct walk *walk,
		struct dist *dist, struct error *err)
{
	int result = dist_agree(dist, totals_add_own(totals, waits, err), err);

	if (result == 0)
		result = join_totals(totals, waits->run, dist, err);
	if (result == 0)
		totals_finish(totals, waits->run->rank_count, walk);
	else
		totals_release(totals);
	return result;
}

void totals_release(struct totals *totals)
{
	free(totals->ranks);
	totals->ranks = NULL;
	array_release(&totals->functions);
}

uint64_t totals_imbalance_ns(uint64_t path_ns, uint64_t sum_ns, uint32_t rank_count)
{
	const uint64_t mean_ns = sum_ns / rank_count;

	return path_ns > mean_ns ? path_ns - mean_ns : 0;
}
