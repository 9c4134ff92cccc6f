#include "measure/overlap/cell_measure.h"

#include "measure/cells/ratio.h"
#include "measure/overlap/benchmark.h"

#include <math.h>
#include <string.h>

enum { LEAST_COMPUTATIONS = 10 }; /* rounds of a computation alone in the repetitions ordered */

enum quantity { LATENCY, COMM, FULL, COMP, BLOCKING, CPU, POST, COMPUTE, COMPLETE, QUANTITIES };

/* Times of one quantity in all rounds, and whether a processor was taken away in each. */
struct series {
	struct samples times, disturbed;
};

struct measurement {
	struct port *port;
	const struct cell_order *order;
	struct benchmark benchmark;
	struct series series[QUANTITIES];
	struct samples own[QUANTITIES]; /* collectives: times of this rank */
	double least_latency_ns;	/* so far, 0: none; for the rest before a round */
	bool counts;			/* the warm-up is over */
};

/* ------------------------------------------------------------------- rounds */

/* Bounds of the parts of a round: its start, around the computation, its end. */
struct parts {
	double start, computes, computed, end;
};

static bool is_collective(const struct measurement *run)
{
	return bench_descriptions[run->order->spec.bench].group == BENCH_COLLECTIVE;
}

static const enum operation *own_operations(const struct measurement *run,
					    const struct sequence *sequence)
{
	return sequence->ranks[is_collective(run) ? 0 : run->port->role];
}

static void perform_all(const struct measurement *run, const enum operation *operations)
{
	struct port *port = run->port;

	for (; *operations != OP_END; operations++)
		port->methods->perform(port, *operations, run->benchmark.layout);
}

/* The same, with the times around the last computation. */
static void perform_in_parts(const struct measurement *run, const enum operation *operations,
			     struct parts *parts)
{
	struct port *port = run->port;

	for (; *operations != OP_END; operations++) {
		if (*operations == OP_COMPUTE)
			parts->computes = port->methods->now_ns(port);
		port->methods->perform(port, *operations, run->benchmark.layout);
		if (*operations == OP_COMPUTE)
			parts->computed = port->methods->now_ns(port);
	}
}

static int measurement_add(struct measurement *run, enum quantity quantity, double time_ns,
			   bool disturbed, struct error *err)
{
	struct series *series = &run->series[quantity];

	if (!run->counts)
		return 0;
	TRY(array_push(&series->times, time_ns, err));
	return array_push(&series->disturbed, disturbed, err);
}

/* Ranks other than the first of a pair take no times; 0 is below any. */
static bool takes_times(const struct measurement *run)
{
	return is_collective(run) || run->port->role == 0;
}

static void note_latency(struct measurement *run, double latency_ns)
{
	if (run->least_latency_ns == 0 || latency_ns < run->least_latency_ns)
		run->least_latency_ns = latency_ns;
}

/* Time a round of a sequence. */
static int time_round(struct measurement *run, enum quantity quantity,
		      const struct sequence *sequence, struct error *err)
{
	const struct port_methods *methods = run->port->methods;
	const double start_ns = methods->begin_round(run->port, 2 * run->least_latency_ns);
	double end_ns;
	bool disturbed;

	perform_all(run, own_operations(run, sequence));
	end_ns = methods->now_ns(run->port);
	disturbed = methods->end_round(run->port) > 0;
	if (quantity == LATENCY && takes_times(run))
		note_latency(run, (end_ns - start_ns) / 2);
	return measurement_add(run, quantity, takes_times(run) ? end_ns - start_ns : 0, disturbed,
			       err);
}

/* Let threads compute, if the cell has some. */
static void set_load(const struct measurement *run, bool on)
{
	if (run->order->spec.threads)
		run->port->methods->load(run->port, on);
}

