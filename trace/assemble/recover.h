/*
 * From the journals that a dead run has left to an archive.
 *
 * Each rank is taken up to the last whole record of the journals of its threads.
 * Ranks end at different places, so some calls are left out to make the archive consistent:
 *
 * - A rank ends before the first call on a communicator whose members are not
 *   known because the journal of its first rank is lost or ends before.
 * - A message is kept if both of its ends are: of each channel (sender,
 *   receiver, communicator, tag) as many sends and receives, from the first, as
 *   both sides have.  A receive that is not kept is written as cancelled,
 *   a send not at all; their calls stay, with their times.
 * - A collective is kept if all members of the communicator have left it: of
 *   each communicator the first ones, up to the first that is open on any;
 *   likewise the fences of a window, its making and its freeing.
 *
 * The archive then has the property LLAMP::INCOMPLETE.  If all ranks have come to
 * their end, nothing is left out.
 */
#ifndef TRACE_RECOVER_H
#define TRACE_RECOVER_H

#include "common/array.h"
#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct recovered_rank {
	uint32_t threads;	/* that have left journals */
	bool missing;		/* there is none of the first */
	bool damaged;		/* one ends in something that is no record */
	bool finished;		/* it came to MPI_Finalize, or ended with no session open */
	bool cut;		/* it ends before a call on a communicator that is lost */
	uint64_t calls;
	uint64_t duration_ns;	/* from the first record to the last */
};

struct recovered {
	ARRAY(struct recovered_rank) ranks;
	uint64_t sends, receives, collectives;	/* not kept */
};

/*
 * Make the archive in the directory, and remove the journals.  STATUS_DATA if
 * there are none, or if there is an archive, or a journal is locked by its writer
 * (trace/journal/journal.h).  With `only_whole` STATUS_DATA if not all ranks have
 * come to their end; their processes may still hold locks then.  On failure the
 * journals stay.
 */
int recover(const char *directory, bool only_whole, struct recovered *result, struct error *err);

void recovered_release(struct recovered *result);

#endif
