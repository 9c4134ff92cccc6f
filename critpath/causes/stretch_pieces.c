#include "critpath/causes/stretch_pieces.h"

#include "critpath/path/walk.h"

/* Calls of a stretch from one mark to the next, at least. */
enum { MARK_CALLS = 128 };

/* Flags of the cell of a call. */
#define CALL_UNKNOWN (UINT32_C(1) << 31)  /* its time is not known */
#define CALL_OVERLAPS (UINT32_C(1) << 30) /* it begins before the one before it has ended */
#define CALL_CELL (CALL_OVERLAPS - 1)

static const struct measured_run *run_of(const struct stretch_pieces *pieces)
{
	return pieces->stretches->waits->run;
}

static const struct measured_call *call_at(const struct stretch_pieces *pieces, uint32_t rank,
					   uint32_t place)
{
	return &run_of(pieces)
			->ranks[rank]
			.calls.items[stretches_call(pieces->stretches, rank, place)];
}

static uint32_t cell_at(const struct stretch_pieces *pieces, uint32_t rank, uint32_t place)
{
	return pieces->cell_of[rank][stretches_call(pieces->stretches, rank, place)];
}

/* --------------------------------------------------------------------- portions */

/* Make room for the slots of all cells. */
static int make_slots(struct stretch_pieces *pieces, struct error *err)
{
	const size_t count = 2 * pieces->cells.list.count;

	if (pieces->slots.count >= count)
		return 0;
	TRY(array_reserve(&pieces->slots, count - pieces->slots.count, err));
	while (pieces->slots.count < count)
		pieces->slots.items[pieces->slots.count++] = (struct piece_slot){0};
	return 0;
}

static int begin_question(struct stretch_pieces *pieces, struct portions *to, struct error *err)
{
	pieces->to = to;
	pieces->first = to->list.count;
	pieces->when = NO_ITERATION;
	pieces->stamp++;
	pieces->until_ns = UINT64_MAX;
	pieces->unknown = 0;
	return make_slots(pieces, err);
}

/* Add time to a cell.  It wraps around where times are subtracted. */
static int add(struct stretch_pieces *pieces, uint32_t cell, uint32_t when, uint64_t ns,
	       struct error *err)
{
	struct piece_slot *slot = &pieces->slots.items[2 * (size_t)cell + (when == BEFORE_SLICE)];

	/* Iterations follow each other: those before are not asked for again. */
	if (pieces->by_iteration && when != pieces->when) {
		pieces->when = when;
		pieces->stamp++;
	}
	if (slot->stamp != pieces->stamp) {
		*slot = (struct piece_slot){pieces->stamp, pieces->to->list.count};
		return array_push(&pieces->to->list, ((struct portion){ns, cell, when}), err);
	}
	pieces->to->list.items[slot->portion].ns += ns;
	return 0;
}

/* Add a piece of time, in parts before the slice and in it. */
static int add_piece(struct stretch_pieces *pieces, uint32_t cell, uint64_t from_ns, uint64_t to_ns,
		     struct error *err)
{
	const struct measured_run *run = run_of(pieces);
	uint32_t when = NO_ITERATION;

	if (to_ns > pieces->until_ns)
		to_ns = pieces->until_ns;
	if (from_ns >= to_ns)
		return 0;
	if (run->sliced && from_ns < run->slice_begin_ns) {
		const uint64_t end_ns = to_ns < run->slice_begin_ns ? to_ns : run->slice_begin_ns;

		TRY(add(pieces, cell, BEFORE_SLICE, end_ns - from_ns, err));
		from_ns = end_ns;
		if (from_ns == to_ns)
			return 0;
	}
	if (pieces->by_iteration)
		when = iteration_at(pieces->of_rank, from_ns);
	return add(pieces, cell, when, to_ns - from_ns, err);
}

static void drop_empty(struct stretch_pieces *pieces)
{
	size_t kept = pieces->first;

	for (size_t i = kept; i < pieces->to->list.count; i++)
		if (pieces->to->list.items[i].ns)
			pieces->to->list.items[kept++] = pieces->to->list.items[i];
	pieces->to->list.count = kept;
}

/* ------------------------------------------------------------------------- scan */

