#include "tracer/below.h"

#include "pmpi/call.h"
#include "trace/journal/journal.h"
#include "tracer/tracer.h"

enum {
	MOST_DEPTH = 16,
	/* More time than this between two polls, in ns, ends a run: the thread did something else. */
	MOST_GAP_NS = 20000,
	/*
	 * A run outside of calls of MPI ends at this length, in ns: none is lost at the end but a
	 * last one.
	 */
	MOST_RUN_NS = 10000000,
};

/* A call that was entered. */
struct open_call {
	unsigned function;
	bool written; /* its begin is, as something was recorded within it */
	uint64_t enter_ns, bytes;
};

/* State of a thread. */
struct below {
	struct journal *journal; /* NULL before the first call */
	unsigned depth;
	struct open_call open[MOST_DEPTH];
	/* Polls in a row that found nothing. */
	struct {
		uint64_t count, from_ns, to_ns;
		unsigned depth; /* calls that they are in */
		bool inside;	/* a call of MPI */
	} polls;
};

volatile bool below_records;

static _Thread_local struct below own __attribute__((tls_model("initial-exec")));

int below_begin(struct error *err)
{
#ifdef WITH_UCX
	(void)err;
	below_records = true;
	return 0;
#else
	return error_set(err, STATUS_LIMIT,
			 "LLAMP_TRACE_BELOW_MPI: the tracer was built without"
			 " the headers of UCX");
#endif
}

void below_end(void)
{
	below_records = false;
}

/* The program goes on, without a trace of this rank. */
static void below_fail(const struct error *err)
{
	below_end();
	process_fail(err);
}

static void below_write(const struct below_event *event)
{
	struct error err;

	if (below_records && journal_below(own.journal, event, &err) < 0)
		below_fail(&err);
}

/* Write the begin of the outermost calls that are open. */
static void write_open(unsigned depth)
{
	for (unsigned i = 0; i < depth; i++) {
		struct open_call *open = &own.open[i];

		if (!open->written)
			below_write(&(struct below_event){.part = BELOW_ENTER,
							  .function = open->function,
							  .inside = call_depth > 0,
							  .enter_ns = open->enter_ns,
							  .leave_ns = open->enter_ns,
							  .number = open->bytes});
		open->written = true;
	}
}

static void write_polls(void)
{
	const uint64_t count = own.polls.count;

	if (!count)
		return;
	own.polls.count = 0;
	write_open(own.polls.depth);
	below_write(&(struct below_event){.function = BELOW_EMPTY_POLLS,
					  .inside = own.polls.inside,
					  .enter_ns = own.polls.from_ns,
					  .leave_ns = own.polls.to_ns,
					  .number = count});
}

void below_take_polls(struct mpi_call *call)
{
	if (!own.polls.count || !own.polls.inside || own.polls.depth)
		return;
	call->empty_polls = own.polls.count;
	call->empty_from_ns = own.polls.from_ns;
	call->empty_to_ns = own.polls.to_ns;
	own.polls.count = 0;
}

static void add_empty_poll(uint64_t enter_ns, uint64_t leave_ns)
{
	const bool inside = call_depth > 0;

	if (own.polls.count && (own.polls.inside != inside || own.polls.depth != own.depth ||
				enter_ns - own.polls.to_ns > MOST_GAP_NS ||
				(!inside && leave_ns - own.polls.from_ns > MOST_RUN_NS)))
		write_polls();
	if (!own.polls.count++)
		own.polls.from_ns = enter_ns;
	own.polls.to_ns = leave_ns;
	own.polls.depth = own.depth;
	own.polls.inside = inside;
}

/* Find the journal of this thread, and begin it if it has none. */
static bool find_journal(void)
{
	struct error err;

	own.journal = tracer_journal(&err);
	if (!own.journal)
		below_fail(&err);
	return own.journal;
}

bool below_enter(unsigned function, uint64_t bytes)
{
	if (process.state != PROCESS_ACTIVE || !process.on || own.depth == MOST_DEPTH ||
	    (!own.journal && !find_journal()))
		return false;
	own.open[own.depth++] = (struct open_call){function, false, now_ns(), bytes};
	return true;
}

void below_leave(bool pending, uint64_t found)
{
	const uint64_t leave_ns = now_ns();
	const struct open_call *open = &own.open[--own.depth];
	const bool is_poll = below_functions[open->function].kind == BELOW_POLL;
	struct below_event event = {.part = open->written ? BELOW_LEAVE : BELOW_CALL,
				    .function = open->function,
				    .pending = pending,
				    .inside = call_depth > 0,
				    .enter_ns = open->written ? leave_ns : open->enter_ns,
				    .leave_ns = leave_ns,
				    .number = is_poll ? found : open->bytes};

	if (is_poll && !found && !open->written) {
		if (open->function == BELOW_worker_progress)
			add_empty_poll(open->enter_ns, leave_ns);
		return;
	}
	write_polls();
	write_open(own.depth);
	below_write(&event);
}
