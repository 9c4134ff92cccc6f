/*
 * Event flow files, FILE.efg (doc/efg-format.md).
 *
 *	flow_read(&flow, "app.efg", err);		or flow_build (trace/flow/builder/flow_build.h)
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
 * Read a file; STATUS_DATA with the place in it if it is damaged, STATUS_LIMIT if it is of another
 * version.  Values and times of ranks stay compressed.  On failure *flow is NULL.
 */
int flow_read(struct flow **flow, const char *path, struct error *err);

/* The same of a file that may have only some ranks (trace/flow/file/flow_merge.h). */
int flow_read_part(struct flow **part, const char *path, struct error *err);

/* Write it, with all its ranks or only some.  The owner checks the stream for errors. */
int flow_write(const struct flow *flow, FILE *stream, struct error *err);

/*
 * Writing a file whose data of ranks, values and times, come from elsewhere.
 *
 *	flow_write_begin(&writer, flow, stream, err);
 *	flow_write_data(&writer, bytes, count);		the data of all ranks, in the order of flow_rank_data
 *	flow_write_end(&writer, err);
 */
struct flow_writer {
	FILE *stream;
	uint64_t left, checksum; /* bytes that are missing yet; of the section so far */
};

/*
 * Write all but the data of ranks, of which the flow has the sizes.  The owner checks the stream
 * for errors.
 */
int flow_write_begin(struct flow_writer *writer, const struct flow *flow, FILE *stream,
		     struct error *err);
void flow_write_data(struct flow_writer *writer, const void *bytes, size_t count);
/* End the file; STATUS_DATA if the data were not as large as promised. */
int flow_write_end(struct flow_writer *writer, struct error *err);

/* Take the data of a rank, one after the other. */
typedef int flow_take_data(void *data, const struct flow_packed *packed, struct error *err);
int flow_rank_data(const struct flow_rank *rank, flow_take_data *take, void *data,
		   struct error *err);

/* Sum the sizes of the data of some ranks, in bytes. */
int flow_data_size(const struct flow *flow, uint32_t first, uint32_t count, uint64_t *size,
		   struct error *err);

/*
 * Make the bytes of a file, which are to be released; read such, which the flow takes over even on
 * failure.
 */
int flow_to_bytes(const struct flow *flow, struct flow_bytes *bytes, struct error *err);
int flow_from_bytes(struct flow **part, struct flow_bytes *bytes, struct error *err);

/* The same without the values and times of ranks: those have their sizes, but NULL for bytes. */
int flow_tables_to_bytes(const struct flow *flow, struct flow_bytes *bytes, struct error *err);
int flow_tables_from_bytes(struct flow **part, struct flow_bytes *bytes, struct error *err);

#endif
