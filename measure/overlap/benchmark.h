/*
 * The benchmarks: what each rank of a pair does, as lists of operations.
 *
 * Source: Denis and Trahay (2016), section III-D.  A round of a list is timed on rank 0 of the pair.
 */
#ifndef MEASURE_BENCHMARK_H
#define MEASURE_BENCHMARK_H

#include "measure/overlap/port.h"

enum { MOST_OPERATIONS = 8 };

/* Lists of ranks 0 and 1, each ends with OP_END. */
struct sequence {
	enum operation ranks[2][MOST_OPERATIONS];
};

struct benchmark {
	struct sequence measured; /* with computation */
	struct sequence comm;	  /* the communication alone */
	double comm_divisor;	  /* T_comm is the time of that by this */
	bool comm_has_answer;	  /* and less the latency */
	enum layout layout;
};

/* The benchmark of a cell. */
struct benchmark benchmark_of(const struct cell_spec *spec);

/* Half a round trip without data: T is half the time. */
extern const struct sequence latency_sequence;
/* The computation alone, on those ranks that compute. */
extern const struct sequence compute_sequence;
/* The blocking collective. */
extern const struct sequence blocking_sequence;

#endif
