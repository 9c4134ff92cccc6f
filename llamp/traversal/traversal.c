#include "llamp/traversal/traversal.h"

#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "common/parallel/parallel_rounds.h"
#include "llamp/traversal/traversal_join.h"

#include <string.h>

enum {
	FIRST_AHEAD = 64,    /* operations that ranks read beyond one that waits */
	PART_OPS = 1 << 18,  /* operations of a part at least */
	PART_RANKS = 8,	     /* ranks of a part at least */
	MOST_PARTS = 8,	     /* more would only exchange more */
	FEW_OPS = 64,	     /* operations of a part in a round, so that rounds are worth it */
	TRIED_OPS = 1 << 17, /* operations after which this is known */
	LEAST_NUMBERS = 2 * OP_VERTICES * TURN_OPS, /* of sources, for a part in a round */
};

/* How a traversal ended, beside 0 and -1. */
enum { CANNOT_END = 1, TOO_MANY_ROUNDS = 2 };

struct traversal {
	struct traversal_input input;
	struct traversal_part *parts;
	uint32_t part_count;
	unsigned threads;
	struct traversal_runs runs;
	uint32_t most_numbers; /* that a part used in the last round */
	uint32_t ahead;
	uint64_t rounds;
	bool tried; /* the rounds are worth it */
	int end;    /* how it ended */
};

/* -------------------------------------------------------------------- rounds */

static int go(void *shared, uint32_t number, struct error *err)
{
	struct traversal *traversal = shared;
	struct traversal_part *part = &traversal->parts[number];

	if (traversal_part_go(part) == 0)
		return 0;
	*err = part->error;
	return -1;
}

static uint32_t count_started(const struct traversal *traversal)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < traversal->part_count; i++)
		count += traversal->parts[i].started;
	return count;
}

/* Whether all operations have started, and no message has only one half. */
static bool is_complete(const struct traversal *traversal)
{
	uint32_t halves = 0;

	for (uint32_t i = 0; i < traversal->part_count; i++)
		halves += traversal->parts[i].messages.halves;
	return !halves && count_started(traversal) == traversal->input.goal->op_count;
}

/* Number of crossings that a part is to read in the next round. */
static uint32_t count_received(const struct traversal *traversal, uint32_t number)
{
	uint32_t count = 0;

	for (uint32_t i = 0; traversal->part_count > 1 && i < traversal->part_count; i++)
		count += traversal_part_sent_to(&traversal->parts[i], number);
	return count;
}

/* Whether a part can go on. */
static bool is_going_on(const struct traversal *traversal)
{
	for (uint32_t i = 0; i < traversal->part_count; i++)
		if (traversal_part_is_awake(&traversal->parts[i]) || count_received(traversal, i))
			return true;
	return false;
}

/* All ranks wait: let them read on.  False if they have read everything. */
static bool read_further(struct traversal *traversal)
{
	traversal->ahead = traversal->ahead ? 2 * traversal->ahead : FIRST_AHEAD;
	for (uint32_t i = 0; i < traversal->part_count; i++)
		traversal_part_read_further(&traversal->parts[i], traversal->ahead);
	return is_going_on(traversal);
}

/* Note what the parts wrote in the round. */
static void end_runs(struct traversal *traversal)
{
	const size_t first = traversal->runs.list.count - traversal->part_count;
	struct traversal_run *runs = traversal->runs.list.items;
	size_t kept = first;

	traversal->most_numbers = 0;
	for (uint32_t i = 0; i < traversal->part_count; i++) {
		struct traversal_run run = runs[first + i];
		const struct cost_writer *writer = &traversal->parts[i].edges.writer;

		run.vertex_count = writer->vertex_count - run.vertex_first;
		run.edge_count = writer->edges.list.count - run.edge_first;
		if (run.vertex_count > traversal->most_numbers)
			traversal->most_numbers = run.vertex_count;
		if (run.vertex_count)
			runs[kept++] = run;
	}
	traversal->runs.list.count = kept;
}

