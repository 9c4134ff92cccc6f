#include "eventflow/generate/replay.h"

#include "eventflow/generate/lookahead.h"
#include "trace/call/mpi_functions.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/flow/recover/flow_times.h"

#include <string.h>

/* Actions of the visits of a node, while they are found. */
struct node_actions {
	ARRAY(uint32_t) actions;
};

struct replay {
	struct rank_calls calls;
	const struct flow_graph *graph;
	uint32_t node;
	uint64_t calls_left, all_calls; /* of the event, of the rank */
	struct node_actions *nodes;
	struct flow_stat *node_times, *edge_times;
};

static int replay_event(void *data, uint32_t thread, const struct flow_walk *at, uint64_t calls,
			uint64_t *gap_ns, struct error *err)
{
	struct replay *replay = data;

	(void)thread;
	(void)err;
	replay->node = at->node;
	replay->calls_left = calls;
	*gap_ns = 0;
	return 0;
}

static void replay_time(void *data, uint32_t thread, struct mpi_call *call, uint64_t *gap_ns,
			uint64_t *duration_ns)
{
	(void)data;
	(void)thread;
	(void)call;
	*gap_ns = *duration_ns = 0;
}

/* Note a call that is left out; STATUS_LIMIT if others depend on it. */
static int leave_out(struct replay *replay, const struct mpi_call *call, struct error *err)
{
	const struct mpi_function function = mpi_function_named(call->function);
	struct replay_program *program = replay->calls.program;
	const struct flow_stat *time = &replay->node_times[replay->node];
	size_t i = 0;

	if (call->event_count && function.class != MPI_CLASS_IO)
		return error_set(
			err, STATUS_LIMIT,
			"rank %u calls %s, whose arguments a trace does not have: no program can be "
			"generated",
			replay->calls.rank, call->function);
	while (i < program->missing.count &&
	       strcmp(program->missing.items[i].function, call->function) != 0)
		i++;
	if (i == program->missing.count)
		TRY(array_push(&program->missing, ((struct replay_missing){call->function, 0, 0}),
			       err));
	program->missing.items[i].calls++;
	program->missing.items[i].ns += flow_stat_mean(time);
	return 0;
}

/* MPI begins in main, but in programs with sessions, which may have calls before. */
static void say_init(const struct replay_program *program, const char *function,
		     struct action *text)
{
	if (!program->sessions)
		action_say(text, "/* %s: in main */", function);
	else if (!strcmp(function, "MPI_Init"))
		action_say(text, "MPI_Init(NULL, NULL); has_world = 1;");
	else
		action_say(
			text,
			"MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &flag); has_world = 1;");
}

static int replay_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct replay *replay = data;
	struct replay_program *program = replay->calls.program;
	const struct mpi_function function = mpi_function_named(call->function);
	struct action text = {0};
	uint32_t number;

	replay->calls.call++;
	/* All but the last call of an event are polls that have found nothing. */
	if (--replay->calls_left)
		return 0;
	if (!strcmp(call->function, RECORDING_OFF))
		action_say(&text, "MPI_Pcontrol(0); compute($);%s",
			   (int64_t)flow_stat_mean(&replay->node_times[replay->node]),
			   replay->calls.call < replay->all_calls ? " MPI_Pcontrol(1);" : "");
	else if (function.class == MPI_CLASS_INIT && !(function.traits & MPI_OF_SESSION))
		say_init(program, call->function, &text);
	else
		TRY(call_action(&replay->calls, call, &text, err));
	if (text.too_large)
		return error_set(err, STATUS_LIMIT, "rank %u moves 2 GiB or more in a call of %s",
				 replay->calls.rank, call->function);
	if (!text.length) {
		TRY(leave_out(replay, call, err));
		action_say(&text, "/* %s: left out */;", call->function);
	}
	TRY(actions_add(&program->actions, &text, &number, err));
	return array_push(&replay->nodes[replay->node].actions, number, err);
}

