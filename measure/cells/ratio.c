#include "measure/cells/ratio.h"

#include <math.h>

/* How T_measured follows from the time of the sequence. */
enum form { FORM_ANSWERED, FORM_HALF, FORM_WHOLE };

static enum form form_of(const struct cell_spec *spec)
{
	switch (spec->bench) {
	case BENCH_BOTH:
		return FORM_HALF;
	case BENCH_NONCONTIG:
	case BENCH_NLOAD:
		return spec->side == SIDE_BOTH ? FORM_HALF : FORM_ANSWERED;
	case BENCH_CPU:
	case BENCH_PUT:
	case BENCH_GET:
		return FORM_WHOLE;
	default:
		return bench_descriptions[spec->bench].group == BENCH_COLLECTIVE ? FORM_WHOLE
										 : FORM_ANSWERED;
	}
}

double cell_measured_ns(const struct cell *cell)
{
	switch (form_of(&cell->spec)) {
	case FORM_ANSWERED:
		return cell->full.median - cell->latency.median;
	case FORM_HALF:
		return cell->full.median / 2;
	default:
		return cell->full.median;
	}
}

/* The quotient, or NAN unless the divisor is positive. */
static double quotient(double dividend, double divisor)
{
	return divisor > 0 ? dividend / divisor : NAN;
}

static bool knows_all(double measured, double comm, double comp)
{
	return !isnan(measured) && !isnan(comm) && !isnan(comp);
}

static double ratio_of(double measured, double comm, double comp)
{
	if (!knows_all(measured, comm, comp))
		return NAN;
	return quotient(measured - fmax(comm, comp), fmin(comm, comp));
}

double cell_ratio(const struct cell *cell)
{
	return ratio_of(cell_measured_ns(cell), cell->comm.median, cell->comp.median);
}

double cell_ratio_seq(const struct cell *cell)
{
	if (form_of(&cell->spec) != FORM_ANSWERED)
		return cell_ratio(cell);
	return ratio_of(cell->full.median, cell->comm.median + cell->latency.median,
			cell->comp.median);
}

static double half_interval(const struct spread *spread)
{
	return (spread->high - spread->low) / 2;
}

static double measured_half_interval(const struct cell *cell)
{
	switch (form_of(&cell->spec)) {
	case FORM_ANSWERED:
		return half_interval(&cell->full) + half_interval(&cell->latency);
	case FORM_HALF:
		return half_interval(&cell->full) / 2;
	default:
		return half_interval(&cell->full);
	}
}

static double slowdown_error(const struct cell *cell)
{
	return quotient(measured_half_interval(cell), cell_measured_ns(cell)) +
	       quotient(half_interval(&cell->comm), cell->comm.median);
}

double cell_ratio_error(const struct cell *cell)
{
	const bool comm_is_longer = cell->comm.median > cell->comp.median;
	const struct spread *longer = comm_is_longer ? &cell->comm : &cell->comp;
	const struct spread *shorter = comm_is_longer ? &cell->comp : &cell->comm;

	if (cell->spec.bench == BENCH_NLOAD)
		return slowdown_error(cell);
	return quotient(measured_half_interval(cell) + half_interval(longer) +
				fabs(cell_ratio(cell)) * half_interval(shorter),
			shorter->median);
}

bool cell_uncertain(const struct cell *cell)
{
	return !(cell_ratio_error(cell) <= CELL_MOST_ERROR);
}

double cell_slowdown(const struct cell *cell)
{
	if (cell->spec.bench != BENCH_NLOAD)
		return NAN;
	return quotient(cell_measured_ns(cell) - cell->comm.median, cell->comm.median);
}

double cell_imb_percent(const struct cell *cell)
{
	const double ratio = cell_ratio(cell);

	return isnan(ratio) ? NAN : 100 * fmax(0, fmin(1, 1 - ratio));
}

double cell_osu_percent(const struct cell *cell)
{
	const double over = cell_measured_ns(cell) - cell->comp.median;

	if (isnan(over) || !(cell->comm.median > 0))
		return NAN;
	return 100 * fmax(0, 1 - over / cell->comm.median);
}
