#include "goal/calls_format.h"
#include "goal/image.h"

#include <errno.h>
#include <unistd.h>

int goal_builder_measure(struct goal_builder *builder, struct error *err)
{
	const size_t op_count = builder->ops.count;
	struct goal_links *links;

	builder->links.count = 0;
	TRY(array_reserve(&builder->links, op_count, err));
	links = builder->links.items;
	if (op_count)
		memset(links, 0, op_count * sizeof *links);
	for (size_t i = 0; i < builder->dependencies.count; i++) {
		const struct goal_dependency *d = &builder->dependencies.items[i];

		links[d->after].dependencies++;
		if (d->irequires)
			links[d->before].irequires++;
		else
			links[d->before].requires++;
	}
	builder->max_cpu = builder->max_nic = 0;
	builder->root_count = 0;
	for (size_t i = 0; i < op_count; i++)
		builder->root_count += links[i].dependencies == 0;
	builder->block_bytes = GOAL_BLOCK_BYTES + (uint64_t)builder->root_count * 4 +
			       op_count * GOAL_OP_BYTES + (uint64_t)builder->dependencies.count * 4;
	return 0;
}

/*
 * A counting sort of the dependencies by the operation depended on.  The links
 * say where the next successor goes; in the end, where the last one has gone.
 */
static void sort_successors(struct goal_builder *builder, uint8_t *successors)
{
	struct goal_links *links = builder->links.items;
	uint32_t used = 0;

	for (size_t i = 0; i < builder->ops.count; i++) {
		const struct goal_links counts = links[i];

		links[i].requires = used;
		used += counts.requires;
		links[i].irequires = used;
		used += counts.irequires;
	}
	for (size_t i = 0; i < builder->dependencies.count; i++) {
		const struct goal_dependency *d = &builder->dependencies.items[i];
		uint32_t *next = d->irequires ? &links[d->before].irequires
					      : &links[d->before].requires;

		goal_store32(successors + (size_t)(*next)++ * 4, d->after);
	}
}

/* The highest cpu and nic are noted where the operations are gone through anyway. */
static void note_maxima(struct goal_builder *builder, const struct goal_new_op *op)
{
	if (op->cpu > builder->max_cpu)
		builder->max_cpu = op->cpu;
	if (op->nic > builder->max_nic)
		builder->max_nic = op->nic;
}

/* `used` successors belong to the operations before; returns how many then do. */
static uint32_t encode_op(uint8_t *record, const struct goal_new_op *op,
			  const struct goal_links *links, uint32_t used)
{
	goal_store32(record + GOAL_AT_DEPENDENCIES, links->dependencies);
	record[GOAL_AT_KIND] = op->kind;
	goal_store32(record + GOAL_AT_PEER, op->peer);
	goal_store64(record + GOAL_AT_SIZE, op->size);
	goal_store32(record + GOAL_AT_TAG, op->tag);
	record[GOAL_AT_CPU] = op->cpu;
	record[GOAL_AT_NIC] = op->nic;
	goal_store32(record + GOAL_AT_REQUIRES_COUNT, links->requires - used);
	goal_store32(record + GOAL_AT_REQUIRES_FIRST, used);
	goal_store32(record + GOAL_AT_IREQUIRES_COUNT, links->irequires - links->requires);
	goal_store32(record + GOAL_AT_IREQUIRES_FIRST, links->requires);
	return links->irequires;
}

