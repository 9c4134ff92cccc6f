/* Actions of collectives: from their totals back to arguments. */
#include "eventflow/generate/rank_calls.h"
#include "trace/call/collective_totals.h"

#include <string.h>

/* A collective of a rank, with lists of counts and places of blocks in the program's lists. */
struct collective {
	struct rank_calls *calls;
	const struct mpi_event *event;
	struct collective_blocks blocks;
	const char *function, *operation, *type;
	uint64_t unit; /* bytes of the type */
	struct action *text;
	const char *tail;
	const char *counts,
		*places; /* in the program: lists, of the type that the function takes */
};

/* ---------------------------------------------------------------------- reductions */

const char *reduction_operation(const char *operation)
{
	if (!operation)
		return "MPI_BOR";
	if (!strcmp(operation, "user"))
		return "user_ops[1]";
	if (!strcmp(operation, "user-noncommutative"))
		return "user_ops[0]";
	return operation;
}

const char *reduction_type(const char *operation, uint64_t bytes, uint64_t *unit)
{
	static const struct {
		uint64_t bytes;
		const char *type;
	} pairs[] = {{8, "MPI_2INT"},
		     {12, "MPI_DOUBLE_INT"},
		     {6, "MPI_SHORT_INT"},
		     {20, "MPI_LONG_DOUBLE_INT"}};

	*unit = 1;
	if (operation && strstr(operation, "LOC"))
		for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
			if (bytes % pairs[i].bytes == 0) {
				*unit = pairs[i].bytes;
				return pairs[i].type;
			}
	if (!operation || !strncmp(operation, "user", 4) || strstr(operation, "MPI_B") ||
	    strstr(operation, "REPLACE") || strstr(operation, "NO_OP"))
		return "MPI_BYTE";
	if (strstr(operation, "MPI_L") || bytes % 4)
		return "MPI_INT8_T";
	*unit = bytes % 8 ? 4 : 8;
	return bytes % 8 ? "MPI_FLOAT" : "MPI_DOUBLE";
}

/* --------------------------------------------------------------------------- parts */

static bool function_is(const struct collective *c, const char *part)
{
	return strstr(c->function, part) != NULL;
}

/* Keep counts, in units of the type, and the places of blocks that lie one after the other. */
static int keep_blocks(struct collective *c, const uint64_t *bytes, uint32_t count, int64_t *counts,
		       int64_t *places, struct error *err)
{
	struct actions *actions = &c->calls->program->actions;
	ARRAY(int32_t) numbers = {0}, starts = {0};
	uint64_t at = 0;
	int result = 0;

	for (uint32_t i = 0; i < count && result == 0; i++) {
		if (at + bytes[i] > INT32_MAX) {
			c->text->too_large = true;
			break;
		}
		result = array_push(&numbers, (int32_t)(bytes[i] / c->unit), err);
		if (result == 0)
			result = array_push(&starts, (int32_t)(at / c->unit), err);
		at += bytes[i];
	}
	need_bytes(c->calls, at);
	if (result == 0)
		result = actions_list(actions, numbers.items, numbers.count, counts, err);
	if (result == 0)
		result = actions_list(actions, starts.items, starts.count, places, err);
	array_release(&numbers);
	array_release(&starts);
	return result;
}

/* The same for equal blocks. */
static int keep_equal(struct collective *c, uint64_t block, uint32_t count, int64_t *counts,
		      int64_t *places, struct error *err)
{
	ARRAY(uint64_t) bytes = {0};
	int result = 0;

	for (uint32_t i = 0; i < count && result == 0; i++)
		result = array_push(&bytes, block, err);
	if (result == 0)
		result = keep_blocks(c, bytes.items, count, counts, places, err);
	array_release(&bytes);
	return result;
}

static int keep_either(struct collective *c, const uint64_t *bytes, uint64_t block, uint32_t count,
		       int64_t *counts, int64_t *places, struct error *err)
{
	return bytes ? keep_blocks(c, bytes, count, counts, places, err)
		     : keep_equal(c, block, count, counts, places, err);
}

static uint32_t peer_count(const struct collective *c)
{
	return c->blocks.remote_size ? c->blocks.remote_size : c->blocks.size;
}

