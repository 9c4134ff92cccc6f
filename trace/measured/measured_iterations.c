#include "trace/measured/measured_iterations.h"

#include "trace/measured/sync_edges.h"
#include "trace/sequence/repeats.h"

/* Token of all calls that only complete what others have begun. */
enum { COMPLETION = 1, FIRST_FUNCTION = 2 };

static uint64_t begin_token(const struct measured_rank *rank, uint32_t call)
{
	return FIRST_FUNCTION + (uint64_t)rank->calls.items[call].function;
}

static void note_end(uint64_t *tokens, uint32_t call)
{
	if (call != NO_CALL && !tokens[call])
		tokens[call] = COMPLETION;
}

/* Set the token of each call, 0 if it is not part of patterns. */
static void find_tokens(uint64_t *tokens, const struct measured_rank *rank)
{
	for (size_t i = 0; i < rank->sends.count; i++) {
		const struct measured_send *send = &rank->sends.items[i];

		if (is_signal(send->tag))
			continue;
		tokens[send->begin] = begin_token(rank, send->begin);
		note_end(tokens, send->end);
	}
	for (size_t i = 0; i < rank->recvs.count; i++) {
		const struct measured_recv *recv = &rank->recvs.items[i];

		if (is_signal(recv->tag))
			continue;
		tokens[recv->begin] = begin_token(rank, recv->begin);
		note_end(tokens, recv->end);
	}
	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct participation *part = &rank->parts.items[i];
		const uint64_t comm = part->begin == part->end ? part->comm : 0;

		tokens[part->begin] = begin_token(rank, part->begin) ^ comm << 32;
		note_end(tokens, part->end);
	}
}

/* Add the calls of a thread to its repeats, each with the computation before it. */
static int add_thread(struct repeats *repeats, const struct measured_rank *rank,
		      const uint64_t *tokens, uint32_t thread, struct error *err)
{
	uint64_t last_token = 0, last_ns = rank->begin_ns;

	for (size_t c = 0; c < rank->calls.count; c++) {
		const struct measured_call *call = &rank->calls.items[c];
		const uint64_t begin_ns = last_ns;

		if (call->thread != thread || !tokens[c])
			continue;
		last_ns = call->leave_ns;
		if (tokens[c] == COMPLETION && last_token == COMPLETION)
			continue;
		last_token = tokens[c];
		TRY(repeats_add(repeats, tokens[c], begin_ns, call->leave_ns, err));
	}
	return 0;
}

static int keep_loop(struct measured_iterations *iterations, const struct repeat_item *loop,
		     struct error *err)
{
	iterations->starts_ns.count = 0;
	for (size_t i = 0; i < loop->starts.count; i++)
		TRY(array_push(&iterations->starts_ns, loop->starts.items[i], err));
	iterations->end_ns = loop->end_ns;
	return 0;
}

static int find_loops(struct measured_iterations *iterations, struct repeats *repeats,
		      const struct measured_rank *rank, const uint64_t *tokens, struct error *err)
{
	uint64_t most_calls = 0;

	for (uint32_t thread = 0; thread < rank->thread_count; thread++) {
		const struct repeat_item *loop;

		repeats_clear(repeats);
		TRY(add_thread(repeats, rank, tokens, thread, err));
		loop = repeats_outermost(repeats);
		if (!loop || loop->calls <= most_calls)
			continue;
		most_calls = loop->calls;
		TRY(keep_loop(iterations, loop, err));
	}
	return 0;
}

int measured_iterations_find(struct measured_iterations *iterations,
			     const struct measured_rank *rank, struct error *err)
{
	struct repeats repeats = {0};
	uint64_t *tokens;
	int result;

	*iterations = (struct measured_iterations){0};
	TRY(allocate(&tokens, rank->calls.count, sizeof *tokens, err));
	find_tokens(tokens, rank);
	result = find_loops(iterations, &repeats, rank, tokens, err);
	repeats_release(&repeats);
	free(tokens);
	if (result < 0)
		measured_iterations_release(iterations);
	return result;
}

void measured_iterations_release(struct measured_iterations *iterations)
{
	array_release(&iterations->starts_ns);
}

uint32_t measured_iteration_at(const struct measured_iterations *iterations, uint64_t time_ns)
{
	size_t low = 0, high = iterations->starts_ns.count;

	if (time_ns >= iterations->end_ns)
		return NO_ITERATION;
	/* The number of iterations that begin at the time or before it. */
	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (iterations->starts_ns.items[middle] <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? (uint32_t)low - 1 : NO_ITERATION;
}
