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

/* A thread: its event at hand, and the actions and times of its nodes. */
struct replayed_thread {
	const struct flow_graph *graph;
	uint32_t node;
	uint64_t calls_left; /* of the event */
	struct node_actions *nodes;
	struct flow_stat *node_times, *edge_times;
};

struct replay {
	struct rank_calls calls;
	uint64_t all_calls; /* of the rank */
	struct replayed_thread *threads;
};

static int replay_event(void *data, uint32_t thread, const struct flow_walk *at, uint64_t calls,
			uint64_t *gap_ns, struct error *err)
{
	struct replay *replay = data;

	(void)err;
	replay->threads[thread].node = at->node;
	replay->threads[thread].calls_left = calls;
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

/* Mean time of the node of a call. */
static uint64_t mean_time(const struct replay *replay, const struct mpi_call *call)
{
	const struct replayed_thread *thread = &replay->threads[call->thread];

	return flow_stat_mean(&thread->node_times[thread->node]);
}

/* Note a call that is left out; STATUS_LIMIT if others depend on it. */
static int leave_out(struct replay *replay, const struct mpi_call *call, struct error *err)
{
	const struct mpi_function function = mpi_function_named(call->function);
	struct replay_program *program = replay->calls.program;
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
	program->missing.items[i].ns += mean_time(replay, call);
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
			"MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &flag); has_world = 1;%s",
			program->threads > 1 ? " check_level(flag);" : "");
}

/* Local calls of other threads on communicators of sessions go on (any_comm of the program). */
static void say_finalize(const struct replay_program *program, struct action *text)
{
	action_say(text, "%sMPI_Finalize();", program->sessions ? "has_world = 0; " : "");
}

/* The time without recording: one thread switches it off, and those that have it too wait for it. */
static void say_off(const struct replay *replay, const struct mpi_call *call, struct action *text)
{
	if (number_map_get(&replay->calls.hints, replay->calls.call, 0) != NUMBER_MAP_EMPTY)
		action_say(text, "/* recording is off: see another thread */;");
	else
		action_say(text, "MPI_Pcontrol(0); compute($);%s", (int64_t)mean_time(replay, call),
			   replay->calls.call < replay->all_calls ? " MPI_Pcontrol(1);" : "");
}

/* Find the action of a call of any kind. */
static int say_call(struct replay *replay, const struct mpi_call *call, struct action *text,
		    struct error *err)
{
	const struct mpi_function function = mpi_function_named(call->function);
	const size_t before = text->length;

	if (!strcmp(call->function, RECORDING_OFF))
		say_off(replay, call, text);
	else if (function.class == MPI_CLASS_INIT && !(function.traits & MPI_OF_SESSION))
		say_init(replay->calls.program, call->function, text);
	else if (function.class == MPI_CLASS_FINALIZE && !(function.traits & MPI_OF_SESSION))
		say_finalize(replay->calls.program, text);
	else
		TRY(call_action(&replay->calls, call, text, err));
	if (text->length > before || text->too_large)
		return 0;
	TRY(leave_out(replay, call, err));
	action_say(text, "/* %s: left out */;", call->function);
	return 0;
}

/* Hand the last requests that were begun to the threads that complete them. */
static int say_handed(struct replay *replay, size_t before, struct action *text, struct error *err)
{
	struct rank_calls *calls = &replay->calls;
	ARRAY(int32_t) takers = {0};
	int64_t start = 0;
	bool any = false;
	int result = 0;

	for (size_t i = before; i < calls->open.count && result == 0; i++) {
		const struct replay_open *open = &calls->open.items[i];

		any |= open->to != open->from;
		result = array_push(&takers, open->to != open->from ? (int32_t)open->to : -1, err);
	}
	if (result == 0 && any)
		result = actions_list(&calls->program->actions, takers.items, takers.count, &start,
				      err);
	if (result == 0 && any)
		action_say(text, " hand_over($, lists + $);", (int64_t)takers.count, start);
	array_release(&takers);
	return result;
}

/* Check that a poll that is left out has not found a message that another thread receives. */
static int check_poll(const struct rank_calls *calls, const struct mpi_call *call,
		      struct error *err)
{
	const uint32_t taker = number_map_get(&calls->hints, calls->call, HINT_THREAD);

	return taker == NUMBER_MAP_EMPTY || taker == calls->thread
		       ? 0
		       : error_set(err, STATUS_LIMIT,
				   "rank %u finds a message in one of several calls of %s, and "
				   "another thread receives it: no program can be generated",
				   calls->rank, call->function);
}

