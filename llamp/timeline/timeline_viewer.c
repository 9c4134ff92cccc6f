#include "llamp/timeline/timeline_viewer.h"

struct writer {
	struct viewer viewer;
	struct viewer_track path, rank;
	ARRAY(struct viewer_track) lanes;	/* of the current rank */
};

/* ------------------------------------------------------------------ tracks */

static int add_lane(void *context, const struct timeline_lane *lane, struct error *err)
{
	struct writer *writer = context;
	struct viewer_track track;
	char name[40];

	if (lane->number == 0) {
		snprintf(name, sizeof name, "rank %u", lane->rank);
		viewer_add_track(&writer->viewer, NULL, name, &writer->rank);
		writer->lanes.count = 0;
	}
	/* The only cpu of a rank is the track of the rank. */
	if (lane->is_main && lane->cpu_count == 1)
		return array_push(&writer->lanes, writer->rank, err);
	snprintf(name, sizeof name, lane->is_main ? "cpu %u" : "cpu %u, at the same time",
		 lane->cpu);
	viewer_add_track(&writer->viewer, &writer->rank, name, &track);
	return array_push(&writer->lanes, track, err);
}

/* ------------------------------------------------------------------ slices */

static int write_segment(void *context, const struct critical_segment *segment, struct error *err)
{
	struct writer *writer = context;

	return viewer_write(&writer->viewer, &writer->path, &(struct viewer_slice){
		.start_ns = (uint64_t)(segment->start_as / AS_PER_NS),
		.end_ns = (uint64_t)(segment->end_as / AS_PER_NS),
		.name = category_names[segment->category], .category = "critical",
		.arguments = {{"rank", NULL, segment->rank},
			      {"operation", NULL, segment->operation}},
	}, err);
}

static void describe_call(const struct timeline_slice *of, struct viewer_slice *slice)
{
	slice->name = of->call->function;
	slice->category = "call";
	slice->arguments[0] = (struct viewer_argument){"number", NULL, of->call->number};
	if (of->call->communicator)
		slice->arguments[1] = (struct viewer_argument){"communicator",
							       of->call->communicator, 0};
}

static void describe_operation(const struct timeline_slice *of, struct viewer_slice *slice)
{
	static const char *const names[][2] = {
		[TIMELINE_SEND] = {"send", "send, critical"},
		[TIMELINE_RECV] = {"recv", "recv, critical"},
		[TIMELINE_COMPUTE] = {"compute", "compute, critical"},
		[TIMELINE_OVERHEAD] = {"overhead", "overhead"},
	};
	struct viewer_argument *next = slice->arguments;

	slice->name = names[of->kind][of->critical];
	slice->category = of->critical ? "critical" : "operation";
	slice->arrow = (enum viewer_arrow)of->arrow;
	slice->arrow_id = of->message;
	if (of->kind == TIMELINE_OVERHEAD)
		return;
	*next++ = (struct viewer_argument){"operation", NULL, of->operation};
	if (of->kind == TIMELINE_COMPUTE)
		return;
	*next++ = (struct viewer_argument){of->kind == TIMELINE_SEND ? "to" : "from", NULL, of->peer};
	*next = (struct viewer_argument){"bytes", NULL, of->bytes};
}

_Static_assert((int)TIMELINE_NO_ARROW == (int)VIEWER_NO_ARROW &&
		       (int)TIMELINE_ARROW_FROM == (int)VIEWER_ARROW_FROM &&
		       (int)TIMELINE_ARROW_TO == (int)VIEWER_ARROW_TO,
	       "arrows of a timeline are those of a viewer");

static int begin_slice(void *context, const struct timeline_slice *of, struct error *err)
{
	struct writer *writer = context;
	struct viewer_slice slice = {.start_ns = of->start_ns, .end_ns = of->end_ns};

	(of->kind == TIMELINE_CALL ? describe_call : describe_operation)(of, &slice);
	return viewer_begin(&writer->viewer, &writer->lanes.items[of->lane], &slice, err);
}

static int end_slice(void *context, uint32_t lane, uint64_t end_ns, struct error *err)
{
	struct writer *writer = context;

	(void)err;
	viewer_end(&writer->viewer, &writer->lanes.items[lane], end_ns);
	return 0;
}

/* --------------------------------------------------------------------- file */

static const struct viewer_known known[] = {
	{VIEWER_NAME, "send"}, {VIEWER_NAME, "recv"}, {VIEWER_NAME, "compute"},
	{VIEWER_NAME, "overhead"}, {VIEWER_NAME, "send, critical"},
	{VIEWER_NAME, "recv, critical"}, {VIEWER_NAME, "compute, critical"},
	{VIEWER_CATEGORY, "call"}, {VIEWER_CATEGORY, "operation"}, {VIEWER_CATEGORY, "critical"},
	{VIEWER_ARGUMENT, "operation"}, {VIEWER_ARGUMENT, "to"}, {VIEWER_ARGUMENT, "from"},
	{VIEWER_ARGUMENT, "bytes"}, {VIEWER_ARGUMENT, "rank"}, {VIEWER_ARGUMENT, "number"},
	{VIEWER_ARGUMENT, "communicator"}, {0},
};

static int begin_file(struct writer *writer, FILE *stream, enum viewer_format format,
		      const char *path, struct error *err)
{
	char title[VIEWER_TEXT_BYTES];

	snprintf(title, sizeof title, "modelled run of %s", path);
	TRY(viewer_open(&writer->viewer, stream, format, title, known, err));
	for (int i = 0; i < CATEGORY_COUNT; i++)
		TRY(viewer_name(&writer->viewer, VIEWER_NAME, category_names[i], err));
	viewer_add_track(&writer->viewer, NULL, "critical path", &writer->path);
	return 0;
}

int timeline_viewer(FILE *stream, enum viewer_format format, const struct model *model,
		    const struct goal_calls *calls, const struct run_part *part,
		    struct timeline_counts *counts, struct error *err)
{
	static const struct timeline_visitor visitor = {
		write_segment, add_lane, begin_slice, end_slice};
	struct writer writer = {0};
	int result = begin_file(&writer, stream, format, model->path, err);

	if (result == 0)
		result = timeline_visit(model, calls, part, &visitor, &writer, counts, err);
	array_release(&writer.lanes);
	return viewer_close(&writer.viewer, result);
}
