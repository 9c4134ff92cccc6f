/*
 * The calls of a rank from its journals, as a reader of the rank's part of the archive delivers them
 * (trace/trace_reader.h): times corrected, ids of the archive, "(recording off)" for switches.
 */
#ifndef TRACE_JOURNAL_CALLS_H
#define TRACE_JOURNAL_CALLS_H

#include "trace/call/string_table.h"
#include "trace/call/trace_backend.h"
#include "trace/journal/journal.h"

/* The journals of a rank, and what they do not say. */
struct rank_journals {
	const char *directory;		/* of the trace */
	struct journal *const *unnamed; /* by thread, instead of the directory; or NULL */
	uint32_t rank, threads;
	struct trace_clock clock;
	uint64_t begin_ns;		 /* of the trace of this rank, uncorrected */
	const uint32_t *comms, *windows; /* ids in the archive, by ids of this rank */
	size_t comm_count, window_count;
	const struct mpi_group *groups; /* by id */
	size_t group_count;
	/* Gets the texts of call sites, whose numbers + 1 are those of the calls; NULL: they have none. */
	struct string_table *sites;
};

/* Deliver all calls, in the order in which they were entered. */
int journal_calls(const struct rank_journals *journals, trace_receive *receive, void *data,
		  struct error *err);

#endif
