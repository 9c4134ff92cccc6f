#include "tracer/flow.h"

#include "common/array.h"
#include "pmpi/process.h"
#include "trace/assemble/rank_flow.h"
#include "trace/call/call_as_read.h"
#include "trace/call/mpi_functions.h"
#include "trace/call/poll_fold.h"
#include "trace/flow/builder/flow_rank.h"
#include "trace/journal/journal_sites.h"
#include "tracer/iteration_recorder.h"
#include "tracer/tracer.h"

#include <stdlib.h>
#include <string.h>

/*
 * The graphs are saved again after SAVE_SHARE times the processor time that saving took: it costs
 * at most 1/SAVE_SHARE of the run.
 */
enum { SAVE_SHARE = 200 };
static const uint64_t least_pause_ns = 10000000, most_pause_ns = 30000000000;

/* Time that a thread had lost before a call, and before the call ended if it is several polls. */
struct lost_time {
	uint64_t enter_ns, leave_ns;
};

/* Of a thread. */
struct flow_recorder {
	struct poll_fold polls; /* not in the graph yet */
	struct lost_time lost_at_polls;
	struct mpi_call call;	   /* the one at hand */
	struct call_events events; /* of it */
	uint64_t lost_ns;	   /* in which this thread has saved the graphs */
	uint64_t last_ns;	   /* end of the last call */
	uint64_t off_ns;	   /* when recording was switched off */
	uint64_t calls;
	bool off;
};

static struct {
	pthread_mutex_t lock;
	volatile bool busy; /* a thread changes what follows */
	struct flow_rank_builder *builder;
	struct call_objects objects;
	struct journal_sites *sites; /* to name call sites, or NULL */
	ARRAY(struct flow_recorder *) threads;
	uint64_t added; /* calls as a reader delivers them */
	int watched;	/* result of the last event; the error is watch_error */
	struct error watch_error;
	uint64_t save_ns; /* when to save next */
	unsigned saves;
} graphs = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ------------------------------------------------------------------------ begin, end */

static bool lock_graphs(void)
{
	const bool locked = process.threaded;

	if (locked)
		pthread_mutex_lock(&graphs.lock);
	graphs.busy = true;
	return locked;
}

static void unlock_graphs(bool locked)
{
	graphs.busy = false;
	if (locked)
		pthread_mutex_unlock(&graphs.lock);
}

static const char *name_site(void *nothing, uint64_t place)
{
	(void)nothing;
	return journal_site_text(graphs.sites, (uintptr_t)place);
}

/* Tell what records iterations of an event of the first thread. */
static void see_event(void *nothing, const struct flow_rank_event *event)
{
	const uint64_t lost_ns = graphs.threads.items[0]->lost_ns;

	(void)nothing;
	if (event->thread == 0 && graphs.watched == 0)
		graphs.watched = iteration_recorder_event(event,
							  event->enter_ns + process.load_ns +
								  lost_ns,
							  graphs.added, &graphs.watch_error);
}

static int begin_graphs(struct error *err)
{
	struct flow_options options = {.times = FLOW_TIMES_STATS,
				       .level = FLOW_BY_SITE,
				       .folds = tracer.folds,
				       .memory = tracer.memory_bytes};

	if (tracer.call_sites) {
		TRY(journal_sites_make(&graphs.sites, err));
		options.site = name_site;
	}
	TRY(flow_rank_begin(&graphs.builder, &options, (uint32_t)process.size,
			    (uint32_t)process.rank, err));
	if (tracer.iterations)
		flow_rank_watch(graphs.builder, see_event, NULL);
	return 0;
}

static int add_recorder(struct flow_recorder **recorder, uint32_t number, struct error *err)
{
	if (!graphs.builder)
		TRY(begin_graphs(err));
	TRY(array_reserve(&graphs.threads, 1, err));
	TRY(allocate(recorder, 1, sizeof **recorder, err));
	(*recorder)->call.thread = number;
	graphs.threads.items[graphs.threads.count++] = *recorder;
	return 0;
}

int flow_recorder_begin(struct flow_recorder **recorder, uint32_t number, struct error *err)
{
	const bool locked = lock_graphs();
	const int result = add_recorder(recorder, number, err);

	unlock_graphs(locked);
	return result;
}

void flow_recorder_cancel(void)
{
	for (size_t i = 0; i < graphs.threads.count; i++) {
		array_release(&graphs.threads.items[i]->events.list);
		free(graphs.threads.items[i]);
	}
	array_release(&graphs.threads);
	flow_rank_release(graphs.builder);
	graphs.builder = NULL;
	call_objects_release(&graphs.objects);
	journal_sites_free(graphs.sites);
	graphs.sites = NULL;
}