static void say_count(struct collective *c, uint64_t bytes)
{
	need_bytes(c->calls, bytes * peer_count(c));
	action_say(c->text, "$, %s", (int64_t)(bytes / c->unit), c->type);
}

static void say_root(struct collective *c)
{
	if (c->blocks.root == ROOT_SELF)
		action_say(c->text, ", MPI_ROOT");
	else if (c->blocks.root == ROOT_THIS_GROUP)
		action_say(c->text, ", MPI_PROC_NULL");
	else
		action_say(c->text, ", $", (int64_t)c->blocks.root);
}

static void say_end(struct collective *c)
{
	action_say(c->text, ", comm[$]%s", own_comm(c->calls, c->event->comm), c->tail);
}

static const char *send_buffer(const struct collective *c)
{
	return c->blocks.in_place ? "MPI_IN_PLACE" : "out";
}

/* --------------------------------------------------------------------- collectives */

static void say_rooted(struct collective *c)
{
	const uint64_t block = c->blocks.block;
	const bool root_in_place = c->blocks.in_place;

	if (function_is(c, "cast")) {
		action_say(c->text, "in, ");
		say_count(c, block);
	} else if (function_is(c, "educe")) {
		action_say(c->text, "%s, in, ", send_buffer(c));
		say_count(c, block);
		action_say(c->text, ", %s", reduction_operation(c->operation));
	} else {
		action_say(c->text, "%s, ", function_is(c, "ather") ? send_buffer(c) : "out");
		say_count(c, block);
		action_say(c->text, ", %s, ",
			   root_in_place && function_is(c, "catter") ? "MPI_IN_PLACE" : "in");
		say_count(c, block);
	}
	say_root(c);
}

static int say_rooted_v(struct collective *c, struct error *err)
{
	const bool gather = function_is(c, "ather"), root = collective_is_root(&c->blocks);
	const uint64_t *vector = gather ? c->blocks.receive_blocks : c->blocks.send_blocks;
	const uint64_t own = gather ? c->event->bytes_sent : c->event->bytes_received;
	int64_t counts = 0, places = 0;

	if (root)
		TRY(keep_either(c, vector, c->blocks.block, peer_count(c), &counts, &places, err));
	need_bytes(c->calls, own);
	if (gather)
		action_say(c->text, "%s, $, MPI_BYTE, in, %s + $, %s + $, MPI_BYTE", send_buffer(c),
			   (int64_t)own, c->counts, counts, c->places, places);
	else
		action_say(c->text, "out, %s + $, %s + $, MPI_BYTE, %s, $, MPI_BYTE", c->counts,
			   counts, c->places, places, c->blocks.in_place ? "MPI_IN_PLACE" : "in",
			   (int64_t)own);
	say_root(c);
	return 0;
}

static void say_all(struct collective *c)
{
	action_say(c->text, "%s, ", send_buffer(c));
	say_count(c, c->blocks.block);
	action_say(c->text, ", in, ");
	say_count(c, c->blocks.remote_size ? c->blocks.remote_block : c->blocks.block);
}

static void say_reduction(struct collective *c)
{
	action_say(c->text, "%s, in, ", send_buffer(c));
	say_count(c, c->blocks.block);
	action_say(c->text, ", %s", reduction_operation(c->operation));
}

static int say_reduce_scatter(struct collective *c, struct error *err)
{
	int64_t counts, places;

	TRY(keep_either(c, c->blocks.send_blocks, c->blocks.block, c->blocks.size, &counts, &places,
			err));
	action_say(c->text, "%s, in, %s + $, %s, %s", send_buffer(c), c->counts, counts, c->type,
		   reduction_operation(c->operation));
	return 0;
}

static int say_allgatherv(struct collective *c, struct error *err)
{
	const uint64_t *vector = c->blocks.receive_blocks;
	int64_t counts, places;
	uint64_t own = c->blocks.block;

	TRY(keep_either(c, vector, c->blocks.block, peer_count(c), &counts, &places, err));
	if (vector && !c->blocks.remote_size)
		own = vector[c->blocks.rank];
	need_bytes(c->calls, own);
	action_say(c->text, "%s, $, MPI_BYTE, in, %s + $, %s + $, MPI_BYTE", send_buffer(c),
		   (int64_t)own, c->counts, counts, c->places, places);
	return 0;
}

