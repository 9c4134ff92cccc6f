#include "critpath/causes/wait_causes.h"

#include "common/units.h"
#include "critpath/causes/cause_waiters.h"
#include "critpath/causes/piece_answers.h"
#include "critpath/causes/wait_shares.h"
#include "critpath/path/trace_quality.h"

/* Visits of waits whose causes are found at once, before those of the last one. */
enum { MOST_VISITS = 1 << 15 };

const char *const cause_grouping_names[CAUSE_GROUPINGS + 1] = {
	[CAUSES_BY_CAUSE] = "cause",	     [CAUSES_BY_RANK] = "rank",
	[CAUSES_BY_FUNCTION] = "function",   [CAUSES_BY_SITE] = "site",
	[CAUSES_BY_ITERATION] = "iteration", [CAUSES_BY_PAIR] = "pair",
	[CAUSES_BY_WAITER] = "waiter",
};

const char *const cell_match_names[CELL_MATCHES + 1] = {
	[MATCH_SITE] = "site",
	[MATCH_FUNCTION] = "function",
	[MATCH_NONE] = "none",
};

/* A wait whose walks are known. */
struct walked_wait {
	uint64_t ns;
	uint32_t rank;
	uint32_t stretch;  /* that begins with it; STRETCH_STARTS: it is at the end of the rank */
	size_t first, end; /* its visits */
	bool known;
};

struct finding {
	struct wait_causes *causes;
	const struct wait_causes_options *options;
	const struct measured_run *run;
	struct dist *dist;
	struct rank_owners owners;
	struct stretches stretches;
	struct stretch_pieces pieces;
	/* Next wait: rank and number of the stretch that it begins; after all of them the end of the rank. */
	uint32_t rank;
	uint64_t stretch;
	/* Waits whose causes are found at once. */
	ARRAY(struct walked_wait) waits;
	struct stretch_visits visits;
	struct piece_answers answers;
	struct portions portions;
	struct wait_shares shares;
	struct cause_waiters waiters; /* if waits are added up by what waited */
};

/* ----------------------------------------------------------------------- walks */

/* Walk back from a wait that began at a time, if it is reported. */
static int walk_wait(struct finding *finding, uint32_t stretch, uint64_t begin_ns, uint64_t end_ns,
		     struct stretch_entry first, struct stretch_entry second,
		     struct wait_total *total, struct error *err)
{
	struct walked_wait wait = {.ns = end_ns - begin_ns,
				   .rank = finding->rank,
				   .stretch = stretch,
				   .first = finding->visits.list.count};

	if (end_ns <= begin_ns || !measured_reports(finding->run, begin_ns))
		return 0;
	total->waits++;
	total->ns += wait.ns;
	total->short_waits += wait.ns / 10 < finding->run->violations.most_ns;
	TRY(stretch_walk(&finding->visits, &finding->stretches, first, second, &wait.known,
			 finding->waiters.passes, err));
	if (!wait.known)
		finding->visits.list.count = wait.first;
	wait.end = finding->visits.list.count;
	return array_push(&finding->waits, wait, err);
}

/* Walk back from the wait that a stretch begins with. */
static int walk_stretch(struct finding *finding, uint32_t number, struct error *err)
{
	const struct stretch *stretch = &finding->stretches.list[number];
	struct stretch_entry second = {number - 1, 0};
	uint32_t call;

	if (stretch->cause == STRETCH_STARTS)
		return 0;
	second.place = stretches_wait_place(&finding->stretches, number);
	call = stretches_call(&finding->stretches, stretch->rank, second.place);
	return walk_wait(finding, number,
			 finding->run->ranks[stretch->rank].calls.items[call].enter_ns,
			 stretch->begin_ns,
			 (struct stretch_entry){stretch->cause, stretch->cause_place}, second,
			 &finding->causes->calls, err);
}

/* Walk back from the wait between the end of a rank and that of the run. */
static int walk_end(struct finding *finding, uint32_t rank, struct error *err)
{
	const struct measured_run *run = finding->run;
	const struct stretch_rank *ranks = finding->stretches.ranks;

	if (finding->options->no_end)
		return 0;
	return walk_wait(finding, STRETCH_STARTS, run->ranks[rank].end_ns, run->end_ns,
			 (struct stretch_entry){ranks[run->last_rank].end_stretch, PLACE_END},
			 (struct stretch_entry){ranks[rank].end_stretch, PLACE_END},
			 &finding->causes->ends, err);
}

/* Walk back from the next waits of own ranks. */
static int walk_some(struct finding *finding, struct error *err)
{
	finding->waits.count = 0;
	finding->visits.list.count = 0;
	while (finding->rank < finding->run->own_end && finding->visits.list.count < MOST_VISITS) {
		if (finding->stretch < finding->stretches.first[finding->rank + 1]) {
			TRY(walk_stretch(finding, (uint32_t)finding->stretch++, err));
		} else {
			TRY(walk_end(finding, finding->rank, err));
			finding->rank++;
		}
	}
	return 0;
}

