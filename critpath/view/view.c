#include "critpath/view/view.h"

#include "common/progress.h"
#include "critpath/view/view_below.h"
#include "critpath/view/view_ends.h"

struct thread {
	struct viewer_track track;
	bool has_track;
	uint64_t until_ns; /* end of its last call */
};

struct view {
	struct viewer viewer;
	const struct measured_run *run;
	const struct waits *waits;
	const struct run_part *part;
	struct view_counts *counts;
	uint32_t comm; /* its name was looked up last */
	char comm_name[MEASURED_COMM_BYTES];
	struct view_ends ends;
	/* Of the current rank: */
	uint32_t rank;
	struct viewer_track track;
	ARRAY(struct thread) threads;
	struct measured_below below;
};

/* ---------------------------------------------------------------- arguments */

static void add_number(struct viewer_argument **next, const char *name, uint64_t number)
{
	*(*next)++ = (struct viewer_argument){name, NULL, number};
}

static void add_comm(struct view *view, struct viewer_argument **next, uint32_t comm)
{
	if (comm >= view->run->world->comm_count)
		return;
	if (comm != view->comm)
		measured_comm_name(view->run, comm, view->comm_name);
	view->comm = comm;
	*(*next)++ = (struct viewer_argument){"communicator", view->comm_name, 0};
}

/* --------------------------------------------------------- slices within calls */

/* One end of a message; both ends have the name of its receive. */
static int write_end(struct view *view, const struct thread *thread, bool receives,
		     const struct view_end *end, uint64_t time_ns, struct error *err)
{
	const bool is_inside = end->is_matched &&
			       view_part_has_call(view->part, view->run, end->peer, end->peer_call);
	struct viewer_slice slice = {
		.start_ns = time_ns,
		.end_ns = time_ns,
		.name = receives ? "receive" : "send",
		.category = "message",
		.arrow = !is_inside ? VIEWER_NO_ARROW
			 : receives ? VIEWER_ARROW_TO
				    : VIEWER_ARROW_FROM,
		.arrow_id = end->message,
	};
	struct viewer_argument *next = slice.arguments;

	add_number(&next, receives ? "from" : "to", end->peer);
	add_number(&next, "bytes", end->bytes);
	add_number(&next, "tag", end->tag);
	add_comm(view, &next, end->comm);
	TRY(viewer_write(&view->viewer, &thread->track, &slice, err));
	view->counts->messages += receives && is_inside;
	view->counts->messages_outside += end->is_matched && !is_inside;
	return 0;
}

static int write_ends(struct view *view, const struct thread *thread, uint32_t call, bool receives,
		      uint64_t time_ns, struct error *err)
{
	struct view_end end;

	while (view_ends_next(&view->ends, call, receives, &end))
		TRY(write_end(view, thread, receives, &end, time_ns, err));
	return 0;
}

/* The time from the start of a call to that of the call that it waited for. */
static int write_wait(struct view *view, const struct thread *thread, uint32_t call,
		      const struct viewer_slice *of, struct error *err)
{
	const struct wait *wait = wait_at(view->waits, view->rank, call);
	const uint64_t length_ns = wait_ns(view->waits, view->rank, call);
	char name[64];
	const struct viewer_slice slice = {
		.start_ns = of->start_ns,
		.end_ns = of->start_ns + length_ns,
		.name = name,
		.category = "wait",
		.arguments = {{"rank", NULL, wait->rank}, {"call", NULL, (uint64_t)wait->call + 1}},
	};

	if (!length_ns || slice.end_ns > of->end_ns)
		return 0;
	snprintf(name, sizeof name, "wait: %s", wait_kind_name((enum wait_kind)wait->kind));
	return viewer_write(&view->viewer, &thread->track, &slice, err);
}

/* -------------------------------------------------------------------- calls */

/* Find the track of a thread; that of the first one is the rank's. */
static int find_thread(struct view *view, uint32_t number, struct thread **found, struct error *err)
{
	struct thread *thread;
	char name[32];

	while (view->threads.count <= number)
		TRY(array_push(&view->threads, (struct thread){0}, err));
	*found = thread = &view->threads.items[number];
	if (thread->has_track)
		return 0;
	thread->has_track = true;
	thread->track = view->track;
	snprintf(name, sizeof name, "thread %u", number);
	if (number > 0)
		viewer_add_track(&view->viewer, &view->track, name, &thread->track);
	return 0;
}

/* Name the function, the call site and the collective of a call. */
static void view_describe(struct view *view, uint32_t number, struct viewer_slice *slice)
{
	const struct measured_rank *rank = &view->run->ranks[view->rank];
	const struct participation *part = view_ends_part(&view->ends, number);
	const char *site = measured_site_name(view->run, measured_site(rank, number));
	struct viewer_argument *next = slice->arguments;

	slice->name = measured_function(&view->run->names, rank->calls.items[number].function);
	add_number(&next, "number", (uint64_t)number + 1);
	if (site)
		*next++ = (struct viewer_argument){"site", call_site_short(site), 0};
	if (part) {
		add_comm(view, &next, part->comm);
		add_number(&next, "bytes", part->bytes);
	}
}