/* Length of the shortest start that, repeated, is the whole. */
static int find_period(const uint32_t *items, size_t count, size_t *period, struct error *err)
{
	size_t *border, length = 0;

	TRY(allocate(&border, count + 1, sizeof *border, err));
	for (size_t i = 1; i < count; i++) {
		while (length && items[i] != items[length])
			length = border[length - 1];
		length += items[i] == items[length];
		border[i] = length;
	}
	*period = count - (count ? border[count - 1] : 0);
	free(border);
	return 0;
}

static int keep_sequence(struct replay_program *program, const struct node_actions *node,
			 struct replay_rank *found, struct error *err)
{
	const size_t before = program->sequences.starts.count;
	size_t period;
	uint32_t number;

	TRY(find_period(node->actions.items, node->actions.count, &period, err));
	TRY(string_table_add(&program->sequences, (const char *)node->actions.items,
			     period * sizeof *node->actions.items, &number, err));
	if (program->sequences.starts.count > before)
		TRY(array_push(&program->sequence_counts, (uint32_t)period, err));
	return array_push(&found->sequences, number, err);
}

static int find_actions(struct replay *replay, struct replay_rank *found, struct error *err)
{
	const struct flow_timer timer = {replay_event, replay_time, replay};
	const struct flow *flow = replay->calls.flow;
	const struct flow_thread *thread = &flow->ranks[replay->calls.rank].threads.items[0];

	TRY(allocate(&replay->nodes, replay->graph->nodes.count, sizeof *replay->nodes, err));
	TRY(allocate(&replay->node_times, replay->graph->nodes.count, sizeof *replay->node_times,
		     err));
	TRY(allocate(&replay->edge_times, replay->graph->edges.count + 1,
		     sizeof *replay->edge_times, err));
	TRY(flow_thread_stats(flow, thread, replay->node_times, replay->edge_times, err));
	for (size_t n = 0; n < replay->graph->nodes.count; n++)
		replay->calls.program->total_ns += replay->node_times[n].sum;
	for (size_t e = 0; e < replay->graph->edges.count; e++)
		replay->calls.program->total_ns += replay->edge_times[e].sum;
	replay->all_calls = thread->calls;
	TRY(look_ahead(&replay->calls, err));
	TRY(flow_recover_timed(flow, replay->calls.rank, &timer, replay_call, replay, err));
	for (size_t n = 0; n < replay->graph->nodes.count; n++)
		TRY(keep_sequence(replay->calls.program, &replay->nodes[n], found, err));
	return 0;
}

static void note_needs(struct replay *replay)
{
	struct replay_needs *needs = &replay->calls.program->needs;
	const struct flow_rank *rank = &replay->calls.flow->ranks[replay->calls.rank];

	if (rank->windows.count > needs->windows)
		needs->windows = rank->windows.count;
	if (replay->calls.persistent.count > needs->persistent)
		needs->persistent = replay->calls.persistent.count;
}

int replay_rank(struct replay_program *program, uint32_t rank, struct replay_rank *found,
		struct error *err)
{
	const struct flow_rank *flow_rank = &program->flow->ranks[rank];
	struct replay replay = {.calls = {.program = program, .flow = program->flow, .rank = rank}};
	int result;

	if (flow_rank->threads.count != 1)
		return error_set(err, STATUS_LIMIT,
				 "rank %u has %zu threads with calls: no program can be generated",
				 rank, flow_rank->threads.count);
	replay.graph = &program->flow->graphs.items[flow_rank->threads.items[0].graph];
	result = find_actions(&replay, found, err);
	note_needs(&replay);
	for (size_t n = 0; replay.nodes && n < replay.graph->nodes.count; n++)
		array_release(&replay.nodes[n].actions);
	free(replay.nodes);
	free(replay.node_times);
	free(replay.edge_times);
	look_ahead_release(&replay.calls);
	return result;
}

void replay_release(struct replay_program *program)
{
	actions_release(&program->actions);
	array_release(&program->missing);
	string_table_release(&program->sequences);
	array_release(&program->sequence_counts);
	grids_release(&program->grids);
}
