#include "critpath/graph/path_writer.h"

static const struct measured_rank *rank_of(const struct path_writer *writer, uint32_t rank)
{
	return &writer->waits->run->ranks[rank];
}

static const struct path_call no_call = {.site = NO_SITE};

static struct path_call path_writer_describe(const struct path_writer *writer, uint32_t rank,
					     uint32_t call)
{
	if (call == NO_CALL)
		return no_call;
	return (struct path_call){
		.function = rank_of(writer, rank)->calls.items[call].function,
		.site = measured_site(rank_of(writer, rank), call),
	};
}

/* Add a segment up to a time.  One in a call may be unknown. */
static int go_on_to(struct path_writer *writer, uint64_t to_ns, const struct program_vertex *of,
		    struct path_call call, enum walk_category category)
{
	struct path_writer_state *state = &writer->state;
	const uint64_t begin_ns = writer->waits->run->begin_ns;
	enum unknown_reason reason = UNKNOWN_CLOCKS;
	struct walk_segment segment = {
		.start_ns = state->at_ns - begin_ns,
		.end_ns = to_ns - begin_ns,
		.rank = of->rank,
		.call = of->call,
		.site = call.site,
		.function = call.function,
	};

	if (to_ns <= state->at_ns)
		return 0;
	if (category == WALK_CALL)
		category = walk_category_of(writer->waits, of->rank, of->call, &reason);
	segment.category = category;
	segment.reason = category == WALK_UNKNOWN ? reason : 0;
	state->at_ns = to_ns;
	return array_push(&writer->walk->segments, segment, writer->err);
}

void path_writer_begin(struct path_writer *writer)
{
	const uint64_t begin_ns = writer->waits->run->begin_ns;

	writer->state = (struct path_writer_state){
		.from = {.call = NO_CALL, .end = true, .at_ns = begin_ns}, .at_ns = begin_ns};
}

/* Add what is between the start of the run, or the end of a call, and a call. */
static int write_program(struct path_writer *writer, const struct program_vertex *to,
			 struct path_call call)
{
	const struct program_vertex start = {.rank = to->rank, .call = NO_CALL};

	if (writer->state.from.call == NO_CALL)
		TRY(go_on_to(writer, rank_of(writer, to->rank)->begin_ns, &start, no_call,
			     WALK_START));
	return go_on_to(writer, to->at_ns, to, call, WALK_COMPUTE);
}

/* Add a call, or a message: until the call begins, or while it waits, nothing is done. */
static int path_writer_write_call(struct path_writer *writer, const struct program_vertex *to,
				  struct path_call call)
{
	const struct program_vertex *from = &writer->state.from;
	uint64_t active_ns = rank_of(writer, to->rank)->calls.items[to->call].enter_ns;

	if (from->call == to->call && from->rank == to->rank)
		active_ns = from->at_ns + wait_ns(writer->waits, to->rank, to->call);
	TRY(go_on_to(writer, active_ns, to, call, WALK_UNKNOWN));
	return go_on_to(writer, to->at_ns, to, call, WALK_CALL);
}

int path_write_to(struct path_writer *writer, const struct program_vertex *to)
{
	struct path_writer_state *state = &writer->state;
	const struct path_call call = path_writer_describe(writer, to->rank, to->call);

	if (to->call == NO_CALL)
		TRY(go_on_to(writer, to->at_ns, &state->from, state->call, WALK_UNKNOWN));
	else if (state->from.end && !to->end)
		TRY(write_program(writer, to, call));
	else
		TRY(path_writer_write_call(writer, to, call));
	state->from = *to;
	state->call = call;
	return 0;
}

/* Find the call of the same thread after a call; after NO_CALL, that at which the rank ends. */
static uint32_t call_after(const struct measured_rank *rank, uint32_t call)
{
	const struct measured_call *calls = rank->calls.items;

	for (uint32_t next = call == NO_CALL ? 0 : call + 1; next < rank->calls.count; next++)
		if (call == NO_CALL ? calls[next].enter_ns >= rank->end_ns
				    : calls[next].thread == calls[call].thread)
			return next;
	return NO_CALL;
}

/* Add the computation after the last call of a rank, and the time until the run ends. */
int path_write_end(struct path_writer *writer)
{
	const uint64_t end_ns = writer->waits->run->end_ns;
	struct program_vertex next = writer->state.from;
	const struct measured_rank *rank = rank_of(writer, next.rank);
	const uint32_t last = next.call;
	struct path_call call;

	if (last == NO_CALL)
		TRY(go_on_to(writer, rank->begin_ns, &next, no_call, WALK_START));
	next.call = call_after(rank, last);
	call = path_writer_describe(writer, next.rank, next.call);
	TRY(go_on_to(writer, next.call == NO_CALL ? next.at_ns : rank->end_ns, &next, call,
		     WALK_COMPUTE));
	return go_on_to(writer, end_ns, &next, call, WALK_UNKNOWN);
}
