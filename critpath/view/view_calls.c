#include "critpath/view/view_calls.h"

int view_rows_init(struct view_rows *rows, const struct measured_run *run,
		   const struct run_part *part, struct error *err)
{
	TRY(allocate(&rows->first, (size_t)run->rank_count + 1, sizeof *rows->first, err));
	for (uint32_t i = 0; i < run->rank_count; i++) {
		const uint32_t threads = run->ranks[i].thread_count;

		rows->first[i + 1] = rows->first[i];
		if (run_part_has_rank(part, i))
			rows->first[i + 1] += threads ? threads : 1;
	}
	return 0;
}

void view_rows_release(struct view_rows *rows)
{
	free(rows->first);
}

uint64_t view_wait_after_ns(const struct measured_call *call, uint64_t wait_ns,
			    const struct measured_instance *instance)
{
	uint64_t since_ns = call->enter_ns + wait_ns;

	if (instance->members < 2 || instance->first_end_ns < instance->last.begin_ns)
		return 0;
	if (since_ns < instance->first_end_ns)
		since_ns = instance->first_end_ns;
	return call->leave_ns > since_ns ? call->leave_ns - since_ns : 0;
}

/* -------------------------------------------------------------------- calls */

struct packing {
	struct pack *pack;
	const struct waits *waits;
	const struct measured_run *run;
	const struct run_part *part;
	bool numbered; /* calls of a rank with one thread have their numbers */
	struct view_ends ends;
	ARRAY(struct view_end) messages; /* of the current call */
	ARRAY(bool) receives;		 /* [message] */
	/* Of the current row: */
	uint32_t rank;
	uint64_t end_ns; /* of the call before */
	uint32_t number, instance;
};

static int take_messages(struct packing *packing, uint32_t call, struct error *err)
{
	struct view_end end;

	packing->messages.count = packing->receives.count = 0;
	for (int receives = 0; receives < 2; receives++)
		while (view_ends_next(&packing->ends, call, receives, &end)) {
			TRY(array_push(&packing->messages, end, err));
			TRY(array_push(&packing->receives, receives, err));
		}
	return 0;
}

static void pack_wait(struct packing *packing, uint32_t number, uint64_t wait)
{
	const struct wait *of = wait_at(packing->waits, packing->rank, number);

	pack_number(packing->pack, wait);
	pack_number(packing->pack, of->kind);
	pack_signed(packing->pack, (int64_t)of->rank - packing->rank);
	pack_signed(packing->pack, (int64_t)of->call - number);
}

static uint32_t instance_of(const struct packing *packing, const struct participation *part)
{
	const struct measured_rank *rank = &packing->run->ranks[packing->rank];

	return part ? packing->run->instance_of[packing->rank][part - rank->parts.items] : NO_MATCH;
}

static void pack_collective(struct packing *packing, const struct participation *part)
{
	const uint32_t instance = instance_of(packing, part);

	pack_signed(packing->pack, (int64_t)instance - packing->instance);
	pack_number(packing->pack, part->bytes);
	packing->instance = instance;
}

static void pack_messages(struct packing *packing)
{
	pack_number(packing->pack, packing->messages.count);
	for (size_t i = 0; i < packing->messages.count; i++) {
		const struct view_end *end = &packing->messages.items[i];
		const int64_t peer = (int64_t)end->peer - packing->rank;
		const uint64_t folded = (uint64_t)peer << 1 ^ (uint64_t)(peer >> 63);

		pack_number(packing->pack, folded << 2 | (unsigned)end->is_matched << 1 |
						   packing->receives.items[i]);
		pack_number(packing->pack, end->bytes);
		pack_number(packing->pack, end->tag);
		pack_number(packing->pack, end->comm);
	}
}

static int pack_call(struct packing *packing, uint32_t number, struct error *err)
{
	const struct measured_rank *rank = &packing->run->ranks[packing->rank];
	const struct measured_call *call = &rank->calls.items[number];
	const struct participation *part = view_ends_part(&packing->ends, number);
	const uint64_t wait = wait_ns(packing->waits, packing->rank, number);
	const bool meets = instance_of(packing, part) != NO_MATCH;
	unsigned has;

	TRY(take_messages(packing, number, err));
	has = (wait > 0) | (unsigned)meets << 1 | (unsigned)(packing->messages.count > 0) << 2;
	pack_number(packing->pack, (uint64_t)call->function << 3 | has);
	pack_signed(packing->pack, (int64_t)(call->enter_ns - packing->end_ns));
	pack_number(packing->pack, call->leave_ns - call->enter_ns);
	packing->end_ns = call->leave_ns;
	if (rank->thread_count > 1 || packing->numbered)
		pack_number(packing->pack, number - packing->number);
	packing->number = number;
	if (wait > 0)
		pack_wait(packing, number, wait);
	if (meets)
		pack_collective(packing, part);
	if (packing->messages.count)
		pack_messages(packing);
	return 0;
}

