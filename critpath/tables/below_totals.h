/*
 * What the MPI library does below MPI (trace/measured/measured_below.h), added up by rank, thread and function of MPI:
 * where data are posted, and where polls find something.
 */
#ifndef CRITPATH_BELOW_TOTALS_H
#define CRITPATH_BELOW_TOTALS_H

#include "trace/measured/measured_below.h"

/* In place of a function: outside of calls of MPI. */
#define BELOW_OUTSIDE UINT32_MAX

struct below_total {
	uint32_t rank, thread;
	uint32_t function; /* of MPI (measured_function), or BELOW_OUTSIDE */
	uint64_t calls;	   /* of it with anything below MPI; 0: outside */
	uint64_t ns;	   /* below MPI, in outermost calls */
	uint64_t posts, bytes,
		pending; /* of data; bytes that are known; posts that go on after the call */
	uint64_t finds, found,
		nothing; /* polls that find something, what they find, all other polls */
	/* From the begin of a call to its first post, of all calls with one. */
	uint64_t to_post_ns, posting_calls;
};

struct below_totals {
	/* By rank and thread, then by time. */
	ARRAY(struct below_total) items;
	struct below_total sum;
	uint64_t idle_finds; /* of finds, those of threads that call no function of MPI */
	uint32_t finder;     /* function in which most polls find something */
	uint64_t finder_finds;
};

/* Add up all ranks, or what begins in the part of the run that is reported. */
int below_totals_find(struct below_totals *totals, const struct measured_run *run,
		      struct error *err);
void below_totals_release(struct below_totals *totals);

#endif
