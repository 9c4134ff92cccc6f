/*
 * A run that is studied, by any number of processes: what is asked for is found when it is first asked for.
 *
 *	study_open(&study, path, &options, dist, err);		or study_match(&study, name, &run, dist, err);
 *	study_totals(&study, err);				and with them waits and walk
 *	... study.found ...
 *	study_close(&study);
 *
 * All functions but study_close are collective: they return 0, or -1 with *err filled on all processes.  On
 * failure of the first ones, too, end with study_close.
 */
#ifndef CRITPATH_STUDY_H
#define CRITPATH_STUDY_H

#include "critpath/match/run_sites.h"
#include "critpath/report/run_report.h"
#include "dist/dist.h"
#include "trace/sequence/slice.h"

struct study_options {
	struct slice_edge from, to; /* of the slice; of no kind: the start and the end of the run */
	bool strict;		    /* refuse a run that is not complete */
	bool observed;	  /* members of collectives wait as observed (critpath/path/members.h) */
	name_sites *name; /* names the call sites, with NULL as data */
};

struct study {
	struct dist *dist;
	struct study_options options;
	/* What is found so far.  Points into the study, which is not to be copied. */
	struct findings found;

	/* Private. */
	struct measured_run run;
	struct run_sites sites;
	struct waits waits;
	struct walk walk;
	struct totals totals;
};

/* Read a trace, match its calls, find its slice and name its call sites.  Names are kept, not copied. */
int study_open(struct study *study, const char *path, const struct study_options *options,
	       struct dist *dist, struct error *err);

/* Match a run that was read otherwise.  The run is not owned.  `name` is printed as that of the trace. */
int study_match(struct study *study, const char *name, struct measured_run *run, struct dist *dist,
		struct error *err);

/* Find the waits; the walk, within the slice; the totals. */
int study_waits(struct study *study, struct error *err);
int study_walk(struct study *study, struct error *err);
int study_totals(struct study *study, struct error *err);

/*
 * Let the study own a path of the whole run that was found otherwise, in place of the walk, and cut it to
 * the slice.
 */
void study_take_walk(struct study *study, const struct walk *walk);

void study_close(struct study *study);

#endif
