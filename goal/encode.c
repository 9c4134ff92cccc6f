/*
 * From the operations and dependencies of a rank to its block.
 *
 * Operations are encoded in order. The successors of each follow those of the operation before
 * it, so an operation's first places among the successors are known when it is encoded, and
 * each dependency knows its number from there. Dependencies are placed in the order in which
 * they were added. Most are on operations encoded a short while ago, whose first places are
 * remembered, and their successors lie in a window of the list, which is written when it has
 * been passed. The rest go through the file, one by one.
 */
#include "goal/builder.h"
#include "goal/image.h"

uint64_t goal_builder_block_bytes(const struct goal_builder *builder)
{
	return GOAL_BLOCK_BYTES + (uint64_t)builder->root_count * 4 +
	       (uint64_t)goal_builder_op_count(builder) * GOAL_OP_BYTES +
	       (uint64_t)builder->dependency_count * 4;
}

/* Begin of the successors of an operation. */
struct firsts {
	uint32_t requires, irequires;
};

/* Bytes that follow each other in the block, written a piece at a time. */
struct stream {
	uint8_t *piece;
	size_t used;
	uint64_t at;		/* of the piece, from the begin of the block */
};

struct encoder {
	struct goal_builder *builder;
	const struct goal_place *place;
	uint32_t keep;
	struct stream roots, ops;
	uint64_t ops_at, successors_at;		/* from the begin of the block */
	uint32_t encoded;			/* operations so far */
	uint32_t used;				/* successors of those */
	/* Old operations and dependencies that have been read. */
	struct goal_new_op *op_piece;
	struct goal_dependency *dependency_piece;
	uint32_t op_piece_begin, op_piece_end;
	struct firsts *firsts;			/* of the operations encoded last, a ring */
	uint32_t *window;			/* of the successors ... */
	uint64_t window_begin;			/* ... from this one on */
};

/* Sizes of the working memory, in units of the operations kept: pieces are less than the ring. */
static uint32_t piece_bytes(const struct encoder *encoder)
{
	return 4 * encoder->keep;
}

static uint32_t piece_items(const struct encoder *encoder)
{
	return encoder->keep / 16;
}

static uint32_t ring_ops(const struct encoder *encoder)
{
	return 2 * encoder->keep;
}

static uint32_t window_successors(const struct encoder *encoder)
{
	return 4 * encoder->keep;
}

static void *carve(uint8_t **memory, size_t bytes)
{
	void *piece = *memory;

	*memory += bytes;
	return piece;
}

/* Allocate the working memory, which a builder that is in memory and not spilled does not need. */
static int encode_prepare(struct encoder *encoder, struct error *err)
{
	struct goal_builder *builder = encoder->builder;
	const size_t ops = piece_items(encoder) * sizeof *encoder->op_piece;
	const size_t dependencies = piece_items(encoder) * sizeof *encoder->dependency_piece;
	const size_t firsts = ring_ops(encoder) * sizeof *encoder->firsts;
	const size_t window = window_successors(encoder) * sizeof *encoder->window;
	uint8_t *memory;

	if (encoder->place->memory && !builder->beside)
		return 0;
	builder->work.count = 0;
	TRY(array_reserve(&builder->work,
			  firsts + ops + dependencies + window + 2 * piece_bytes(encoder), err));
	memory = builder->work.items;
	encoder->firsts = carve(&memory, firsts);
	encoder->op_piece = carve(&memory, ops);
	encoder->dependency_piece = carve(&memory, dependencies);
	encoder->window = carve(&memory, window);
	encoder->roots.piece = carve(&memory, piece_bytes(encoder));
	encoder->ops.piece = carve(&memory, piece_bytes(encoder));
	return 0;
}

/* ---------------------------------------------------------------------- writing */

static int write_at(const struct encoder *encoder, uint64_t at, const void *bytes, size_t count,
		    struct error *err)
{
	const struct goal_place *place = encoder->place;

	return goal_write_at(place->file, place->at + at, bytes, count, place->name, err);
}

static int encode_flush(struct encoder *encoder, struct stream *stream, struct error *err)
{
	TRY(write_at(encoder, stream->at, stream->piece, stream->used, err));
	stream->at += stream->used;
	stream->used = 0;
	return 0;
}

/* Place of the next `bytes` of a stream. */
static int extend(struct encoder *encoder, struct stream *stream, size_t bytes, uint8_t **to,
		  struct error *err)
{
	if (encoder->place->memory) {
		*to = encoder->place->memory + stream->at;
		stream->at += bytes;
		return 0;
	}
	if (stream->used + bytes > piece_bytes(encoder))
		TRY(encode_flush(encoder, stream, err));
	*to = stream->piece + stream->used;
	stream->used += bytes;
	return 0;
}

