/* Writer of graphs, one operation after the other, in text or binary. */
#include "common/units.h"
#include "goal/calls_format.h"
#include "goal/image.h"
#include "goal/print.h"

#include <sys/mman.h>

const struct output_format goal_output_formats[] = {
	[GOAL_TEXT] = {"text", ".goal .txt", NULL},
	[GOAL_BINARY] = {"bin", ".bin", NULL},
	{0},
};

static int writer_failed(const struct goal_writer *writer, struct error *err)
{
	return error_set_errno(err, "%s: cannot be written", output_name(&writer->output));
}

static void writer_release(struct goal_writer *writer)
{
	array_release(&writer->block_ends);
	array_release(&writer->image);
	array_release(&writer->calls_header);
	goal_spill_release(&writer->ahead);
}

void goal_writer_discard(struct goal_writer *writer)
{
	output_discard(&writer->output);
	output_discard(&writer->calls);
	writer_release(writer);
}

static uint64_t header_bytes(const struct goal_writer *writer)
{
	return GOAL_HEADER_BYTES + (uint64_t)writer->rank_count * GOAL_JUMP_BYTES;
}

/* Leave room for the header and the jump table, or open the file that is written ahead. */
static int reserve_header(struct goal_writer *writer, struct error *err)
{
	if (!writer->in_memory && !writer->output.temporary)
		return goal_spill_resize(&writer->ahead, &writer->output, header_bytes(writer),
					 err);
	if (!writer->in_memory)
		return 0;
	TRY(array_reserve(&writer->image, header_bytes(writer), err));
	writer->image.count = header_bytes(writer);
	return 0;
}

static int writer_start(struct goal_writer *writer, const char *path, enum goal_format format,
			uint32_t rank_count, struct error *err)
{
	memset(writer, 0, sizeof *writer);
	writer->format = format;
	writer->rank_count = rank_count;
	if (rank_count == 0)
		return error_set(err, STATUS_DATA, "a graph needs at least one rank");
	writer->in_memory = !path;
	if (path)
		TRY(output_open(&writer->output, path, err));
	if (format == GOAL_BINARY)
		return reserve_header(writer, err);
	if (fprintf(writer->output.stream, "num_ranks %u\n", rank_count) < 0)
		return writer_failed(writer, err);
	return 0;
}

int goal_writer_open(struct goal_writer *writer, const char *path, enum goal_format format,
		     uint32_t rank_count, struct error *err)
{
	if (writer_start(writer, path, format, rank_count, err) < 0) {
		goal_writer_discard(writer);
		return -1;
	}
	return 0;
}

int goal_writer_open_memory(struct goal_writer *writer, uint32_t rank_count, struct error *err)
{
	return goal_writer_open(writer, NULL, GOAL_BINARY, rank_count, err);
}

static void writer_note_maxima(struct goal_writer *writer, const struct goal_block *block)
{
	for (uint32_t i = 0; i < block->op_count; i++) {
		const uint8_t *record = block->ops + (size_t)i * GOAL_OP_BYTES;

		if (record[GOAL_AT_CPU] > writer->max_cpu)
			writer->max_cpu = record[GOAL_AT_CPU];
		if (record[GOAL_AT_NIC] > writer->max_nic)
			writer->max_nic = record[GOAL_AT_NIC];
	}
}

/* Reserve the place of the next rank. *begin counts from GOAL_BASE. */
static int writer_reserve(struct goal_writer *writer, uint64_t bytes, uint64_t *begin,
			  struct error *err)
{
	const size_t reserved = writer->block_ends.count;

	if (reserved == writer->rank_count)
		return error_set(err, STATUS_DATA, "more than the %u rank%s announced",
				 writer->rank_count, plural(writer->rank_count));
	*begin = reserved ? writer->block_ends.items[reserved - 1]
			  : header_bytes(writer) - GOAL_BASE;
	return array_push(&writer->block_ends, *begin + bytes, err);
}

static int writer_collect(struct goal_writer *writer, const uint8_t *bytes, size_t count,
			  struct error *err)
{
	TRY(array_reserve(&writer->image, count, err));
	memcpy(writer->image.items + writer->image.count, bytes, count);
	writer->image.count += count;
	return 0;
}

static int writer_print_text(struct goal_writer *writer, const struct goal_block *block,
			     void *mapped, struct error *err)
{
	if (goal_print_rank(writer->output.stream, writer->ranks_written, block, mapped, err) < 0)
		return -1;
	return ferror(writer->output.stream) ? writer_failed(writer, err) : 0;
}

