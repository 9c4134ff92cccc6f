#include "measure/overlap/run.h"

#include "common/progress.h"
#include "measure/overlap/cell_measure.h"

#include <math.h>
#include <string.h>

#define NS_PER_S 1e9

/* Without --full a cell has fewer repetitions than ordered if it took longer. */
enum { LEAST_REPEAT = 10, PROBE_REPEAT = 9 };
static const double most_cell_ns = 2 * NS_PER_S, most_quick_cell_ns = NS_PER_S / 4;

/* Sent as bytes: all ranks run the same program. */
struct run_order {
	bool ends;
	struct cell_order cell;
};

struct run {
	struct port *port;
	const struct run_options *options;
	FILE *stream;
	struct run_result result;
	double start_ns;
	double known_bytes, known_ns; /* T_comm of the last cell with data */
	double load_ns;		      /* of the last round beside threads */
	double slowness[2]; /* of cells so far, without and with threads, compared with guesses */
	enum bench bench;   /* of the last cell; BENCH_COUNT: none */
	double rest_ns;	    /* that cells after this one will take */
};

/* ------------------------------------------------------------------- time */

static double passed_in_run_ns(const struct run *run)
{
	return run->port->methods->now_ns(run->port) - run->start_ns;
}

/* The time of a message, from that of another size, which is proportional or less. */
static double guess_comm_ns(const struct run *run, double bytes)
{
	const double least_ns = 5000, ns_per_byte = 1;

	if (run->known_ns <= 0)
		return least_ns + bytes * ns_per_byte;
	return fmax(least_ns, run->known_ns * fmax(1, bytes) / fmax(1, run->known_bytes));
}

/* Time of a repetition: the latency, a round trip, and both with computation (measure/overlap/cell_measure.h). */
static double guess_repetition_ns(const struct run *run, const struct cell_spec *spec)
{
	const double handshakes_ns = 30000;
	const double comm_ns = guess_comm_ns(run, (double)spec->bytes * spec->pending);
	const double halves = spec->bench == BENCH_BOTH ? 2 : 1;

	return run->slowness[spec->threads > 0] *
	       (handshakes_ns + 4 * comm_ns + (halves + 0.2) * spec->compute_ns +
		(spec->threads ? run->load_ns : 0));
}

static unsigned choose_repeat(const struct run *run, const struct cell_spec *spec)
{
	const struct run_options *options = run->options;
	const double cell_ns = options->plan.quick ? most_quick_cell_ns : most_cell_ns;
	const double repeat = floor(cell_ns / guess_repetition_ns(run, spec));

	if (options->full || repeat >= options->repeat)
		return options->repeat;
	return (unsigned)fmin(options->repeat, fmax(LEAST_REPEAT, repeat));
}

static double guess_cell_ns(const struct run *run, const struct cell_spec *spec)
{
	return (choose_repeat(run, spec) + 1) * guess_repetition_ns(run, spec);
}

static void find_rest(struct run *run, const struct plan *plan)
{
	run->rest_ns = 0;
	for (size_t i = 0; i < plan->count; i++) {
		struct cell_spec spec = plan->items[i];
		const bool quick = plan_is_quick(&run->options->plan, &spec);

		if (quick)
			spec.compute_ns = guess_comm_ns(run, (double)spec.bytes);
		run->rest_ns += (quick ? 2 * QUICK_COMPUTATIONS : 1) * guess_cell_ns(run, &spec);
	}
}

static void run_show_progress(struct run *run, const struct cell_spec *spec)
{
	const double passed_ns = passed_in_run_ns(run);

	if (spec->bench != run->bench)
		progress_phase(bench_descriptions[spec->bench].picture);
	progress_show((uint64_t)passed_ns,
		      (uint64_t)fmin(passed_ns + run->rest_ns, run->options->limit_ns));
	run->rest_ns = fmax(0, run->rest_ns - guess_cell_ns(run, spec));
}

/* ------------------------------------------------------------------ cells */

static int run_order_cell(struct run *run, const struct cell_spec *spec, unsigned repeat,
			  struct cell *cell, struct error *err)
{
	struct run_order order;

	memset(&order, 0, sizeof order);
	order.cell = (struct cell_order){.spec = *spec,
					 .repeat = repeat,
					 .both_types = run->options->both_types};
	run->port->methods->broadcast(run->port, &order, sizeof order);
	TRY(cell_measure(run->port, &order.cell, cell, err));
	if (spec->bytes > 0 && cell->comm.median > 0) {
		run->known_bytes = (double)spec->bytes * spec->pending;
		run->known_ns = cell->comm.median;
	}
	if (spec->threads)
		run->load_ns = cell->full.median;
	return 0;
}

/* Learn from a cell how far the guesses are off: other programs may run, or threads share processors. */
static void learn_slowness(struct run *run, const struct cell_spec *spec, double guess_ns,
			   double measured_ns)
{
	const double share = 0.3, least = 0.5, most = 20;
	double *slowness = &run->slowness[spec->threads > 0];
	const double now = *slowness * measured_ns / guess_ns;

	*slowness += share * (fmin(most, fmax(least, now)) - *slowness);
}