/* Time the parts of a round with computation, and find its processor time: reading that clock takes time itself. */
static int time_parts(struct measurement *run, struct error *err)
{
	const struct port_methods *methods = run->port->methods;
	const bool takes = takes_times(run);
	struct parts parts = {.start = methods->begin_round(run->port, 2 * run->least_latency_ns)};
	double cpu_ns = methods->cpu_ns(run->port);
	bool disturbed;

	parts.computes = parts.computed = parts.start;
	perform_in_parts(run, own_operations(run, &run->benchmark.measured), &parts);
	parts.end = methods->now_ns(run->port);
	cpu_ns = methods->cpu_ns(run->port) - cpu_ns;
	disturbed = methods->end_round(run->port) > 0;
	TRY(measurement_add(run, POST, takes ? parts.computes - parts.start : 0, disturbed, err));
	TRY(measurement_add(run, COMPUTE, takes ? parts.computed - parts.computes : 0, disturbed,
			    err));
	TRY(measurement_add(run, COMPLETE, takes ? parts.end - parts.computed : 0, disturbed, err));
	return measurement_add(run, CPU, run->port->rank == 0 ? cpu_ns : 0, disturbed, err);
}

static bool is_empty(const struct sequence *sequence)
{
	return sequence->ranks[0][0] == OP_END;
}

/* Run one repetition; `number` counts from 0. */
static int repeat_once(struct measurement *run, unsigned number, struct error *err)
{
	const unsigned every = run->order->repeat / LEAST_COMPUTATIONS;
	const bool sometimes = every == 0 || number % every == 0;

	if (!is_collective(run))
		TRY(time_round(run, LATENCY, &latency_sequence, err));
	TRY(time_round(run, COMM, &run->benchmark.comm, err));
	set_load(run, true);
	TRY(time_round(run, FULL, &run->benchmark.measured, err));
	if (sometimes)
		TRY(time_parts(run, err));
	set_load(run, false);
	if (!is_empty(&run->benchmark.blocking))
		TRY(time_round(run, BLOCKING, &run->benchmark.blocking, err));
	if (!sometimes || is_empty(&run->benchmark.comp))
		return 0;
	return time_round(run, COMP, &run->benchmark.comp, err);
}

/* ------------------------------------------------------------------- series */

/* Rank 0 gets the times of the slowest rank from round `from` on; all keep their own in collectives. */
static int series_collect(struct measurement *run, enum quantity quantity, size_t from,
			  struct error *err)
{
	struct port *port = run->port;
	struct series *series = &run->series[quantity];
	const size_t count = series->times.count - from;

	if (!count)
		return 0;
	for (size_t i = from; is_collective(run) && i < series->times.count; i++)
		TRY(array_push(&run->own[quantity], series->times.items[i], err));
	port->methods->largest(port, series->times.items + from, count);
	port->methods->largest(port, series->disturbed.items + from, count);
	return 0;
}

static size_t series_undisturbed(const struct series *series)
{
	size_t count = 0;

	for (size_t i = 0; i < series->disturbed.count; i++)
		count += series->disturbed.items[i] == 0;
	return count;
}

/* Order statistics of the rounds that were not disturbed, if these are enough. */
static struct spread series_spread(struct series *series, bool keeps_disturbed)
{
	const bool enough = series_undisturbed(series) * 5 >= series->times.count;

	for (size_t i = 0; enough && !keeps_disturbed && i < series->times.count; i++)
		if (series->disturbed.items[i] != 0)
			series->times.items[i] = NAN;
	return spread_of(&series->times);
}

static double series_median(struct series *series, bool keeps_disturbed)
{
	return series_spread(series, keeps_disturbed).median;
}

/* What `comm` takes as T_comm. */
static void convert_comm(struct measurement *run, double latency_ns)
{
	struct samples *times = &run->series[COMM].times;

	for (size_t i = 0; i < times->count; i++) {
		if (run->benchmark.halves)
			times->items[i] /= 2;
		if (run->benchmark.answered)
			times->items[i] -= latency_ns;
	}
}

