#include "llamp/timeline/timeline_viewer.h"

#include "common/text.h"

#include <string.h>

/* Texts of all slices that are not of a call, and of all arguments. */
enum text {
	TEXT_SEND, TEXT_RECV, TEXT_COMPUTE, TEXT_OVERHEAD,
	TEXT_CRITICAL_SEND, TEXT_CRITICAL_RECV, TEXT_CRITICAL_COMPUTE,
	TEXT_IS_CALL, TEXT_IS_OPERATION, TEXT_IS_CRITICAL,
	TEXT_OPERATION, TEXT_TO, TEXT_FROM, TEXT_BYTES, TEXT_RANK, TEXT_NUMBER, TEXT_COMMUNICATOR,
	TEXT_COUNT,
};

static const struct {
	enum viewer_use use;
	const char *text;
} texts[TEXT_COUNT] = {
	[TEXT_SEND] = {VIEWER_NAME, "send"},
	[TEXT_RECV] = {VIEWER_NAME, "recv"},
	[TEXT_COMPUTE] = {VIEWER_NAME, "compute"},
	[TEXT_OVERHEAD] = {VIEWER_NAME, "overhead"},
	[TEXT_CRITICAL_SEND] = {VIEWER_NAME, "send, critical"},
	[TEXT_CRITICAL_RECV] = {VIEWER_NAME, "recv, critical"},
	[TEXT_CRITICAL_COMPUTE] = {VIEWER_NAME, "compute, critical"},
	[TEXT_IS_CALL] = {VIEWER_CATEGORY, "call"},
	[TEXT_IS_OPERATION] = {VIEWER_CATEGORY, "operation"},
	[TEXT_IS_CRITICAL] = {VIEWER_CATEGORY, "critical"},
	[TEXT_OPERATION] = {VIEWER_ARGUMENT, "operation"},
	[TEXT_TO] = {VIEWER_ARGUMENT, "to"},
	[TEXT_FROM] = {VIEWER_ARGUMENT, "from"},
	[TEXT_BYTES] = {VIEWER_ARGUMENT, "bytes"},
	[TEXT_RANK] = {VIEWER_ARGUMENT, "rank"},
	[TEXT_NUMBER] = {VIEWER_ARGUMENT, "number"},
	[TEXT_COMMUNICATOR] = {VIEWER_ARGUMENT, "communicator"},
};

struct writer {
	struct viewer viewer;
	uint32_t texts[TEXT_COUNT];
	uint32_t categories[CATEGORY_COUNT];
	struct viewer_track path, rank;
	ARRAY(struct viewer_track) lanes;	/* of the current rank */
	/* The name that was looked up last. */
	const char *function, *communicator;
	uint32_t function_text, communicator_text;
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
	const struct viewer_argument arguments[] = {
		{writer->texts[TEXT_RANK], false, segment->rank},
		{writer->texts[TEXT_OPERATION], false, segment->operation},
	};
	const struct viewer_slice slice = {
		.start_ns = (uint64_t)(segment->start_as / AS_PER_NS),
		.end_ns = (uint64_t)(segment->end_as / AS_PER_NS),
		.name = writer->categories[segment->category],
		.category = writer->texts[TEXT_IS_CRITICAL],
		.arguments = arguments, .argument_count = 2,
	};

	(void)err;
	viewer_begin(&writer->viewer, &writer->path, &slice);
	viewer_end(&writer->viewer, &writer->path, slice.end_ns);
	return 0;
}

/* Look up a text unless it is the one before. */
static int look_up(struct writer *writer, enum viewer_use use, const char *text,
		   const char **before, uint32_t *number, struct error *err)
{
	if (text == *before)
		return 0;
	TRY(viewer_text(&writer->viewer, use, text, number, err));
	*before = text;
	return 0;
}

static int timeline_viewer_write_call(struct writer *writer, const struct timeline_slice *call,
				      struct error *err)
{
	struct viewer_argument arguments[2] = {
		{writer->texts[TEXT_NUMBER], false, call->call->number}};
	struct viewer_slice slice = {
		.start_ns = call->start_ns, .end_ns = call->end_ns,
		.category = writer->texts[TEXT_IS_CALL],
		.arguments = arguments, .argument_count = 1,
	};

