/*
 * What a cell says: ratios of overlap (Denis and Trahay 2016, section III-B).
 *
 *	ratio = (T_measured - max(T_comm, T_comp)) / min(T_comm, T_comp)		(1)
 *
 * 0: the shorter one is hidden behind the longer one.  1: one after the other.  Above 1: worse than that.
 *
 * T_measured, by the messages without data in the sequence, whose latency does not count:
 *
 *	full - latency		sender, receiver, noncontig, persistent-*, partitioned-*, nload of one side
 *	full - 2 latency	put-target, get-target
 *	full / 2		both, noncontig of both sides, nload of both (that has no ratio, but a slowdown)
 *	full			cpu, put, get, collectives
 *
 * These messages are themselves hidden behind a long computation: then (1) is below 0.  So verdicts of
 * benchmarks with k of them use the ratio of the whole sequence, which is 0 for overlap:
 *
 *	ratio_seq = (full - max(T_comm + k latency, T_comp)) / min(T_comm + k latency, T_comp)	(2)
 *
 * T's are medians.  A function returns NAN where a quantity was not measured or the divisor is not positive.
 */
#ifndef MEASURE_RATIO_H
#define MEASURE_RATIO_H

#include "measure/cells/cell.h"

double cell_measured_ns(const struct cell *cell); /* T_measured */
double cell_ratio(const struct cell *cell);	  /* (1) */
double cell_ratio_seq(const struct cell *cell);	  /* (2), or (1) if the latency is not subtracted */

/*
 * Uncertainty of (1) by half confidence intervals H of the medians:
 *
 *	(H(T_measured) + H(max) + |ratio| H(min)) / min
 *
 * In nload, that of T_measured / T_comm, as a share of it: H(T_measured) / T_measured + H(T_comm) / T_comm.
 */
double cell_ratio_error(const struct cell *cell);

/* Whether the error is unknown or too large for a verdict. */
#define CELL_MOST_ERROR 0.25
bool cell_uncertain(const struct cell *cell);

/* (T_measured - T_comm) / T_comm, of nload. */
double cell_slowdown(const struct cell *cell);

/*
 * The overlap in per cent as IMB-NBC and as the OSU benchmarks define it:
 *
 *	IMB	100 max(0, min(1, (T_comm + T_comp - T_measured) / min(T_comm, T_comp)))
 *	OSU	100 max(0, 1 - (T_measured - T_comp) / T_comm)
 *
 * The first is 100 (1 - ratio) within 0..100.
 */
double cell_imb_percent(const struct cell *cell);
double cell_osu_percent(const struct cell *cell);

#endif
