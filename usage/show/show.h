/*
 * The log of a job for people and programs: as a report, and as the plain text of Autoperf.
 *
 * Source of the text's columns: S. Chunduri et al., "Characterization of MPI Usage on a Production
 * Supercomputer" (SC 2018), section II and appendix B: for each of four ranks and each function the number of
 * calls, cycles, bytes and time.
 */
#ifndef USAGE_SHOW_H
#define USAGE_SHOW_H

#include "common/report/report.h"
#include "usage/log/job_log.h"

/* Whose calls a report lists by function. */
enum show_ranks { SHOW_AVERAGE, SHOW_MOST, SHOW_LEAST, SHOW_FIRST, SHOW_ALL, SHOW_RANKS };
extern const char *const show_rank_names[SHOW_RANKS + 1]; /* "average", ...; ends with NULL */

struct show {
	const struct job_log *log;
	enum show_ranks ranks;
	/* Private: the calls of these ranks by function. */
	const struct job_rank *rank; /* NULL: SHOW_ALL, or the log has no such rank */
	struct job_rank all;	     /* sums of all ranks */
};

/* Prepare to show a log, which must stay valid.  On success end with show_release. */
int show_init(struct show *show, const struct job_log *log, enum show_ranks ranks,
	      struct error *err);
void show_release(struct show *show);

/* Write the report "llamp-usage-show-1".  Its table in CSV has the key "functions". */
void show_write(struct report *report, const struct show *show);

/* Write the log as Autoperf's text: a block for each rank of the log, a line for each function. */
void show_autoperf(FILE *stream, const struct job_log *log);

/*
 * Share of the runtime that the threads of the average rank spent in MPI: its time over runtime x threads
 * that called MPI.  NAN if it is not known.
 */
double show_fraction(const struct job_log *log);

/* The rank of a log that has a role, or NULL. */
const struct job_rank *show_rank_of(const struct job_log *log, enum job_role role);

#endif
