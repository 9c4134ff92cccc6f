/* State of the tracer in this process, its journals, and the directory that the ranks share. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include "common/array.h"
#include "common/error.h"
#include "trace/assemble/journal_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracer {
	char directory[4096];		/* of the trace */
	size_t buffer_bytes;		/* of a journal */
	bool call_sites;		/* are recorded */
	bool below_mpi;			/* what MPI does below is recorded, too */
	uint32_t journals;		/* number of this rank's journals, one for each recorder */
	bool recorded;			/* this rank has created a journal */
	int ranks;			/* number of traced ranks */
	unsigned reports;		/* to print: bits of enum trace_report */
	bool unnamed;			/* journals have no names: no archive is to be made */
	bool archive;			/* is made, or the file of graphs */
	bool flow;			/* graphs are made while the program runs */
	bool calls;			/* are written to the journals, for an OTF2 archive */
	uint64_t memory_bytes;		/* of the graphs */
	unsigned folds;			/* FLOW_FOLD_... of the graphs */
	uint64_t iterations;		/* to record in full; 0: all calls */
	uint64_t ring_bytes;		/* of the calls before, of a thread */
	bool empty;			/* no rank has recorded a call */
	bool quiet;			/* do not name the trace at the end */
	double budget_share;		/* of the run, for reports; negative: budget_ns */
	uint64_t budget_ns;
	bool claimed;		 /* the directory, by this process for all ranks */
	int first_traced;	 /* rank */
	struct error mark_error; /* why this process could not leave a mark, if it has a status */
	ARRAY(struct journal *) nameless; /* journals without names, by thread */
	ARRAY(struct recorder *) ended;	  /* of ended threads; their journals are still locked */
};

extern struct tracer tracer;

/* Name of the directory for messages: below the directory in which the program was started, if it is. */
const char *tracer_name(void);

/* Recorder of a thread (pmpi/sink.h). */
struct recorder {
	struct journal *journal;
	struct flow_recorder *flow; /* NULL: no graphs are made */
	uint32_t thread;
	unsigned stage; /* of its journal (tracer/iteration_recorder.h) */
};

/* Find the journal of this thread.  NULL with the error set. */
struct journal *tracer_journal(struct error *err);

/* Whether an OTF2 archive is made. */
static inline bool tracer_makes_otf2(void)
{
	return tracer.archive && tracer.calls;
}

/* Close the journals of ended threads. */
void tracer_close_journals(void);

/* Where the journals of this rank are. */
struct rank_journals tracer_journals(void);

/*
 * Choose the directory of the trace: LLAMP_TRACE_DIR, else llamp-trace-PROGRAM-ID with the job step
 * of Slurm or a process id, that of this process if ranks meet `together`.
 */
void tracer_choose_directory(bool together);

/* Leave a mark of this rank if the directory is given.  Otherwise ranks have different ones. */
void tracer_leave_mark(void);

/* Remove the mark from its directory, which is another one in spawned processes. */
void tracer_clear_mark(void);

/* Whether the marks show that all ranks are traced; the first rank says which part is missing. */
bool tracer_all_are_traced(void);

/*
 * Share the directory of the first rank that has begun before, else of rank 0, which claims it.  Unless
 * marks have shown it before, check that all hosts do.
 */
int tracer_share_directory(bool has_begun, struct error *err);

/*
 * Take the directory for an archive that was not to be made: rank 0, then the others, which check that
 * they share it.
 */
int tracer_take_directory(struct error *err);

#endif
