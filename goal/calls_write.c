/* Writer of the side file FILE.calls (doc/calls-format.md). */
#include "common/output.h"
#include "common/text.h"
#include "goal/calls_format.h"
#include "goal/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *goal_calls_path(const char *path)
{
	char *name;

	return asprintf(&name, "%s.calls", path) < 0 ? NULL : name;
}

int goal_declare_calls(const char *output, struct error *err)
{
	char *path = output_final_path(output), *calls = path ? goal_calls_path(path) : NULL;
	int result = 0;

	if (calls)
		result = output_declare(calls, err);
	free(calls);
	free(path);
	return result;
}

/*
 * Hash by eight independent sums, into which each word is multiplied by constants of splitmix64.
 * This keeps up with memory.  Every step is one-to-one, so a change of one byte changes the
 * hash.  It detects mistakes, not malice.
 */
void goal_hash_begin(struct goal_hash *hash, uint64_t bytes)
{
	*hash = (struct goal_hash){{bytes, 1, 2, 3, 4, 5, 6, 7}};
}

void goal_hash_add(struct goal_hash *hash, const uint8_t *bytes, size_t count)
{
	const uint64_t factor = UINT64_C(0xbf58476d1ce4e5b9);
	struct goal_hash sums = *hash;

	for (; count >= GOAL_HASH_STEP_BYTES;
	     bytes += GOAL_HASH_STEP_BYTES, count -= GOAL_HASH_STEP_BYTES) {
		for (int i = 0; i < GOAL_HASH_LANES; i++) {
			sums.lanes[i] = (sums.lanes[i] ^ goal_load64(bytes + 8 * i)) * factor;
			sums.lanes[i] ^= sums.lanes[i] >> 29;
		}
	}
	for (; count; bytes++, count--)
		sums.lanes[0] = (sums.lanes[0] ^ *bytes) * factor;
	*hash = sums;
}

uint64_t goal_hash_end(const struct goal_hash *hash)
{
	uint64_t sum = 0;

	for (int i = 0; i < GOAL_HASH_LANES; i++) {
		sum = (sum ^ hash->lanes[i]) * UINT64_C(0x94d049bb133111eb);
		sum ^= sum >> 31;
	}
	return sum;
}

uint64_t goal_hash_bytes(const uint8_t *bytes, size_t count)
{
	struct goal_hash hash;

	goal_hash_begin(&hash, count);
	goal_hash_add(&hash, bytes, count);
	return goal_hash_end(&hash);
}

uint64_t goal_calls_hash(const struct goal_block *block)
{
	const uint8_t *bytes = block->roots - GOAL_BLOCK_BYTES;
	const size_t count = (size_t)(block->successors - bytes) +
			     (size_t)block->successor_count * 4;

	return goal_hash_bytes(bytes, count);
}

void goal_calls_rank_clear(struct goal_calls_rank *rank)
{
	rank->entries.count = 0;
	goal_spill_clear(&rank->old_entries);
	number_map_clear(&rank->functions);
	number_map_clear(&rank->sites);
	number_map_clear(&rank->communicators);
	rank->communicator_of.count = 0;
	rank->number = rank->time_ns = 0;
	rank->op_count = rank->repeats = 0;
}

void goal_calls_rank_release(struct goal_calls_rank *rank)
{
	array_release(&rank->entries);
	goal_spill_release(&rank->old_entries);
	number_map_release(&rank->functions);
	number_map_release(&rank->sites);
	number_map_release(&rank->communicators);
	array_release(&rank->communicator_of);
}