uint64_t flow_recorder_calls(void)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < graphs.threads.count; i++)
		calls += graphs.threads.items[i]->calls;
	return calls;
}

/* ---------------------------------------------------------------------------- calls */

/* Time since the rank began, without what was lost before, but not before the last time of the thread. */
static inline uint64_t flow_time(uint64_t last_ns, uint64_t time_ns, uint64_t lost_ns)
{
	const uint64_t begin_ns = process.load_ns + lost_ns;
	const uint64_t own_ns = time_ns > begin_ns ? time_ns - begin_ns : 0;

	return own_ns > last_ns ? own_ns : last_ns;
}

/* Set the call at hand, with times of the graphs, but for its polls. */
static inline void set_call(struct flow_recorder *recorder, const char *function,
			    const struct mpi_call *recorded, struct lost_time lost)
{
	struct mpi_call *call = &recorder->call;
	const uint64_t enter_ns = flow_time(recorder->last_ns, recorded->enter_ns, lost.enter_ns);
	const uint64_t leave_ns = flow_time(enter_ns, recorded->leave_ns, lost.leave_ns);

	call->function = function;
	call->enter_ns = enter_ns;
	call->leave_ns = recorder->last_ns = leave_ns;
	call->events = recorded->events;
	call->event_count = recorded->event_count;
	call->return_address = recorded->return_address;
}

/* Add the call at hand, which the graph does not expect, as a reader of an archive delivers it. */
static int add_unexpected(struct flow_recorder *recorder, struct error *err)
{
	TRY(call_as_read(&recorder->call, &graphs.objects, &recorder->events, err));
	return flow_rank_call(graphs.builder, &recorder->call, err);
}

/* Add a call, which is no run of polls, to the graph of its thread. */
static inline int flow_add_call(struct flow_recorder *recorder, const char *function,
				const struct mpi_call *recorded, struct lost_time lost,
				struct error *err)
{
	int added;

	set_call(recorder, function, recorded, lost);
	added = flow_rank_expected(graphs.builder, &recorder->call, err);
	TRY(added);
	if (!added)
		TRY(add_unexpected(recorder, err));
	graphs.added++;
	if (graphs.watched < 0)
		*err = graphs.watch_error;
	return graphs.watched;
}

/* Add a run of polls.  A single poll is a call like others. */
static int add_polls(struct flow_recorder *recorder, struct poll_fold *run, struct lost_time lost,
		     struct error *err)
{
	struct mpi_call *call = &recorder->call;
	int result;

	run->call.events = &run->event;
	if (run->call.polls > 1) {
		call->polls = run->call.polls;
		call->poll_gaps_ns = run->call.poll_gaps_ns;
		call->least_poll_gap_ns = run->call.least_poll_gap_ns;
	}
	result = flow_add_call(recorder, mpi_functions[run->number].name, &run->call, lost, err);
	call->polls = call->poll_gaps_ns = call->least_poll_gap_ns = 0;
	return result;
}

/* Add the run of polls that is not in the graph yet: there is one. */
static int end_polls(struct flow_recorder *recorder, struct error *err)
{
	struct poll_fold run = recorder->polls;

	recorder->polls.call.polls = 0;
	return add_polls(recorder, &run, recorder->lost_at_polls, err);
}

static int flow_take_poll(struct flow_recorder *recorder, unsigned function,
			  const struct mpi_call *poll, struct error *err)
{
	struct poll_fold before = recorder->polls;
	struct lost_time lost = recorder->lost_at_polls;

	recorder->lost_at_polls.leave_ns = recorder->lost_ns;
	if (poll_fold_add(&recorder->polls, function, poll))
		return 0;
	recorder->lost_at_polls.enter_ns = recorder->lost_ns;
	if (!before.call.polls)
		return 0;
	return add_polls(recorder, &before, lost, err);
}

const char *flow_recorder_function(uint32_t node)
{
	return graphs.builder ? flow_rank_function(graphs.builder, 0, node) : NULL;
}

/* Save a part, which is released. */
static int save_part(struct flow *part, struct error *err)
{
	int result;

	part->world.world_comm = NO_COMM;
	if (tracer.iterations)
		TRY(iteration_recorder_windows(flow_rank_of(part, (uint32_t)process.rank), err));
	result = rank_flow_save(part, tracer.directory, (uint32_t)process.rank, graphs.saves, err);
	graphs.saves += result == 0;
	flow_release(part);
	return result;
}

static int flow_save(struct error *err)
{
	struct flow *part;

	TRY(flow_rank_part(graphs.builder, &part, err));
	return save_part(part, err);
}

