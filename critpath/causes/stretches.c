#include "critpath/causes/stretches.h"

#include "critpath/match/rank_owners.h"
#include "critpath/path/walk.h"
#include "dist/dist_ask.h"
#include "trace/call/mpi_functions.h"

#include <string.h>

/* ---------------------------------------------------------------------- places */

/* Order the calls of a rank by thread. */
static int order_calls(struct stretch_rank *of, const struct measured_rank *rank, struct error *err)
{
	const size_t count = rank->calls.count;
	uint32_t *ends, threads = 0, end = 0;

	for (size_t c = 0; c < count; c++)
		if (rank->calls.items[c].thread >= threads)
			threads = rank->calls.items[c].thread + 1;
	if (threads <= 1)
		return 0;
	TRY(allocate(&of->calls, count, sizeof *of->calls, err));
	TRY(allocate(&of->places, count, sizeof *of->places, err));
	TRY(allocate(&ends, threads, sizeof *ends, err));
	for (size_t c = 0; c < count; c++)
		ends[rank->calls.items[c].thread]++;
	for (uint32_t t = 0; t < threads; t++)
		ends[t] = end += ends[t];
	for (uint32_t c = (uint32_t)count; c-- > 0;) {
		of->places[c] = --ends[rank->calls.items[c].thread];
		of->calls[of->places[c]] = c;
	}
	free(ends);
	return 0;
}

/* Number within its rank of the last stretch whose first call is not after a place. */
static uint32_t stretch_at(const struct stretch_rank *of, uint32_t place)
{
	uint32_t low = 0, high = (uint32_t)of->firsts.count;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (of->firsts.items[middle] <= place)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct stretch_entry stretches_enter(const struct stretches *stretches, uint32_t rank,
				     uint32_t call)
{
	const uint32_t place = stretches_place(stretches, rank, call);

	return (struct stretch_entry){(uint32_t)stretches->first[rank] +
					      stretch_at(&stretches->ranks[rank], place),
				      place};
}

/* ------------------------------------------------------------------- own ranks */

/* A rank's stretches while they are listed, before those of other ranks are counted. */
struct listing {
	struct stretch_rank *of;
	ARRAY(struct stretch) list;
};

static int add_stretch(struct listing *listing, uint32_t first, const struct stretch *stretch,
		       struct error *err)
{
	TRY(array_push(&listing->of->firsts, first, err));
	return array_push(&listing->list, *stretch, err);
}

/*
 * The stretch that begins with the wait of a call.  Its cause is the call, for now.  A wait that ends with the
 * call, before the other one began, contradicts the clocks.
 */
static struct stretch stretch_after(const struct waits *waits, uint32_t rank, uint32_t call)
{
	const struct wait *wait = wait_at(waits, rank, call);
	const struct measured_call *waiting = &waits->run->ranks[rank].calls.items[call];
	const bool contradicts = wait->until_ns > waiting->leave_ns;

	return (struct stretch){
		.begin_ns = contradicts ? waiting->leave_ns : wait->until_ns,
		.rank = rank,
		.cause = contradicts ? STRETCH_UNKNOWN : wait->rank,
		.cause_place = wait->call,
	};
}

/* Whether a call of the run waited for some time. */
static bool waits_in(const struct waits *waits, uint32_t rank, uint32_t call)
{
	const struct measured_call *of = &waits->run->ranks[rank].calls.items[call];

	return wait_at(waits, rank, call)->kind != WAIT_NONE && of->leave_ns > of->enter_ns &&
	       !walk_begins_run(of);
}

static int list_rank(struct listing *listing, const struct waits *waits, uint32_t rank,
		     struct error *err)
{
	const struct measured_run *run = waits->run;
	const struct measured_call *calls = run->ranks[rank].calls.items;
	const struct stretch starts = {.begin_ns = run->begin_ns,
				       .rank = rank,
				       .cause = STRETCH_STARTS};
	const uint32_t count = (uint32_t)run->ranks[rank].calls.count;
	uint32_t thread = UINT32_MAX;

	if (!count)
		return add_stretch(listing, 0, &starts, err);
	for (uint32_t p = 0; p < count; p++) {
		const uint32_t call = listing->of->calls ? listing->of->calls[p] : p;

		if (walk_begins_run(&calls[call]))
			TRY(add_stretch(listing, p + 1, &starts, err));
		else if (calls[call].thread != thread)
			TRY(add_stretch(listing, p, &starts, err));
		thread = calls[call].thread;
		if (waits_in(waits, rank, call)) {
			const struct stretch stretch = stretch_after(waits, rank, call);

			TRY(add_stretch(listing, p + 1, &stretch, err));
		}
	}
	return 0;
}

static bool ends_run(const struct measured_call *call)
{
	return call->function < MPI_FUNCTION_COUNT &&
	       mpi_functions[call->function].class == MPI_CLASS_FINALIZE &&
	       !(mpi_functions[call->function].traits & MPI_OF_SESSION);
}

/* Find where the rank ends, as the walk does: at MPI_Finalize, or with the call that ends last. */
static void stretches_find_end(struct stretch_rank *of, const struct waits *waits, uint32_t rank)
{
	const struct measured_run *run = waits->run;
	const struct measured_call *calls = run->ranks[rank].calls.items;

	of->end_stretch = STRETCH_UNKNOWN;
	if (!run->ranks[rank].calls.count)
		of->end_stretch = 0;
	for (uint32_t c = (uint32_t)run->ranks[rank].calls.count; c-- > 0;) {
		const uint32_t place = of->places ? of->places[c] : c;

		if (ends_run(&calls[c]) && calls[c].enter_ns == run->ranks[rank].end_ns) {
			of->end_stretch = stretch_at(of, place);
			of->end_place = place;
			return;
		}
		if (calls[c].leave_ns == run->ranks[rank].end_ns) {
			of->end_stretch = stretch_at(of, place) +
					  (walk_begins_run(&calls[c]) || waits_in(waits, rank, c));
			of->end_place = place + 1;
			return;
		}
	}
}

/* ------------------------------------------------------------------- all ranks */

struct finding {
	struct stretches *stretches;
	const struct measured_run *run;
	struct dist *dist;
	struct listing *listings; /* [own rank] */
	struct rank_owners owners;
};

static int list_own(struct finding *finding, struct error *err)
{
	struct stretches *stretches = finding->stretches;
	const struct measured_run *run = finding->run;

	TRY(allocate(&stretches->ranks, run->rank_count, sizeof *stretches->ranks, err));
	TRY(allocate(&stretches->first, run->rank_count + UINT64_C(1), sizeof *stretches->first,
		     err));
	TRY(allocate(&finding->listings, run->own_end - run->own_first, sizeof *finding->listings,
		     err));
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		struct listing *listing = &finding->listings[r - run->own_first];

		listing->of = &stretches->ranks[r];
		TRY(order_calls(listing->of, &run->ranks[r], err));
		TRY(list_rank(listing, stretches->waits, r, err));
		stretches_find_end(listing->of, stretches->waits, r);
		stretches->first[r] = listing->list.count;
	}
	return 0;
}