/* Write seven bits per byte, the lowest first.  The highest bit means that more follow. */
static uint8_t *calls_put_number(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

/* Name in an entry: its number and, at its first use, the name itself. */
struct written_name {
	uint32_t number;
	const char *name;
	size_t name_bytes;		/* to write, with the zero at the end; 0: written before */
};

/* Find a name with a site, 0 if it has none; numbers begin with `first`. */
static int find_name(struct number_map *names, const char *name, uint32_t site, uint32_t first,
		     struct written_name *found, struct error *err)
{
	const uint64_t key = (uint64_t)(uintptr_t)name;

	*found = (struct written_name){.number = number_map_get(names, key, site), .name = name};
	if (found->number != NUMBER_MAP_EMPTY)
		return 0;
	found->number = (uint32_t)names->count + first;
	found->name_bytes = strlen(name) + 1;
	return number_map_add(names, key, site, found->number, err);
}

static uint8_t *put_name(uint8_t *at, const struct written_name *name)
{
	at = calls_put_number(at, name->number);
	if (name->name_bytes)
		memcpy(at, name->name, name->name_bytes);
	return at + name->name_bytes;
}

int goal_calls_rank_add(struct goal_calls_rank *rank, const struct goal_call *call,
			uint32_t op_count, struct error *err)
{
	enum { MOST_BYTES = 6 * 10 };
	struct written_name function, communicator = {0}, site = {0};
	const char *site_text = call->site ? call->site : "";
	size_t site_bytes;
	uint32_t *last;
	uint8_t *at;
	bool changes;

	if (rank->with_sites && call->site)
		TRY(find_name(&rank->sites, call->site, 0, 1, &site, err));
	TRY(find_name(&rank->functions, call->function, site.number, 0, &function, err));
	site_bytes = rank->with_sites && function.name_bytes ? strlen(site_text) + 1 : 0;
	if (function.name_bytes)
		TRY(array_push(&rank->communicator_of, 0, err));
	if (call->communicator)
		TRY(find_name(&rank->communicators, call->communicator, 0, 1, &communicator, err));
	last = &rank->communicator_of.items[function.number];
	changes = *last != communicator.number;
	*last = communicator.number;
	TRY(array_reserve(&rank->entries,
			  MOST_BYTES + function.name_bytes + site_bytes + communicator.name_bytes,
			  err));
	at = rank->entries.items + rank->entries.count;
	at = calls_put_number(at, (uint64_t)op_count << GOAL_CALLS_FLAG_BITS |
				  (changes ? GOAL_CALLS_COMMUNICATOR : 0) |
				  (call->before ? GOAL_CALLS_BEFORE : 0));
	at = put_name(at, &function);
	memcpy(at, site_text, site_bytes);
	at += site_bytes;
	if (changes)
		at = put_name(at, &communicator);
	at = calls_put_number(at, goal_calls_fold(call->number - rank->number));
	at = calls_put_number(at, goal_calls_fold(call->time_ns - rank->time_ns));
	if (rank->repeated)
		at = calls_put_number(at, goal_calls_fold((uint64_t)call->repeats -
							  rank->repeats));
	rank->entries.count = (size_t)(at - rank->entries.items);
	rank->number = call->number;
	rank->time_ns = call->time_ns;
	rank->repeats = call->repeats;
	rank->op_count += op_count;
	return 0;
}

int goal_calls_rank_spill(struct goal_calls_rank *rank, const struct output *beside, size_t most,
			  struct error *err)
{
	const size_t spilled = rank->entries.count / GOAL_HASH_STEP_BYTES * GOAL_HASH_STEP_BYTES;

	if (rank->entries.count < most)
		return 0;
	TRY(goal_spill_append(&rank->old_entries, beside, rank->entries.items, spilled, err));
	rank->entries.count -= spilled;
	memmove(rank->entries.items, rank->entries.items + spilled, rank->entries.count);
	return 0;
}

/* ----------------------------------------------------------------- the file */

static int calls_failed(const struct goal_writer *writer, struct error *err)
{
	return error_set_errno(err, "%s: cannot be written", writer->calls.path);
}

/* Make the header.  Its checksum is added when the file is closed. */
static int make_header(struct goal_writer *writer, const struct goal_calls_origin *origin,
		       struct error *err)
{
	const char *lines[] = {origin->how ? origin->how : "",
			       origin->crowded ? origin->crowded : ""};
	/* A character that is shown takes at most 4 bytes for each of its own. */
	const size_t rooms[] = {4 * strlen(lines[0]) + 1, 4 * strlen(lines[1]) + 1};
	const size_t nodes = origin->nodes ? writer->rank_count : 0;
	const unsigned flags = (origin->timed ? GOAL_CALLS_TIMED : 0) |
			       (origin->nodes ? GOAL_CALLS_NODES : 0) |
			       (origin->sites ? GOAL_CALLS_SITES : 0) |
			       (origin->repeated ? GOAL_CALLS_REPEATED : 0);
	uint8_t *header, *at;

	TRY(array_reserve(&writer->calls_header,
			  GOAL_CALLS_HEADER_BYTES + rooms[0] + rooms[1] +
				  GOAL_CALLS_NODE_BYTES * nodes + 8, err));
	header = writer->calls_header.items;
	memcpy(header, GOAL_CALLS_MAGIC, 8);
	goal_store32(header + 8, GOAL_CALLS_VERSION);
	goal_store32(header + 12, flags);
	goal_store32(header + 16, writer->rank_count);
	goal_store64(header + 20, origin->begin_ns);
	goal_store64(header + GOAL_CALLS_RUN_AT, origin->run_ns);
	at = header + GOAL_CALLS_HEADER_BYTES;
	for (int i = 0; i < 2; i++) {
		const size_t count = strlen(text_show(lines[i], (char *)at, rooms[i])) + 1;

		goal_store32(header + GOAL_CALLS_LINES_AT + 4 * i, (uint32_t)count);
		at += count;
	}
	for (size_t rank = 0; rank < nodes; rank++, at += GOAL_CALLS_NODE_BYTES)
		goal_store32(at, origin->nodes[rank]);
	writer->calls_header.count = (size_t)(at - header) + 8;
	return 0;
}

static int write_calls_header(struct goal_writer *writer, struct error *err)
{
	uint8_t *header = writer->calls_header.items;
	const size_t count = writer->calls_header.count;

	goal_store64(header + count - 8, goal_hash_bytes(header, count - 8));
	return fwrite(header, 1, count, writer->calls.stream) == count ? 0
	       : calls_failed(writer, err);
}

int goal_writer_calls(struct goal_writer *writer, const struct goal_calls_origin *origin,
		      struct error *err)
{
	char *path;
	int result;

	if (!writer->output.temporary)
		return 0;
	TRY(make_header(writer, origin, err));
	path = goal_calls_path(writer->output.path);
	if (!path)
		return error_set_memory(err, strlen(writer->output.path));
	result = output_open(&writer->calls, path, err);
	free(path);
	TRY(result);
	return write_calls_header(writer, err);
}

void goal_writer_run(struct goal_writer *writer, uint64_t run_ns)
{
	if (writer->calls.stream)
		goal_store64(writer->calls_header.items + GOAL_CALLS_RUN_AT, run_ns);
}

int goal_calls_close(struct goal_writer *writer, struct error *err)
{
	if (fseek(writer->calls.stream, 0, SEEK_SET) < 0)
		return calls_failed(writer, err);
	TRY(write_calls_header(writer, err));
	return output_commit(&writer->calls, err);
}

/* Hash the entries of a rank or, if `hash` is NULL, write them. */
static int pass_entries(const struct goal_writer *writer, const struct goal_calls_rank *rank,
			struct goal_hash *hash, struct error *err)
{
	uint8_t piece[64 * GOAL_HASH_STEP_BYTES];
	const uint64_t old = rank->old_entries.bytes;

	for (uint64_t at = 0, count; at < old; at += count) {
		count = old - at < sizeof piece ? old - at : sizeof piece;
		TRY(goal_spill_read(&rank->old_entries, at, piece, count, err));
		if (hash)
			goal_hash_add(hash, piece, count);
		else if (fwrite(piece, 1, count, writer->calls.stream) != count)
			return calls_failed(writer, err);
	}
	if (hash)
		goal_hash_add(hash, rank->entries.items, rank->entries.count);
	else if (rank->entries.count && fwrite(rank->entries.items, 1, rank->entries.count,
					       writer->calls.stream) != rank->entries.count)
		return calls_failed(writer, err);
	return 0;
}

int goal_calls_write_rank(struct goal_writer *writer, const struct goal_calls_rank *rank,
			  uint32_t op_count, struct error *err)
{
	uint8_t header[GOAL_CALLS_RANK_BYTES];
	const uint64_t count = rank->old_entries.bytes + rank->entries.count;
	struct goal_hash hash;

	goal_hash_begin(&hash, count);
	TRY(pass_entries(writer, rank, &hash, err));
	goal_store32(header, op_count);
	goal_store64(header + 4, rank->hash);
	goal_store64(header + 12, count);
	goal_store64(header + 20, goal_hash_end(&hash));
	if (fwrite(header, 1, sizeof header, writer->calls.stream) != sizeof header)
		return calls_failed(writer, err);
	return pass_entries(writer, rank, NULL, err);
}
