#include "eventflow/gather/flow_dist.h"

#include "common/output.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/file/flow_merge.h"

#include <string.h>

enum { MESSAGE_BYTES = 1 << 16 }; /* at most */

/* --------------------------------------------------------------------- merging */

/* The flow of this process, and whether it can still be merged. */
struct flow_dist {
	struct dist *dist;
	struct flow *flow;
	int result;   /* of this process */
	bool useless; /* it has failed, or one whose flow it should have got */
	struct error *err;
};

static int send_bytes(struct dist *dist, uint32_t to, const struct flow_bytes *bytes,
		      struct error *err)
{
	for (size_t done = 0; done < bytes->count;) {
		const size_t left = bytes->count - done;
		const size_t part = left < MESSAGE_BYTES ? left : MESSAGE_BYTES;

		TRY(dist_send(dist, to, bytes->items + done, part, err));
		done += part;
	}
	return 0;
}

static int receive_bytes(struct dist *dist, uint32_t from, struct flow_bytes *bytes, size_t count,
			 struct error *err)
{
	while (bytes->count < count) {
		const size_t left = count - bytes->count;
		const size_t part = left < MESSAGE_BYTES ? left : MESSAGE_BYTES;

		TRY(dist_receive(dist, from, bytes->items + bytes->count, part, err));
		bytes->count += part;
	}
	return 0;
}

/* Fail, if `result` says so, but go on to work with the other processes. */
static bool flow_dist_check(struct flow_dist *own, int result)
{
	if (result < 0) {
		own->result = -1;
		own->useless = true;
	}
	return result == 0;
}

/* Send the tables: their size, 0 if there are none, and, if the other process has room, the bytes. */
static void send_flow(struct flow_dist *own, uint32_t to)
{
	struct flow_bytes bytes = {0};
	uint64_t size = 0, has_room;
	struct error *err = own->err;

	if (!own->useless)
		flow_dist_check(own, flow_tables_to_bytes(own->flow, &bytes, err));
	if (!own->useless)
		size = bytes.count;
	if (flow_dist_check(own, dist_send(own->dist, to, &size, sizeof size, err)) &&
	    flow_dist_check(own, dist_receive(own->dist, to, &has_room, sizeof has_room, err)) &&
	    has_room)
		flow_dist_check(own, send_bytes(own->dist, to, &bytes, err));
	array_release(&bytes);
}

static int merge_bytes(struct flow_dist *own, struct flow_bytes *bytes)
{
	struct flow *part;
	int result;

	TRY(flow_tables_from_bytes(&part, bytes, own->err));
	result = flow_merge(own->flow, part, own->err);
	flow_release(part);
	return result;
}

/* Receive the tables of another process, and merge them. */
static void take_flow(struct flow_dist *own, uint32_t from)
{
	struct flow_bytes bytes = {0};
	uint64_t size, has_room = 0;
	struct error *err = own->err;

	if (!flow_dist_check(own, dist_receive(own->dist, from, &size, sizeof size, err)))
		return;
	if (!size)
		own->useless = true;
	if (!own->useless)
		has_room = flow_dist_check(own, array_reserve(&bytes, size, err));
	if (flow_dist_check(own, dist_send(own->dist, from, &has_room, sizeof has_room, err)) &&
	    has_room && flow_dist_check(own, receive_bytes(own->dist, from, &bytes, size, err)))
		flow_dist_check(own, merge_bytes(own, &bytes));
	array_release(&bytes);
}

/* Put the processes of the run in front of the ranks: a file begins with their names. */
static int put_world(struct flow **flow, const struct trace_world *world, struct error *err)
{
	struct flow *whole;
	int result;

	TRY(flow_make(&whole, err));
	whole->times = (*flow)->times;
	result = flow_set_world(whole, world, err);
	if (result == 0)
		result = flow_merge(whole, *flow, err);
	flow_release(*flow);
	*flow = whole;
	return result;
}

int flow_dist_merge(struct dist *dist, struct flow **flow, const struct trace_world *world,
		    struct error *err)
{
	struct flow_dist own = {.dist = dist, .err = err};

	if (dist->rank == 0)
		flow_dist_check(&own, put_world(flow, world, err));
	own.flow = *flow;
	for (uint32_t step = 1; step < dist->size; step *= 2) {
		if (dist->rank & step) {
			send_flow(&own, dist->rank - step);
			break;
		}
		if (dist->rank + step < dist->size)
			take_flow(&own, dist->rank + step);
	}
	return dist_agree(dist, own.result, err);
}