/* Number the stretches by the counts of the ranks, and make room. */
static int number(struct finding *finding, struct error *err)
{
	struct stretches *stretches = finding->stretches;
	const struct measured_run *run = finding->run;
	uint64_t sum = 0;

	for (uint32_t r = 0; r <= run->rank_count; r++) {
		const uint64_t count = stretches->first[r];

		stretches->first[r] = sum;
		sum += count;
	}
	if (sum >= STRETCH_UNKNOWN)
		return error_set(err, STATUS_LIMIT, "more than 4294967293 waits");
	TRY(allocate(&stretches->list, sum, sizeof *stretches->list, err));
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		struct listing *listing = &finding->listings[r - run->own_first];

		memcpy(&stretches->list[stretches->first[r]], listing->list.items,
		       listing->list.count * sizeof *stretches->list);
		array_release(&listing->list);
		if (stretches->ranks[r].end_stretch != STRETCH_UNKNOWN)
			stretches->ranks[r].end_stretch += (uint32_t)stretches->first[r];
	}
	return 0;
}

/* ---------------------------------------------------------------------- causes */

/* Calls of other processes that own calls waited for. */
struct asking {
	const struct finding *finding;
	ARRAY(uint32_t) asked; /* stretches */
};

struct question {
	uint32_t rank, call;
};

static uint32_t stretches_ask(const void *own, size_t number, void *question)
{
	const struct asking *asking = own;
	const struct stretch *stretch =
		&asking->finding->stretches->list[asking->asked.items[number]];

	*(struct question *)question = (struct question){stretch->cause, stretch->cause_place};
	return rank_owner(&asking->finding->owners, stretch->cause);
}

static int answer(void *data, const void *questions, size_t count, void *answers, struct error *err)
{
	const struct stretches *stretches = data;
	const struct question *asked = questions;
	struct stretch_entry *entries = answers;

	for (size_t i = 0; i < count; i++) {
		if (!measured_owns(stretches->waits->run, asked[i].rank))
			return error_set(err, STATUS_DATA, "a question about another process");
		entries[i] = stretches_enter(stretches, asked[i].rank, asked[i].call);
	}
	return 0;
}