static int say_alltoallv(struct collective *c, const uint64_t *to, uint32_t to_count,
			 const uint64_t *from, uint32_t from_count, struct error *err)
{
	const bool typed = strstr(c->function, "oallw") != NULL;
	const char *type = typed ? "types" : "MPI_BYTE";
	int64_t counts[2], places[2];

	TRY(keep_either(c, to ? to : from, c->blocks.block, to_count, &counts[0], &places[0], err));
	TRY(keep_either(c, from, c->blocks.block, from_count, &counts[1], &places[1], err));
	action_say(c->text, "%s, %s + $, %s + $, %s, in, %s + $, %s + $, %s", send_buffer(c),
		   c->counts, counts[0], c->places, places[0], type, c->counts, counts[1],
		   c->places, places[1], type);
	return 0;
}

/* --------------------------------------------------------------------- neighbours */

static uint32_t count_ranks(const char *from, const char *to)
{
	uint32_t count = from < to;

	for (; from < to; from++)
		count += *from == ',';
	return count;
}

/* Check that vectors have an entry for each peer. */
static int check_vectors(const struct collective *c, uint32_t to, uint32_t from, struct error *err)
{
	const struct mpi_event *event = c->event;

	if ((!event->send_bytes || event->send_count >= to) &&
	    (!event->receive_bytes || event->receive_count >= from) && c->blocks.rank != NO_RANK)
		return 0;
	return error_set(err, STATUS_DATA, "rank %u: a call of %s does not fit its communicator",
			 c->calls->rank, c->function);
}

/*
 * Keep the blocks of neighbours in the order of the arguments.  In a grid it has below and above of
 * each dimension, also where nobody is; a trace has sources above first, and only those that exist.
 */
static int keep_neighbours(struct collective *c, const uint64_t *bytes, uint64_t block,
			   uint32_t peers, bool sources, int64_t *counts, int64_t *places,
			   struct error *err)
{
	const struct grid_shape *shape = grids_shape(&c->calls->program->grids, c->event->comm);
	uint64_t blocks[2 * GRID_DIMENSIONS] = {0};
	uint32_t next = 0;

	if (!shape)
		return keep_either(c, bytes, block, peers, counts, places, err);
	for (int i = 0; i < 2 * shape->count && next < peers; i++) {
		const bool above = (i % 2 == 1) != sources;

		if (grid_has_neighbour(shape, c->blocks.rank, i / 2, above)) {
			blocks[i / 2 * 2 + above] = bytes ? bytes[next] : block;
			next++;
		}
	}
	return keep_blocks(c, blocks, (uint32_t)(2 * shape->count), counts, places, err);
}

static int say_neighbours(struct collective *c, struct error *err)
{
	const struct mpi_event *event = c->event;
	const char *middle = strchr(event->neighbours, ';');
	const char *end = event->neighbours + strlen(event->neighbours);
	const uint32_t sources = count_ranks(event->neighbours, middle ? middle : end),
		       targets = middle ? count_ranks(middle + 1, end) : 0;
	const uint64_t sent = targets ? event->bytes_sent / targets : 0,
		       received = sources ? event->bytes_received / sources : 0;
	int64_t counts[2], places[2];

	TRY(check_vectors(c, targets, sources, err));
	need_bytes(c->calls, event->bytes_sent);
	need_bytes(c->calls, event->bytes_received);
	TRY(keep_neighbours(c, event->send_bytes, sent, targets, false, &counts[0], &places[0],
			    err));
	TRY(keep_neighbours(c, event->receive_bytes, received, sources, true, &counts[1],
			    &places[1], err));
	if (function_is(c, "allgatherv"))
		action_say(c->text, "out, $, MPI_BYTE, in, %s + $, %s + $, MPI_BYTE", (int64_t)sent,
			   c->counts, counts[1], c->places, places[1]);
	else if (function_is(c, "alltoallv"))
		action_say(c->text, "out, %s + $, %s + $, MPI_BYTE, in, %s + $, %s + $, MPI_BYTE",
			   c->counts, counts[0], c->places, places[0], c->counts, counts[1],
			   c->places, places[1]);
	else if (function_is(c, "alltoallw"))
		action_say(c->text, "out, %s + $, zeros, types, in, %s + $, zeros, types",
			   c->counts, counts[0], c->counts, counts[1]);
	else
		action_say(c->text, "out, $, MPI_BYTE, in, $, MPI_BYTE", (int64_t)sent,
			   (int64_t)received);
	return 0;
}