int goal_builder_encode(struct goal_builder *builder, struct goal_block *block, struct error *err)
{
	uint8_t *bytes, *roots, *ops, *successors;
	uint32_t used = 0;

	TRY(goal_builder_measure(builder, err));
	builder->bytes.count = 0;
	TRY(array_reserve(&builder->bytes, builder->block_bytes, err));
	bytes = builder->bytes.items;
	roots = bytes + GOAL_BLOCK_BYTES;
	ops = roots + (size_t)builder->root_count * 4;
	successors = ops + builder->ops.count * GOAL_OP_BYTES;
	goal_store32(bytes, (uint32_t)builder->ops.count);
	goal_store32(bytes + 4, builder->root_count);
	sort_successors(builder, successors);
	for (uint32_t i = 0; i < builder->ops.count; i++) {
		const struct goal_links *links = &builder->links.items[i];

		note_maxima(builder, &builder->ops.items[i]);
		used = encode_op(ops + (size_t)i * GOAL_OP_BYTES, &builder->ops.items[i], links,
				 used);
		if (links->dependencies == 0) {
			goal_store32(roots, i);
			roots += 4;
		}
	}
	builder->bytes.count = builder->block_bytes;
	*block = (struct goal_block){
		.roots = bytes + GOAL_BLOCK_BYTES, .ops = ops, .successors = successors,
		.op_count = (uint32_t)builder->ops.count, .root_count = builder->root_count,
		.successor_count = (uint32_t)builder->dependencies.count,
	};
	return 0;
}

/* --------------------------------------------------------- a piece at a time */

/* Pieces stay in the processor's cache; a whole number of steps of the hash. */
enum { PIECE_BYTES = 64 * 2048 };

struct stream {
	const struct goal_place *place;
	uint8_t *piece;
	size_t used;		/* of the piece */
	uint64_t written;
	struct goal_hash hash;
};

static int write_piece(struct stream *stream, const uint8_t *bytes, size_t count, struct error *err)
{
	if (stream->place->hashed)
		goal_hash_add(&stream->hash, bytes, count);
	while (count) {
		const ssize_t done = pwrite(stream->place->file, bytes, count,
					    (off_t)(stream->place->at + stream->written));

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_set_errno(err, "%s: cannot be written", stream->place->name);
		bytes += done;
		count -= (size_t)done;
		stream->written += (uint64_t)done;
	}
	return 0;
}

/* Room for `bytes`, which are few, behind what is there. */
static int make_room(struct stream *stream, size_t bytes, struct error *err)
{
	if (stream->used + bytes <= PIECE_BYTES + GOAL_OP_BYTES)
		return 0;
	TRY(write_piece(stream, stream->piece, PIECE_BYTES, err));
	stream->used -= PIECE_BYTES;
	memcpy(stream->piece, stream->piece + PIECE_BYTES, stream->used);
	return 0;
}

static int put_number(struct stream *stream, uint32_t number, struct error *err)
{
	TRY(make_room(stream, 4, err));
	goal_store32(stream->piece + stream->used, number);
	stream->used += 4;
	return 0;
}

static int put_all(struct stream *stream, struct goal_builder *builder, struct error *err)
{
	uint32_t used = 0;

	TRY(put_number(stream, (uint32_t)builder->ops.count, err));
	TRY(put_number(stream, builder->root_count, err));
	for (uint32_t i = 0; i < builder->ops.count; i++)
		if (builder->links.items[i].dependencies == 0)
			TRY(put_number(stream, i, err));
	for (size_t i = 0; i < builder->ops.count; i++) {
		TRY(make_room(stream, GOAL_OP_BYTES, err));
		note_maxima(builder, &builder->ops.items[i]);
		used = encode_op(stream->piece + stream->used, &builder->ops.items[i],
				 &builder->links.items[i], used);
		stream->used += GOAL_OP_BYTES;
	}
	for (size_t i = 0; i < builder->dependencies.count; i++)
		TRY(put_number(stream, builder->successors.items[i], err));
	if (stream->used > PIECE_BYTES)
		TRY(make_room(stream, PIECE_BYTES, err));
	return write_piece(stream, stream->piece, stream->used, err);
}

int goal_builder_write(struct goal_builder *builder, const struct goal_place *place,
		       struct error *err)
{
	struct stream stream = {.place = place};

	builder->successors.count = builder->bytes.count = 0;
	TRY(array_reserve(&builder->successors, builder->dependencies.count, err));
	TRY(array_reserve(&builder->bytes, PIECE_BYTES + 2 * GOAL_OP_BYTES, err));
	stream.piece = builder->bytes.items;
	goal_hash_begin(&stream.hash, builder->block_bytes);
	sort_successors(builder, (uint8_t *)builder->successors.items);
	TRY(put_all(&stream, builder, err));
	builder->calls.hash = goal_hash_end(&stream.hash);
	return 0;
}