static int view_write_call(struct view *view, uint32_t number, struct error *err)
{
	const struct measured_call *call = &view->run->ranks[view->rank].calls.items[number];
	struct viewer_slice slice = {
		.start_ns = measured_since_begin(view->run, call->enter_ns),
		.end_ns = measured_since_begin(view->run, call->leave_ns),
		.category = "call",
	};
	struct thread *thread;

	TRY(find_thread(view, call->thread, &thread, err));
	/* Clock offsets may have turned the order of two calls around. */
	if (slice.start_ns < thread->until_ns)
		slice.start_ns = thread->until_ns;
	if (slice.end_ns < slice.start_ns)
		slice.end_ns = slice.start_ns;
	thread->until_ns = slice.end_ns;
	view_describe(view, number, &slice);
	TRY(viewer_begin(&view->viewer, &thread->track, &slice, err));
	TRY(write_ends(view, thread, number, false, slice.start_ns, err));
	TRY(write_wait(view, thread, number, &slice, err));
	TRY(write_ends(view, thread, number, true, slice.end_ns, err));
	viewer_end(&view->viewer, &thread->track, slice.end_ns);
	view->counts->calls++;
	return 0;
}

static int write_rank(struct view *view, uint32_t rank, struct error *err)
{
	char name[32];

	snprintf(name, sizeof name, "rank %u", rank);
	viewer_add_track(&view->viewer, NULL, name, &view->track);
	view->rank = rank;
	view->threads.count = 0;
	TRY(view_ends_begin(&view->ends, rank, err));
	for (uint32_t i = 0; i < view->run->ranks[rank].calls.count; i++)
		if (view_part_has_call(view->part, view->run, rank, i))
			TRY(view_write_call(view, i, err));
	TRY(measured_below_read(&view->below, view->run, rank, err));
	return view_write_below(&view->viewer, &view->track, view->run, view->part, &view->below,
				&view->counts->below, err);
}

/* --------------------------------------------------------------------- file */

static int view_write_path(struct view *view, const struct walk *walk, struct error *err)
{
	struct viewer_track path;

	viewer_add_track(&view->viewer, NULL, "critical path", &path);
	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];
		struct viewer_slice slice = {
			.start_ns = segment->start_ns,
			.end_ns = segment->end_ns,
			.name = walk_category_names[segment->category],
			.category = "critical",
			.arguments = {{"rank", NULL, segment->rank}},
		};

		if (!view_part_has_segment(view->part, segment))
			continue;
		if (segment->call != NO_CALL)
			slice.arguments[1] = (struct viewer_argument){"call", NULL,
								      (uint64_t)segment->call + 1};
		TRY(viewer_write(&view->viewer, &path, &slice, err));
	}
	return 0;
}

static int write_run(struct view *view, const struct walk *walk, struct error *err)
{
	const uint32_t count = view->run->rank_count;

	TRY(view_ends_init(&view->ends, view->run, err));
	TRY(view_write_path(view, walk, err));
	progress_phase("writing the calls");
	for (uint32_t rank = 0; rank < count; rank++) {
		progress_show(rank, count);
		if (run_part_has_rank(view->part, rank))
			TRY(write_rank(view, rank, err));
	}
	return 0;
}

int view_write(FILE *stream, enum viewer_format format, const struct findings *findings,
	       const struct run_part *part, struct view_counts *counts, struct error *err)
{
	static const struct viewer_known known[] = {
		{VIEWER_NAME, "send"}, {VIEWER_NAME, "receive"}, {VIEWER_CATEGORY, "call"},
		{VIEWER_CATEGORY, "message"}, {VIEWER_CATEGORY, "wait"},
		{VIEWER_CATEGORY, "critical"}, {VIEWER_ARGUMENT, "number"},
		{VIEWER_ARGUMENT, "site"}, {VIEWER_ARGUMENT, "communicator"},
		{VIEWER_ARGUMENT, "rank"}, {VIEWER_ARGUMENT, "call"}, {VIEWER_ARGUMENT, "to"},
		{VIEWER_ARGUMENT, "from"}, {VIEWER_ARGUMENT, "bytes"}, {VIEWER_ARGUMENT, "tag"},
		{0},
	};
	struct view view = {.run = findings->run,
			    .waits = findings->waits,
			    .part = part,
			    .counts = counts,
			    .comm = UINT32_MAX};
	char title[VIEWER_TEXT_BYTES];
	int result;

	*counts = (struct view_counts){0};
	snprintf(title, sizeof title, "measured run of %s", findings->path);
	result = viewer_open(&view.viewer, stream, format, title, known, err);
	if (result == 0)
		result = write_run(&view, findings->walk, err);
	view_ends_release(&view.ends);
	array_release(&view.threads);
	measured_below_release(&view.below);
	return viewer_close(&view.viewer, result);
}
