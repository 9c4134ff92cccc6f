#include "measure/report/cell_model.h"

#include <math.h>

/* The letters of the equations. */
struct terms {
	double L, o, overhead, B, c, l; /* overhead: o' */
	bool rendezvous;
};

static struct terms terms_of(const struct parameters *model, const struct cell_spec *spec)
{
	return (struct terms){
		.L = model->L_ns,
		.o = model->o_ns,
		.overhead = predict_overhead_ns(model, spec->bytes),
		.B = predict_transfer_ns(model, spec->bytes),
		.c = spec->compute_ns,
		.l = model->L_ns + 2 * model->o_ns,
		.rendezvous = spec->bytes > model->S,
	};
}

/* End of the receive of a message that is sent at 0. */
static double received_ns(const struct terms *of)
{
	return 2 * of->overhead + (of->rendezvous ? 3 : 1) * of->L + of->B;
}

static double sender_ns(const struct terms *of)
{
	return fmax(of->overhead + of->c, received_ns(of) + of->o + of->L) + of->o;
}

static double receiver_ns(const struct terms *of)
{
	return fmax(of->o + of->c, 2 * of->o + of->L + received_ns(of));
}

static double cpu_ns(const struct terms *of)
{
	const double sent = of->overhead + of->c;

	return of->rendezvous ? fmax(sent, received_ns(of) + of->L) : sent;
}

static double both_ns(const struct terms *of)
{
	const double first = received_ns(of), t1 = fmax(of->c - 3 * of->l, first);
	double t0 = of->overhead + of->c, second = t1 + first;

	if (of->rendezvous) {
		t0 = fmax(t0, first + of->L);
		second = fmax(t0, t1 + of->overhead + of->L) + of->overhead + 2 * of->L + of->B;
	}
	return fmax(t0 + of->c, second);
}

double cell_model_full_ns(const struct parameters *model, const struct cell_spec *spec)
{
	const struct terms terms = terms_of(model, spec);

	if (spec->pending > 1 || spec->tests_ns > 0)
		return NAN;
	switch (spec->bench) {
	case BENCH_SENDER:
	case BENCH_PERSISTENT_SEND:
		return sender_ns(&terms);
	case BENCH_RECEIVER:
	case BENCH_PERSISTENT_RECV:
		return receiver_ns(&terms);
	case BENCH_BOTH:
		return both_ns(&terms);
	case BENCH_CPU:
		return spec->side == SIDE_SENDER ? cpu_ns(&terms) : NAN;
	default:
		return NAN;
	}
}

double cell_model_residual(const struct parameters *model, const struct cell *cell)
{
	const double predicted_ns = cell_model_full_ns(model, &cell->spec);

	return predicted_ns > 0 ? cell->full.median / predicted_ns - 1 : NAN;
}
