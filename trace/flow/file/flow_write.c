/* Write event flow files. */
#include "common/hash.h"
#include "trace/flow/file/flow_file.h"
#include "trace/flow/file/flow_sections.h"
#include "trace/flow/flow_parts.h"

#include <string.h>

/* Write a section: its number, sizes, bytes, and the checksum of all these. */
static int write_section(FILE *stream, unsigned number, const struct flow_bytes *raw,
			 bool compressed, struct error *err)
{
	struct flow_bytes section = {0}, packed = {0};
	uint64_t checksum;
	int result = 0;

	if (compressed)
		result = flow_compress(raw->items, raw->count, &packed, err);
	if (result == 0)
		result = flow_put(&section, number, err);
	if (result == 0)
		result = flow_put(&section, raw->count, err);
	if (result == 0)
		result = flow_put_block(&section, compressed ? packed.items : raw->items,
					compressed ? packed.count : raw->count, err);
	if (result == 0) {
		checksum = hash_bytes(section.items, section.count);
		fwrite(section.items, 1, section.count, stream);
		fwrite(&checksum, 1, FLOW_CHECKSUM_BYTES, stream);
	}
	array_release(&section);
	array_release(&packed);
	return result;
}

static int put_strings(const struct flow *flow, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, flow->strings.starts.count, err));
	for (uint32_t i = 0; i < flow->strings.starts.count; i++) {
		const char *text = string_table_get(&flow->strings, i);

		TRY(flow_put_block(bytes, text, strlen(text), err));
	}
	return 0;
}

static int put_run(const struct flow *flow, struct flow_bytes *bytes, struct error *err)
{
	const uint64_t *left_out = (const uint64_t *)&flow->left_out;

	TRY(flow_put(bytes, flow->times, err));
	TRY(flow_put(bytes, flow->level, err));
	TRY(flow_put(bytes, flow->folds, err));
	TRY(flow_put(bytes, flow->calls, err));
	for (size_t i = 0; i < sizeof flow->left_out / sizeof *left_out; i++)
		TRY(flow_put(bytes, left_out[i], err));
	TRY(flow_world_put((struct flow *)flow, &flow->world, bytes, err));
	TRY(flow_put(bytes, flow->groups.count, err));
	for (size_t g = 0; g < flow->groups.count; g++) {
		const struct flow_group *group = &flow->groups.items[g];

		TRY(flow_put(bytes, group->id, err));
		TRY(flow_put(bytes, group->members.count, err));
		for (size_t i = 0; i < group->members.count; i++)
			TRY(flow_put(bytes, group->members.items[i], err));
	}
	return 0;
}

static int put_signatures(const struct flow *flow, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, flow->signature_sizes.count, err));
	for (uint32_t i = 0; i < flow->signature_sizes.count; i++)
		TRY(flow_put_block(bytes, string_table_get(&flow->signatures, i),
				   flow->signature_sizes.items[i], err));
	return 0;
}

static int put_graphs(const struct flow *flow, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, flow->graphs.count, err));
	for (size_t i = 0; i < flow->graphs.count; i++)
		TRY(flow_graph_put(&flow->graphs.items[i], bytes, err));
	return 0;
}

static int put_ids(const struct flow_ids *ids, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, ids->count, err));
	for (size_t i = 0; i < ids->count; i++)
		TRY(flow_put(bytes, ids->items[i], err));
	return 0;
}

/* Append the sizes of what is in the data. */
static int put_packed(const struct flow_packed *packed, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, packed->raw_count, err));
	return flow_put(bytes, packed->count, err);
}

/* Windows lie apart, in order: put the distance to the one before. */
static int put_recorded(const struct flow_rank *rank, struct flow_bytes *bytes, struct error *err)
{
	uint64_t before = 0;

	TRY(flow_put(bytes, rank->recorded.count, err));
	for (size_t i = 0; i < rank->recorded.count; i++) {
		const struct flow_window *window = &rank->recorded.items[i];

		TRY(flow_put(bytes, window->first_call - before, err));
		TRY(flow_put(bytes, window->calls, err));
		TRY(flow_put(bytes, window->header, err));
		TRY(flow_put(bytes, window->first_visit, err));
		TRY(flow_put(bytes, window->visits, err));
		TRY(flow_put(bytes, window->round, err));
		before = window->first_call + window->calls;
	}
	return 0;
}

