#include "llamp/timeline/timeline_picture.h"

#include <stdlib.h>

/* --------------------------------------------------------------- collecting */

static int too_large(const char *what, int most, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "a picture shows at most %d %s: choose a part with --from, --to and "
			 "--only-ranks, or write FILE.pftrace for Perfetto", most, what);
}

static int add_segment(void *context, const struct critical_segment *segment, struct error *err)
{
	struct timeline_picture *picture = context;

	if (picture->segments.count > 4 * PICTURE_MOST_BARS)
		return too_large("operations", PICTURE_MOST_BARS, err);
	return array_push(&picture->segments, *segment, err);
}

/* Row of a cpu of the current rank.  The main lanes of a rank come first. */
static uint32_t main_row(const struct timeline_picture *picture, uint8_t cpu)
{
	uint32_t row = picture->first_row;

	while (picture->rows.items[row].lane.cpu != cpu)
		row++;
	return row;
}

static int add_row(void *context, const struct timeline_lane *lane, struct error *err)
{
	struct timeline_picture *picture = context;
	struct picture_row row = {.lane = *lane};

	if (lane->is_main && picture->main_rows++ == PICTURE_MOST_ROWS)
		return too_large("ranks", PICTURE_MOST_ROWS, err);
	if (lane->number == 0)
		picture->first_row = (uint32_t)picture->rows.count;
	row.main = (uint32_t)picture->rows.count;
	if (!lane->is_main)
		row.main = main_row(picture, lane->cpu);
	TRY(array_push(&picture->rows, row, err));
	picture->rows.items[row.main].further += !lane->is_main;
	return 0;
}

static int begin_bar(void *context, const struct timeline_slice *slice, struct error *err)
{
	struct timeline_picture *picture = context;
	struct picture_bar bar = {.slice = *slice, .row = picture->first_row + slice->lane};

	if (picture->bars.count == PICTURE_MOST_BARS)
		return too_large("operations", PICTURE_MOST_BARS, err);
	if (slice->kind == TIMELINE_CALL)
		bar.call = *slice->call;
	bar.rank = picture->rows.items[bar.row].lane.rank;
	if (slice->kind == TIMELINE_OVERHEAD)
		picture->bars.items[picture->bars.count - 1].has_overhead = true;
	picture->has_calls |= slice->kind == TIMELINE_CALL;
	return array_push(&picture->bars, bar, err);
}

static int end_bar(void *context, uint32_t lane, uint64_t end_ns, struct error *err)
{
	(void)context, (void)lane, (void)end_ns, (void)err;
	return 0;
}

/* ------------------------------------------------------------------- arrows */

static int by_message(const void *a, const void *b)
{
	const struct picture_arrow *x = a, *y = b;

	return (x->message > y->message) - (x->message < y->message);
}

/* Each end of an arrow is an entry; the two of a message become one. */
static int join_arrows(struct timeline_picture *picture, struct error *err)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < picture->bars.count; i++) {
		const struct timeline_slice *slice = &picture->bars.items[i].slice;
		const bool from = slice->arrow == TIMELINE_ARROW_FROM;

		if (slice->arrow != TIMELINE_NO_ARROW)
			TRY(array_push(&picture->arrows, ((struct picture_arrow){
				.message = slice->message, .from = from ? i : UINT32_MAX,
				.to = from ? UINT32_MAX : i}), err));
	}
	if (picture->arrows.count)
		qsort(picture->arrows.items, picture->arrows.count, sizeof *picture->arrows.items,
		      by_message);
	for (uint32_t i = 0; i + 1 < picture->arrows.count; i += 2) {
		const struct picture_arrow *one = &picture->arrows.items[i], *other = one + 1;

		picture->arrows.items[count++] = (struct picture_arrow){
			.message = one->message,
			.from = one->from != UINT32_MAX ? one->from : other->from,
			.to = one->to != UINT32_MAX ? one->to : other->to,
		};
	}
	picture->arrows.count = count;
	return 0;
}

/* ----------------------------------------------------------- critical path */

struct place {
	uint32_t rank, operation, bar;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->operation > y->operation) - (x->operation < y->operation);
}

/* The message of a receive is on the path. */
static void mark_arrow(struct timeline_picture *picture, const struct place *recv)
{
	for (size_t i = 0; i < picture->arrows.count; i++) {
		struct picture_arrow *arrow = &picture->arrows.items[i];
		const struct picture_bar *to = &picture->bars.items[arrow->to];

		if (to->rank == recv->rank && to->slice.operation == recv->operation)
			arrow->critical = true;
	}
}

static int add_stretch(struct timeline_picture *picture, const struct critical_segment *segment,
		       const struct place *found, struct error *err)
{
	const struct picture_stretch stretch = {
		.start_ns = (uint64_t)(segment->start_as / AS_PER_NS),
		.end_ns = (uint64_t)(segment->end_as / AS_PER_NS), .bar = found->bar};

	if (segment->category == CATEGORY_LATENCY || segment->category == CATEGORY_BANDWIDTH) {
		mark_arrow(picture, found);
		return 0;
	}
	return array_push(&picture->stretches, stretch, err);
}

static int place_segments(struct timeline_picture *picture, struct error *err)
{
	struct place *places;
	size_t count = 0;
	int result = 0;

	TRY(allocate(&places, picture->bars.count, sizeof *places, err));
	for (uint32_t i = 0; i < picture->bars.count; i++) {
		const struct picture_bar *bar = &picture->bars.items[i];

		if (bar->slice.kind != TIMELINE_CALL && bar->slice.kind != TIMELINE_OVERHEAD)
			places[count++] = (struct place){bar->rank, bar->slice.operation, i};
	}
	qsort(places, count, sizeof *places, by_place);
	for (size_t i = 0; i < picture->segments.count && result == 0; i++) {
		const struct critical_segment *segment = &picture->segments.items[i];
		const struct place key = {segment->rank, segment->operation, 0};
		const struct place *found = bsearch(&key, places, count, sizeof key, by_place);

		if (found)
			result = add_stretch(picture, segment, found, err);
	}
	free(places);
	return result;
}

/* The times that are drawn: the part, or what there is in it. */
static void find_times(struct timeline_picture *picture, const struct run_part *part)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < picture->bars.count; i++) {
		const struct timeline_slice *slice = &picture->bars.items[i].slice;

		least = slice->start_ns < least ? slice->start_ns : least;
		most = slice->end_ns > most ? slice->end_ns : most;
	}
	picture->start_ns = least > part->from_ns && least < most ? least : part->from_ns;
	picture->end_ns = most < part->to_ns ? most : part->to_ns;
	if (picture->end_ns <= picture->start_ns)
		picture->end_ns = picture->start_ns + 1;
}

int timeline_picture_find(struct timeline_picture *picture, const struct model *model,
			  const struct goal_calls *calls, const struct run_part *part,
			  struct timeline_counts *counts, struct error *err)
{
	static const struct timeline_visitor visitor = {add_segment, add_row, begin_bar, end_bar};
	int result;

	*picture = (struct timeline_picture){0};
	result = timeline_visit(model, calls, part, &visitor, picture, counts, err);
	if (result == 0)
		result = join_arrows(picture, err);
	if (result == 0)
		result = place_segments(picture, err);
	find_times(picture, part);
	if (result < 0)
		timeline_picture_release(picture);
	return result;
}

void timeline_picture_release(struct timeline_picture *picture)
{
	array_release(&picture->rows);
	array_release(&picture->bars);
	array_release(&picture->arrows);
	array_release(&picture->stretches);
	array_release(&picture->segments);
}
