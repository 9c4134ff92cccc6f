/* Options of `llamp-measure overlap`, for the command and for the MPI program that it becomes. */
#ifndef MEASURE_OVERLAP_OPTIONS_H
#define MEASURE_OVERLAP_OPTIONS_H

#include "common/options.h"
#include "measure/overlap/run.h"

/* In the order of their levels. */
enum thread_level { LEVEL_SINGLE, LEVEL_FUNNELED, LEVEL_SERIALIZED, LEVEL_MULTIPLE };

struct overlap_given {
	struct run_options run;
	const char *path; /* of the file, "-" for stdout, or NULL */
	const char *cell; /* BENCH:SIZE:TIME, or NULL */
	bool append, same_node, pairs, destinations, pin;
	uint64_t thread_pairs;	    /* at least 1 */
	struct choice thread_level; /* -1: not given */
	/* Set by overlap_settle. */
	enum thread_level needed; /* to ask of MPI */
	char text[2048];	  /* the options that say what is measured, for the header */
};

extern struct overlap_given overlap_given;
extern const struct option_spec *const overlap_options[];

/*
 * Complete what was given with defaults, and check it.  `processors`: of this computer; more threads are not
 * planned, with a warning by `warn` unless it is NULL.
 */
int overlap_settle(unsigned processors, void (*warn)(const char *text), struct error *err);

/* Whether a cell of this group is planned. */
bool overlap_plans(enum bench_group group);

#endif
