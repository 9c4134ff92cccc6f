/*
 * Cells of the overlap benchmark on fake networks, and what is known of them.
 *
 * Expected values are closed forms of the equations in fake_port.h and doc/model.md.  They count times
 * from the start of rank 0's clock.
 */
#ifndef TEST_EXACT_CELL_H
#define TEST_EXACT_CELL_H

#include "measure/cells/ratio.h"
#include "measure/overlap/cell_measure.h"
#include "test/unit/lib/make/fake_port.h"

#include <math.h>

struct exact_request {
	struct cell_order order;
	struct cell cell;
	int result;
	struct error err;
};

static inline void exact_on_rank(struct port *port, void *data)
{
	struct exact_request *request = data;
	struct cell other;
	struct error err;

	if (port->rank == 0)
		request->result = cell_measure(port, &request->order, &request->cell,
					       &request->err);
	else
		(void)cell_measure(port, &request->order, &other, &err);
}

/* Measure a cell.  Fails the test on errors.  The caller releases the cell. */
static inline struct cell measure_cell(const struct fake_network *network, unsigned ranks,
				       unsigned repeat, const struct cell_spec *spec)
{
	struct exact_request request = {.order = {.spec = *spec, .repeat = repeat}};

	fake_play(network, ranks, exact_on_rank, &request);
	if (request.result < 0)
		fail_msg("%s", request.err.text);
	return request.cell;
}

/* A cell with one message and the kernel `work`. */
static inline struct cell_spec cell_spec_of(enum bench bench, uint64_t bytes, double compute_ns)
{
	return (struct cell_spec){.bench = bench,
				  .bytes = bytes,
				  .compute_ns = compute_ns,
				  .pending = 1};
}

/* A network and a cell, in the letters of the equations: c is the computation ordered, K the messages at once. */
struct letters {
	double L, o, g, G, s, B, c, K;
	double l; /* L + 2 o, a message without data */
	double D; /* 3 l: rank 1 is ready before rank 0 starts, as it has answered (l), and rank 0 rests (2 l) */
	bool eager, calls;
};

static inline struct letters letters_of(const struct fake_network *network,
					const struct cell_spec *spec)
{
	const double s = (double)spec->bytes, l = network->L + 2 * network->o;

	return (struct letters){
		.L = network->L,
		.o = network->o,
		.g = network->g,
		.G = network->G,
		.s = s,
		.B = s > 0 ? (s - 1) * network->G : 0,
		.c = spec->compute_ns,
		.K = spec->pending,
		.l = l,
		.D = 3 * l,
		.eager = spec->bytes <= network->S,
		.calls = network->calls_only,
	};
}

/* What is known of a cell; `measured` is T_measured. */
struct exact {
	double comm, comp, full, measured;
};

typedef struct exact exact_form(const struct letters *x, const struct fake_network *network,
				const struct cell_spec *spec);

static inline double exact_ratio(double measured, double comm, double comp)
{
	return (measured - fmax(comm, comp)) / fmin(comm, comp);
}

#define EXACT_TOLERANCE 1e-6

static inline void must_be_exact(const struct cell_spec *spec, const char *what, double value,
				 double exact)
{
	if (!(fabs(value - exact) <= EXACT_TOLERANCE * fmax(1, fabs(exact))))
		fail_msg("%s, %llu bytes, %g ns: %s is %.9g instead of %.9g",
			 bench_descriptions[spec->bench].name, (unsigned long long)spec->bytes,
			 spec->compute_ns, what, value, exact);
}

/* Compare a cell with what is known of it. */
static inline void check_exact(const struct fake_network *network, unsigned ranks,
			       const struct cell_spec *spec, exact_form *form)
{
	const struct letters x = letters_of(network, spec);
	const struct exact exact = form(&x, network, spec);
	struct cell cell = measure_cell(network, ranks, 3, spec);
	const bool answered = exact.measured == exact.full - x.l;

	must_be_exact(spec, "T_comm", cell.comm.median, exact.comm);
	must_be_exact(spec, "T_comp", cell.comp.median, exact.comp);
	must_be_exact(spec, "the full sequence", cell.full.median, exact.full);
	if (spec->bench < BENCH_IBARRIER)
		must_be_exact(spec, "the latency", cell.latency.median, x.l);
	must_be_exact(spec, "the ratio", cell_ratio(&cell),
		      exact_ratio(exact.measured, exact.comm, exact.comp));
	must_be_exact(spec, "the ratio of the sequence", cell_ratio_seq(&cell),
		      answered ? exact_ratio(exact.full, exact.comm + x.l, exact.comp)
			       : exact_ratio(exact.measured, exact.comm, exact.comp));
	cell_release(&cell);
}

/*
 * Check all cells of a benchmark, of sizes around S = 4 KiB and 64 KiB and computations from far below to far above all
 * messages, on networks as InfiniBand, TCP, shared memory, and one with a large o.  The other settings are those
 * given, with two ranks.
 */
static inline void check_exact_plane(struct fake_network settings, struct cell_spec spec,
				     exact_form *form)
{
	static const struct fake_network networks[] = {
		{.L = 1500, .o = 200, .G = 0.09, .S = 4096},
		{.L = 25000, .o = 3000, .G = 0.8, .S = 65536},
		{.L = 300, .o = 100, .G = 0.11, .S = 4096},
		{.L = 700, .o = 5000, .G = 0.01, .S = 65536},
	};
	static const uint64_t sizes[] = {1, 8, 1024, 4096, 4097, 65536, 65537, 1 << 20, 32 << 20};
	static const double computations[] = {
		1000, 2828.4271247461902, 11313.70849898476, 90509.667991878084, 1448154.6878700494,
		20e6};
	const size_t cells = sizeof sizes / sizeof *sizes * 6;

	for (size_t n = 0; n < sizeof networks / sizeof *networks * cells; n++) {
		settings.L = networks[n / cells].L;
		settings.o = networks[n / cells].o;
		settings.G = networks[n / cells].G;
		settings.S = networks[n / cells].S;
		spec.bytes = sizes[n % cells / 6];
		spec.compute_ns = computations[n % 6];
		check_exact(&settings, 2, &spec, form);
	}
}

#endif