/* --------------------------------------------------------------------- writing */

/* Data of the ranks of a process on their way to process 0, or of that to the file. */
struct flow_stream {
	struct dist *dist;
	struct flow_writer *writer; /* process 0 */
	unsigned char *bytes;	    /* of a message */
	size_t count;
};

static int flush(struct flow_stream *stream, struct error *err)
{
	if (stream->count)
		TRY(dist_send(stream->dist, 0, stream->bytes, stream->count, err));
	stream->count = 0;
	return 0;
}

static int stream_packed(void *data, const struct flow_packed *packed, struct error *err)
{
	struct flow_stream *stream = data;

	if (stream->writer) {
		flow_write_data(stream->writer, packed->bytes, packed->count);
		return 0;
	}
	for (size_t done = 0; done < packed->count;) {
		const size_t left = packed->count - done, room = MESSAGE_BYTES - stream->count;
		const size_t part = left < room ? left : room;

		memcpy(stream->bytes + stream->count, packed->bytes + done, part);
		stream->count += part;
		done += part;
		if (stream->count == MESSAGE_BYTES)
			TRY(flush(stream, err));
	}
	return 0;
}

/* Write the data of a process as they arrive. */
static int write_data_of(struct flow_stream *stream, uint32_t process, struct error *err)
{
	uint64_t left;

	TRY(dist_receive(stream->dist, process, &left, sizeof left, err));
	while (left) {
		const size_t part = left < MESSAGE_BYTES ? left : MESSAGE_BYTES;

		TRY(dist_receive(stream->dist, process, stream->bytes, part, err));
		flow_write_data(stream->writer, stream->bytes, part);
		left -= part;
	}
	return 0;
}

/* Write or send the data of the first `count` ranks of the flow, which are this process's. */
static int stream_own(struct flow_stream *stream, const struct flow *flow, uint32_t count,
		      struct error *err)
{
	uint64_t size;

	TRY(flow_data_size(flow, flow->first_rank, count, &size, err));
	if (!stream->writer)
		TRY(dist_send(stream->dist, 0, &size, sizeof size, err));
	for (uint32_t r = 0; r < count; r++)
		TRY(flow_rank_data(&flow->ranks[r], stream_packed, stream, err));
	return stream->writer ? 0 : flush(stream, err);
}

static int write_file(struct flow_stream *stream, const struct flow *flow, uint32_t count,
		      FILE *file, struct error *err)
{
	struct flow_writer writer;
	int result = flow_write_begin(&writer, flow, file, err);

	stream->writer = &writer;
	if (result == 0)
		result = stream_own(stream, flow, count, err);
	/* The other processes send in any case. */
	for (uint32_t p = 1; p < stream->dist->size; p++)
		if (write_data_of(stream, p, err) < 0)
			result = -1;
	return result < 0 ? -1 : flow_write_end(&writer, err);
}

/* Write the flow; count: how many of its ranks are of this process, the first ones. */
static int write_flow(struct dist *dist, const struct flow *flow, uint32_t count, FILE *file,
		      struct error *err)
{
	struct flow_stream stream = {.dist = dist};
	int result = allocate(&stream.bytes, MESSAGE_BYTES, 1, err);

	if (dist_agree(dist, result, err) < 0) {
		free(stream.bytes);
		return -1;
	}
	result = dist->rank ? stream_own(&stream, flow, count, err)
			    : write_file(&stream, flow, count, file, err);
	free(stream.bytes);
	return dist_agree(dist, result, err);
}

int flow_dist_write(struct dist *dist, struct flow **flow, const struct trace_world *world,
		    const char *path, struct error *err)
{
	const uint32_t count = (*flow)->rank_count;
	struct output output;
	int opened, result;

	TRY(flow_dist_merge(dist, flow, world, err));
	opened = dist->rank ? 0 : output_open(&output, path, err);
	result = dist_agree(dist, opened, err);
	if (result == 0)
		result = write_flow(dist, *flow, count, dist->rank ? NULL : output.stream, err);
	if (dist->rank == 0 && opened == 0 && result == 0)
		result = output_commit(&output, err);
	else if (dist->rank == 0 && opened == 0)
		output_discard(&output);
	return dist_agree(dist, result, err);
}