	TRY(look_up(writer, VIEWER_NAME, call->call->function, &writer->function,
		    &writer->function_text, err));
	slice.name = writer->function_text;
	if (call->call->communicator) {
		TRY(look_up(writer, VIEWER_VALUE, call->call->communicator,
			    &writer->communicator, &writer->communicator_text, err));
		arguments[slice.argument_count++] = (struct viewer_argument){
			writer->texts[TEXT_COMMUNICATOR], true, writer->communicator_text};
	}
	viewer_begin(&writer->viewer, &writer->lanes.items[call->lane], &slice);
	return 0;
}

static uint32_t name_of(const struct writer *writer, const struct timeline_slice *slice)
{
	static const enum text names[][2] = {
		[TIMELINE_SEND] = {TEXT_SEND, TEXT_CRITICAL_SEND},
		[TIMELINE_RECV] = {TEXT_RECV, TEXT_CRITICAL_RECV},
		[TIMELINE_COMPUTE] = {TEXT_COMPUTE, TEXT_CRITICAL_COMPUTE},
		[TIMELINE_OVERHEAD] = {TEXT_OVERHEAD, TEXT_OVERHEAD},
	};

	return writer->texts[names[slice->kind][slice->critical]];
}

static void write_operation(struct writer *writer, const struct timeline_slice *op)
{
	struct viewer_argument arguments[] = {
		{writer->texts[TEXT_OPERATION], false, op->operation},
		{writer->texts[op->kind == TIMELINE_SEND ? TEXT_TO : TEXT_FROM], false, op->peer},
		{writer->texts[TEXT_BYTES], false, op->bytes},
	};
	const struct viewer_slice slice = {
		.start_ns = op->start_ns, .end_ns = op->end_ns, .name = name_of(writer, op),
		.category = writer->texts[op->critical ? TEXT_IS_CRITICAL : TEXT_IS_OPERATION],
		.arguments = arguments,
		.argument_count = op->kind == TIMELINE_OVERHEAD	 ? 0
				  : op->kind == TIMELINE_COMPUTE ? 1
								 : 3,
		.arrow = (enum viewer_arrow)op->arrow, .arrow_id = op->message,
	};

	viewer_begin(&writer->viewer, &writer->lanes.items[op->lane], &slice);
}

_Static_assert((int)TIMELINE_NO_ARROW == (int)VIEWER_NO_ARROW &&
		       (int)TIMELINE_ARROW_FROM == (int)VIEWER_ARROW_FROM &&
		       (int)TIMELINE_ARROW_TO == (int)VIEWER_ARROW_TO,
	       "arrows of a timeline are those of a viewer");

static int begin_slice(void *context, const struct timeline_slice *slice, struct error *err)
{
	if (slice->kind == TIMELINE_CALL)
		return timeline_viewer_write_call(context, slice, err);
	write_operation(context, slice);
	return 0;
}

static int end_slice(void *context, uint32_t lane, uint64_t end_ns, struct error *err)
{
	struct writer *writer = context;

	(void)err;
	viewer_end(&writer->viewer, &writer->lanes.items[lane], end_ns);
	return 0;
}

/* --------------------------------------------------------------------- file */

static int add_texts(struct writer *writer, struct error *err)
{
	for (int i = 0; i < TEXT_COUNT; i++)
		TRY(viewer_text(&writer->viewer, texts[i].use, texts[i].text, &writer->texts[i],
				err));
	for (int i = 0; i < CATEGORY_COUNT; i++)
		TRY(viewer_text(&writer->viewer, VIEWER_NAME, category_names[i],
				&writer->categories[i], err));
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
	char title[VIEWER_TEXT_BYTES];
	int result;

	snprintf(title, sizeof title, "modelled run of %s", model->path);
	result = viewer_open(&writer.viewer, stream, format, title, err);
	if (result == 0)
		result = add_texts(&writer, err);
	if (result == 0)
		result = timeline_visit(model, calls, part, &visitor, &writer, counts, err);
	if (result == 0)
		viewer_close(&writer.viewer);
	else
		viewer_release(&writer.viewer);
	array_release(&writer.lanes);
	return result;
}
