#include "critpath/view/view.h"

#include "common/progress.h"
#include "critpath/view/view_ends.h"

/* Names of slices, categories and arguments. */
enum text {
	TEXT_SEND,
	TEXT_RECEIVE,
	TEXT_IS_CALL,
	TEXT_IS_MESSAGE,
	TEXT_IS_WAIT,
	TEXT_IS_CRITICAL,
	TEXT_NUMBER,
	TEXT_SITE,
	TEXT_COMMUNICATOR,
	TEXT_RANK,
	TEXT_CALL,
	TEXT_TO,
	TEXT_FROM,
	TEXT_BYTES,
	TEXT_TAG,
	TEXT_COUNT,
};

static const struct {
	enum viewer_use use;
	const char *text;
} texts[TEXT_COUNT] = {
	[TEXT_SEND] = {VIEWER_NAME, "send"},
	[TEXT_RECEIVE] = {VIEWER_NAME, "receive"},
	[TEXT_IS_CALL] = {VIEWER_CATEGORY, "call"},
	[TEXT_IS_MESSAGE] = {VIEWER_CATEGORY, "message"},
	[TEXT_IS_WAIT] = {VIEWER_CATEGORY, "wait"},
	[TEXT_IS_CRITICAL] = {VIEWER_CATEGORY, "critical"},
	[TEXT_NUMBER] = {VIEWER_ARGUMENT, "number"},
	[TEXT_SITE] = {VIEWER_ARGUMENT, "site"},
	[TEXT_COMMUNICATOR] = {VIEWER_ARGUMENT, "communicator"},
	[TEXT_RANK] = {VIEWER_ARGUMENT, "rank"},
	[TEXT_CALL] = {VIEWER_ARGUMENT, "call"},
	[TEXT_TO] = {VIEWER_ARGUMENT, "to"},
	[TEXT_FROM] = {VIEWER_ARGUMENT, "from"},
	[TEXT_BYTES] = {VIEWER_ARGUMENT, "bytes"},
	[TEXT_TAG] = {VIEWER_ARGUMENT, "tag"},
};

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
	uint32_t texts[TEXT_COUNT];
	uint32_t *comms; /* [communicator]: its name, 0 if it was not looked up */
	uint32_t *sites; /* [call site]: likewise */
	struct view_ends ends;
	/* Of the current rank: */
	uint32_t rank;
	struct viewer_track track;
	ARRAY(struct thread) threads;
};

/* ---------------------------------------------------------------- arguments */

struct arguments {
	struct viewer_argument items[VIEWER_MOST_ARGUMENTS];
	uint32_t count;
};

static void add_number(const struct view *view, struct arguments *arguments, enum text name,
		       uint64_t value)
{
	arguments->items[arguments->count++] = (struct viewer_argument){view->texts[name], false,
									value};
}

static int add_comm(struct view *view, struct arguments *arguments, uint32_t comm,
		    struct error *err)
{
	char name[MEASURED_COMM_BYTES];

	if (comm >= view->run->world->comm_count)
		return 0;
	if (!view->comms[comm])
		TRY(viewer_text(&view->viewer, VIEWER_VALUE,
				measured_comm_name(view->run, comm, name), &view->comms[comm],
				err));
	arguments->items[arguments->count++] =
		(struct viewer_argument){view->texts[TEXT_COMMUNICATOR], true, view->comms[comm]};
	return 0;
}

static int view_add_site(struct view *view, struct arguments *arguments, uint32_t site,
			 struct error *err)
{
	const char *name = measured_site_name(view->run, site);

	if (!name)
		return 0;
	if (!view->sites[site])
		TRY(viewer_text(&view->viewer, VIEWER_VALUE, call_site_short(name),
				&view->sites[site], err));
	arguments->items[arguments->count++] =
		(struct viewer_argument){view->texts[TEXT_SITE], true, view->sites[site]};
	return 0;
}

/* --------------------------------------------------------- slices within calls */

/* Write a slice that nothing lies within. */
static void write_leaf(struct view *view, const struct thread *thread,
		       const struct viewer_slice *slice)
{
	viewer_begin(&view->viewer, &thread->track, slice);
	viewer_end(&view->viewer, &thread->track, slice->end_ns);
}

