#include "llamp/advise/advice_steps.h"

#include "common/memory.h"
#include "common/parallel/parallel.h"
#include "common/progress.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* Most changes of which pairs are tried. */
enum { PAIR_MOST = 12 };

/* ------------------------------------------------------------------------ gains */

static double gain_of(const struct advice *advice, double from_ns, double to_ns)
{
	return advice->base.runtime_ns > 0 ? (from_ns - to_ns) / advice->base.runtime_ns : 0;
}

/* Set the gain of a change in addition to those of `from`, and its limits.  at_least: what a step must gain. */
static void set_gain(const struct advice *advice, const struct evaluation *evaluation,
		     struct advised *each, const struct evaluated *from, double at_least)
{
	/* Both times are those of the run within the estimate. */
	const double off = gain_of(advice, 2 * evaluation->estimate_ns, 0);

	each->gain_then = gain_of(advice, from->runtime_ns, each->then.runtime_ns);
	each->least_gain = each->most_gain = each->gain_then;
	for (uint32_t i = 0; i < from->extremes && i < each->then.extremes; i++) {
		const double gain = (from->extreme_ns[i] - each->then.extreme_ns[i]) /
				    advice->base.extreme_ns[i];

		each->least_gain = fmin(each->least_gain, gain);
		each->most_gain = fmax(each->most_gain, gain);
	}
	each->least_gain -= off;
	each->most_gain += off;
	each->is_unsure = !each->change->is_no_step && each->gain_then > 0 &&
			  each->gain_then >= at_least && !(each->least_gain > 0);
}

/* Changes that are no step are not chosen. */
static bool is_open(const struct advice *advice, const struct advised *each)
{
	if (each->step || each->failure || each->change->is_no_step)
		return false;
	for (size_t i = 0; i < advice->advised.count; i++) {
		const struct advised *other = &advice->advised.items[i];

		if (other->step && change_excludes(other->change, each->change))
			return false;
	}
	return true;
}

/* List the chosen changes in order, with room for some more.  *set is to be freed. */
static int list_chosen(const struct advice *advice, size_t more, const struct change ***set,
		       struct error *err)
{
	TRY(allocate(set, advice->chosen + more, sizeof **set, err));
	for (size_t i = 0; i < advice->advised.count; i++)
		if (advice->advised.items[i].step)
			(*set)[advice->advised.items[i].step - 1] = advice->advised.items[i].change;
	return 0;
}

/* Evaluate the chosen changes, in order, and another one. */
static int evaluate_with(const struct advice *advice, struct evaluation *evaluation,
			 const struct change *more, struct evaluated *found, struct error *err)
{
	const struct change **set;
	size_t count = advice->chosen;
	int result;

	TRY(list_chosen(advice, 1, &set, err));
	set[count++] = more;
	/* The gain of what is no step has no limits. */
	if (more->is_no_step)
		result = evaluate_without_extremes(evaluation, set, count, found, err);
	else
		result = evaluate_changes(evaluation, set, count, found, err);
	free(set);
	return result;
}

static int note_failure(struct advised *each, struct error *err)
{
	if (err->status == STATUS_SYSTEM)
		return -1;
	each->is_skipped = false;
	each->failure = strdup(err->text);
	return each->failure ? 0 : error_set_memory(err, strlen(err->text));
}

/* Changes that are evaluated, several at a time. */
struct round {
	struct advice *advice;
	struct evaluation *evaluation;
	const struct advised_path *path; /* of the chosen changes; NULL: not known */
	const struct evaluated *now;	 /* T with these */
	double at_least;
};

/* An evaluation has graphs in memory, as many times the one without changes, and one on the disk. */
enum { EVALUATIONS_MOST = 8, GRAPHS_IN_MEMORY = 4 };

/* Find how many evaluations have room at the same time; 1 at least. */
static unsigned evaluation_threads(const struct evaluation *evaluation)
{
	struct stat base;
	uint64_t threads = processor_count(), room = threads;

	if (evaluation->base && stat(evaluation->base, &base) == 0 && base.st_size > 0)
		room = memory_available() / ((uint64_t)base.st_size * GRAPHS_IN_MEMORY);
	threads = threads < EVALUATIONS_MOST ? threads : EVALUATIONS_MOST;
	threads = threads < room ? threads : room;
	return threads ? (unsigned)threads : 1;
}