/* Add a call that did not wait, or the rest of one that did, from a time on. */
static int add_call(struct stretch_pieces *pieces, uint32_t rank, uint32_t place, uint64_t from_ns,
		    struct error *err)
{
	const uint32_t cell = cell_at(pieces, rank, place);
	const uint64_t leave_ns = call_at(pieces, rank, place)->leave_ns;

	pieces->unknown += cell & CALL_UNKNOWN && leave_ns > from_ns;
	return add_piece(pieces, (cell & CALL_CELL) + CELL_CALL, from_ns, leave_ns, err);
}

/* Add the begin of a stretch.  Returns the time and the place of the call that comes next. */
static int add_begin(struct stretch_pieces *pieces, uint32_t number, uint64_t *at_ns,
		     uint32_t *place, struct error *err)
{
	const struct stretch *stretch = &pieces->stretches->list[number];
	const uint32_t rank = stretch->rank;

	*place = stretches_wait_place(pieces->stretches, number) + 1;
	if (stretch->cause == STRETCH_STARTS) {
		*at_ns = run_of(pieces)->ranks[rank].begin_ns;
		return add_piece(pieces, CELL_OF_START, stretch->begin_ns, *at_ns, err);
	}
	*at_ns = call_at(pieces, rank, *place - 1)->leave_ns;
	return add_call(pieces, rank, *place - 1, stretch->begin_ns, err);
}

/* Add the end of a rank. */
static int add_end(struct stretch_pieces *pieces, uint32_t rank, uint64_t at_ns, struct error *err)
{
	const struct measured_rank *of = &run_of(pieces)->ranks[rank];
	const uint32_t place = pieces->stretches->ranks[rank].end_place;
	const uint32_t cell = place < of->calls.count ? cell_at(pieces, rank, place) & CALL_CELL
						      : (uint32_t)CELL_OF_END;

	return add_piece(pieces, cell, at_ns, of->end_ns, err);
}

/* Add the computations and calls from a place up to the start of the call at another one. */
static int add_calls(struct stretch_pieces *pieces, uint32_t rank, uint64_t at_ns, uint32_t place,
		     uint32_t to, struct error *err)
{
	const uint32_t end = to == PLACE_END ? pieces->stretches->ranks[rank].end_place : to;

	for (;; place++) {
		const struct measured_call *call;
		uint32_t cell;

		if (place >= end && to == PLACE_END)
			return add_end(pieces, rank, at_ns, err);
		call = call_at(pieces, rank, place);
		cell = cell_at(pieces, rank, place);
		pieces->unknown += (cell & CALL_OVERLAPS) != 0;
		TRY(add_piece(pieces, cell & CALL_CELL, at_ns, call->enter_ns, err));
		if (place >= end)
			return 0;
		TRY(add_call(pieces, rank, place, call->enter_ns, err));
		at_ns = call->leave_ns;
	}
}

/* Add all from the start of the call at a place, or from the begin of the stretch. */
static int scan(struct stretch_pieces *pieces, uint32_t stretch, uint32_t from, uint32_t to,
		struct error *err)
{
	const uint32_t rank = pieces->stretches->list[stretch].rank;
	uint64_t at_ns;
	uint32_t place = from;

	if (from == NO_CALL) {
		TRY(add_begin(pieces, stretch, &at_ns, &place, err));
	} else {
		at_ns = call_at(pieces, rank, from)->enter_ns;
		if (from == to)
			return 0;
		TRY(add_call(pieces, rank, from, at_ns, err));
		at_ns = call_at(pieces, rank, from)->leave_ns;
		place++;
	}
	return add_calls(pieces, rank, at_ns, place, to, err);
}

/* ------------------------------------------------------------------------ marks */

static bool is_after(const struct stretch_mark *mark, uint32_t stretch, uint32_t place)
{
	return mark->stretch != stretch ? mark->stretch > stretch : mark->place > place;
}

