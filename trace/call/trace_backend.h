/*
 * A trace format, as trace/trace_reader.h reads it: one table of functions for each.
 *
 * A backend delivers the calls of one rank after the other to a receiver.  All of its state is in
 * what open and again return, so that several threads can read a trace at the same time.
 */
#ifndef TRACE_TRACE_BACKEND_H
#define TRACE_TRACE_BACKEND_H

#include "common/error.h"
#include "trace/call/below.h"
#include "trace/call/mpi_call.h"
#include "trace/call/trace_world.h"

/* Take one call, valid until the function returns; -1 with the error filled ends the reading. */
typedef int trace_receive(void *data, const struct mpi_call *call, struct error *err);

/* The first thread of the rank that is read enters, or leaves, a region at that time. */
typedef void trace_region_seen(void *data, uint64_t time_ns, bool enters);

/* What a region of OpenMP is to the threads that enter it. */
enum openmp_region {
	OPENMP_NONE, /* no region of OpenMP, or one in which the program computes */
	OPENMP_PARALLEL,
	OPENMP_WAIT,		/* a barrier, also an implicit one, or waiting for tasks */
	OPENMP_TASK,		/* a task, which a thread may also run while it waits */
	OPENMP_CRITICAL,	/* a critical section, with the time before it is free */
	OPENMP_CRITICAL_INSIDE, /* a critical section without this time */
};

/* A thread of the rank that is read enters, or leaves, a region of OpenMP at that time. */
typedef void trace_openmp_seen(void *data, uint32_t thread, uint64_t time_ns,
			       enum openmp_region region, bool enters);

/* Receiver of the calls of a rank, and of the passages through `region` if it is not NULL. */
struct trace_receiver {
	trace_receive *receive;
	void *data;
	const char *region;
	trace_region_seen *seen;
	void *seen_data;
	bool as_measured; /* see trace_reader_as_measured */
	bool only_first;  /* see trace_reader_only_first */
	bool transfers;	  /* see trace_reader_with_transfers */
	trace_openmp_seen
		*openmp; /* of regions of OpenMP, of all threads; NULL: they are skipped */
	void *openmp_data;
	below_receive *below; /* of calls below MPI, of all threads; NULL: they are skipped */
	void *below_data;
};

/* Numbers of things that are not delivered, or guessed.  All members are sums of 64 bits. */
struct trace_left_out {
	uint64_t unfinished_calls;     /* entered but never left */
	uint64_t idle_threads;	       /* threads of ranks that have events but no MPI call */
	uint64_t other_locations;      /* devices and metrics that have events */
	uint64_t miscounted_locations; /* whose definition states another number of events */
	uint64_t other_windows;	       /* records of one-sided communication of another model */
	/* Traces of liballprof (liballprof_calls.h, liballprof_requests.h). */
	uint64_t guessed_comms;	      /* indistinguishable on a rank */
	uint64_t guessed_sources;     /* of receives with wildcards */
	uint64_t guessed_completions; /* in calls that test or wait for any */
	uint64_t renamed_ranks;	      /* whose files call themselves rank 0, as all do */
	uint64_t moved_requests;      /* that complete at another address, or at the end */
};

void trace_left_out_add(struct trace_left_out *left_out, const struct trace_left_out *more);

struct trace_backend {
	/* Check whether `path` names a trace of this format, even a damaged one; NULL: always. */
	bool (*probe)(const char *path);

	/*
	 * Open the trace, or the same trace again for another thread, to be closed before the
	 * first.  On failure there is nothing to close.
	 */
	int (*open)(void **trace, const char *path, struct error *err);
	int (*again)(void **trace, const void *first, struct error *err);

	/* Processes and communicators; lives as long as the trace. */
	const struct trace_world *(*world)(const void *trace);

	/* Read the calls of all threads of a rank, in the order in which they were entered. */
	int (*rank)(void *trace, uint32_t rank, const struct trace_receiver *to, struct error *err);

	/* Numbers of things left out of the ranks read so far, or guessed. */
	struct trace_left_out (*left_out)(const void *trace);

	/* Number of events of all ranks, and of events read so far; NULL: not known. */
	uint64_t (*events)(const void *trace);
	uint64_t (*events_read)(const void *trace);

	/* Number of threads of a rank; NULL: one each. */
	uint32_t (*threads)(const void *trace, uint32_t rank);

	/* As trace_reader_region_like; NULL: the format has no regions. */
	const char *(*region_like)(const void *trace, const char *text);

	/* Text of a call site that a call has, or NULL; NULL: the format has none. */
	const char *(*site)(const void *trace, uint32_t number);

	void (*close)(void *trace);
};

#endif
