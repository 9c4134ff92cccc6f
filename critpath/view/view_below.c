#include "critpath/view/view_below.h"

static bool is_shown(const struct below_call *call, const struct measured_run *run,
		     const struct run_part *part)
{
	return run_part_has_time(part, measured_since_begin(run, call->enter_ns),
				 measured_since_begin(run, call->leave_ns));
}

/* ------------------------------------------------------------------- viewers */

enum { MOST_OPEN = 32 };

/* Slices of a track that are open: a slice lies within the one before it. */
struct open_slices {
	struct viewer *viewer;
	struct viewer_track track;
	uint64_t ends_ns[MOST_OPEN];
	unsigned count;
};

static void end_slices(struct open_slices *open, uint64_t until_ns)
{
	while (open->count && open->ends_ns[open->count - 1] <= until_ns)
		viewer_end(open->viewer, &open->track, open->ends_ns[--open->count]);
}

static void describe_below(const struct below_call *call, struct viewer_slice *slice)
{
	struct viewer_argument *next = slice->arguments;
	const enum below_kind kind = below_functions[call->function].kind;

	slice->name = below_functions[call->function].name;
	slice->category = "below MPI";
	if (call->function == BELOW_EMPTY_POLLS)
		*next++ = (struct viewer_argument){"polls", NULL, call->number};
	else if (kind == BELOW_POLL)
		*next++ = (struct viewer_argument){"found", NULL, call->number};
	else if (kind == BELOW_POST && call->number != BELOW_UNKNOWN)
		*next++ = (struct viewer_argument){"bytes", NULL, call->number};
	if (kind == BELOW_POST)
		*next++ = (struct viewer_argument){"goes on", call->pending ? "yes" : "no", 0};
}

static int write_slice(struct open_slices *open, const struct measured_run *run,
		       const struct below_call *call, struct error *err)
{
	struct viewer_slice slice = {
		.start_ns = measured_since_begin(run, call->enter_ns),
		.end_ns = measured_since_begin(run, call->leave_ns),
	};

	/* An outer one of the same begin is open if it is longer than nothing. */
	end_slices(open, slice.start_ns);
	if (open->count && slice.end_ns > open->ends_ns[open->count - 1])
		slice.end_ns = open->ends_ns[open->count - 1];
	describe_below(call, &slice);
	if (open->count == MOST_OPEN)
		return 0;
	open->ends_ns[open->count++] = slice.end_ns;
	return viewer_begin(open->viewer, &open->track, &slice, err);
}

static void add_below_track(struct open_slices *open, const struct viewer_track *of_rank,
			    uint32_t thread)
{
	char name[48] = "below MPI";

	if (thread)
		snprintf(name, sizeof name, "thread %u, below MPI", thread);
	viewer_add_track(open->viewer, of_rank, name, &open->track);
}

int view_write_below(struct viewer *viewer, const struct viewer_track *of_rank,
		     const struct measured_run *run, const struct run_part *part,
		     const struct measured_below *below, uint64_t *count, struct error *err)
{
	struct open_slices open = {.viewer = viewer};
	uint32_t thread = UINT32_MAX;

	for (size_t i = 0; i < below->calls.count; i++) {
		const struct below_call *call = &below->calls.items[i];

		if (!is_shown(call, run, part))
			continue;
		if (call->thread != thread) {
			end_slices(&open, UINT64_MAX);
			thread = call->thread;
			add_below_track(&open, of_rank, thread);
		}
		TRY(write_slice(&open, run, call, err));
		++*count;
	}
	end_slices(&open, UINT64_MAX);
	return 0;
}

/* ---------------------------------------------------------------------- page */

static void pack_end_of(struct pack *pack, const struct measured_run *run,
			const struct view_rows *rows, uint32_t rank, uint32_t call)
{
	pack_number(pack, rows->first[rank] + run->ranks[rank].calls.items[call].thread);
}

/* Pack a message if both of its ends are shown. */
static void pack_arrow(struct pack *pack, const struct measured_run *run,
		       const struct run_part *part, const struct view_rows *rows, uint32_t rank,
		       uint32_t number)
{
	const struct measured_recv *recv = &run->ranks[rank].recvs.items[number];
	const struct measured_rank *sender = &run->ranks[recv->peer];
	const uint32_t send = run->send_of[rank][number];
	uint32_t begin;

	if (send == NO_MATCH)
		return;
	begin = sender->sends.items[send].begin;
	if (!view_part_has_call(part, run, rank, recv->end) ||
	    !view_part_has_call(part, run, recv->peer, begin))
		return;
	pack_end_of(pack, run, rows, recv->peer, begin);
	pack_end_of(pack, run, rows, rank, recv->end);
	pack_number(pack, measured_since_begin(run, sender->calls.items[begin].enter_ns));
	pack_signed(pack, (int64_t)(run->ranks[rank].calls.items[recv->end].leave_ns -
				    sender->calls.items[begin].enter_ns));
}

void view_pack_arrows(struct pack *pack, const struct measured_run *run,
		      const struct run_part *part, const struct view_rows *rows)
{
	pack_number(pack, view_part_messages(part, run));
	for (uint32_t rank = 0; rank < run->rank_count; rank++)
		for (uint32_t i = 0; i < run->ranks[rank].recvs.count; i++)
			pack_arrow(pack, run, part, rows, rank, i);
}

/* Calls of a thread: from *first to before the result. */
static size_t end_of_thread(const struct measured_below *below, size_t first, uint32_t thread)
{
	while (first < below->calls.count && below->calls.items[first].thread == thread)
		first++;
	return first;
}

static void pack_thread(struct pack *pack, const struct measured_run *run,
			const struct run_part *part, const struct below_call *calls, size_t end,
			uint64_t *left)
{
	uint64_t before_ns = run->begin_ns, count = 0;

	for (size_t i = 0; i < end; i++)
		count += is_shown(&calls[i], run, part);
	if (count > *left)
		count = end = 0;
	*left -= count;
	pack_number(pack, count);
	for (size_t i = 0; i < end; i++) {
		if (!is_shown(&calls[i], run, part))
			continue;
		pack_number(pack, (uint64_t)calls[i].function << 1 | calls[i].pending);
		pack_signed(pack, (int64_t)(calls[i].enter_ns - before_ns));
		pack_number(pack, calls[i].leave_ns - calls[i].enter_ns);
		pack_number(pack, calls[i].number + 1); /* BELOW_UNKNOWN becomes 0 */
		before_ns = calls[i].enter_ns;
	}
}

static int pack_rank(struct pack *pack, const struct measured_run *run, const struct run_part *part,
		     struct measured_below *below, uint32_t rank, uint64_t *left, struct error *err)
{
	size_t first = 0, end;
	uint32_t thread = 0;

	TRY(measured_below_read(below, run, rank, err));
	do {
		end = end_of_thread(below, first, thread);
		pack_thread(pack, run, part, below->calls.items + first, end - first, left);
		first = end;
	} while (++thread < run->ranks[rank].thread_count);
	return 0;
}

int view_pack_below(struct pack *pack, const struct measured_run *run, const struct run_part *part,
		    struct error *err)
{
	struct measured_below below = {0};
	uint64_t left = VIEW_MOST_BELOW;
	int result = 0;

	for (uint32_t rank = 0; result == 0 && rank < run->rank_count; rank++)
		if (run_part_has_rank(part, rank))
			result = pack_rank(pack, run, part, &below, rank, &left, err);
	measured_below_release(&below);
	return result;
}