/* Let a part number its sources from *number on, which becomes a number above all of them. */
static int begin_run(struct traversal *traversal, uint32_t i, uint64_t *number, struct error *err)
{
	const uint32_t most = ROUND_OPS * OP_VERTICES;
	const uint32_t wanted = 2 * traversal->most_numbers + LEAST_NUMBERS;
	const uint64_t count = (uint64_t)OP_VERTICES * count_received(traversal, i) +
			       (wanted < most ? wanted : most);
	const uint64_t end = (*number + count + RUN_STEP - 1) / RUN_STEP * RUN_STEP;
	struct traversal_part *part = &traversal->parts[i];
	const struct traversal_run run = {.part = i,
					  .first_number = (uint32_t)*number,
					  .vertex_first = part->edges.writer.vertex_count,
					  .edge_first = part->edges.writer.edges.list.count};

	if (end > INT32_MAX)
		return 1;
	part->edges.merge.next_source = (uint32_t)*number;
	part->last_number = (uint32_t)end - 1;
	*number = end;
	return array_push(&traversal->runs.list, run, err);
}

/* A number that no part has used, nor one above it. */
static uint64_t free_number(const struct traversal *traversal)
{
	const struct traversal_part *last = &traversal->parts[traversal->part_count - 1];

	return ((uint64_t)last->edges.merge.next_source + RUN_STEP - 1) / RUN_STEP * RUN_STEP;
}

/* Begin a round of several parts.  Returns 1, or 0 if there are no numbers left. */
static int begin_runs(struct traversal *traversal, struct error *err)
{
	uint64_t number = free_number(traversal);

	for (uint32_t i = 0; i < traversal->part_count; i++) {
		const int result = begin_run(traversal, i, &number, err);

		if (result > 0)
			traversal->end = TOO_MANY_ROUNDS;
		if (result)
			return result < 0 ? -1 : 0;
	}
	for (uint32_t i = 0; i < traversal->part_count; i++)
		traversal->parts[i].parity = !traversal->parts[i].parity;
	return 1;
}

/* Whether the parts get so little done in a round that fewer parts are faster. */
static bool is_too_fine(struct traversal *traversal)
{
	const uint32_t started = count_started(traversal);

	if (traversal->tried || started < TRIED_OPS)
		return false;
	traversal->tried = true;
	return started / FEW_OPS < traversal->rounds * traversal->part_count;
}

static int between_rounds(void *shared, struct error *err)
{
	struct traversal *traversal = shared;
	const bool several = traversal->part_count > 1;

	traversal->rounds++;
	progress_show(count_started(traversal), traversal->input.goal->op_count);
	if (several)
		end_runs(traversal);
	for (uint32_t i = 0; i < traversal->part_count; i++)
		if (traversal->parts[i].any) {
			traversal->end = CANNOT_END;
			return 0;
		}
	if (several && is_too_fine(traversal)) {
		traversal->end = TOO_MANY_ROUNDS;
		return 0;
	}
	if (!is_going_on(traversal) && !read_further(traversal)) {
		traversal->end = is_complete(traversal) ? 0 : CANNOT_END;
		return 0;
	}
	return several ? begin_runs(traversal, err) : 1;
}

/* Let the parts go through the program.  Returns -1, or 0 with traversal->end set. */
static int run_rounds(struct traversal *traversal, struct error *err)
{
	const struct parallel_rounds_work work = {go, between_rounds, traversal};

	if (traversal->part_count > 1)
		TRY(begin_runs(traversal, err));
	return parallel_rounds(&work, traversal->part_count, traversal->threads, err);
}

/* --------------------------------------------------------------------- parts */

/* Number of parts that a program is worth. */
static uint32_t choose_parts(const struct goal *goal)
{
	uint32_t parts = 1;

	while (parts < MOST_PARTS && goal->op_count / PART_OPS >= 2 * parts &&
	       goal->rank_count / PART_RANKS >= 2 * parts)
		parts *= 2;
	return parts;
}

