/*
 * A measured run: the calls of all ranks on one clock, and which calls belong together.
 *
 * The k-th send of a channel (sender, receiver, communicator, tag) matches its k-th receive, in the
 * order of the calls that begin them.  The k-th collectives of the ranks of a communicator are one
 * instance, persistent ones apart.  Where the trace may lack some (struct measured_cuts), or kinds
 * or roots of an instance differ, sequences are aligned instead (trace/sequence/align.h).  Times
 * are corrected by the clock offsets of the archive.  What has no other half, since a trace ends
 * early or recording was off, is counted.
 *
 * A process may have the calls of some of the ranks only, as critpath-mpi does.  Then its lists are
 * empty for all other ranks, and what it has to know of their calls is in `remote` and `instances`.
 *
 * Memory: 24 bytes for each call, 4 more if call sites are known; 36 for each half of a message, 44
 * for each part in a collective; 16 more for a half whose other half is in another process.
 */
#ifndef TRACE_MEASURED_RUN_H
#define TRACE_MEASURED_RUN_H

#include "trace/call/string_table.h"
#include "trace/measured/measured_rank.h"
#include "trace/sequence/iterations.h"
#include "trace/sequence/time_span.h"
#include "trace/trace_reader.h"

#define NO_MATCH UINT32_MAX

/* A call as other ranks need to know it. */
struct measured_start {
	uint64_t begin_ns; /* when it was entered */
	uint32_t call, function;
};

/* An instance of a collective. */
struct measured_instance {
	uint32_t comm;
	uint32_t first_rank; /* the lowest with a part in it */
	uint32_t members;    /* ranks with a part in its data, see measured_lacks_members */
	uint32_t last_rank;  /* that began it last */
	uint32_t root_rank;  /* its root, or NO_ROOT if that is not known */
	uint8_t kind;	     /* enum mpi_collective */
	bool split;	     /* a rank began and completed it in different calls */
	bool differs;	     /* ranks state another kind or root */
	struct measured_start last, root; /* calls that began it; root.call is NO_CALL: missing */
	uint64_t first_end_ns;
	/* Which process adds up the members, if several share the run, and its number there. */
	uint32_t owner, index_at_owner;
};

/* Receives that ended before their send began: clocks that differ more than is known. */
struct clock_violations {
	uint64_t count, messages;  /* messages: all that were compared */
	uint64_t most_ns;	   /* the largest */
	uint32_t sender, receiver; /* its ranks */
};

struct measured_run {
	const struct trace_world *world;
	uint32_t rank_count;
	uint32_t own_first, own_end; /* ranks of this process: own_first ... own_end - 1 */
	struct measured_rank *ranks; /* of all ranks; those of other processes are empty */
	struct measured_names names;
	uint64_t begin_ns, end_ns; /* of the run: the first begin and the last end of a rank */
	bool sliced;		   /* reports are of a part of the run only, from ... to: */
	uint64_t slice_begin_ns, slice_end_ns;
	uint32_t last_rank;  /* the lowest that ends last */
	uint64_t calls;	     /* of all ranks */
	uint64_t incomplete; /* requests of all ranks whose begin or end is not known */
	/*
	 * [rank][receive]: index of its send in the sends of its peer, or in `remote` if the peer is
	 * of another process, or NO_MATCH.  measured_send_of finds the call.
	 */
	uint32_t **send_of;
	/* [rank][send]: index of its receive in the receives of its peer or `remote`, or NO_MATCH. */
	uint32_t **recv_of;
	ARRAY(struct measured_start) remote;
	/* [rank][part]: index of the instance, or NO_MATCH. */
	uint32_t **instance_of;
	ARRAY(struct measured_instance) instances; /* in which ranks of this process have a part */
	uint64_t instance_count;		   /* of the run */
	struct clock_violations violations;
	uint64_t unmatched_sends, unmatched_recvs; /* without the other half */
	/*
	 * Instances that lack participants (measured_lacks_members), and parts of ranks of which it
	 * is not known with whom they took part.
	 */
	uint64_t lacking;
	struct trace_left_out left_out;
	/* [number of a call site]: its name; NULL: sites have none in this process.  Not owned. */
	const char *const *site_names;
	uint32_t site_count; /* numbers are below it; 0: there are no call sites */

	/* Texts of call sites by number - 1, of a run that is no trace; else NULL.  Not owned. */
	const struct string_table *site_texts;