static void find_cell(struct measurement *run, struct cell *cell)
{
	const bool all = bench_descriptions[run->order->spec.bench].group == BENCH_THREADS;
	struct series *series = run->series;

	for (size_t i = 0; i < series[LATENCY].times.count; i++)
		series[LATENCY].times.items[i] /= 2;
	memset(cell, 0, sizeof *cell);
	cell->spec = run->order->spec;
	cell->rounds = (unsigned)series[FULL].times.count;
	cell->rejected = all ? 0 : cell->rounds - (unsigned)series_undisturbed(&series[FULL]);
	cell->latency = series_spread(&series[LATENCY], all);
	convert_comm(run, cell->latency.median);
	cell->comm = series_spread(&series[COMM], all);
	cell->full = series_spread(&series[FULL], all);
	cell->comp = series_spread(&series[COMP], all);
	cell->blocking = series_spread(&series[BLOCKING], all);
	cell->cpu_ns = series_median(&series[CPU], all);
	cell->post_ns = series_median(&series[POST], all);
	cell->compute_ns = series_median(&series[COMPUTE], all);
	cell->complete_ns = series_median(&series[COMPLETE], all);
}

/* ----------------------------------------------------------------- the cell */

/* Repetitions that are still needed, for all ranks. */
static unsigned repetitions_left(struct measurement *run, unsigned done)
{
	const bool all = bench_descriptions[run->order->spec.bench].group == BENCH_THREADS;
	const size_t good = all ? done : series_undisturbed(&run->series[FULL]);
	const unsigned most = 2 * run->order->repeat;
	unsigned left = good < run->order->repeat ? run->order->repeat - (unsigned)good : 0;

	if (left > most - done)
		left = most - done;
	run->port->methods->broadcast(run->port, &left, sizeof left);
	return left;
}

static int repeat_all(struct measurement *run, struct error *err)
{
	size_t collected[QUANTITIES] = {0};
	unsigned done = 0, left = run->order->repeat;

	TRY(repeat_once(run, 0, err));
	run->counts = true;
	while (left) {
		for (const unsigned end = done + left; done < end; done++)
			TRY(repeat_once(run, done, err));
		for (unsigned i = 0; i < QUANTITIES; i++) {
			TRY(series_collect(run, i, collected[i], err));
			collected[i] = run->series[i].times.count;
		}
		left = repetitions_left(run, done);
	}
	return 0;
}

/* Gather the ratios of all ranks in a collective, by their own times. */
static int gather_ratios(struct measurement *run, struct cell *cell, struct error *err)
{
	const struct cell own = {
		.spec = run->order->spec,
		.full = spread_of(&run->own[FULL]),
		.comm = spread_of(&run->own[COMM]),
		.comp = spread_of(&run->own[COMP]),
	};

	if (run->port->rank == 0) {
		TRY(allocate(&cell->rank_ratios, run->port->size, sizeof(double), err));
		cell->rank_count = run->port->size;
	}
	run->port->methods->gather(run->port, cell_ratio(&own), cell->rank_ratios);
	return 0;
}

static int measurement_run(struct measurement *run, struct cell *cell, struct error *err)
{
	TRY(repeat_all(run, err));
	find_cell(run, cell);
	return is_collective(run) ? gather_ratios(run, cell, err) : 0;
}

static void measurement_release(struct measurement *run)
{
	for (unsigned i = 0; i < QUANTITIES; i++) {
		array_release(&run->series[i].times);
		array_release(&run->series[i].disturbed);
		array_release(&run->own[i]);
	}
}

int cell_measure(struct port *port, const struct cell_order *order, struct cell *cell,
		 struct error *err)
{
	struct measurement run = {.port = port,
				  .order = order,
				  .benchmark = benchmark_of(&order->spec)};
	int result;

	memset(cell, 0, sizeof *cell);
	TRY(port->methods->prepare(port, &order->spec, order->both_types, err));
	result = measurement_run(&run, cell, err);
	port->methods->finish(port);
	measurement_release(&run);
	if (result < 0 || port->rank != 0)
		cell_release(cell);
	return result;
}