/* The rank after those of a part: parts have as many operations as each other, about. */
static uint32_t end_of_part(const struct goal *goal, uint32_t first, uint32_t part,
			    uint32_t part_count)
{
	const uint64_t most = (uint64_t)goal->op_count * (part + 1) / part_count;
	uint32_t end = first;

	while (end < goal->rank_count &&
	       (part + 1 == part_count ||
		(uint64_t)goal->ranks[end].first_op + goal->ranks[end].op_count / 2 < most))
		end++;
	return end;
}

static int init_part(struct traversal *traversal, uint32_t number, uint32_t first, uint32_t end,
		     struct error *err)
{
	struct traversal_part *part = &traversal->parts[number];
	int result = traversal_part_init(part, &traversal->input, first, end - first);

	if (result == 0 && traversal->part_count > 1)
		result = traversal_part_connect(part, traversal->parts, number,
						traversal->part_count);
	if (result == 0)
		memset(traversal->input.part_of + first, (int)number, end - first);
	else
		*err = part->error;
	return result;
}

static int init_parts(struct traversal *traversal, struct error *err)
{
	const size_t bytes = traversal->part_count * sizeof *traversal->parts;
	uint32_t first = 0;

	traversal->parts = aligned_alloc(_Alignof(struct traversal_part), bytes);
	if (!traversal->parts)
		return error_set_memory(err, bytes);
	memset(traversal->parts, 0, bytes);
	for (uint32_t i = 0; i < traversal->part_count; i++) {
		const uint32_t end = end_of_part(traversal->input.goal, first, i,
						 traversal->part_count);

		TRY(init_part(traversal, i, first, end, err));
		first = end;
	}
	return 0;
}

static void release_parts(struct traversal *traversal)
{
	for (uint32_t i = 0; traversal->parts && i < traversal->part_count; i++)
		traversal_part_release(&traversal->parts[i]);
	free(traversal->parts);
	array_release(&traversal->runs.list);
	traversal->parts = NULL;
}

/* ----------------------------------------------------------------------- end */

/* Take the edges into the end of the ranks of a part as edges into the open event of another. */
static int take_ends(struct edge_merge *merge, const struct traversal_part *part)
{
	const struct cost_expressions *expressions = &part->edges.writer.expressions;
	const struct in_edge *pool = part->edges.merge.pool.items;

	for (uint32_t i = 0; i < part->ranks.count; i++) {
		const struct gathered *end = &part->ranks.ends[i];
		struct in_edge edge = {end->first.ns, end->first.source, end->first.expression,
				       end->others};

		for (bool more = end->arrived > 0; more; edge = pool[edge.next]) {
			uint32_t number = edge.expression;

			if (expressions != merge->expressions)
				number = cost_expressions_copy(merge->expressions, expressions,
							       number);
			if (number == EXPRESSION_FAILED)
				return -1;
			edge_merge_take(merge, edge.ns, edge.source, number);
			more = edge.next != 0;
		}
	}
	return 0;
}

/* Write the end of the program into the first part. */
static int write_end(struct traversal *traversal, struct error *err)
{
	struct traversal_part *first = &traversal->parts[0];
	struct edge_merge *merge = &first->edges.merge;
	uint64_t number = free_number(traversal);
	int result = 0;

	if (traversal->part_count > 1)
		TRY(begin_run(traversal, 0, &number, err));
	merge->open.count = 0;
	for (uint32_t i = 0; i < traversal->part_count && result == 0; i++)
		result = take_ends(merge, &traversal->parts[i]);
	if (result == 0)
		result = traversal_write_end(&first->edges);
	if (result < 0)
		*err = first->error;
	else if (result > 0)
		traversal->end = TOO_MANY_ROUNDS;
	return result;
}

/* Turn what the parts have written into a graph. */
static int finish_graph(struct traversal *traversal, struct cost_graph *graph, struct error *err)
{
	struct cost_writer joined, *writer = &traversal->parts[0].edges.writer;

	if (traversal->part_count > 1) {
		struct traversal_run *last =
			&traversal->runs.list.items[traversal->runs.list.count - 1];

		last->vertex_count = writer->vertex_count - last->vertex_first;
		last->edge_count = writer->edges.list.count - last->edge_first;
		TRY(traversal_join(&joined, traversal->parts, traversal->part_count,
				   &traversal->runs, traversal->threads, err));
		writer = &joined;
	}
	TRY(cost_writer_finish(writer, graph, err));
	graph->op_count = traversal->input.goal->op_count;
	for (uint32_t i = 0; i < traversal->part_count; i++)
		graph->message_count += traversal->parts[i].messages.count;
	return 0;
}

