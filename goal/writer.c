#include "common/units.h"
#include "goal/calls_format.h"
#include "goal/image.h"
#include "goal/print.h"

enum goal_format goal_format_of(const char *path)
{
	size_t length = strlen(path);

	return length >= 4 && !strcmp(path + length - 4, ".bin") ? GOAL_BINARY : GOAL_TEXT;
}

static int failed(const struct goal_writer *writer, struct error *err)
{
	return error_set_errno(err, "%s: cannot be written",
			       writer->output.path ? writer->output.path : "stdout");
}

static void release(struct goal_writer *writer)
{
	array_release(&writer->block_ends);
	array_release(&writer->image);
	array_release(&writer->scratch);
}

void goal_writer_discard(struct goal_writer *writer)
{
	output_discard(&writer->output);
	output_discard(&writer->calls);
	release(writer);
}

static uint64_t header_bytes(const struct goal_writer *writer)
{
	return GOAL_HEADER_BYTES + (uint64_t)writer->rank_count * GOAL_JUMP_BYTES;
}

/* Leave room for the header and the jump table. */
static int reserve_header(struct goal_writer *writer, struct error *err)
{
	if (!writer->collect) {
		if (fseeko(writer->output.stream, (off_t)header_bytes(writer), SEEK_SET) < 0)
			return failed(writer, err);
		return 0;
	}
	TRY(array_reserve(&writer->image, header_bytes(writer), err));
	writer->image.count = header_bytes(writer);
	return 0;
}

static int start(struct goal_writer *writer, const char *path, enum goal_format format,
		 uint32_t rank_count, struct error *err)
{
	memset(writer, 0, sizeof *writer);
	writer->format = format;
	writer->rank_count = rank_count;
	if (rank_count == 0)
		return error_set(err, STATUS_DATA, "a schedule needs at least one rank");
	if (path)
		TRY(output_open(&writer->output, path, err));
	writer->collect = format == GOAL_BINARY && !writer->output.temporary;
	if (format == GOAL_BINARY)
		return reserve_header(writer, err);
	if (fprintf(writer->output.stream, "num_ranks %u\n", rank_count) < 0)
		return failed(writer, err);
	return 0;
}

int goal_writer_open(struct goal_writer *writer, const char *path, enum goal_format format,
		     uint32_t rank_count, struct error *err)
{
	if (start(writer, path, format, rank_count, err) < 0) {
		goal_writer_discard(writer);
		return -1;
	}
	return 0;
}

int goal_writer_open_memory(struct goal_writer *writer, uint32_t rank_count, struct error *err)
{
	return goal_writer_open(writer, NULL, GOAL_BINARY, rank_count, err);
}

static void note_maxima(struct goal_writer *writer, const struct goal_block *block)
{
	for (uint32_t i = 0; i < block->op_count; i++) {
		const uint8_t *record = block->ops + (size_t)i * GOAL_OP_BYTES;

		if (record[GOAL_AT_CPU] > writer->max_cpu)
			writer->max_cpu = record[GOAL_AT_CPU];
		if (record[GOAL_AT_NIC] > writer->max_nic)
			writer->max_nic = record[GOAL_AT_NIC];
	}
}

/* Where the next rank goes that is reserved, counted from GOAL_BASE. */
static int reserve(struct goal_writer *writer, uint64_t bytes, uint64_t *begin, struct error *err)
{
	const size_t reserved = writer->block_ends.count;

	if (reserved == writer->rank_count)
		return error_set(err, STATUS_DATA, "more than the %u rank%s announced",
				 writer->rank_count, plural(writer->rank_count));
	*begin = reserved ? writer->block_ends.items[reserved - 1]
			  : header_bytes(writer) - GOAL_BASE;
	return array_push(&writer->block_ends, *begin + bytes, err);
}

static int collect(struct goal_writer *writer, const uint8_t *bytes, size_t count,
		   struct error *err)
{
	TRY(array_reserve(&writer->image, count, err));
	memcpy(writer->image.items + writer->image.count, bytes, count);
	writer->image.count += count;
	return 0;
}