/* Work on each of `count` items. */
static int evaluate_each(int (*make)(void *shared, void *state, uint32_t item, struct error *err),
			 int (*take)(void *shared, void *state, uint32_t item, struct error *err),
			 const struct evaluation *evaluation, void *shared, size_t count,
			 struct error *err)
{
	const struct parallel_work work = {.make = make, .take = take, .shared = shared};

	return parallel_run(&work, (uint32_t)count, evaluation_threads(evaluation), err);
}

/* The most that a change can gain alone, as a share of T. */
static double bound_of(const struct round *round, const struct change *change)
{
	double most_ns = INFINITY;

	if (change->kind == CHANGE_TOTALS)
		most_ns = change->most_ns;
	else if (round->path)
		most_ns = advised_path_bound(round->path, change);

	return most_ns / round->advice->base.runtime_ns;
}

/* Where equal totals gain more than they can, ranks take turns.  from: T without the change. */
static int check_totals(const struct change *change, const struct evaluated *from,
			const struct evaluated *found, struct error *err)
{
	/* Each total is whole ns, and T a double: both are rounded. */
	const double rounding_ns = 1, gain_ns = from->runtime_ns - found->runtime_ns;

	if (change->kind != CHANGE_TOTALS || gain_ns <= change->most_ns + rounding_ns)
		return 0;
	return error_set(
		err, STATUS_DATA,
		"ranks take turns: T would fall by more than what the rank that computes most is above the mean");
}

static int evaluate_one_alone(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct round *round = shared;
	struct advice *advice = round->advice;
	struct advised *each = &advice->advised.items[item];

	(void)state;
	each->bound = bound_of(round, each->change);
	if (each->bound < round->at_least) {
		each->is_skipped = true;
		each->gain_alone = each->gain_then = each->least_gain = each->most_gain = NAN;
		return 0;
	}
	if (evaluate_with(advice, round->evaluation, each->change, &each->alone, err) < 0 ||
	    check_totals(each->change, &advice->base, &each->alone, err) < 0)
		return note_failure(each, err);
	each->then = each->alone;
	set_gain(advice, round->evaluation, each, &advice->base, round->at_least);
	each->gain_alone = each->gain_then;
	return 0;
}

static int show_progress(void *shared, void *state, uint32_t item, struct error *err)
{
	(void)state;
	(void)err;
	progress_show(item, ((const struct round *)shared)->advice->advised.count);
	return 0;
}

static int evaluate_alone(struct advice *advice, struct evaluation *evaluation, double at_least,
			  struct error *err)
{
	struct round round = {advice, evaluation, advice->path, &advice->base, at_least};

	return evaluate_each(evaluate_one_alone, show_progress, evaluation, &round,
			     advice->advised.count, err);
}

/* Evaluate a change alone that was skipped. */
static int evaluate_skipped(const struct advice *advice, struct evaluation *evaluation,
			    struct advised *each, struct error *err)
{
	const struct change *const set[] = {each->change};

	if (!each->is_skipped)
		return 0;
	TRY(evaluate_changes(evaluation, set, 1, &each->alone, err));
	each->gain_alone = gain_of(advice, advice->base.runtime_ns, each->alone.runtime_ns);
	each->is_skipped = false;
	return 0;
}

/* Find what a change adds to the chosen ones.  What cannot add enough is not evaluated: its gain is NAN. */
static int evaluate_then(const struct round *round, struct advised *each, struct error *err)
{
	struct advice *advice = round->advice;
	const double bound = bound_of(round, each->change);

	each->is_unsure = false;
	if (!is_open(advice, each)) {
		each->is_replaced = each->gain_alone > 0;
		each->gain_then = each->least_gain = each->most_gain = 0;
		return 0;
	}
	if (bound < round->at_least) {
		each->gain_then = each->least_gain = each->most_gain = NAN;
		each->is_replaced = each->gain_alone > 0 && bound <= each->gain_alone / 2;
		return 0;
	}
	if (evaluate_with(advice, round->evaluation, each->change, &each->then, err) < 0 ||
	    check_totals(each->change, round->now, &each->then, err) < 0)
		return note_failure(each, err);
	set_gain(advice, round->evaluation, each, round->now, round->at_least);
	each->is_replaced = each->gain_alone > 0 && each->gain_then <= each->gain_alone / 2;
	return 0;
}