/* Whether a call is of the current row, and shown. */
static bool is_shown(const struct packing *packing, uint32_t thread, uint32_t call)
{
	return packing->run->ranks[packing->rank].calls.items[call].thread == thread &&
	       view_part_has_call(packing->part, packing->run, packing->rank, call);
}

static int pack_row(struct packing *packing, uint32_t thread, struct error *err)
{
	const struct measured_rank *rank = &packing->run->ranks[packing->rank];
	uint32_t count = 0;

	packing->end_ns = packing->run->begin_ns;
	packing->number = packing->instance = 0;
	TRY(view_ends_begin(&packing->ends, packing->rank, err));
	for (uint32_t i = 0; i < rank->calls.count; i++)
		count += is_shown(packing, thread, i);
	pack_number(packing->pack, count);
	for (uint32_t i = 0; i < rank->calls.count; i++)
		if (is_shown(packing, thread, i))
			TRY(pack_call(packing, i, err));
	return 0;
}

static int pack_rows(struct packing *packing, struct error *err)
{
	TRY(view_ends_init(&packing->ends, packing->run, err));
	for (packing->rank = 0; packing->rank < packing->run->rank_count; packing->rank++) {
		uint32_t thread = 0;

		if (!run_part_has_rank(packing->part, packing->rank))
			continue;
		do
			TRY(pack_row(packing, thread, err));
		while (++thread < packing->run->ranks[packing->rank].thread_count);
	}
	return 0;
}

int view_pack_calls(struct pack *pack, const struct waits *waits, const struct run_part *part,
		    struct error *err)
{
	struct packing packing = {
		.pack = pack,
		.waits = waits,
		.run = waits->run,
		.part = part,
		.numbered = view_part_limits(part, waits->run),
	};
	const int result = pack_rows(&packing, err);

	view_ends_release(&packing.ends);
	array_release(&packing.messages);
	array_release(&packing.receives);
	return result;
}

/* ----------------------------------------------------------------------- sites */

static void pack_sites_of(const struct packing *packing, uint32_t thread)
{
	const struct measured_rank *rank = &packing->run->ranks[packing->rank];

	for (uint32_t i = 0; i < rank->calls.count; i++)
		if (is_shown(packing, thread, i))
			pack_number(packing->pack, measured_site(rank, i));
}

void view_pack_sites(struct pack *pack, const struct measured_run *run, const struct run_part *part)
{
	struct packing packing = {.pack = pack, .run = run, .part = part};

	for (; packing.rank < run->rank_count; packing.rank++) {
		uint32_t thread = 0;

		if (!run_part_has_rank(part, packing.rank))
			continue;
		do
			pack_sites_of(&packing, thread);
		while (++thread < run->ranks[packing.rank].thread_count);
	}
}

/* ---------------------------------------------------- collectives and path */

void view_pack_collectives(struct pack *pack, const struct measured_run *run)
{
	uint64_t before_ns = run->begin_ns;

	pack_number(pack, run->instances.count);
	for (size_t i = 0; i < run->instances.count; i++) {
		const struct measured_instance *instance = &run->instances.items[i];

		pack_signed(pack, (int64_t)(instance->last.begin_ns - before_ns));
		pack_signed(pack, (int64_t)(instance->first_end_ns - instance->last.begin_ns));
		pack_number(pack, instance->members);
		pack_number(pack, instance->comm);
		before_ns = instance->last.begin_ns;
	}
}

static uint32_t row_of(const struct view_rows *rows, const struct measured_run *run,
		       const struct walk_segment *segment)
{
	const uint32_t row = rows->first[segment->rank];

	if (segment->call == NO_CALL)
		return row;
	return row + run->ranks[segment->rank].calls.items[segment->call].thread;
}

static uint64_t count_segments(const struct walk *walk, const struct run_part *part,
			       uint64_t least_ns)
{
	uint64_t count = 0;

	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];

		count += segment->end_ns - segment->start_ns >= least_ns &&
			 view_part_has_segment(part, segment);
	}
	return count;
}

void view_pack_path(struct pack *pack, const struct walk *walk, const struct measured_run *run,
		    const struct run_part *part, const struct view_rows *rows, uint64_t least_ns)
{
	uint64_t end_ns = 0;
	int64_t row = 0, call = 0;

	pack_number(pack, count_segments(walk, part, least_ns));
	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];
		const int64_t this_row = row_of(rows, run, segment);
		const int64_t this_call = segment->call == NO_CALL ? 0 : (int64_t)segment->call + 1;

		if (segment->end_ns - segment->start_ns < least_ns ||
		    !view_part_has_segment(part, segment))
			continue;
		pack_number(pack, segment->start_ns - end_ns);
		pack_number(pack, segment->end_ns - segment->start_ns);
		pack_number(pack, segment->category);
		pack_signed(pack, this_row - row);
		pack_signed(pack, this_call - call);
		end_ns = segment->end_ns;
		row = this_row;
		call = this_call;
	}
}