/* File that a binary graph goes to. */
static int file_of(const struct goal_writer *writer)
{
	return writer->ahead.open ? writer->ahead.file : fileno(writer->output.stream);
}

/* Put a block into its place, which begins at `begin`. */
static int put_block(struct goal_writer *writer, uint64_t begin, const uint8_t *bytes,
		     size_t count, struct error *err)
{
	if (writer->in_memory)
		return writer_collect(writer, bytes, count, err);
	return goal_write_at(file_of(writer), GOAL_BASE + begin, bytes, count,
			     output_name(&writer->output), err);
}

int goal_writer_block(struct goal_writer *writer, const struct goal_block *block,
		      struct error *err)
{
	const uint8_t *bytes = block->roots - GOAL_BLOCK_BYTES;
	const size_t count = (size_t)(block->successors - bytes) +
			     (size_t)block->successor_count * 4;
	uint64_t begin;

	TRY(writer_reserve(writer, count, &begin, err));
	writer_note_maxima(writer, block);
	if (writer->format == GOAL_TEXT)
		TRY(writer_print_text(writer, block, NULL, err));
	else
		TRY(put_block(writer, begin, bytes, count, err));
	writer->ranks_written++;
	return 0;
}

int goal_writer_called_block(struct goal_writer *writer, const struct goal_block *block,
			     const struct goal_calls *calls, uint32_t rank, struct error *err)
{
	const struct goal_calls_block *entries = &calls->ranks[rank];
	struct goal_calls_rank copied = {0};

	TRY(goal_writer_block(writer, block, err));
	if (!writer->calls.stream)
		return 0;
	copied.entries.items = (uint8_t *)entries->entries;
	copied.entries.count = (size_t)(entries->end - entries->entries);
	copied.hash = goal_calls_hash(block);
	return goal_calls_write_rank(writer, &copied, block->op_count, err);
}

int goal_writer_reserve(struct goal_writer *writer, struct goal_builder *builder, struct error *err)
{
	return writer_reserve(writer, goal_builder_block_bytes(builder), &builder->place, err);
}

/* Whether to encode the rank in memory, as it is small or has no temporary files. */
static bool is_encoded_in_memory(const struct goal_writer *writer,
				 const struct goal_builder *builder)
{
	const uint64_t most = (uint64_t)goal_builder_keep(builder) * sizeof(struct goal_new_op);

	return writer->in_memory || !builder->beside || goal_builder_block_bytes(builder) <= most;
}

/* Hash a rank that has been encoded into a file. */
static int hash_file(struct goal_builder *builder, const struct goal_place *place,
		     struct error *err)
{
	const uint64_t bytes = goal_builder_block_bytes(builder);
	const size_t most = (size_t)goal_builder_keep(builder) * 4;
	struct goal_hash hash;

	TRY(array_reserve(&builder->work, most, err));
	goal_hash_begin(&hash, bytes);
	for (uint64_t at = 0, count; at < bytes; at += count) {
		count = bytes - at < most ? bytes - at : most;
		TRY(goal_read_at(place->file, place->at + at, builder->work.items, count,
				 place->name, err));
		goal_hash_add(&hash, builder->work.items, count);
	}
	builder->calls.hash = goal_hash_end(&hash);
	return 0;
}

static int place_in_memory(const struct goal_writer *writer, struct goal_builder *builder,
			   struct error *err)
{
	TRY(goal_builder_encode(builder, &builder->block, err));
	if (writer->calls.stream)
		builder->calls.hash = goal_calls_hash(&builder->block);
	if (writer->format == GOAL_TEXT || writer->in_memory)
		return 0;
	return goal_write_at(file_of(writer), GOAL_BASE + builder->place, builder->bytes.items,
			     builder->bytes.count, output_name(&writer->output), err);
}

int goal_writer_place(const struct goal_writer *writer, struct goal_builder *builder,
		      struct error *err)
{
	struct goal_place place = {.name = output_name(&writer->output)};

	if (is_encoded_in_memory(writer, builder))
		return place_in_memory(writer, builder, err);
	if (writer->format == GOAL_TEXT) {
		TRY(goal_spill_resize(&builder->encoded, &writer->output,
				      goal_builder_block_bytes(builder), err));
		place.file = builder->encoded.file;
	} else {
		place.file = file_of(writer);
		place.at = GOAL_BASE + builder->place;
	}
	TRY(goal_builder_write(builder, &place, err));
	return writer->calls.stream ? hash_file(builder, &place, err) : 0;
}

/* Print a rank that has been encoded into a temporary file. */
static int print_file(struct goal_writer *writer, const struct goal_builder *builder,
		      struct error *err)
{
	const struct goal_spill *encoded = &builder->encoded;
	struct goal_block block;
	void *bytes;
	int result;

