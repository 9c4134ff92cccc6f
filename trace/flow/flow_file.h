/*
 * Event flow files, FILE.efg (doc/efg-format.md).
 *
 *	flow_read(&flow, "app.efg", err);		or flow_build (trace/flow/flow_build.h)
 *	flow_write(flow, stream, err);
 *	flow_release(flow);
 */
#ifndef TRACE_FLOW_FILE_H
#define TRACE_FLOW_FILE_H

#include "trace/flow/flow.h"

#include <stdio.h>

/* Whether the file at `path` begins as event flow files do. */
bool flow_is_file(const char *path);

/*
 * Read a file; STATUS_DATA with the place in it if it is damaged, STATUS_LIMIT if it is of another version.  Values
 * and times of ranks stay compressed.  On failure *flow is NULL.
 */
int flow_read(struct flow **flow, const char *path, struct error *err);

/* The same of a file that may have only some ranks (trace/flow/flow_merge.h). */
int flow_read_part(struct flow **part, const char *path, struct error *err);

/* Write it, with all its ranks or only some.  The owner checks the stream for errors. */
int flow_write(const struct flow *flow, FILE *stream, struct error *err);

/* Make the bytes of a file, which are to be released; read such, which the flow takes over even on failure. */
int flow_to_bytes(const struct flow *flow, struct flow_bytes *bytes, struct error *err);
int flow_from_bytes(struct flow **part, struct flow_bytes *bytes, struct error *err);

/* Release a flow, which may be NULL. */
void flow_release(struct flow *flow);

#endif
