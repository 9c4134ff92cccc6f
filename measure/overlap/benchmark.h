/*
 * The benchmarks: what each rank of a pair does, as lists of operations.
 *
 * Source: Denis and Trahay (2016), section III-D.  A round of a list is timed on rank 0 of the pair, in
 * collectives on every rank.
 */
#ifndef MEASURE_BENCHMARK_H
#define MEASURE_BENCHMARK_H

#include "measure/overlap/port.h"

enum { MOST_OPERATIONS = 8 };

/* Lists of the ranks 0 and 1 of a pair, each ends with OP_END.  In collectives all ranks have the first. */
struct sequence {
	enum operation ranks[2][MOST_OPERATIONS];
};

struct benchmark {
	struct sequence measured; /* communication beside computation */
	struct sequence comm;	  /* communication alone */
	struct sequence comp;	  /* computation alone; empty in nload */
	struct sequence blocking; /* the blocking collective, else empty */
	bool halves;		  /* T_comm is half of the time of `comm` */
	bool answered;		  /* `comm` ends with an answer, whose latency does not count */
	enum layout layout;	  /* of the data */
};

/* The benchmark of a cell. */
struct benchmark benchmark_of(const struct cell_spec *spec);

/* A round trip without data. */
extern const struct sequence latency_sequence;

#endif