static int put_rank(const struct flow_rank *rank, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, rank->lossy ? RANK_LOSSY : 0, err));
	TRY(put_ids(&rank->comms, bytes, err));
	TRY(put_ids(&rank->windows, bytes, err));
	TRY(put_ids(&rank->groups, bytes, err));
	TRY(put_packed(&rank->order, bytes, err));
	TRY(put_packed(&rank->requests, bytes, err));
	TRY(flow_put(bytes, rank->threads.count, err));
	for (size_t t = 0; t < rank->threads.count; t++) {
		const struct flow_thread *thread = &rank->threads.items[t];

		TRY(flow_put(bytes, thread->graph, err));
		TRY(flow_put(bytes, thread->calls, err));
		TRY(flow_put(bytes, thread->begin_ns, err));
		TRY(put_packed(&thread->values, bytes, err));
		TRY(put_packed(&thread->times, bytes, err));
		TRY(put_ids(&thread->contents, bytes, err));
	}
	return put_recorded(rank, bytes, err);
}

static int put_ranks(const struct flow *flow, struct flow_bytes *bytes, struct error *err)
{
	TRY(flow_put(bytes, flow->first_rank, err));
	TRY(flow_put(bytes, flow->rank_count, err));
	for (uint32_t r = 0; r < flow->rank_count; r++)
		TRY(put_rank(&flow->ranks[r], bytes, err));
	return 0;
}

int flow_rank_data(const struct flow_rank *rank, flow_take_data *take, void *data,
		   struct error *err)
{
	TRY(take(data, &rank->order, err));
	TRY(take(data, &rank->requests, err));
	for (size_t t = 0; t < rank->threads.count; t++) {
		TRY(take(data, &rank->threads.items[t].values, err));
		TRY(take(data, &rank->threads.items[t].times, err));
	}
	return 0;
}

static int write_part(const struct flow *flow, FILE *stream, unsigned number,
		      struct flow_bytes *bytes,
		      int (*put)(const struct flow *, struct flow_bytes *, struct error *),
		      struct error *err)
{
	bytes->count = 0;
	TRY(put(flow, bytes, err));
	return write_section(stream, number, bytes, true, err);
}

static int write_parts(const struct flow *flow, FILE *stream, struct flow_bytes *bytes,
		       struct error *err)
{
	/* Names of communicators and hosts are among the strings already. */
	TRY(write_part(flow, stream, SECTION_STRINGS, bytes, put_strings, err));
	TRY(write_part(flow, stream, SECTION_RUN, bytes, put_run, err));
	TRY(write_part(flow, stream, SECTION_SIGNATURES, bytes, put_signatures, err));
	TRY(write_part(flow, stream, SECTION_GRAPHS, bytes, put_graphs, err));
	return write_part(flow, stream, SECTION_RANKS, bytes, put_ranks, err);
}

/* ------------------------------------------------------------------ the data of ranks */

static int add_size(void *data, const struct flow_packed *packed, struct error *err)
{
	(void)err;
	*(uint64_t *)data += packed->count;
	return 0;
}

int flow_data_size(const struct flow *flow, uint32_t first, uint32_t count, uint64_t *size,
		   struct error *err)
{
	*size = 0;
	for (uint32_t r = first; r < first + count; r++)
		TRY(flow_rank_data(flow_rank_of(flow, r), add_size, size, err));
	return 0;
}

