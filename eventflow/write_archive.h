/* An OTF2 archive of the calls of an event flow file. */
#ifndef EVENTFLOW_WRITE_ARCHIVE_H
#define EVENTFLOW_WRITE_ARCHIVE_H

#include "trace/flow/flow.h"

/* Iterations of the main loop: `count` of them from the one with number `first`, counted from 1, on. */
struct cut_iterations {
	uint64_t count, first;
};

/*
 * Write all calls to a new archive in `directory`, as the tracer does.  With `only`, those of the
 * recorded windows of the flow, which have these iterations: recording is off before, between and
 * after them.  STATUS_LIMIT if the flow has functions that the tracer does not know.  After an
 * error there is no archive.
 */
int flow_write_archive(const struct flow *flow, const char *directory,
		       const struct cut_iterations *only, struct error *err);

#endif