	/* [rank]: iterations of a run that is no trace; else NULL.  Not owned. */
	const struct iterations *iterations;

	unsigned threads; /* that may work on it; 0: all processors */

	/* Private. */
	struct trace_reader *reader;
};

/*
 * Read the ranks of part `part` of `parts` (measured_share), without matching: by all processors if that
 * is all ranks, else by one thread.  Fails with STATUS_LIMIT before it takes more memory than there is.
 * On failure there is nothing to release.
 */
int measured_run_read(struct measured_run *run, const char *path, uint32_t part, uint32_t parts,
		      struct error *err);
void measured_run_release(struct measured_run *run);

/* Length of the run, or of its part that is reported. */
static inline uint64_t measured_length_ns(const struct measured_run *run)
{
	return run->sliced ? run->slice_end_ns - run->slice_begin_ns : run->end_ns - run->begin_ns;
}

/* Time since the run began.  Calls of damaged traces may be before: 0. */
static inline uint64_t measured_since_begin(const struct measured_run *run, uint64_t ns)
{
	return ns > run->begin_ns ? ns - run->begin_ns : 0;
}

/* The time that is reported. */
static inline struct time_span measured_slice(const struct measured_run *run)
{
	return run->sliced ? (struct time_span){run->slice_begin_ns, run->slice_end_ns}
			   : (struct time_span){0, UINT64_MAX};
}

/* The time of a rank that is reported. */
static inline struct time_span measured_rank_span(const struct measured_run *run, uint32_t rank)
{
	return time_span_common(measured_slice(run), (struct time_span){run->ranks[rank].begin_ns,
									run->ranks[rank].end_ns});
}

/* Whether what happened at a time, as the start of a call, is reported. */
static inline bool measured_reports(const struct measured_run *run, uint64_t begin_ns)
{
	const struct time_span slice = measured_slice(run);

	return begin_ns >= slice.begin_ns && begin_ns < slice.end_ns;
}

/* Whether a call has a part that is reported, if only its begin. */
static inline bool measured_touches(const struct measured_run *run,
				    const struct measured_call *call)
{
	return measured_reports(run, call->enter_ns) ||
	       time_span_common_ns(measured_slice(run),
				   (struct time_span){call->enter_ns, call->leave_ns}) > 0;
}

/* Number of threads that may work on a run. */
unsigned measured_threads(const struct measured_run *run);

/* First rank of a part of the ranks.  Parts are equal but for one rank. */
uint32_t measured_share(uint32_t rank_count, uint32_t part, uint32_t parts);

static inline bool measured_owns(const struct measured_run *run, uint32_t rank)
{
	return rank >= run->own_first && rank < run->own_end;
}

/*
 * Find the call that began the send of a receive, or posted the receive of a send, of a rank of this
 * process.  There must be a match.
 */
struct measured_start measured_send_of(const struct measured_run *run, uint32_t rank, size_t recv);
struct measured_start measured_recv_of(const struct measured_run *run, uint32_t rank, size_t send);

/* Whether all ranks of a communicator take part in its collectives, as one instance. */
static inline bool measured_has_instances(const struct measured_run *run, uint32_t comm)
{
	return comm < run->world->comm_count && !run->world->comms[comm].self;
}

/* Whether a rank of the root's group of an inter-communicator, not the root, has no part in the data. */
static inline bool measured_looks_on(const struct measured_run *run,
				     const struct participation *part)
{
	return run->world->comms[part->comm].inter && part->root == NO_ROOT &&
	       collective_has_root(part->kind);
}

/*
 * Whether the trace lacks participants of an instance: ranks with a part in its data.  If it has a
 * root on an inter-communicator, these are the root and the ranks of the other group.
 */
bool measured_lacks_members(const struct measured_run *run,
			    const struct measured_instance *instance);

/* Text of a call site by its number in the trace (common/source/call_site.h). */
const char *measured_site_text(const struct measured_run *run, uint32_t site);

/* Name of a call site, NULL for NO_SITE or if sites have no names. */
const char *measured_site_name(const struct measured_run *run, uint32_t site);

/* Name of a communicator, for people: "MPI_COMM_WORLD", its name, or "communicator 5 (4 ranks)". */
enum { MEASURED_COMM_BYTES = 96 };
const char *measured_comm_name(const struct measured_run *run, uint32_t comm,
			       char name[static MEASURED_COMM_BYTES]);

#endif
