#include "measure/cells/ratio.h"

#include <math.h>

/* Whether T_measured is half of the time of the sequence. */
static bool is_half(const struct cell_spec *spec)
{
	const bool has_sides = spec->bench == BENCH_NONCONTIG || spec->bench == BENCH_NLOAD;

	return spec->bench == BENCH_BOTH || (has_sides && spec->side == SIDE_BOTH);
}

/* Messages without data in the sequence, whose latencies are no part of T_measured. */
static unsigned notices_of(const struct cell_spec *spec)
{
	switch (spec->bench) {
	case BENCH_BOTH:
	case BENCH_CPU:
	case BENCH_PUT:
	case BENCH_GET:
		return 0;
	case BENCH_PUT_TARGET:
	case BENCH_GET_TARGET:
		return 2;
	default:
		return !is_half(spec) && bench_descriptions[spec->bench].group != BENCH_COLLECTIVE;
	}
}

/* Latencies of the notices; the latency is not measured where there are none. */
static double notices_ns(const struct cell *cell)
{
	return notices_of(&cell->spec) ? notices_of(&cell->spec) * cell->latency.median : 0;
}

double cell_measured_ns(const struct cell *cell)
{
	if (is_half(&cell->spec))
		return cell->full.median / 2;
	return cell->full.median - notices_ns(cell);
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
	if (is_half(&cell->spec))
		return cell_ratio(cell);
	return ratio_of(cell->full.median, cell->comm.median + notices_ns(cell), cell->comp.median);
}

static double half_interval(const struct spread *spread)
{
	return (spread->high - spread->low) / 2;
}

static double measured_half_interval(const struct cell *cell)
{
	const double full = half_interval(&cell->full);
	const unsigned notices = notices_of(&cell->spec);

	if (is_half(&cell->spec))
		return full / 2;
	return notices ? full + notices * half_interval(&cell->latency) : full;
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
