/*
 * LogGPS parameters from the references of the overlap benchmark: medians over all plain cells of
 *
 *	lat	half a round trip without data
 *	T(s)	T_comm of sender and receiver: one way with s bytes
 *	o_s(s)	T_comm of cpu: a blocking MPI_Send
 *
 *	o	o_s at the smallest size, at most lat / 2
 *	L	lat - 2 o; nothing can be said of it if that is 0
 *	G	least squares of relative errors: T(s) = L + 2 o + (s - 1) G; 3 L for s > S
 *	S	largest size whose sends do not wait, as measured before the cells; if that is unknown, the size up to which the
 *		receiver overlaps, if larger ones do not
 */
#ifndef MEASURE_OVERLAP_PARAMS_H
#define MEASURE_OVERLAP_PARAMS_H

#include "measure/params/predict.h"
#include "measure/report/overlap_files.h"

#include <stdio.h>

struct overlap_params {
	struct parameters of; /* without g and O */
	bool knows_o;	      /* cpu was measured; else o is 0 */
	bool guesses_S;	      /* from the classes of the receiver */
	double residual;      /* root mean square of the relative error of T(s) */
	size_t sizes;
};

/* STATUS_LIMIT if latency or T(s) of fewer than 3 sizes were measured. */
int overlap_params_find(const struct overlap_findings *of, struct overlap_params *params,
			struct error *err);

/* Write them for llamp's option --params, with the shares of overlap as comments. */
int overlap_params_write(FILE *stream, const struct overlap_findings *of, struct error *err);

#endif