/* Begin the section of the data, whose bytes follow. */
static int begin_data(struct flow_writer *writer, struct flow_bytes *bytes, struct error *err)
{
	const uint64_t size = writer->left;

	bytes->count = 0;
	TRY(flow_put(bytes, SECTION_DATA, err));
	TRY(flow_put(bytes, size, err));
	TRY(flow_put(bytes, size, err));
	writer->checksum = HASH_NO_BYTES;
	flow_write_data(writer, bytes->items, bytes->count);
	writer->left = size;
	return 0;
}

/* Begin a file; with_data: the data of ranks will follow, else they have a section without bytes. */
static int write_begin(struct flow_writer *writer, const struct flow *flow, FILE *stream,
		       bool with_data, struct error *err)
{
	/* The version, and its complement in place of a checksum. */
	const uint8_t version[] = {FLOW_VERSION, (uint8_t)~FLOW_VERSION};
	struct flow_bytes bytes = {0};
	int result = 0;

	*writer = (struct flow_writer){.stream = stream};
	fwrite(FLOW_MAGIC, 1, FLOW_MAGIC_BYTES, stream);
	fwrite(version, 1, sizeof version, stream);
	if (with_data)
		result = flow_data_size(flow, flow->first_rank, flow->rank_count, &writer->left,
					err);
	if (result == 0)
		result = write_parts(flow, stream, &bytes, err);
	if (result == 0)
		result = begin_data(writer, &bytes, err);
	array_release(&bytes);
	return result;
}

int flow_write_begin(struct flow_writer *writer, const struct flow *flow, FILE *stream,
		     struct error *err)
{
	return write_begin(writer, flow, stream, true, err);
}

void flow_write_data(struct flow_writer *writer, const void *bytes, size_t count)
{
	writer->left -= count;
	if (!count)
		return;
	writer->checksum = hash_more_bytes(writer->checksum, bytes, count);
	fwrite(bytes, 1, count, writer->stream);
}

int flow_write_end(struct flow_writer *writer, struct error *err)
{
	struct flow_bytes bytes = {0};
	int result;

	if (writer->left)
		return error_set(err, STATUS_DATA, "damaged: not the data that ranks promised");
	fwrite(&writer->checksum, 1, FLOW_CHECKSUM_BYTES, writer->stream);
	result = write_section(writer->stream, SECTION_END, &bytes, false, err);
	array_release(&bytes);
	return result;
}

static int write_packed(void *data, const struct flow_packed *packed, struct error *err)
{
	(void)err;
	flow_write_data(data, packed->bytes, packed->count);
	return 0;
}

int flow_write(const struct flow *flow, FILE *stream, struct error *err)
{
	struct flow_writer writer;

	TRY(flow_write_begin(&writer, flow, stream, err));
	for (uint32_t r = 0; r < flow->rank_count; r++)
		TRY(flow_rank_data(&flow->ranks[r], write_packed, &writer, err));
	return flow_write_end(&writer, err);
}

static int write_tables(const struct flow *flow, FILE *stream, struct error *err)
{
	struct flow_writer writer;

	TRY(write_begin(&writer, flow, stream, false, err));
	return flow_write_end(&writer, err);
}

static int to_bytes(const struct flow *flow,
		    int (*write)(const struct flow *, FILE *, struct error *),
		    struct flow_bytes *bytes, struct error *err)
{
	char *text = NULL;
	size_t count = 0;
	FILE *stream = open_memstream(&text, &count);
	int result;

	*bytes = (struct flow_bytes){0};
	if (!stream)
		return error_set_memory(err, 0);
	result = write(flow, stream, err);
	if (fclose(stream) != 0 && result == 0)
		result = error_set_memory(err, count);
	if (result == 0)
		*bytes = (struct flow_bytes){(uint8_t *)text, count, count};
	else
		free(text);
	return result;
}

int flow_to_bytes(const struct flow *flow, struct flow_bytes *bytes, struct error *err)
{
	return to_bytes(flow, flow_write, bytes, err);
}

int flow_tables_to_bytes(const struct flow *flow, struct flow_bytes *bytes, struct error *err)
{
	return to_bytes(flow, write_tables, bytes, err);
}
