#include "critpath/graph/computation_path.h"

#include "common/array.h"
#include "goal/match.h"

struct playing {
	const struct goal *goal;
	struct goal_matching matching;
	uint32_t *
		waiting; /* [operation]: dependencies that have not ended; HAS_STARTED of a receive */
	uint64_t *
		at_ns; /* [operation]: the start, as far as it is known; of a receive then the end */
	bool *arrived;	      /* [operation]: of a receive, that its message was sent */
	uint32_t *started;    /* operations in the order in which they start */
	uint32_t count, ends; /* that have started, that have ended */
	uint64_t last_ns;     /* the latest end */
};

enum { HAS_STARTED = UINT32_MAX };

static void not_before(struct playing *playing, uint32_t op, uint64_t ns)
{
	if (playing->at_ns[op] < ns)
		playing->at_ns[op] = ns;
}

static void start_operation(struct playing *playing, uint32_t op)
{
	playing->started[playing->count++] = op;
}

/* Let the operations in a part of a block's successors have one dependency less, which allows them from `ns`. */
static void release_successors(struct playing *playing, const struct goal_block *block,
			       uint32_t first, uint32_t count, uint64_t ns)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t next = block->first_op + goal_successor(block, first + i);

		not_before(playing, next, ns);
		if (--playing->waiting[next] == 0)
			start_operation(playing, next);
	}
}

static void end_operation(struct playing *playing, const struct goal_block *block,
			  const struct goal_op *op, uint64_t ns)
{
	release_successors(playing, block, op->requires_first, op->requires_count, ns);
	if (ns > playing->last_ns)
		playing->last_ns = ns;
	playing->ends++;
}

static void end_receive(struct playing *playing, uint32_t number)
{
	const struct goal_block *block = &playing->goal->ranks[goal_rank_of(playing->goal, number)];
	const struct goal_op op = goal_op(block, number - block->first_op);

	end_operation(playing, block, &op, playing->at_ns[number]);
}

/* Send a message: the receive ends if it has started. */
static void send_message(struct playing *playing, uint32_t send)
{
	const uint32_t recv = playing->matching.partner[send];
	const bool has_started = playing->waiting[recv] == HAS_STARTED;

	playing->arrived[recv] = true;
	/* Until the receive starts, its start must not be later because of the message. */
	if (has_started) {
		not_before(playing, recv, playing->at_ns[send]);
		end_receive(playing, recv);
	}
}

/* Start a receive, which ends if its message was sent. */
static void start_receive(struct playing *playing, uint32_t recv)
{
	playing->waiting[recv] = HAS_STARTED;
	if (!playing->arrived[recv])
		return;
	not_before(playing, recv, playing->at_ns[playing->matching.partner[recv]]);
	end_receive(playing, recv);
}

/* Play an operation whose start is known. */
static int play_operation(struct playing *playing, uint32_t number, struct error *err)
{
	const struct goal_block *block = &playing->goal->ranks[goal_rank_of(playing->goal, number)];
	const struct goal_op op = goal_op(block, number - block->first_op);
	const uint64_t busy_ns = op.kind == GOAL_CALC ? op.size : 0;
	uint64_t end_ns;

	if (__builtin_add_overflow(playing->at_ns[number], busy_ns, &end_ns))
		return error_set(err, STATUS_LIMIT, "the computation takes 2^64 ns or more");
	release_successors(playing, block, op.irequires_first, op.irequires_count, end_ns);
	if (op.kind == GOAL_RECV) {
		start_receive(playing, number);
		return 0;
	}
	if (op.kind == GOAL_SEND)
		send_message(playing, number);
	end_operation(playing, block, &op, end_ns);
	return 0;
}

static int play_all(struct playing *playing, struct error *err)
{
	const struct goal *goal = playing->goal;

	for (uint32_t r = 0; r < goal->rank_count; r++)
		for (uint32_t i = 0; i < goal->ranks[r].op_count; i++) {
			const uint32_t number = goal->ranks[r].first_op + i;

			playing->waiting[number] = goal_op(&goal->ranks[r], i).dependencies;
			if (playing->waiting[number] == 0)
				start_operation(playing, number);
		}
	for (uint32_t i = 0; i < playing->count; i++)
		TRY(play_operation(playing, playing->started[i], err));
	if (playing->ends < goal->op_count)
		return error_set(err, STATUS_DATA,
				 "%u operations wait for each other; goal check names them",
				 goal->op_count - playing->ends);
	return 0;
}

static int make_room(struct playing *playing, struct error *err)
{
	const uint32_t count = playing->goal->op_count;

	TRY(allocate(&playing->waiting, count, sizeof *playing->waiting, err));
	TRY(allocate(&playing->at_ns, count, sizeof *playing->at_ns, err));
	TRY(allocate(&playing->arrived, count, sizeof *playing->arrived, err));
	return allocate(&playing->started, count, sizeof *playing->started, err);
}

int computation_path_find(uint64_t *path_ns, const struct goal *goal, struct error *err)
{
	struct playing playing = {.goal = goal};
	int result;

	TRY(goal_match(&playing.matching, goal, err));
	result = make_room(&playing, err);
	if (result == 0)
		result = play_all(&playing, err);
	*path_ns = playing.last_ns;
	free(playing.waiting);
	free(playing.at_ns);
	free(playing.arrived);
	free(playing.started);
	goal_matching_release(&playing.matching);
	return result;
}