/* ------------------------------------------------------------------- operations */

static int next_op(struct encoder *encoder, const struct goal_new_op **op, struct error *err)
{
	const struct goal_builder *builder = encoder->builder;
	const uint32_t number = encoder->encoded;
	uint32_t count;

	if (number >= builder->first_op) {
		*op = &builder->ops.items[number - builder->first_op];
		return 0;
	}
	if (number == encoder->op_piece_end) {
		count = builder->first_op - number;
		if (count > piece_items(encoder))
			count = piece_items(encoder);
		TRY(goal_spill_read(&builder->old_ops, (uint64_t)number * sizeof **op,
				    encoder->op_piece, count * sizeof **op, err));
		encoder->op_piece_begin = number;
		encoder->op_piece_end = number + count;
	}
	*op = &encoder->op_piece[number - encoder->op_piece_begin];
	return 0;
}

static void encode_note_maxima(struct goal_builder *builder, const struct goal_new_op *op)
{
	if (op->cpu > builder->max_cpu)
		builder->max_cpu = op->cpu;
	if (op->nic > builder->max_nic)
		builder->max_nic = op->nic;
}

static void store_op(uint8_t *record, const struct goal_new_op *op, struct firsts firsts)
{
	goal_store32(record + GOAL_AT_DEPENDENCIES, op->links.dependencies);
	record[GOAL_AT_KIND] = op->kind;
	goal_store32(record + GOAL_AT_PEER, op->peer);
	goal_store64(record + GOAL_AT_SIZE, op->size);
	goal_store32(record + GOAL_AT_TAG, op->tag);
	record[GOAL_AT_CPU] = op->cpu;
	record[GOAL_AT_NIC] = op->nic;
	goal_store32(record + GOAL_AT_REQUIRES_COUNT, op->links.requires);
	goal_store32(record + GOAL_AT_REQUIRES_FIRST, firsts.requires);
	goal_store32(record + GOAL_AT_IREQUIRES_COUNT, op->links.irequires);
	goal_store32(record + GOAL_AT_IREQUIRES_FIRST, firsts.irequires);
}

static int encode_op(struct encoder *encoder, struct error *err)
{
	const struct goal_new_op *op;
	struct firsts firsts;
	uint8_t *to;

	TRY(next_op(encoder, &op, err));
	firsts = (struct firsts){encoder->used, encoder->used + op->links.requires};
	encoder->used = firsts.irequires + op->links.irequires;
	if (encoder->firsts)
		encoder->firsts[encoder->encoded & (ring_ops(encoder) - 1)] = firsts;
	encode_note_maxima(encoder->builder, op);
	if (op->links.dependencies == 0) {
		TRY(extend(encoder, &encoder->roots, 4, &to, err));
		goal_store32(to, encoder->encoded);
	}
	TRY(extend(encoder, &encoder->ops, GOAL_OP_BYTES, &to, err));
	store_op(to, op, firsts);
	encoder->encoded++;
	return 0;
}

/* ------------------------------------------------------------------- successors */

/* Begin of the successors of an encoded operation. */
static int find_firsts(const struct encoder *encoder, uint32_t op, struct firsts *firsts,
		       struct error *err)
{
	const struct goal_place *place = encoder->place;
	const uint64_t at = encoder->ops_at + (uint64_t)op * GOAL_OP_BYTES;
	uint8_t record[GOAL_OP_BYTES];
	const uint8_t *found = record;

	if (place->memory) {
		found = place->memory + at;
	} else if (encoder->encoded - op <= ring_ops(encoder)) {
		*firsts = encoder->firsts[op & (ring_ops(encoder) - 1)];
		return 0;
	} else {
		TRY(goal_read_at(place->file, place->at + at, record, sizeof record, place->name,
				 err));
	}
	firsts->requires = goal_load32(found + GOAL_AT_REQUIRES_FIRST);
	firsts->irequires = goal_load32(found + GOAL_AT_IREQUIRES_FIRST);
	return 0;
}

/* Write the first half of the window; places that have no successor yet are written later. */
static int move_window(struct encoder *encoder, struct error *err)
{
	const uint32_t half = window_successors(encoder) / 2;

	TRY(write_at(encoder, encoder->successors_at + 4 * encoder->window_begin, encoder->window,
		     4 * (size_t)half, err));
	memmove(encoder->window, encoder->window + half, 4 * (size_t)half);
	encoder->window_begin += half;
	return 0;
}