static int evaluate_one_then(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct round *round = shared;
	struct advised *each = &round->advice->advised.items[item];

	(void)state;
	if (each->step || each->failure || each->change->is_no_step)
		return 0;
	return evaluate_then(round, each, err);
}

/* Evaluate the open changes beside the chosen ones.  now: T with these. */
static int evaluate_again(struct advice *advice, struct evaluation *evaluation,
			  const struct evaluated *now, double at_least, struct error *err)
{
	struct round round = {advice, evaluation, NULL, now, at_least};
	const struct change **set;
	struct advised_path path;
	int result;

	if (!advice->path)
		return evaluate_each(evaluate_one_then, NULL, evaluation, &round,
				     advice->advised.count, err);
	TRY(list_chosen(advice, 1, &set, err));
	result = advised_path_open(&path, evaluation, set, advice->chosen, err);
	free(set);
	if (result < 0)
		return -1;
	round.path = &path;
	result = evaluate_each(evaluate_one_then, NULL, evaluation, &round, advice->advised.count,
			       err);
	advised_path_close(&path);
	return result;
}

/* Find the open change that gains most at least, the first of equal ones; NULL if none gains enough for sure. */
static struct advised *best_of(struct advice *advice, double at_least)
{
	struct advised *best = NULL;

	for (size_t i = 0; i < advice->advised.count; i++) {
		struct advised *each = &advice->advised.items[i];

		if (is_open(advice, each) && each->gain_then >= at_least && each->least_gain > 0 &&
		    (!best || each->least_gain > best->least_gain))
			best = each;
	}
	return best;
}

/* ------------------------------------------------------------------------ pairs */

/* Changes that may make a pair: of each group the best one, or the first if none was evaluated. */
struct pair_search {
	struct advised *members[PAIR_MOST];
	size_t count;
	struct advised *best[2];
	struct evaluated found; /* T with the best pair */
};

/*
 * Add a change to the members, which do not exclude each other.  Of two that exclude each other the larger gain stays.  A
 * change that excludes several is left out.
 */
static void add_pair_member(struct pair_search *search, struct advised *each)
{
	struct advised **excluded = NULL;

	/* Equal totals exclude every balance, also those that come later. */
	if (each->change->kind == CHANGE_TOTALS)
		return;
	for (size_t i = 0; i < search->count; i++) {
		if (!change_excludes(search->members[i]->change, each->change))
			continue;
		if (excluded)
			return;
		excluded = &search->members[i];
	}
	if (excluded) {
		if (each->gain_then > (*excluded)->gain_then)
			*excluded = each;
	} else if (search->count < PAIR_MOST) {
		search->members[search->count++] = each;
	}
}

/* Evaluate members together, beside the chosen changes.  A set that does not work gains nothing. */
static int evaluate_members(const struct advice *advice, struct evaluation *evaluation,
			    struct advised *const *members, size_t count, struct evaluated *found,
			    struct error *err)
{
	const struct change **set;
	int result;

	TRY(list_chosen(advice, count, &set, err));
	for (size_t i = 0; i < count; i++)
		set[advice->chosen + i] = members[i]->change;
	result = evaluate_changes(evaluation, set, advice->chosen + count, found, err);
	free(set);
	if (result == 0)
		return 0;
	/* T may have been found, but not at all extremes. */
	found->runtime_ns = INFINITY;
	found->extremes = 0;
	return err->status == STATUS_SYSTEM ? -1 : 0;
}

/* The pairs of the members, in order. */
struct pairs {
	const struct advice *advice;
	struct pair_search *search;
	struct evaluation *evaluation;
	struct {
		struct advised *both[2];
		struct evaluated found;
	} list[PAIR_MOST * (PAIR_MOST - 1) / 2];
	size_t count;
};

static int evaluate_one_pair(void *shared, void *state, uint32_t item, struct error *err)
{
	struct pairs *pairs = shared;

	(void)state;
	return evaluate_members(pairs->advice, pairs->evaluation, pairs->list[item].both, 2,
				&pairs->list[item].found, err);
}

