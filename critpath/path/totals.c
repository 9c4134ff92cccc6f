#include "critpath/path/totals.h"

#include "trace/call/mpi_functions.h"

/* Totals by the number of their function, before they are sorted. */
struct numbered {
	struct function_total *of;
	uint32_t count;
};

static void add_rank(struct totals *totals, struct numbered *functions, const struct waits *waits,
		     uint32_t number)
{
	const struct measured_rank *rank = &waits->run->ranks[number];
	struct rank_total *total = &totals->ranks[number];

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];
		struct function_total *function = &functions->of[call->function];
		const uint64_t from = call->enter_ns > rank->begin_ns ? call->enter_ns
								      : rank->begin_ns;
		const uint64_t to = call->leave_ns < rank->end_ns ? call->leave_ns : rank->end_ns;
		const uint64_t waited = wait_ns(waits, number, c);

		totals->calls++;
		function->calls++;
		function->ns += call->leave_ns - call->enter_ns;
		function->wait_ns += waited;
		if (call->thread != 0 || to <= from)
			continue;
		total->wait_ns += waited < to - from ? waited : to - from;
		total->mpi_ns += to - from;
	}
	/* Damaged traces may have calls that overlap. */
	if (total->mpi_ns > rank->end_ns - rank->begin_ns)
		total->mpi_ns = rank->end_ns - rank->begin_ns;
	total->compute_ns = rank->end_ns - rank->begin_ns - total->mpi_ns;
}

static void add_path(struct totals *totals, struct numbered *functions, const struct waits *waits,
		     const struct walk *walk)
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
		function = &functions->of[waits->run->ranks[segment->rank]
						  .calls.items[segment->call]
						  .function];
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

static int keep_functions(struct totals *totals, const struct numbered *functions,
			  struct error *err)
{
	for (uint32_t i = 0; i < functions->count; i++) {
		functions->of[i].function = i;
		if (functions->of[i].calls)
			TRY(array_push(&totals->functions, functions->of[i], err));
	}
	if (totals->functions.count)
		qsort(totals->functions.items, totals->functions.count,
		      sizeof *totals->functions.items, compare_functions);
	return 0;
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

int totals_find(struct totals *totals, const struct waits *waits, const struct walk *walk,
		struct error *err)
{
	const struct measured_run *run = waits->run;
	struct numbered functions = {.count = MPI_FUNCTION_COUNT +
					      (uint32_t)run->names.others.count};
	int result;

	*totals = (struct totals){0};
	TRY(allocate(&functions.of, functions.count, sizeof *functions.of, err));
	result = allocate(&totals->ranks, run->rank_count, sizeof *totals->ranks, err);
	for (uint32_t r = 0; result == 0 && r < run->rank_count; r++)
		add_rank(totals, &functions, waits, r);
	if (result == 0) {
		add_path(totals, &functions, waits, walk);
		add_sum(totals, run->rank_count);
		result = keep_functions(totals, &functions, err);
	}
	free(functions.of);
	if (result < 0)
		totals_release(totals);
	return result;
}

void totals_release(struct totals *totals)
{
	free(totals->ranks);
	array_release(&totals->functions);
}

uint64_t totals_imbalance_ns(uint64_t path_ns, uint64_t sum_ns, uint32_t rank_count)
{
	const uint64_t mean_ns = sum_ns / rank_count;

	return path_ns > mean_ns ? path_ns - mean_ns : 0;
}