	if (encoded->bytes > SIZE_MAX)
		return error_set_memory(err, SIZE_MAX);
	bytes = mmap(NULL, encoded->bytes, PROT_READ, MAP_SHARED, encoded->file, 0);
	if (bytes == MAP_FAILED)
		return error_set_errno(err, "%s: cannot be read back",
				       output_name(&writer->output));
	block = goal_builder_block(builder, bytes);
	result = writer_print_text(writer, &block, bytes, err);
	munmap(bytes, encoded->bytes);
	return result;
}

int goal_writer_placed(struct goal_writer *writer, const struct goal_builder *builder,
		       struct error *err)
{
	if (builder->max_cpu > writer->max_cpu)
		writer->max_cpu = builder->max_cpu;
	if (builder->max_nic > writer->max_nic)
		writer->max_nic = builder->max_nic;
	if (writer->format == GOAL_TEXT)
		TRY(builder->encoded.bytes ? print_file(writer, builder, err)
					   : writer_print_text(writer, &builder->block, NULL, err));
	else if (writer->in_memory)
		TRY(writer_collect(writer, builder->bytes.items, builder->bytes.count, err));
	writer->ranks_written++;
	return writer->calls.stream ? goal_calls_write_rank(writer, &builder->calls,
							    goal_builder_op_count(builder), err)
				    : 0;
}

int goal_writer_rank(struct goal_writer *writer, struct goal_builder *builder, struct error *err)
{
	TRY(goal_writer_reserve(writer, builder, err));
	TRY(goal_writer_place(writer, builder, err));
	return goal_writer_placed(writer, builder, err);
}

static void store_header(const struct goal_writer *writer, uint8_t *header)
{
	uint64_t begin = header_bytes(writer) - GOAL_BASE;

	goal_store64(header, GOAL_COOKIE);
	goal_store32(header + 8, writer->rank_count);
	header[12] = writer->max_cpu;
	header[13] = writer->max_nic;
	for (uint32_t rank = 0; rank < writer->rank_count; rank++) {
		uint8_t *jump = header + GOAL_HEADER_BYTES + (size_t)rank * GOAL_JUMP_BYTES;

		goal_store64(jump, begin);
		begin = writer->block_ends.items[rank];
		goal_store64(jump + 8, begin);
	}
}

/* Copy the ranks written ahead to the output. */
static int copy_ahead(struct goal_writer *writer, struct error *err)
{
	const uint64_t bytes = writer->block_ends.items[writer->rank_count - 1] + GOAL_BASE;
	uint8_t piece[1 << 14];

	for (uint64_t at = 0, count; at < bytes; at += count) {
		count = bytes - at < sizeof piece ? bytes - at : sizeof piece;
		TRY(goal_spill_read(&writer->ahead, at, piece, count, err));
		if (fwrite(piece, 1, count, writer->output.stream) != count)
			return writer_failed(writer, err);
	}
	return 0;
}

static int write_header(struct goal_writer *writer, struct error *err)
{
	const size_t count = header_bytes(writer);

	if (writer->in_memory) {
		store_header(writer, writer->image.items);
		return 0;
	}
	TRY(array_reserve(&writer->image, count, err));
	store_header(writer, writer->image.items);
	TRY(goal_write_at(file_of(writer), 0, writer->image.items, count,
			  output_name(&writer->output), err));
	return writer->ahead.open ? copy_ahead(writer, err) : 0;
}

static int writer_complete(struct goal_writer *writer, struct error *err)
{
	if (writer->ranks_written < writer->rank_count)
		return error_set(err, STATUS_DATA, "only %u of %u rank%s written",
				 writer->ranks_written, writer->rank_count,
				 plural(writer->rank_count));
	return writer->format == GOAL_BINARY ? write_header(writer, err) : 0;
}

int goal_writer_close(struct goal_writer *writer, struct error *err)
{
	int result;

	if (writer_complete(writer, err) < 0) {
		goal_writer_discard(writer);
		return -1;
	}
	result = output_commit(&writer->output, err);
	if (result == 0 && writer->calls.stream)
		result = goal_calls_close(writer, err);
	output_discard(&writer->calls);
	writer_release(writer);
	return result;
}

int goal_writer_finish(struct goal_writer *writer, struct input *image, struct error *err)
{
	int result = writer_complete(writer, err);

	memset(image, 0, sizeof *image);
	if (result == 0) {
		image->bytes = writer->image.items;
		image->count = writer->image.count;
		writer->image.items = NULL;
	}
	writer_release(writer);
	return result;
}