static void set_cause(struct stretch *stretch, const struct stretch_entry *entry)
{
	stretch->cause = entry->stretch;
	stretch->cause_place = entry->place;
}

static void stretches_take(void *own, size_t number, const void *entry)
{
	const struct asking *asking = own;

	set_cause(&asking->finding->stretches->list[asking->asked.items[number]], entry);
}

/* Find the stretches of the calls that were waited for, and list those of other processes. */
static int find_own_causes(struct asking *asking, struct error *err)
{
	struct stretches *stretches = asking->finding->stretches;
	const struct measured_run *run = asking->finding->run;

	for (uint64_t s = stretches->first[run->own_first]; s < stretches->first[run->own_end];
	     s++) {
		struct stretch *stretch = &stretches->list[s];

		if (stretch->cause >= STRETCH_UNKNOWN)
			continue;
		if (measured_owns(run, stretch->cause)) {
			const struct stretch_entry entry = stretches_enter(stretches,
									   stretch->cause,
									   stretch->cause_place);

			set_cause(stretch, &entry);
		} else {
			TRY(array_push(&asking->asked, (uint32_t)s, err));
		}
	}
	return 0;
}

static int stretches_find_causes(struct finding *finding, struct error *err)
{
	struct asking asking = {.finding = finding};
	const struct dist_questions questions = {
		.question_bytes = sizeof(struct question),
		.answer_bytes = sizeof(struct stretch_entry),
		.answer = answer,
		.data = finding->stretches,
		.ask = stretches_ask,
		.take = stretches_take,
		.own = &asking,
	};
	int result = dist_agree(finding->dist, find_own_causes(&asking, err), err);

	if (result == 0)
		result = dist_ask(finding->dist, &questions, asking.asked.count, err);
	array_release(&asking.asked);
	return result;
}

/* Give all stretches, and the end of the run, to all processes. */
static int share_stretches(struct finding *finding, struct error *err)
{
	struct stretches *stretches = finding->stretches;
	const struct measured_run *run = finding->run;
	const uint64_t all = stretches->first[run->rank_count];

	for (uint32_t p = 0; p < finding->dist->size; p++) {
		const uint64_t from = stretches->first[finding->owners.first[p]];
		const uint64_t to = p + 1 < finding->dist->size
					    ? stretches->first[finding->owners.first[p + 1]]
					    : all;

		TRY(dist_bcast(finding->dist, p, &stretches->list[from],
			       (to - from) * sizeof *stretches->list, err));
	}
	for (uint64_t s = 0; s < all; s++)
		stretches->threads += stretches->list[s].cause == STRETCH_STARTS;
	return dist_bcast(finding->dist, rank_owner(&finding->owners, run->last_rank),
			  &stretches->ranks[run->last_rank].end_stretch, sizeof(uint32_t), err);
}

static int stretches_find_all(struct finding *finding, struct error *err)
{
	TRY(dist_agree(finding->dist, list_own(finding, err), err));
	TRY(dist_allreduce(finding->dist, finding->stretches->first, finding->run->rank_count,
			   DIST_SUM, err));
	TRY(dist_agree(finding->dist, number(finding, err), err));
	TRY(rank_owners_find(&finding->owners, finding->run, finding->dist, err));
	TRY(stretches_find_causes(finding, err));
	return share_stretches(finding, err);
}

int stretches_find(struct stretches *stretches, const struct waits *waits, struct dist *dist,
		   struct error *err)
{
	const struct measured_run *run = waits->run;
	struct finding finding = {.stretches = stretches, .run = run, .dist = dist};
	int result;

	*stretches = (struct stretches){.waits = waits};
	result = stretches_find_all(&finding, err);
	rank_owners_release(&finding.owners);
	for (uint32_t i = 0; finding.listings && i < run->own_end - run->own_first; i++)
		array_release(&finding.listings[i].list);
	free(finding.listings);
	if (result < 0)
		stretches_release(stretches);
	return result;
}

void stretches_release(struct stretches *stretches)
{
	for (uint32_t r = 0; stretches->ranks && r < stretches->waits->run->rank_count; r++) {
		free(stretches->ranks[r].calls);
		free(stretches->ranks[r].places);
		array_release(&stretches->ranks[r].firsts);
	}
	free(stretches->ranks);
	free(stretches->first);
	free(stretches->list);
	*stretches = (struct stretches){0};
}