/* ------------------------------------------------------------------------ rows */

/* Key of a time of a rank, by what is asked for. */
static struct cause_key key_of(const struct finding *finding, enum cause_grouping by, uint32_t rank,
			       const struct portion *portion, uint32_t waiting)
{
	const uint64_t code = finding->pieces.cells.list.items[portion->cell].code;

	if (portion->when == BEFORE_SLICE)
		return (struct cause_key){OTHER_ROW, ROW_BEFORE};
	switch (by) {
	case CAUSES_BY_RANK:
		return (struct cause_key){0, rank};
	case CAUSES_BY_FUNCTION:
		return (struct cause_key){(uint32_t)code, 0};
	case CAUSES_BY_SITE:
		return (struct cause_key){code, 0};
	case CAUSES_BY_ITERATION:
		if (portion->when == NO_ITERATION)
			return (struct cause_key){OTHER_ROW, ROW_OUTSIDE};
		return (struct cause_key){0, portion->when};
	case CAUSES_BY_PAIR:
		return (struct cause_key){waiting, rank};
	default:
		return (struct cause_key){code, rank};
	}
}

static int add_to_row(struct cause_rows *rows, struct cause_key key, const struct wait_share *share,
		      uint32_t waiting, struct error *err)
{
	struct cause_row *row;

	TRY(cause_rows_get(rows, key, &row, err));
	row->weighted_ns += share->minus ? -(__int128)share->portion.ns : share->portion.ns;
	if (!share->cost_as)
		return 0;
	row->cost_as += share->cost_as;
	row->direct_as += share->direct ? share->cost_as : 0;
	cause_row_count_victim(row, waiting);
	return 0;
}

static int add_share(struct finding *finding, const struct wait_share *share, uint32_t waiting,
		     struct error *err)
{
	const enum cause_grouping by = finding->options->by;

	TRY(add_to_row(&finding->causes->rows,
		       key_of(finding, CAUSES_BY_CAUSE, share->rank, &share->portion, waiting),
		       share, waiting, err));
	if (by == CAUSES_BY_CAUSE || by == CAUSES_BY_WAITER)
		return 0;
	return add_to_row(&finding->causes->groups,
			  key_of(finding, by, share->rank, &share->portion, waiting), share,
			  waiting, err);
}

/* Add a wait of which it is not known what caused it. */
static int add_unknown(struct finding *finding, const struct walked_wait *wait, struct error *err)
{
	const enum cause_grouping by = finding->options->by;
	struct cause_rows *const rows[] = {&finding->causes->rows, &finding->causes->groups};
	struct cause_row *row;

	finding->causes->unknown_ns += wait->ns;
	for (int i = 0; i < 1 + (by != CAUSES_BY_CAUSE && by != CAUSES_BY_WAITER); i++) {
		TRY(cause_rows_get(rows[i], (struct cause_key){OTHER_ROW, ROW_UNKNOWN}, &row, err));
		row->cost_as += (__int128)wait->ns * AS_PER_NS;
		cause_row_count_victim(row, wait->rank);
	}
	return 0;
}

/* ---------------------------------------------------------------------- shares */

/* Find what a visit went through. */
static int take_visit(struct finding *finding, const struct stretch_visit *visit, bool *known,
		      struct error *err)
{
	const uint32_t rank = finding->stretches.list[visit->stretch].rank;

	finding->portions.list.count = 0;
	if (measured_owns(finding->run, rank))
		TRY(stretch_pieces_of(&finding->pieces, visit, &finding->portions, known, err));
	else
		TRY(piece_answers_take(&finding->answers, &finding->pieces, visit,
				       &finding->portions, known, err));
	for (size_t i = 0; i < finding->portions.list.count; i++) {
		const struct wait_share share = {.portion = finding->portions.list.items[i],
						 .rank = rank,
						 .minus = visit->minus,
						 .direct = visit->direct};

		TRY(array_push(&finding->shares.list, share, err));
	}
	return 0;
}

/* Add a part of a wait to the row of what waited, with what caused it. */
static int add_to_waiter(struct finding *finding, struct cause_row *waiter, struct cause_key key,
			 __int128 cost_as, bool direct, struct error *err)
{
	struct cause_row *cause;

	waiter->cost_as += cost_as;
	waiter->direct_as += direct ? cost_as : 0;
	TRY(cause_rows_get(&finding->causes->rows, key, &cause, err));
	return cause_waiters_link(&finding->waiters, waiter, cause, cost_as, err);
}