/* One end of a message; both ends have the name of its receive. */
static int write_end(struct view *view, const struct thread *thread, bool receives,
		     const struct view_end *end, uint64_t time_ns, struct error *err)
{
	const bool is_inside = end->is_matched &&
			       view_part_has_call(view->part, view->run, end->peer, end->peer_call);
	struct arguments arguments = {.count = 0};
	struct viewer_slice slice = {
		.start_ns = time_ns,
		.end_ns = time_ns,
		.name = view->texts[receives ? TEXT_RECEIVE : TEXT_SEND],
		.category = view->texts[TEXT_IS_MESSAGE],
		.arguments = arguments.items,
		.arrow = !is_inside ? VIEWER_NO_ARROW
			 : receives ? VIEWER_ARROW_TO
				    : VIEWER_ARROW_FROM,
		.arrow_id = end->message,
	};

	add_number(view, &arguments, receives ? TEXT_FROM : TEXT_TO, end->peer);
	add_number(view, &arguments, TEXT_BYTES, end->bytes);
	add_number(view, &arguments, TEXT_TAG, end->tag);
	TRY(add_comm(view, &arguments, end->comm, err));
	slice.argument_count = arguments.count;
	write_leaf(view, thread, &slice);
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

/* The time from the begin of a call to that of the call that it waited for. */
static int write_wait(struct view *view, const struct thread *thread, uint32_t call,
		      const struct viewer_slice *of, struct error *err)
{
	const struct wait *wait = wait_at(view->waits, view->rank, call);
	const uint64_t length_ns = wait_ns(view->waits, view->rank, call);
	struct arguments arguments = {.count = 0};
	struct viewer_slice slice = {
		.start_ns = of->start_ns,
		.end_ns = of->start_ns + length_ns,
		.category = view->texts[TEXT_IS_WAIT],
		.arguments = arguments.items,
	};
	char name[64];

	if (!length_ns || slice.end_ns > of->end_ns)
		return 0;
	snprintf(name, sizeof name, "wait: %s", wait_kind_name((enum wait_kind)wait->kind));
	TRY(viewer_text(&view->viewer, VIEWER_NAME, name, &slice.name, err));
	add_number(view, &arguments, TEXT_RANK, wait->rank);
	add_number(view, &arguments, TEXT_CALL, (uint64_t)wait->call + 1);
	slice.argument_count = arguments.count;
	write_leaf(view, thread, &slice);
	return 0;
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

/* Find the function, the call site and the collective of a call. */
static int view_describe(struct view *view, uint32_t number, struct viewer_slice *slice,
			 struct arguments *arguments, struct error *err)
{
	const struct measured_rank *rank = &view->run->ranks[view->rank];
	const struct measured_part *part = view_ends_part(&view->ends, number);

	TRY(viewer_text(&view->viewer, VIEWER_NAME,
			measured_function(&view->run->names, rank->calls.items[number].function),
			&slice->name, err));
	add_number(view, arguments, TEXT_NUMBER, (uint64_t)number + 1);
	TRY(view_add_site(view, arguments, measured_site(rank, number), err));
	if (part) {
		TRY(add_comm(view, arguments, part->comm, err));
		add_number(view, arguments, TEXT_BYTES, part->bytes);
	}
	slice->argument_count = arguments->count;
	return 0;
}

static int view_write_call(struct view *view, uint32_t number, struct error *err)
{
	const struct measured_call *call = &view->run->ranks[view->rank].calls.items[number];
	struct arguments arguments = {.count = 0};
	struct viewer_slice slice = {
		.start_ns = measured_since_begin(view->run, call->enter_ns),
		.end_ns = measured_since_begin(view->run, call->leave_ns),
		.category = view->texts[TEXT_IS_CALL],
		.arguments = arguments.items,
	};
	struct thread *thread;

	TRY(find_thread(view, call->thread, &thread, err));
	/* Clock offsets may have turned the order of two calls around. */
	if (slice.start_ns < thread->until_ns)
		slice.start_ns = thread->until_ns;
	if (slice.end_ns < slice.start_ns)
		slice.end_ns = slice.start_ns;
	thread->until_ns = slice.end_ns;
	TRY(view_describe(view, number, &slice, &arguments, err));
	viewer_begin(&view->viewer, &thread->track, &slice);
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
	return 0;
}

/* --------------------------------------------------------------------- file */

static int view_write_path(struct view *view, const struct walk *walk, struct error *err)
{
	struct thread path = {0};

	viewer_add_track(&view->viewer, NULL, "critical path", &path.track);
	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];
		struct arguments arguments = {.count = 0};
		struct viewer_slice slice = {
			.start_ns = segment->start_ns,
			.end_ns = segment->end_ns,
			.category = view->texts[TEXT_IS_CRITICAL],
			.arguments = arguments.items,
		};

		if (!view_part_has_segment(view->part, segment))
			continue;
		TRY(viewer_text(&view->viewer, VIEWER_NAME,
				walk_category_names[segment->category],
				&slice.name, err));
		add_number(view, &arguments, TEXT_RANK, segment->rank);
		if (segment->call != NO_CALL)
			add_number(view, &arguments, TEXT_CALL, (uint64_t)segment->call + 1);
		slice.argument_count = arguments.count;
		write_leaf(view, &path, &slice);
	}
	return 0;
}

static int write_run(struct view *view, const struct walk *walk, struct error *err)
{
	const uint32_t count = view->run->rank_count;

	TRY(allocate(&view->comms, view->run->world->comm_count, sizeof *view->comms, err));
	TRY(allocate(&view->sites, view->run->site_count, sizeof *view->sites, err));
	TRY(view_ends_init(&view->ends, view->run, err));
	for (int i = 0; i < TEXT_COUNT; i++)
		TRY(viewer_text(&view->viewer, texts[i].use, texts[i].text, &view->texts[i], err));
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
	struct view view = {.run = findings->run,
			    .waits = findings->waits,
			    .part = part,
			    .counts = counts};
	char title[VIEWER_TEXT_BYTES];
	int result;

	*counts = (struct view_counts){0};
	snprintf(title, sizeof title, "measured run of %s", findings->path);
	result = viewer_open(&view.viewer, stream, format, title, err);
	if (result == 0)
		result = write_run(&view, findings->walk, err);
	if (result == 0)
		viewer_close(&view.viewer);
	else
		viewer_release(&view.viewer);
	free(view.comms);
	free(view.sites);
	view_ends_release(&view.ends);
	array_release(&view.threads);
	return result;
}
