/*
 * Convert the journals of a rank to its part of the archive.
 */
#ifndef TRACE_JOURNAL_TO_OTF2_H
#define TRACE_JOURNAL_TO_OTF2_H

#include "common/array.h"
#include "trace/journal/journal_cut.h"
#include "trace/otf2/trace_writer.h"

struct summary_comm {
	struct mpi_comm comm; /* owns its members */
	char *name;	      /* or NULL */
	bool lost;	      /* its members are not known; it is not used */
};

struct summary_window {
	struct mpi_window window;
	char *name; /* or NULL */
};

struct summary_property {
	char *name, *value;
};

/* Contents of a rank's journals other than calls.  Zero bytes are valid. */
struct rank_summary {
	uint32_t rank, ranks;
	uint64_t begin_ns, last_ns; /* last_ns: of the last record */
	char *host;		    /* NULL: the journal is empty */
	char *cpus;		    /* that it may use, "" if not known (common/machine/cpus.h) */
	struct preemptions preemptions;
	bool complete;		  /* recording was never off */
	struct trace_clock clock; /* as it was at the start */
	struct clock_point clock_start;
	bool finished;	   /* the rank reached MPI_Finalize */
	bool lacks_calls;  /* its first calls have been removed */
	uint64_t first_ns; /* when the first call that is left was entered, if it lacks calls */
	ARRAY(struct journal_iterations) iterations; /* windows, ascending */
	bool has_sites;				     /* calls have call sites */
	bool has_below;				     /* there are events below MPI */
	uint64_t calls;
	ARRAY(struct summary_comm) comms;     /* by id */
	ARRAY(struct summary_window) windows; /* by id */
	ARRAY(struct mpi_group) groups;	      /* by id; they own their members */
	ARRAY(struct summary_property) properties;
};

void rank_summary_release(struct rank_summary *summary);

/* Add a record; STATUS_DATA if it contradicts the records before. */
int rank_summary_take(struct rank_summary *summary, const struct journal_record *record,
		      struct error *err);

/* Edit a call before it is written; `events` are the events of the call, `ordinals` as in its record. */
typedef int journal_edit(void *data, struct mpi_call *call, struct mpi_event *events,
			 const uint64_t *ordinals, struct error *err);

/*
 * Write at most the first `records` records of a rank, and fill the summary.  The writer is not
 * ended.  `edit` may be NULL, and so may the writer, to fill the summary only.  For another window
 * of the same rank, after those before, give the same writer and summary again.
 */
int journal_to_otf2(struct journal_cut *journals, struct trace_writer *writer, uint64_t records,
		    struct rank_summary *summary, journal_edit *edit, void *data,
		    struct error *err);

#endif
