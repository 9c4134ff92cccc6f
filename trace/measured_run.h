/*
 * A measured run: the calls of all ranks on one clock, and which calls belong together.
 *
 * The k-th send of a channel (sender, receiver, communicator, tag) matches its k-th receive, in the
 * order of the calls that begin them.  The k-th collectives of the ranks of a communicator are one
 * instance, persistent ones apart.  Times are corrected by the clock offsets of the archive.  What
 * has no other half, since a trace ends early or recording was off, is counted.
 *
 * Memory: 24 bytes for each call, 36 for each half of a message, 44 for each part in a collective.
 */
#ifndef TRACE_MEASURED_RUN_H
#define TRACE_MEASURED_RUN_H

#include "trace/measured_rank.h"
#include "trace/trace_reader.h"

#define NO_MATCH UINT32_MAX

/* An instance of a collective. */
struct measured_instance {
	uint32_t comm;
	uint32_t members;		/* ranks with a part in it */
	uint32_t last_rank, last_call;	/* that began it last */
	uint32_t root_rank, root_call;	/* of its root; NO_CALL: no root, or not known */
	uint8_t kind;			/* enum mpi_collective */
	uint64_t last_begin_ns, first_end_ns;
};

/* Receives that ended before their send began: clocks that differ more than is known. */
struct clock_violations {
	uint64_t count, messages;	/* messages: all that were compared */
	uint64_t most_ns;		/* the largest */
	uint32_t sender, receiver;	/* its ranks */
};

struct measured_run {
	const struct trace_world *world;
	uint32_t rank_count;
	struct measured_rank *ranks;
	struct measured_names names;
	uint64_t begin_ns, end_ns;	/* of the run: the first begin and the last end of a rank */
	/* [rank][receive]: index of its send in the sends of its peer, or NO_MATCH. */
	uint32_t **send_of;
	/* [rank][send]: index of its receive in the receives of its peer, or NO_MATCH. */
	uint32_t **recv_of;
	/* [rank][part]: index of the instance. */
	uint32_t **instance_of;
	ARRAY(struct measured_instance) instances;
	struct clock_violations violations;
	uint64_t lone_sends, lone_recvs;	/* without the other half */
	struct trace_left_out left_out;

	/* Private. */
	struct trace_reader *reader;
};

/*
 * Read a trace, all ranks by all processors, and match.  On failure there is nothing to release.
 */
int measured_run_open(struct measured_run *run, const char *path, struct error *err);
void measured_run_release(struct measured_run *run);

/* Name of a communicator, for people: "MPI_COMM_WORLD", its name, or "communicator 5 (4 ranks)". */
enum { MEASURED_COMM_BYTES = 96 };
const char *measured_comm_name(const struct measured_run *run, uint32_t comm,
			       char name[static MEASURED_COMM_BYTES]);

#endif