/* Number of the first mark after a place of a stretch. */
static size_t mark_after(const struct stretch_pieces *pieces, uint32_t stretch, uint32_t place)
{
	size_t low = 0, high = pieces->marks.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (is_after(&pieces->marks.items[middle], stretch, place))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Add or subtract the portions of a mark. */
static int add_mark(struct stretch_pieces *pieces, const struct stretch_mark *mark, bool minus,
		    struct error *err)
{
	for (size_t i = mark->first; i < mark->end; i++) {
		const struct portion portion = pieces->marked.list.items[i];

		TRY(add(pieces, portion.cell, portion.when, minus ? -portion.ns : portion.ns, err));
	}
	pieces->unknown += minus ? -mark->unknown : mark->unknown;
	return 0;
}

/* Keep the portions of a stretch so far. */
static int keep_mark(struct stretch_pieces *pieces, uint32_t stretch, uint32_t place,
		     const struct portions *so_far, struct error *err)
{
	struct stretch_mark mark = {.stretch = stretch,
				    .place = place,
				    .first = pieces->marked.list.count,
				    .unknown = pieces->unknown};

	for (size_t i = 0; i < so_far->list.count; i++)
		TRY(array_push(&pieces->marked.list, so_far->list.items[i], err));
	mark.end = pieces->marked.list.count;
	return array_push(&pieces->marks, mark, err);
}

/* Mark a stretch of many calls, which ends before a place. */
static int mark_stretch(struct stretch_pieces *pieces, uint32_t stretch, uint32_t end,
			struct error *err)
{
	uint32_t place = stretches_wait_place(pieces->stretches, stretch) + 1, from = NO_CALL;
	struct portions so_far = {0};
	int result = begin_question(pieces, &so_far, err);

	while (result == 0 && end - place > MARK_CALLS + (uint32_t)so_far.list.count) {
		place += MARK_CALLS + (uint32_t)so_far.list.count;
		result = scan(pieces, stretch, from, place, err);
		if (result == 0)
			result = keep_mark(pieces, stretch, place, &so_far, err);
		from = place;
	}
	array_release(&so_far.list);
	return result;
}

static int mark_rank(struct stretch_pieces *pieces, uint32_t rank, struct error *err)
{
	const struct stretch_rank *of = &pieces->stretches->ranks[rank];
	const uint32_t calls = (uint32_t)run_of(pieces)->ranks[rank].calls.count;

	for (size_t i = 0; i < of->firsts.count; i++) {
		const uint32_t first = of->firsts.items[i];
		const uint32_t end = i + 1 < of->firsts.count ? of->firsts.items[i + 1] : calls;

		if (end > first && end - first > 2 * MARK_CALLS)
			TRY(mark_stretch(pieces, (uint32_t)(pieces->stretches->first[rank] + i),
					 end, err));
	}
	return 0;
}

/* Add all between two marks of a stretch. */
static int add_difference(struct stretch_pieces *pieces, const struct stretch_mark *from,
			  const struct stretch_mark *to, struct error *err)
{
	TRY(add_mark(pieces, to, false, err));
	return add_mark(pieces, from, true, err);
}

/* Add a part of a stretch, by the marks in it. */
static int pieces_add_part(struct stretch_pieces *pieces, const struct stretch_visit *visit,
			   struct error *err)
{
	const uint32_t stretch = visit->stretch;
	const struct stretch_mark *marks = pieces->marks.items, *last;
	const size_t end = mark_after(pieces, stretch, visit->to);
	size_t first;

	if (!end || marks[end - 1].stretch != stretch)
		return scan(pieces, stretch, visit->from, visit->to, err);
	last = &marks[end - 1];
	if (visit->from == NO_CALL) {
		TRY(add_mark(pieces, last, false, err));
		return scan(pieces, stretch, last->place, visit->to, err);
	}
	first = mark_after(pieces, stretch, visit->from);
	if (first + 1 >= end)
		return scan(pieces, stretch, visit->from, visit->to, err);
	TRY(scan(pieces, stretch, visit->from, marks[first].place, err));
	TRY(add_difference(pieces, &marks[first], last, err));
	return scan(pieces, stretch, last->place, visit->to, err);
}

/* -------------------------------------------------------------------- questions */

static int find_iterations(struct stretch_pieces *pieces, uint32_t rank, struct error *err)
{
	if (!pieces->by_iteration)
		return 0;
	return measured_iterations_of(&pieces->iterations, run_of(pieces), rank, &pieces->of_rank,
				      err);
}

int stretch_pieces_of(struct stretch_pieces *pieces, const struct stretch_visit *visit,
		      struct portions *portions, bool *known, struct error *err)
{
	TRY(find_iterations(pieces, pieces->stretches->list[visit->stretch].rank, err));
	TRY(begin_question(pieces, portions, err));
	TRY(pieces_add_part(pieces, visit, err));
	drop_empty(pieces);
	*known = pieces->unknown == 0;
	return 0;
}

int stretch_pieces_of_rank(struct stretch_pieces *pieces, uint32_t rank, struct portions *portions,
			   struct error *err)
{
	const struct measured_run *run = run_of(pieces);
	const struct stretch_rank *of = &pieces->stretches->ranks[rank];
	const uint32_t calls = (uint32_t)run->ranks[rank].calls.count;

	TRY(find_iterations(pieces, rank, err));
	TRY(begin_question(pieces, portions, err));
	if (run->sliced)
		pieces->until_ns = run->slice_end_ns;
	for (size_t i = 0; i < of->firsts.count; i++) {
		const uint32_t stretch = (uint32_t)(pieces->stretches->first[rank] + i);
		const uint32_t first = of->firsts.items[i];
		const uint32_t end = i + 1 < of->firsts.count ? of->firsts.items[i + 1] : calls;

		if (stretch == of->end_stretch)
			TRY(scan(pieces, stretch, NO_CALL, PLACE_END, err));
		else if (end > first)
			TRY(scan(pieces, stretch, NO_CALL, end - 1, err));
	}
	drop_empty(pieces);
	return 0;
}

int stretch_pieces_when(struct stretch_pieces *pieces, uint32_t rank, uint64_t ns, uint32_t *when,
			struct error *err)
{
	*when = NO_ITERATION;
	TRY(find_iterations(pieces, rank, err));
	if (pieces->by_iteration)
		*when = iteration_at(pieces->of_rank, ns);
	return 0;
}

/* ------------------------------------------------------------------------- init */

/* Find the cells of the calls of a rank. */
static int find_cells(struct stretch_pieces *pieces, uint32_t rank, struct error *err)
{
	const struct waits *waits = pieces->stretches->waits;
	const struct measured_rank *of = &run_of(pieces)->ranks[rank];
	uint64_t before_ns = of->begin_ns;
	uint32_t thread = UINT32_MAX;

	TRY(allocate(&pieces->cell_of[rank], of->calls.count, sizeof **pieces->cell_of, err));
	for (uint32_t p = 0; p < of->calls.count; p++) {
		const uint32_t c = stretches_call(pieces->stretches, rank, p);
		const struct measured_call *call = &of->calls.items[c];
		uint32_t *cell = &pieces->cell_of[rank][c];
		enum unknown_reason reason;

		TRY(cells_number(&pieces->cells,
				 cell_code(call->function, measured_site(of, c), CELL_COMPUTE),
				 cell, err));
		if (*cell > CALL_CELL)
			return error_set(err, STATUS_LIMIT, "too many call sites");
		if (call->thread != thread || walk_begins_run(call))
			before_ns = of->begin_ns;
		if (!walk_begins_run(call) &&
		    (call->enter_ns < before_ns || call->leave_ns < call->enter_ns))
			*cell |= CALL_OVERLAPS;
		if (walk_category_of(waits, rank, c, &reason) == WALK_UNKNOWN)
			*cell |= CALL_UNKNOWN;
		if (!walk_begins_run(call))
			before_ns = call->leave_ns;
		thread = call->thread;
	}
	return 0;
}

int stretch_pieces_init(struct stretch_pieces *pieces, const struct stretches *stretches,
			enum cell_match match, bool by_iteration, struct error *err)
{
	const struct measured_run *run = stretches->waits->run;

	*pieces = (struct stretch_pieces){.stretches = stretches, .by_iteration = by_iteration};
	TRY(cells_init(&pieces->cells, match, err));
	TRY(allocate(&pieces->cell_of, run->rank_count, sizeof *pieces->cell_of, err));
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		TRY(find_cells(pieces, r, err));
	for (uint32_t r = run->own_first; !by_iteration && r < run->own_end; r++)
		TRY(mark_rank(pieces, r, err));
	return 0;
}

void stretch_pieces_release(struct stretch_pieces *pieces)
{
	for (uint32_t r = 0; pieces->cell_of && r < run_of(pieces)->rank_count; r++)
		free(pieces->cell_of[r]);
	free(pieces->cell_of);
	cells_release(&pieces->cells);
	measured_iterations_release(&pieces->iterations);
	array_release(&pieces->marks);
	array_release(&pieces->marked.list);
	array_release(&pieces->slots);
}
