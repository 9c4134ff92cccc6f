/*
 * LogGPS parameters from round trips by message size.
 *
 * Source of the method: T. Hoefler et al., "Low-Overhead LogGP Parameter Assessment for Modern
 * Interconnection Networks" (2007).  PRTT(n, d, s) is the time from the first of n sends of s bytes,
 * a delay d after each, to the end of the receive of one answer of s bytes.
 *
 * All are lower deciles: other processes only ever add time, so that a tenth of the rounds without
 * them is enough.  What takes longer at one size than at a larger one is lowered to that.
 *
 *	o_s(s)	CPU time of a send, in PRTT(n, d, s) with d = PRTT(1, 0, s)
 *	o_r(s)	CPU time of a receive whose message has arrived
 *	g(s)	(PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1), the gap between messages
 *
 *	L	PRTT(1, 0, s) / 2 - (o_s + o_r) at the smallest s
 *	o	the mean of o_s and o_r there, at most PRTT(1, 0, s) / 4
 *	G	least squares: PRTT(1, 0, s) / 2 = L + 2 (o + s O) + (s - 1) G; 3 L for s > S
 *	g	least squares: g(s) = g + (s - 1) G'; s <= S
 *	O	least squares: (o_s(s) + o_r(s)) / 2 = o + (s - 1) O; s <= S; at most half of G without O
 *
 * A model without O needs a G that includes it.
 *
 * L is the difference of times that may be nearly the same, and it may depend on where the ranks are.
 * So it is estimated for each of several placements, too.  Nothing can be said of L if it is not
 * positive, or if these estimates differ by more than the least of them and by more than a tenth of
 * the time of a message.
 */
#ifndef MEASURE_ESTIMATE_H
#define MEASURE_ESTIMATE_H

#include "measure/params/predict.h"
#include "measure/statistics/fit.h"
#include "measure/statistics/samples.h"

#include <stdbool.h>

/* Sizes of a table; samples that make an order statistic reliable. */
enum { MOST_SIZES = 24, FEWEST_SAMPLES = 10, MOST_REPEATS = 4 };

/* Above these shares the numbers are not to be trusted. */
#define MOST_SPREAD 0.10
#define MOST_RESIDUAL 0.05
#define MOST_BURST_ERROR 0.10

/* All times in ns; a quantity that was not measured has no samples. */
struct size_row {
	uint64_t bytes;
	struct summary trip;	      /* PRTT(1, 0, s) */
	struct summary burst;	      /* PRTT(n, 0, s) */
	struct summary send, receive; /* o_s, o_r */
};

struct size_table {
	struct size_row rows[MOST_SIZES]; /* in order of size */
	size_t count;
	unsigned messages; /* n, at least 2 */
};

/* Tables that were measured one after the other, the ranks placed anew before each. */
struct repeats {
	struct size_table tables[MOST_REPEATS];
	size_t count;
};

/* Sends of up to `eager` bytes do not wait for their receiver, those of `waiting` bytes do. */
struct threshold {
	uint64_t eager, waiting; /* both NO_THRESHOLD: none waits */
};

struct range {
	double least, most; /* most < least: there is none */
};

struct estimate {
	struct parameters parameters;
	bool tells_latency;	    /* if not, the parameters have an L that makes up for o */
	struct range latency_ns;    /* of the repeats, at the smallest size */
	struct range one_way_ns;    /* PRTT(1, 0, s) / 2 */
	size_t repeats;		    /* that measured it */
	struct threshold threshold; /* as given */
	struct parameters without_O;		/* whose G includes O */
	double send_overhead_ns, receive_overhead_ns; /* o_s, o_r at the smallest size */
	struct line gap;			      /* g and G' */
	double residual;			      /* of round trips, relative */
	double worst_spread;			      /* of PRTT(1, 0, s) */
	uint64_t worst_spread_bytes;
	size_t wide;	       /* number of sizes with more than MOST_SPREAD */
	size_t measured;       /* number of sizes with samples */
	size_t well_measured;  /* ... with at least 10 samples */
	uint64_t change_bytes; /* last size before PRTT(1, 0, s) changes; 0: no change */
};

/* g(s) in ns; NAN if it was not measured. */
double size_row_gap_ns(const struct size_table *table, const struct size_row *row);

/*
 * Estimate the parameters from the samples of all repeats.  `S` comes from measuring which sends
 * complete without their receiver (measure/link/threshold.h).  Fails with STATUS_LIMIT if a quantity
 * has fewer than 3 sizes with samples.
 */
int estimate_parameters(const struct size_table *table, const struct repeats *repeats,
			struct threshold S, struct estimate *estimate, struct error *err);

#endif