/* Add a wait to the row of what waited. */
static int add_waiter(struct finding *finding, const struct walked_wait *wait, bool known,
		      struct error *err)
{
	struct cause_row *waiter;

	TRY(cause_waiters_row(&finding->waiters, wait->stretch, &waiter, err));
	waiter->waits++;
	cause_row_count_victim(waiter, wait->rank);
	if (!known)
		return add_to_waiter(finding, waiter, (struct cause_key){OTHER_ROW, ROW_UNKNOWN},
				     (__int128)wait->ns * AS_PER_NS, false, err);
	for (size_t i = 0; i < finding->shares.list.count; i++) {
		const struct wait_share *share = &finding->shares.list.items[i];

		if (share->cost_as)
			TRY(add_to_waiter(finding, waiter,
					  key_of(finding, CAUSES_BY_CAUSE, share->rank,
						 &share->portion, wait->rank),
					  share->cost_as, share->direct, err));
	}
	return 0;
}

/* Share a wait among its causes. */
static int share_wait(struct finding *finding, const struct walked_wait *wait, struct error *err)
{
	bool known = wait->known;

	finding->shares.list.count = 0;
	for (size_t i = wait->first; known && i < wait->end; i++)
		TRY(take_visit(finding, &finding->visits.list.items[i], &known, err));
	if (known)
		TRY(wait_shares_find(&finding->shares, &finding->pieces.cells, wait->ns, err));
	else
		TRY(add_unknown(finding, wait, err));
	for (size_t i = 0; known && i < finding->shares.list.count; i++)
		TRY(add_share(finding, &finding->shares.list.items[i], wait->rank, err));
	return finding->options->by == CAUSES_BY_WAITER ? add_waiter(finding, wait, known, err) : 0;
}

static int share_some(struct finding *finding, struct error *err)
{
	for (size_t i = 0; i < finding->waits.count; i++)
		TRY(share_wait(finding, &finding->waits.items[i], err));
	return 0;
}

/* Find the causes of all waits, some at a time. */
static int share_all(struct finding *finding, struct error *err)
{
	uint64_t more = 1;

	while (more) {
		int result = walk_some(finding, err);

		TRY(dist_agree(finding->dist, result, err));
		TRY(piece_answers_ask(&finding->answers, &finding->pieces, &finding->visits,
				      &finding->owners, finding->dist, err));
		result = share_some(finding, err);
		piece_answers_release(&finding->answers);
		TRY(dist_agree(finding->dist, result, err));
		more = finding->rank < finding->run->own_end;
		TRY(dist_allreduce(finding->dist, &more, 1, DIST_MAX, err));
	}
	return 0;
}

/* ----------------------------------------------------------------------- times */

/* Whether the rows of a grouping are about times of ranks, which cause waiting or not. */
static bool has_times(enum cause_grouping by)
{
	return by != CAUSES_BY_PAIR && by != CAUSES_BY_WAITER;
}

/* Add time, or time on the path, to the rows of a rank. */
static int causes_add_times(struct finding *finding, uint32_t rank, const struct portion *portion,
			    bool on_path, struct error *err)
{
	const enum cause_grouping by = finding->options->by;
	struct cause_rows *const rows[] = {&finding->causes->rows, &finding->causes->groups};
	const enum cause_grouping of[] = {CAUSES_BY_CAUSE, by};

	if (portion->when == BEFORE_SLICE)
		return 0;
	for (int i = 0; i < 1 + (has_times(by) && by != CAUSES_BY_CAUSE); i++) {
		struct cause_row *row;

		TRY(cause_rows_get(rows[i], key_of(finding, of[i], rank, portion, 0), &row, err));
		*(on_path ? &row->path_ns : &row->time_ns) += portion->ns;
	}
	return 0;
}

static int add_rank_times(struct finding *finding, uint32_t rank, struct error *err)
{
	finding->portions.list.count = 0;
	TRY(stretch_pieces_of_rank(&finding->pieces, rank, &finding->portions, err));
	for (size_t i = 0; i < finding->portions.list.count; i++)
		TRY(causes_add_times(finding, rank, &finding->portions.list.items[i], false, err));
	return 0;
}

/* Find the cell of a segment of the path.  Returns false if it has none. */
static bool code_of(const struct walk_segment *segment, uint64_t *code)
{
	if (segment->category == WALK_START)
		*code = cell_code(NO_FUNCTION, NO_SITE, CELL_CALL);
	else if (segment->call == NO_CALL)
		*code = cell_code(NO_FUNCTION, NO_SITE, CELL_COMPUTE);
	else
		*code = cell_code(segment->function, segment->site,
				  segment->category == WALK_CALL ? CELL_CALL : CELL_COMPUTE);
	return segment->category != WALK_UNKNOWN;
}