/* Processor time of this thread. */
static uint64_t busy_time_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Save the graphs now and then.  An error is ignored: it comes again at the end, or does not matter. */
static void save_graphs(struct flow_recorder *recorder)
{
	const uint64_t begin_ns = now_ns(), busy_ns = busy_time_ns();
	uint64_t pause_ns;
	struct error err;

	flow_save(&err);
	pause_ns = SAVE_SHARE * passed_ns(busy_ns, busy_time_ns());
	if (pause_ns < least_pause_ns)
		pause_ns = least_pause_ns;
	if (pause_ns > most_pause_ns)
		pause_ns = most_pause_ns;
	recorder->lost_ns += passed_ns(begin_ns, now_ns());
	graphs.save_ns = now_ns() + pause_ns;
}

/* Take a poll that has found nothing, or the call after such polls. */
static int take_among_polls(struct flow_recorder *recorder, unsigned function,
			    const struct mpi_call *call, struct lost_time lost, struct error *err)
{
	if (poll_fold_takes(call))
		return flow_take_poll(recorder, function, call, err);
	TRY(end_polls(recorder, err));
	return flow_add_call(recorder, mpi_functions[function].name, call, lost, err);
}

static inline int flow_take_call(struct flow_recorder *recorder, unsigned function,
				 const struct mpi_call *call, struct error *err)
{
	const struct lost_time lost = {recorder->lost_ns, recorder->lost_ns};

	recorder->calls++;
	if (__builtin_expect(poll_fold_takes(call) || recorder->polls.call.polls, 0))
		TRY(take_among_polls(recorder, function, call, lost, err));
	else
		TRY(flow_add_call(recorder, mpi_functions[function].name, call, lost, err));
	if (__builtin_expect(call->leave_ns >= graphs.save_ns, 0))
		save_graphs(recorder);
	return 0;
}

int flow_recorder_call(struct flow_recorder *recorder, unsigned function,
		       const struct mpi_call *call, struct error *err)
{
	const bool locked = lock_graphs();
	const int result = flow_take_call(recorder, function, call, err);

	unlock_graphs(locked);
	return result;
}

/* The time in which recording was off is a call. */
static int flow_take_switch(struct flow_recorder *recorder, uint64_t time_ns, bool on,
			    struct error *err)
{
	const struct mpi_call off = {.enter_ns = recorder->off_ns, .leave_ns = time_ns};
	const struct lost_time lost = {recorder->lost_ns, recorder->lost_ns};
	const bool was_off = recorder->off;

	if (recorder->polls.call.polls)
		TRY(end_polls(recorder, err));
	if (!on && !was_off)
		recorder->off_ns = time_ns;
	recorder->off = !on;
	return on && was_off ? flow_add_call(recorder, RECORDING_OFF, &off, lost, err) : 0;
}

int flow_recorder_switch(struct flow_recorder *recorder, uint64_t time_ns, bool on,
			 struct error *err)
{
	const bool locked = lock_graphs();
	const int result = flow_take_switch(recorder, time_ns, on, err);

	unlock_graphs(locked);
	return result;
}

/* -------------------------------------------------------------------------- objects */

static int flow_add_comm(const struct mpi_comm *comm, struct error *err)
{
	TRY(call_objects_comm(&graphs.objects, comm, err));
	return flow_rank_comm(graphs.builder, comm->id, comm->remote_size ? NO_RANK : comm->rank,
			      comm->size, err);
}

int flow_recorder_comm(const struct mpi_comm *comm, struct error *err)
{
	const bool locked = lock_graphs();
	const int result = flow_add_comm(comm, err);

	unlock_graphs(locked);
	return result;
}

int flow_recorder_group(const struct mpi_group *group, struct error *err)
{
	const bool locked = lock_graphs();
	const int result = call_objects_group(&graphs.objects, group, err);

	unlock_graphs(locked);
	return result;
}

/* ------------------------------------------------------------------------------ end */

/* Add what is held back. */
static int end_recorder(struct flow_recorder *recorder, struct error *err)
{
	if (recorder->polls.call.polls)
		TRY(end_polls(recorder, err));
	return recorder->off ? flow_take_switch(recorder, recorder->off_ns, true, err) : 0;
}

static int end_recorders(struct error *err)
{
	for (size_t i = 0; i < graphs.threads.count; i++)
		TRY(end_recorder(graphs.threads.items[i], err));
	return 0;
}

void flow_recorder_save(void)
{
	struct error err;
	bool locked;

	/* The process may end in a signal handler. */
	if (!graphs.builder || graphs.busy)
		return;
	locked = lock_graphs();
	if (end_recorders(&err) == 0)
		flow_save(&err);
	unlock_graphs(locked);
}

int flow_recorder_end(struct error *err)
{
	struct flow *part;

	TRY(end_recorders(err));
	TRY(flow_rank_end(graphs.builder, &part, err));
	return save_part(part, err);
}