/* Go through the program by a number of parts.  Returns 0, -1, or how else it ended. */
static int run_parts(struct traversal *traversal, uint32_t part_count, struct cost_graph *graph,
		     struct error *err)
{
	int result;

	traversal->part_count = traversal->input.part_count = part_count;
	traversal->end = 0;
	traversal->ahead = traversal->most_numbers = 0;
	traversal->rounds = 0;
	traversal->tried = false;
	result = init_parts(traversal, err);
	if (result == 0)
		result = run_rounds(traversal, err);
	if (result == 0 && traversal->end == 0)
		result = write_end(traversal, err);
	if (result == 0 && traversal->end == 0)
		result = finish_graph(traversal, graph, err);
	release_parts(traversal);
	return result < 0 ? -1 : traversal->end;
}

/* --------------------------------------------------------------------- whole */

static int init_gaps(struct traversal_input *input, struct error *err)
{
	const struct execution_graph *gaps = input->gaps;
	const uint32_t op_count = input->goal->op_count;

	if (!gaps)
		return 0;
	TRY(allocate(&input->gaps_before, op_count, sizeof *input->gaps_before, err));
	for (uint32_t i = 0; i < gaps->gap_first[op_count]; i++)
		input->gaps_before[gaps->gap_later[i]] += 2;
	return 0;
}

/* Calcs are GOAL_UNMATCHED. */
static int init_partners(struct traversal_input *input, struct error *err)
{
	const size_t count = input->goal->op_count;

	TRY(allocate(&input->partner, count, sizeof *input->partner, err));
	memset(input->partner, 0xff, count * sizeof *input->partner);
	return 0;
}

static int init_input(struct traversal_input *input, const struct execution_graph *execution,
		      bool wants_matching, struct error *err)
{
	TRY(init_gaps(input, err));
	if (wants_matching)
		TRY(init_partners(input, err));
	TRY(allocate(&input->part_of, input->goal->rank_count, sizeof *input->part_of, err));
	if (execution && execution->classes.list) {
		input->classes = execution->classes;
		return 0;
	}
	TRY(message_classes_find(&input->own_classes, input->goal, NULL, input->loggps, err));
	input->classes = input->own_classes;
	return 0;
}

static void release_input(struct traversal_input *input)
{
	free(input->gaps_before);
	free(input->partner);
	free(input->part_of);
	message_classes_release(&input->own_classes);
}

int traversal_run_by(const struct traversal_split *split, struct cost_graph *graph,
		     struct goal_matching *matching, const struct goal *goal,
		     const struct loggps *loggps, const struct execution_graph *execution,
		     struct error *err)
{
	struct traversal traversal = {
		.input = {.goal = goal,
			  .loggps = loggps,
			  .gaps = execution && execution->gap_first ? execution : NULL,
			  .events = matching || execution},
		.threads = split->threads,
	};
	int result = init_input(&traversal.input, execution, matching != NULL, err);
	uint32_t parts = split->parts;

	if (result == 0)
		do
			result = run_parts(&traversal, parts, graph, err);
		while (result == TOO_MANY_ROUNDS && (parts /= 2) > 0);
	if (result == 0 && matching) {
		*matching = (struct goal_matching){traversal.input.partner, graph->message_count};
		traversal.input.partner = NULL;
	}
	release_input(&traversal.input);
	return result;
}

int traversal_run(struct cost_graph *graph, struct goal_matching *matching, const struct goal *goal,
		  const struct loggps *loggps, const struct execution_graph *execution,
		  struct error *err)
{
	const struct traversal_split split = {choose_parts(goal), parallel_threads(goal->op_count)};

	return traversal_run_by(&split, graph, matching, goal, loggps, execution, err);
}