static int place_successor(struct encoder *encoder, uint64_t place, uint32_t successor,
			   struct error *err)
{
	const uint64_t at = encoder->successors_at + 4 * place;

	if (encoder->place->memory) {
		goal_store32(encoder->place->memory + at, successor);
		return 0;
	}
	if (place < encoder->window_begin)
		return write_at(encoder, at, &successor, sizeof successor, err);
	while (place >= encoder->window_begin + window_successors(encoder))
		TRY(move_window(encoder, err));
	encoder->window[place - encoder->window_begin] = successor;
	return 0;
}

static int place_dependencies(struct encoder *encoder, const struct goal_dependency *dependencies,
			      size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct goal_dependency *d = &dependencies[i];
		struct firsts firsts;

		while (encoder->encoded <= d->before)
			TRY(encode_op(encoder, err));
		TRY(find_firsts(encoder, d->before, &firsts, err));
		TRY(place_successor(encoder, (uint64_t)d->number +
				    (d->irequires ? firsts.irequires : firsts.requires),
				    d->after, err));
	}
	return 0;
}

static int place_old_dependencies(struct encoder *encoder, struct error *err)
{
	const struct goal_spill *old = &encoder->builder->old_dependencies;
	const size_t most = piece_items(encoder) * sizeof(struct goal_dependency);
	size_t bytes;

	for (uint64_t at = 0; at < old->bytes; at += bytes) {
		bytes = old->bytes - at < most ? old->bytes - at : most;
		TRY(goal_spill_read(old, at, encoder->dependency_piece, bytes, err));
		TRY(place_dependencies(encoder, encoder->dependency_piece,
				       bytes / sizeof *encoder->dependency_piece, err));
	}
	return 0;
}

/* -------------------------------------------------------------------- the block */

static int flush_all(struct encoder *encoder, struct error *err)
{
	const uint64_t left = encoder->builder->dependency_count - encoder->window_begin;

	if (encoder->place->memory)
		return 0;
	TRY(encode_flush(encoder, &encoder->roots, err));
	TRY(encode_flush(encoder, &encoder->ops, err));
	return write_at(encoder, encoder->successors_at + 4 * encoder->window_begin,
			encoder->window, 4 * left, err);
}

int goal_builder_write(struct goal_builder *builder, const struct goal_place *place,
		       struct error *err)
{
	const uint64_t ops_at = GOAL_BLOCK_BYTES + (uint64_t)builder->root_count * 4;
	const uint32_t op_count = goal_builder_op_count(builder);
	struct encoder encoder = {
		.builder = builder, .place = place, .keep = goal_builder_keep(builder),
		.ops = {.at = ops_at}, .ops_at = ops_at,
		.successors_at = ops_at + (uint64_t)op_count * GOAL_OP_BYTES
	};
	uint8_t *to;

	builder->max_cpu = builder->max_nic = 0;
	TRY(encode_prepare(&encoder, err));
	TRY(extend(&encoder, &encoder.roots, GOAL_BLOCK_BYTES, &to, err));
	goal_store32(to, op_count);
	goal_store32(to + 4, builder->root_count);
	TRY(place_old_dependencies(&encoder, err));
	TRY(place_dependencies(&encoder, builder->dependencies.items, builder->dependencies.count,
			       err));
	while (encoder.encoded < op_count)
		TRY(encode_op(&encoder, err));
	return flush_all(&encoder, err);
}

struct goal_block goal_builder_block(const struct goal_builder *builder, const uint8_t *bytes)
{
	const uint32_t op_count = goal_builder_op_count(builder);
	const uint8_t *roots = bytes + GOAL_BLOCK_BYTES;
	const uint8_t *ops = roots + (size_t)builder->root_count * 4;

	return (struct goal_block){
		.roots = roots, .ops = ops, .successors = ops + (size_t)op_count * GOAL_OP_BYTES,
		.op_count = op_count, .root_count = builder->root_count,
		.successor_count = builder->dependency_count,
	};
}

int goal_builder_encode(struct goal_builder *builder, struct goal_block *block, struct error *err)
{
	struct goal_place place = {0};

	builder->bytes.count = 0;
	TRY(array_reserve(&builder->bytes, goal_builder_block_bytes(builder), err));
	place.memory = builder->bytes.items;
	TRY(goal_builder_write(builder, &place, err));
	builder->bytes.count = goal_builder_block_bytes(builder);
	*block = goal_builder_block(builder, builder->bytes.items);
	return 0;
}
