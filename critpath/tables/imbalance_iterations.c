#include "critpath/tables/imbalance_iterations.h"

#include "critpath/path/trace_quality.h"
#include "critpath/path/intervals.h"

/* Computation of a rank in each iteration. */
struct own_computation {
	ARRAY(uint64_t) ns; /* [entry] */
};

struct adding {
	struct imbalance_iterations *iterations;
	const struct imbalance *imbalance;
	const struct measured_run *run;
	struct measured_iterations all;
	const struct iterations *of_rank; /* the rank at hand */
	struct own_computation own;
	struct error *err;
};

static void add_parts(struct call_parts *sum, const struct call_parts *more)
{
	sum->before_ns += more->before_ns;
	sum->execution_ns += more->execution_ns;
	sum->after_ns += more->after_ns;
}

/* Entry of the iteration at a time: 0 is what is outside of all. */
static size_t entry_at(const struct adding *adding, uint64_t time_ns)
{
	const uint32_t iteration = iteration_at(adding->of_rank, time_ns);

	return iteration == NO_ITERATION ? 0 : (size_t)iteration + 1;
}

/* Add entries until there is one for each iteration of the rank at hand. */
static int add_entries(struct adding *adding)
{
	struct imbalance_iterations *iterations = adding->iterations;
	const size_t count = adding->of_rank->starts_ns.count;

	while (iterations->list.count <= count) {
		const struct iteration_parts parts = {
			.iteration = iterations->list.count ? (uint32_t)iterations->list.count - 1
							    : NO_ITERATION,
			.start_ns = UINT64_MAX,
		};

		TRY(array_push(&iterations->list, parts, adding->err));
		TRY(array_push(&adding->own.ns, 0, adding->err));
	}
	if (count < iterations->least)
		iterations->least = (uint32_t)count;
	if (count > iterations->most)
		iterations->most = (uint32_t)count;
	return 0;
}

static void imbalance_iterations_add_calls(struct adding *adding, uint32_t number)
{
	const struct measured_rank *rank = &adding->run->ranks[number];

	for (uint32_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];
		const struct call_parts parts = imbalance_of_call(adding->imbalance, number, c);

		if (call->enter_ns < rank->begin_ns || call->leave_ns > rank->end_ns ||
		    trace_quality_is_gap(adding->run, call->function))
			continue;
		add_parts(&adding->iterations->list.items[entry_at(adding, call->enter_ns)].calls,
			  &parts);
	}
}

static int add_computation(struct adding *adding, uint32_t number)
{
	struct compute_intervals intervals = {0};
	const int result = compute_intervals_add(&intervals, &adding->run->ranks[number], 0,
						 adding->err);

	for (size_t i = 0; i < intervals.list.count; i++) {
		const struct compute_interval *interval = &intervals.list.items[i];

		if (interval->thread == 0)
			adding->own.ns.items[entry_at(adding, interval->start_ns)] +=
				interval->end_ns - interval->start_ns;
	}
	compute_intervals_release(&intervals);
	return result;
}

/* Add the computation of a rank to that of all, and find the most. */
static void finish_rank(struct adding *adding, uint32_t number)
{
	for (size_t i = 0; i <= adding->of_rank->starts_ns.count; i++) {
		struct iteration_parts *parts = &adding->iterations->list.items[i];
		const uint64_t start_ns = i ? adding->of_rank->starts_ns.items[i - 1]
					    : adding->run->ranks[number].begin_ns;
		const uint64_t ns = adding->own.ns.items[i];

		if (!parts->ranks++ || ns > parts->most_ns) {
			parts->most_ns = ns;
			parts->busiest = number;
		}
		if (start_ns < parts->start_ns)
			parts->start_ns = start_ns;
		parts->computation_ns += ns;
		adding->own.ns.items[i] = 0;
	}
}

static int imbalance_iterations_add_rank(struct adding *adding, uint32_t number)
{
	int result;

	TRY(measured_iterations_of(&adding->all, adding->run, number, &adding->of_rank,
				   adding->err));
	result = add_entries(adding);
	if (result == 0) {
		imbalance_iterations_add_calls(adding, number);
		result = add_computation(adding, number);
	}
	if (result == 0)
		finish_rank(adding, number);
	return result;
}

static int add_own_ranks(struct imbalance_iterations *iterations, const struct imbalance *imbalance,
			 struct error *err)
{
	struct adding adding = {.iterations = iterations,
				.imbalance = imbalance,
				.run = imbalance->waits->run,
				.err = err};
	int result = 0;

	for (uint32_t r = adding.run->own_first; result == 0 && r < adding.run->own_end; r++)
		if (adding.run->ranks[r].calls.count)
			result = imbalance_iterations_add_rank(&adding, r);
	array_release(&adding.own.ns);
	measured_iterations_release(&adding.all);
	return result;
}

/* ------------------------------------------------------------------- processes */

/* Add the parts of an iteration on higher ranks. */
static void add_higher_ranks(struct iteration_parts *sum, const struct iteration_parts *more)
{
	if (more->most_ns > sum->most_ns) {
		sum->most_ns = more->most_ns;
		sum->busiest = more->busiest;
	}
	if (more->start_ns < sum->start_ns)
		sum->start_ns = more->start_ns;
	sum->ranks += more->ranks;
	sum->computation_ns += more->computation_ns;
	add_parts(&sum->calls, &more->calls);
}

/* Add up the lists of all processes, one after the other.  Each has all entries up to its last. */
static void add_lists(struct imbalance_iterations *iterations)
{
	struct iteration_parts *const items = iterations->list.items;
	size_t count = 0;

	for (size_t i = 0; i < iterations->list.count; i++) {
		const size_t entry = items[i].iteration == NO_ITERATION
					     ? 0
					     : (size_t)items[i].iteration + 1;

		if (entry < count)
			add_higher_ranks(&items[entry], &items[i]);
		else
			items[count++] = items[i];
	}
	iterations->list.count = count;
}

static int join_processes(struct imbalance_iterations *iterations, struct dist *dist,
			  struct error *err)
{
	uint64_t least = iterations->least, most = iterations->most;

	TRY(dist_allreduce(dist, &least, 1, DIST_MIN, err));
	TRY(dist_allreduce(dist, &most, 1, DIST_MAX, err));
	iterations->least = (uint32_t)least;
	iterations->most = (uint32_t)most;
	TRY(dist_gather_array(dist, &iterations->list, err));
	add_lists(iterations);
	return 0;
}

int imbalance_iterations_find(struct imbalance_iterations *iterations,
			      const struct imbalance *imbalance, struct dist *dist,
			      struct error *err)
{
	int result;

	*iterations = (struct imbalance_iterations){.least = UINT32_MAX};
	result = dist_agree(dist, add_own_ranks(iterations, imbalance, err), err);
	if (result == 0)
		result = join_processes(iterations, dist, err);
	if (result < 0)
		imbalance_iterations_release(iterations);
	return result;
}

void imbalance_iterations_release(struct imbalance_iterations *iterations)
{
	array_release(&iterations->list);
}

double iteration_load_balance(const struct iteration_parts *parts)
{
	if (!parts->most_ns)
		return 0;
	return (double)parts->computation_ns / parts->ranks / (double)parts->most_ns;
}