/* ---------------------------------------------------------------------------- all */

static int say_arguments(struct collective *c, struct error *err)
{
	switch (c->event->collective) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_GATHER:
	case COLL_REDUCE:
		say_rooted(c);
		return 0;
	case COLL_GATHERV:
	case COLL_SCATTERV:
		return say_rooted_v(c, err);
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		say_all(c);
		return 0;
	case COLL_ALLREDUCE:
	case COLL_SCAN:
	case COLL_EXSCAN:
	case COLL_REDUCE_SCATTER_BLOCK:
		say_reduction(c);
		return 0;
	case COLL_REDUCE_SCATTER:
		return say_reduce_scatter(c, err);
	case COLL_ALLGATHERV:
		return say_allgatherv(c, err);
	default:
		return say_alltoallv(c, c->blocks.send_blocks, peer_count(c),
				     c->blocks.receive_blocks, peer_count(c), err);
	}
}

/* Bytes that the reduction's type has to divide. */
static uint64_t common_bytes(const struct collective *c)
{
	uint64_t all = c->blocks.block;

	if (c->event->collective == COLL_REDUCE_SCATTER && c->blocks.send_blocks)
		for (uint32_t i = 0; i < c->blocks.size; i++)
			all |= c->blocks.send_blocks[i];
	return all;
}

/* Choose the lists for the function: those with large counts take MPI_Count and MPI_Aint. */
static void choose_lists(struct collective *c)
{
	const size_t length = strlen(c->function);

	if (strcmp(c->function + length - strlen("_c"), "_c") != 0)
		return;
	c->counts = "large_counts";
	c->places = "large_places";
	c->calls->program->large_lists = true;
}

int collective_action(struct rank_calls *calls, const char *function, const struct mpi_event *event,
		      const char *tail, struct action *text, struct error *err)
{
	struct collective c = {calls,
			       event,
			       .function = function,
			       .operation = event->operation,
			       .type = "MPI_BYTE",
			       .unit = 1,
			       .text = text,
			       .tail = tail,
			       .counts = "lists",
			       .places = "lists"};
	bool guessed = false;
	uint32_t peers;

	action_say(text, "%s(", function);
	if (event->collective == COLL_BARRIER) {
		action_say(text, "comm[$]%s", own_comm(calls, event->comm), tail);
		return 0;
	}
	choose_lists(&c);
	c.blocks.rank = own_place(calls, event->comm, &c.blocks.size);
	if (calls->flow->world.comms[event->comm].inter) {
		const struct trace_comm *comm = &calls->flow->world.comms[event->comm];

		c.blocks.remote_size = c.blocks.size;
		c.blocks.size = comm->size + comm->remote_size - c.blocks.remote_size;
	}
	if (event->neighbours) {
		TRY(say_neighbours(&c, err));
		say_end(&c);
		return 0;
	}
	peers = event->collective == COLL_REDUCE_SCATTER ? c.blocks.size : peer_count(&c);
	TRY(check_vectors(&c, peers, peers, err));
	TRY(collective_blocks(&c.blocks, event, &guessed, err));
	/* A rank alone has no message, but a block. */
	if (c.blocks.size == 1 && !c.blocks.remote_size && !c.blocks.in_place)
		c.blocks.block = event->bytes_sent > event->bytes_received ? event->bytes_sent
									   : event->bytes_received;
	if (event->operation)
		c.type = reduction_type(event->operation, common_bytes(&c), &c.unit);
	TRY(say_arguments(&c, err));
	say_end(&c);
	return 0;
}
