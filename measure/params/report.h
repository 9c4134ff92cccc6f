/* The parameters of a network as a YAML file for `--params`, and as a text for people. */
#ifndef MEASURE_REPORT_H
#define MEASURE_REPORT_H

#include "measure/params/checks.h"
#include "measure/params/estimate.h"

#include <stdbool.h>
#include <stdio.h>

/* Where and when the parameters were measured. */
struct place {
	char hosts[2][256]; /* of ranks 0 and 1 */
	bool one_host;
	char mpi[256]; /* name and version of the library */
	char processor[256];
	long processors; /* of the host of rank 0 */
	double load;	 /* processes that wanted to run before; negative if unknown */
	char date[32];	 /* UTC */
};

/* What was measured between the two ranks. */
struct measured_link {
	const struct place *place;
	const struct size_table *table;
	const struct estimate *estimate;
	const struct checks *checks;
};

enum { MOST_WARNINGS = 7, WARNING_BYTES = 512 };

struct warnings {
	char text[MOST_WARNINGS][WARNING_BYTES];
	size_t count;
};

/* Reasons not to trust the parameters, with what to do. */
void report_find_warnings(const struct measured_link *link, struct warnings *warnings);

/* Fail with STATUS_LIMIT, and the reason, if nothing can be said of L. */
int report_check_latency(const struct estimate *estimate, struct error *err);

/* Write what was measured, as tables; the warnings are not among it. */
void report_print(FILE *stream, const struct measured_link *link);

/*
 * Write the parameters; all else, warnings too, as comments.  If nothing can be said of L there is no
 * line for it, but "unknown: L", with which llamp demands a value.
 */
int report_write_yaml(FILE *stream, const struct measured_link *link, const struct warnings *warnings,
		      struct error *err);

#endif