static int replay_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct replay *replay = data;
	struct rank_calls *calls = &replay->calls;
	struct replayed_thread *thread = &replay->threads[call->thread];
	struct action text = {0};
	const size_t open = calls->open.count;
	uint32_t number;

	calls->call++;
	calls->thread = call->thread;
	/* All but the last call of an event are polls that have found nothing. */
	if (--thread->calls_left)
		return check_poll(calls, call, err);
	TRY(thread_order_say_before(calls, &text, err));
	TRY(say_call(replay, call, &text, err));
	TRY(say_handed(replay, open, &text, err));
	TRY(thread_order_say_after(calls, &text, err));
	if (text.too_large)
		return error_set(err, STATUS_LIMIT, "rank %u moves 2 GiB or more in a call of %s",
				 calls->rank, call->function);
	TRY(actions_add(&calls->program->actions, &text, &number, err));
	return array_push(&thread->nodes[thread->node].actions, number, err);
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
			 struct replay_thread *found, struct error *err)
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

static int begin_thread(struct replay *replay, uint32_t number, struct error *err)
{
	struct replayed_thread *thread = &replay->threads[number];
	const struct flow *flow = replay->calls.flow;
	const struct flow_thread *flow_thread =
		&flow->ranks[replay->calls.rank].threads.items[number];

	thread->graph = &flow->graphs.items[flow_thread->graph];
	TRY(allocate(&thread->nodes, thread->graph->nodes.count, sizeof *thread->nodes, err));
	TRY(allocate(&thread->node_times, thread->graph->nodes.count, sizeof *thread->node_times,
		     err));
	TRY(allocate(&thread->edge_times, thread->graph->edges.count + 1,
		     sizeof *thread->edge_times, err));
	TRY(flow_thread_stats(flow, flow_thread, thread->node_times, thread->edge_times, err));
	for (size_t n = 0; n < thread->graph->nodes.count; n++)
		replay->calls.program->total_ns += thread->node_times[n].sum;
	for (size_t e = 0; e < thread->graph->edges.count; e++)
		replay->calls.program->total_ns += thread->edge_times[e].sum;
	replay->all_calls += flow_thread->calls;
	return 0;
}

static void end_thread(struct replayed_thread *thread)
{
	for (size_t n = 0; thread->nodes && n < thread->graph->nodes.count; n++)
		array_release(&thread->nodes[n].actions);
	free(thread->nodes);
	free(thread->node_times);
	free(thread->edge_times);
}

static int keep_thread(struct replay *replay, const struct replayed_thread *thread,
		       struct replay_rank *found, struct error *err)
{
	struct replay_thread *kept;

	TRY(array_push(&found->threads, (struct replay_thread){0}, err));
	kept = &found->threads.items[found->threads.count - 1];
	for (size_t n = 0; n < thread->graph->nodes.count; n++)
		TRY(keep_sequence(replay->calls.program, &thread->nodes[n], kept, err));
	return 0;
}

static int find_actions(struct replay *replay, struct replay_rank *found, struct error *err)
{
	const struct flow_timer timer = {replay_event, replay_time, replay};

	for (uint32_t t = 0; t < replay->calls.threads; t++)
		TRY(begin_thread(replay, t, err));
	TRY(look_ahead(&replay->calls, err));
	TRY(flow_recover_timed(replay->calls.flow, replay->calls.rank, &timer, replay_call, replay,
			       err));
	for (uint32_t t = 0; t < replay->calls.threads; t++)
		TRY(keep_thread(replay, &replay->threads[t], found, err));
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

/* Check that the calls of a rank have an order. */
static int check_threads(const struct flow *flow, uint32_t rank, struct error *err)
{
	const size_t threads = flow->ranks[rank].threads.count;

	if (threads > 1 && flow->times != FLOW_TIMES_ALL)
		return error_set(
			err, STATUS_LIMIT,
			"rank %u has %zu threads with calls, and the file lacks the times of "
			"each call, which tell their order: no program can be generated; give the "
			"archive of the run, or the file that eventflow build makes of it with "
			"--times all",
			rank, threads);
	if (!threads)
		return error_set(err, STATUS_LIMIT,
				 "rank %u has no calls: no program can be generated", rank);
	return 0;
}

int replay_rank(struct replay_program *program, uint32_t rank, struct replay_rank *found,
		struct error *err)
{
	const struct flow_rank *flow_rank = &program->flow->ranks[rank];
	struct replay replay = {.calls = {.program = program,
					  .flow = program->flow,
					  .rank = rank,
					  .threads = (uint32_t)flow_rank->threads.count}};
	int result;

	TRY(check_threads(program->flow, rank, err));
	TRY(allocate(&replay.threads, replay.calls.threads, sizeof *replay.threads, err));
	result = find_actions(&replay, found, err);
	note_needs(&replay);
	for (uint32_t t = 0; t < replay.calls.threads; t++)
		end_thread(&replay.threads[t]);
	free(replay.threads);
	look_ahead_release(&replay.calls);
	return result;
}

void replay_rank_release(struct replay_rank *found)
{
	for (size_t t = 0; t < found->threads.count; t++)
		array_release(&found->threads.items[t].sequences);
	array_release(&found->threads);
}

void replay_release(struct replay_program *program)
{
	actions_release(&program->actions);
	array_release(&program->missing);
	string_table_release(&program->sequences);
	array_release(&program->sequence_counts);
	grids_release(&program->grids);
	free_tags_release(&program->tags);
}