static int run_check_stream(const struct run *run, struct error *err)
{
	return ferror(run->stream) ? error_set_errno(err, "the cells cannot be written") : 0;
}

static int measure_and_write(struct run *run, const struct cell_spec *spec, struct error *err)
{
	void (*const measures)(bool) = run->options->measures;
	const double guess_ns = guess_cell_ns(run, spec), start_ns = passed_in_run_ns(run);
	struct cell cell;
	int result;

	cells_write_begin(run->stream, spec);
	TRY(run_check_stream(run, err));
	if (measures)
		measures(true);
	result = run_order_cell(run, spec, choose_repeat(run, spec), &cell, err);
	if (measures)
		measures(false);
	TRY(result);
	learn_slowness(run, spec, guess_ns, passed_in_run_ns(run) - start_ns);
	cells_write_cell(run->stream, &cell);
	cell_release(&cell);
	run->result.cells++;
	return run_check_stream(run, err);
}

/* Learn how the speed of computation has changed, at the end of each plane. */
static void find_drift(struct run *run, enum bench next)
{
	const struct port_methods *methods = run->port->methods;
	double drift;

	if (run->bench != next && run->bench != BENCH_COUNT && methods->drift) {
		drift = methods->drift(run->port);
		if (!(fabs(run->result.drift) >= fabs(drift)))
			run->result.drift = drift;
	}
	run->bench = next;
}

static bool run_is_stopped(const struct run *run)
{
	return run->options->stop && *run->options->stop;
}

static int run_cell(struct run *run, const struct cell_spec *spec, struct error *err)
{
	const struct cells_file *resumed = run->options->resumed;

	if (run_is_stopped(run) || (resumed && cells_file_find(resumed, spec)))
		return 0;
	run_show_progress(run, spec);
	if (passed_in_run_ns(run) + guess_cell_ns(run, spec) > run->options->limit_ns) {
		run->result.left_out++;
		return 0;
	}
	find_drift(run, spec->bench);
	return measure_and_write(run, spec, err);
}

/* Find T_comm by a few repetitions, and measure the cells whose computations are as long. */
static int run_quick_cells(struct run *run, struct cell_spec spec, struct error *err)
{
	void (*const measures)(bool) = run->options->measures;
	struct cell probe;
	double comm_ns;
	int result;

	if (passed_in_run_ns(run) > run->options->limit_ns) {
		run->result.left_out += QUICK_COMPUTATIONS;
		return 0;
	}
	if (measures)
		measures(true);
	result = run_order_cell(run, &spec, PROBE_REPEAT, &probe, err);
	if (measures)
		measures(false);
	TRY(result);
	comm_ns = probe.comm.min;
	cell_release(&probe);
	for (unsigned i = 0; i < QUICK_COMPUTATIONS; i++) {
		spec.compute_ns = plan_quick_compute_ns(comm_ns, i);
		TRY(run_cell(run, &spec, err));
	}
	return 0;
}

static int run_plan(struct run *run, const struct plan *plan, struct error *err)
{
	const struct plan_options *options = &run->options->plan;

	find_rest(run, plan);
	for (size_t i = 0; i < plan->count && !run_is_stopped(run); i++) {
		if (plan_is_quick(options, &plan->items[i]))
			TRY(run_quick_cells(run, plan->items[i], err));
		else
			TRY(run_cell(run, &plan->items[i], err));
	}
	find_drift(run, BENCH_COUNT);
	cells_write_end(run->stream,
			run_is_stopped(run)    ? "interrupted"
			: run->result.left_out ? "time limit"
					       : "complete",
			run->result.drift);
	return run_check_stream(run, err);
}

int overlap_run(struct port *port, const struct run_options *options, FILE *stream,
		struct error *err)
{
	struct run run = {
		.port = port,
		.options = options,
		.stream = stream,
		.result = {.drift = NAN},
		.start_ns = port->methods->now_ns(port),
		.bench = BENCH_COUNT,
		.slowness = {1, 1},
	};
	struct plan plan = {0};
	int status = plan_make(&options->plan, &plan, err);

	if (status == 0)
		status = run_plan(&run, &plan, err);
	array_release(&plan);
	if (options->result)
		*options->result = run.result;
	overlap_end(port);
	return status;
}

void overlap_end(struct port *port)
{
	struct run_order order;

	memset(&order, 0, sizeof order);
	order.ends = true;
	port->methods->broadcast(port, &order, sizeof order);
}

int overlap_serve(struct port *port, struct error *err)
{
	struct run_order order;
	struct cell cell;

	for (;;) {
		port->methods->broadcast(port, &order, sizeof order);
		if (order.ends)
			return 0;
		TRY(cell_measure(port, &order.cell, &cell, err));
	}
}