static int print_text(struct goal_writer *writer, const struct goal_block *block, struct error *err)
{
	if (block->op_count > GOAL_PRINT_MOST_OPS)
		return error_set(err, STATUS_LIMIT,
				 "text of more than %d operations a rank is not supported",
				 GOAL_PRINT_MOST_OPS);
	TRY(array_reserve(&writer->scratch, goal_print_scratch(block), err));
	if (goal_print_rank(writer->output.stream, writer->ranks_written, block,
			    writer->scratch.items) < 0)
		return failed(writer, err);
	return 0;
}

int goal_writer_block(struct goal_writer *writer, const struct goal_block *block,
		      struct error *err)
{
	const uint8_t *bytes = block->roots - GOAL_BLOCK_BYTES;
	const size_t count = (size_t)(block->successors - bytes) +
			     (size_t)block->successor_count * 4;
	uint64_t begin;

	TRY(reserve(writer, count, &begin, err));
	note_maxima(writer, block);
	if (writer->format == GOAL_TEXT)
		TRY(print_text(writer, block, err));
	else if (writer->collect)
		TRY(collect(writer, bytes, count, err));
	else if (fseeko(writer->output.stream, (off_t)(GOAL_BASE + begin), SEEK_SET) < 0 ||
		 fwrite(bytes, 1, count, writer->output.stream) != count)
		return failed(writer, err);
	writer->ranks_written++;
	return 0;
}

int goal_writer_reserve(struct goal_writer *writer, struct goal_builder *builder, struct error *err)
{
	return reserve(writer, builder->block_bytes, &builder->place, err);
}

/* Whether ranks go to their places in a file, by whatever thread. */
static bool has_places(const struct goal_writer *writer)
{
	return writer->format == GOAL_BINARY && !writer->collect;
}

int goal_writer_place(const struct goal_writer *writer, struct goal_builder *builder,
		      struct error *err)
{
	if (has_places(writer))
		return goal_builder_write(builder, &(struct goal_place){
			.file = fileno(writer->output.stream), .at = GOAL_BASE + builder->place,
			.hashed = writer->calls.stream != NULL, .name = writer->output.path}, err);
	TRY(goal_builder_encode(builder, &builder->block, err));
	if (writer->calls.stream)
		builder->calls.hash = goal_calls_hash(&builder->block);
	return 0;
}

int goal_writer_placed(struct goal_writer *writer, const struct goal_builder *builder,
		       struct error *err)
{
	if (builder->max_cpu > writer->max_cpu)
		writer->max_cpu = builder->max_cpu;
	if (builder->max_nic > writer->max_nic)
		writer->max_nic = builder->max_nic;
	if (writer->format == GOAL_TEXT)
		TRY(print_text(writer, &builder->block, err));
	else if (writer->collect)
		TRY(collect(writer, builder->bytes.items, builder->bytes.count, err));
	writer->ranks_written++;
	return writer->calls.stream ? goal_calls_write_rank(writer, &builder->calls,
							    (uint32_t)builder->ops.count, err) : 0;
}

int goal_writer_rank(struct goal_writer *writer, struct goal_builder *builder, struct error *err)
{
	TRY(goal_builder_measure(builder, err));
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

static int write_header(struct goal_writer *writer, struct error *err)
{
	FILE *stream = writer->output.stream;
	size_t count = header_bytes(writer);

	if (writer->collect) {
		store_header(writer, writer->image.items);
		count = writer->image.count;
	} else {
		writer->image.count = 0;
		TRY(array_reserve(&writer->image, count, err));
		store_header(writer, writer->image.items);
		if (fseeko(stream, 0, SEEK_SET) < 0)
			return failed(writer, err);
	}
	if (stream && fwrite(writer->image.items, 1, count, stream) != count)
		return failed(writer, err);
	return 0;
}

static int complete(struct goal_writer *writer, struct error *err)
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

	if (complete(writer, err) < 0) {
		goal_writer_discard(writer);
		return -1;
	}
	result = output_commit(&writer->output, err);
	if (result == 0 && writer->calls.stream)
		result = output_commit(&writer->calls, err);
	output_discard(&writer->calls);
	release(writer);
	return result;
}

int goal_writer_finish(struct goal_writer *writer, struct input *image, struct error *err)
{
	int result = complete(writer, err);

	memset(image, 0, sizeof *image);
	if (result == 0) {
		image->bytes = writer->image.items;
		image->count = writer->image.count;
		writer->image.items = NULL;
	}
	release(writer);
	return result;
}