static int add_path_times(struct finding *finding, const struct walk *walk, struct error *err)
{
	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];
		struct portion portion = {.ns = segment->end_ns - segment->start_ns};
		uint64_t code;

		if (!measured_owns(finding->run, segment->rank) || !code_of(segment, &code))
			continue;
		TRY(cells_number(&finding->pieces.cells, code, &portion.cell, err));
		TRY(stretch_pieces_when(&finding->pieces, segment->rank,
					segment->start_ns + finding->run->begin_ns, &portion.when,
					err));
		TRY(causes_add_times(finding, segment->rank, &portion, true, err));
	}
	return 0;
}

static int add_all_times(struct finding *finding, const struct walk *walk, struct error *err)
{
	for (uint32_t r = finding->run->own_first; r < finding->run->own_end; r++)
		TRY(add_rank_times(finding, r, err));
	return add_path_times(finding, walk, err);
}

/* ---------------------------------------------------------------------- causes */

/* Drop rows without cost, and, if they have a time of their own, without slope. */
static void drop_empty(struct cause_rows *rows, bool has_time)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->list.count; i++)
		if (rows->list.items[i].cost_as || (has_time && rows->list.items[i].weighted_ns))
			rows->list.items[kept++] = rows->list.items[i];
	rows->list.count = kept;
}

/* Let process 0 have all rows. */
static int causes_finish(struct finding *finding, struct error *err)
{
	struct wait_causes *causes = finding->causes;
	uint64_t sums[] = {causes->calls.waits,	    causes->calls.ns,	causes->ends.waits,
			   causes->ends.ns,	    causes->unknown_ns, causes->calls.short_waits,
			   causes->ends.short_waits};

	if (finding->options->by == CAUSES_BY_WAITER) {
		TRY(cause_waiters_finish(&finding->waiters, &finding->owners, finding->dist, err));
	} else {
		TRY(cause_rows_gather(&causes->rows, finding->dist, err));
		TRY(cause_rows_gather(&causes->groups, finding->dist, err));
	}
	TRY(dist_allreduce(finding->dist, sums, sizeof sums / sizeof *sums, DIST_SUM, err));
	causes->calls = (struct wait_total){sums[0], sums[1], sums[5]};
	causes->ends = (struct wait_total){sums[2], sums[3], sums[6]};
	causes->unknown_ns = sums[4];
	drop_empty(&causes->rows, true);
	drop_empty(&causes->groups, has_times(finding->options->by));
	cause_rows_sort(&causes->rows, false);
	cause_rows_sort(&causes->groups, finding->options->by == CAUSES_BY_ITERATION);
	return 0;
}

static int causes_find_all(struct finding *finding, const struct waits *waits,
			   const struct walk *walk, struct error *err)
{
	struct dist *dist = finding->dist;
	int result;

	TRY(rank_owners_find(&finding->owners, finding->run, dist, err));
	TRY(stretches_find(&finding->stretches, waits, dist, err));
	result = stretch_pieces_init(&finding->pieces, &finding->stretches, finding->options->match,
				     finding->options->by == CAUSES_BY_ITERATION, err);
	TRY(dist_agree(dist, result, err));
	if (finding->options->by == CAUSES_BY_WAITER)
		result = cause_waiters_init(&finding->waiters, &finding->stretches,
					    &finding->causes->groups, &finding->causes->rows, err);
	TRY(dist_agree(dist, result, err));
	finding->rank = finding->run->own_first;
	finding->stretch = finding->stretches.first[finding->rank];
	TRY(share_all(finding, err));
	TRY(dist_agree(dist, add_all_times(finding, walk, err), err));
	return causes_finish(finding, err);
}

int wait_causes_find(struct wait_causes *causes, const struct waits *waits, const struct walk *walk,
		     const struct wait_causes_options *options, struct dist *dist,
		     struct error *err)
{
	struct finding finding = {.causes = causes,
				  .options = options,
				  .run = waits->run,
				  .dist = dist};
	int result;

	*causes = (struct wait_causes){0};
	result = causes_find_all(&finding, waits, walk, err);
	array_release(&finding.waits);
	array_release(&finding.visits.list);
	array_release(&finding.portions.list);
	wait_shares_release(&finding.shares);
	cause_waiters_release(&finding.waiters);
	stretch_pieces_release(&finding.pieces);
	stretches_release(&finding.stretches);
	rank_owners_release(&finding.owners);
	return result;
}

void wait_causes_release(struct wait_causes *causes)
{
	cause_rows_release(&causes->rows);
	cause_rows_release(&causes->groups);
}

bool wait_causes_doubtful(const struct wait_causes *causes, const struct measured_run *run)
{
	return trace_quality_contradicts(run) ||
	       2 * causes->calls.short_waits > causes->calls.waits;
}