/* Keep the pair if it is the best one so far. */
static int take_pair(void *shared, void *state, uint32_t item, struct error *err)
{
	struct pairs *pairs = shared;
	struct pair_search *search = pairs->search;

	(void)state;
	(void)err;
	if (pairs->list[item].found.runtime_ns >= search->found.runtime_ns)
		return 0;
	search->found = pairs->list[item].found;
	memcpy(search->best, pairs->list[item].both, sizeof search->best);
	return 0;
}

static int try_pairs(const struct advice *advice, struct pair_search *search,
		     struct evaluation *evaluation, struct error *err)
{
	struct pairs pairs = {.advice = advice, .search = search, .evaluation = evaluation};

	for (size_t i = 0; i < search->count; i++)
		for (size_t j = i + 1; j < search->count; j++) {
			pairs.list[pairs.count].both[0] = search->members[i];
			pairs.list[pairs.count++].both[1] = search->members[j];
		}
	return evaluate_each(evaluate_one_pair, take_pair, evaluation, &pairs, pairs.count, err);
}

/*
 * Of ranks that wait for several others it does not help to make one of these faster.  If no change gains enough beside the
 * chosen ones but all together do, choose the pair that gains most.  now: T with the chosen changes.
 */
static int choose_pair(struct advice *advice, struct evaluation *evaluation,
		       const struct evaluated *now, double at_least, struct error *err)
{
	struct pair_search search = {.found.runtime_ns = INFINITY};
	struct evaluated together;
	struct advised judged;

	for (size_t i = 0; i < advice->advised.count; i++)
		if (is_open(advice, &advice->advised.items[i]))
			add_pair_member(&search, &advice->advised.items[i]);
	if (search.count < 2)
		return 0;
	TRY(evaluate_members(advice, evaluation, search.members, search.count, &together, err));
	if (gain_of(advice, now->runtime_ns, together.runtime_ns) < at_least)
		return 0;
	TRY(try_pairs(advice, &search, evaluation, err));
	if (!(gain_of(advice, now->runtime_ns, search.found.runtime_ns) >= at_least))
		return 0;
	for (size_t i = 0; i < 2; i++)
		if (evaluate_skipped(advice, evaluation, search.best[i], err) < 0)
			return note_failure(search.best[i], err);
	/* The gain of the pair is not that of its second change, which keeps its own if the pair is unsure. */
	judged = *search.best[1];
	judged.then = search.found;
	set_gain(advice, evaluation, &judged, now, at_least);
	if (judged.is_unsure)
		return 0;
	if (evaluate_with(advice, evaluation, search.best[0]->change, &search.best[0]->then, err) <
	    0)
		return note_failure(search.best[0], err);
	search.best[1]->then = search.found;
	set_gain(advice, evaluation, search.best[0], now, at_least);
	set_gain(advice, evaluation, search.best[1], &search.best[0]->then, at_least);
	advice->is_pair = !advice->chosen;
	for (size_t i = 0; i < 2; i++)
		search.best[i]->step = (uint32_t)++advice->chosen;
	return evaluate_again(advice, evaluation, &search.best[1]->then, at_least, err);
}

/* T with the chosen changes. */
static const struct evaluated *evaluated_now(const struct advice *advice)
{
	for (size_t i = 0; i < advice->advised.count; i++)
		if (advice->chosen && advice->advised.items[i].step == advice->chosen)
			return &advice->advised.items[i].then;
	return &advice->base;
}

/* Choose the next change, or two.  If none gains enough, nothing is chosen. */
static int choose_next(struct advice *advice, struct evaluation *evaluation, double at_least,
		       uint32_t steps, struct error *err)
{
	struct advised *best;

	while ((best = best_of(advice, at_least)) != NULL &&
	       evaluate_skipped(advice, evaluation, best, err) < 0)
		TRY(note_failure(best, err));
	if (!best)
		return advice->chosen + 2 <= steps
			       ? choose_pair(advice, evaluation, evaluated_now(advice), at_least,
					     err)
			       : 0;
	best->step = (uint32_t)++advice->chosen;
	return evaluate_again(advice, evaluation, &best->then, at_least, err);
}

int advice_choose(struct advice *advice, struct evaluation *evaluation, double at_least,
		  uint32_t steps, struct error *err)
{
	size_t before;

	TRY(evaluate_alone(advice, evaluation, at_least, err));
	do {
		before = advice->chosen;
		if (before < steps)
			TRY(choose_next(advice, evaluation, at_least, steps, err));
	} while (advice->chosen > before);
	return 0;
}
