/* An OTF2 archive of the calls of an event flow file. */
#ifndef EVENTFLOW_WRITE_ARCHIVE_H
#define EVENTFLOW_WRITE_ARCHIVE_H

#include "trace/flow/flow.h"

/*
 * Write all calls to a new archive in `directory`, as the tracer does.  STATUS_LIMIT if the flow has functions that
 * the tracer does not know.  After an error there is no archive.
 */
int flow_write_archive(const struct flow *flow, const char *directory, struct error *err);

#endif
