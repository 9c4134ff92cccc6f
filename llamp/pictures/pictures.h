/*
 * Pictures of what llamp finds, as functions from data to SVG (common/draw/svg.h).
 *
 * The same function draws for a page and for a paper, at any width.  Each draws a whole picture,
 * which has a few hundred kB at most for any number of ranks and breakpoints.
 */
#ifndef LLAMP_PICTURES_H
#define LLAMP_PICTURES_H

#include "common/draw/svg.h"
#include "llamp/analysis/communication.h"
#include "llamp/analysis/critical_calls.h"
#include "llamp/analysis/curve.h"
#include "llamp/analysis/findings.h"
#include "llamp/analysis/rank_totals.h"
#include "llamp/network/topology.h"
#include "llamp/report/report_tradeoff.h"

/*
 * T over the varied variable, with lambda and rho below it, and measured runtimes as points.  One
 * curve has zones that end at its tolerances, a mark at the network's value, and its traced
 * runtime.  Several curves are beside each other with their labels.  `count` is at least 1.
 */
int picture_curves(const struct svg *svg, const struct curve *const *curves, size_t count,
		   struct error *err);

/* Tolerances as bars: the network's value, and how much more there may be. */
int picture_tolerances(const struct svg *svg, const struct curve *const *curves, size_t count,
		       struct error *err);

/* Time on the critical path by category, MPI function if they are known, and rank. */
int picture_composition(const struct svg *svg, const struct findings *findings, struct error *err);

/* Latencies with which the critical path passes from rank to rank. */
int picture_rank_switches(const struct svg *svg, const struct findings *findings,
			  struct error *err);

/* lambda_L or lambda_G of each rank to each rank: latencies, or bytes, on the critical path. */
enum picture_slope { PICTURE_LAMBDA_L, PICTURE_LAMBDA_G };
int picture_pairs(const struct svg *svg, const struct findings *findings, enum picture_slope slope,
		  struct error *err);

/* Messages, or bytes, from each rank to each rank. */
enum picture_matrix { PICTURE_MESSAGES, PICTURE_BYTES };
int picture_communication(const struct svg *svg, const struct communication *communication,
			  enum picture_matrix quantity, struct error *err);

/* End and computation of all ranks. */
int picture_ranks(const struct svg *svg, const struct rank_totals *totals, struct error *err);

/*
 * Draw hosts, switches and links, with the numbers of hosts where there is room.  A network that
 * is too large to be readable is STATUS_LIMIT.
 */
int picture_topology(const struct svg *svg, const struct topology *topology, struct error *err);

/* Draw y over x for each tolerance, and the network's values. */
int picture_tradeoffs(const struct svg *svg, const struct tradeoffs *tradeoffs, struct error *err);

#endif
