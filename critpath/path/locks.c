#include "critpath/path/locks.h"

#include "common/number_map.h"
#include "dist/dist_ask.h"

/* An epoch as the process needs to know it that has all epochs of its window. */
struct epoch {
	uint64_t locked_ns; /* when MPI_Win_lock ended */
	uint64_t had_ns;    /* when it had the lock for sure, if MPI_Win_lock does not wait */
	struct measured_start unlock;
	uint32_t rank, window, target;
	uint32_t exclusive : 1;
	uint32_t place : 31; /* among the epochs of the process */
};

/* The MPI_Win_unlock that an epoch waits for; call is NO_CALL: none. */
struct lock_cause {
	struct measured_start begin;
	uint32_t rank, unused;
};

struct locking {
	struct waits *waits;
	uint32_t processes;
	ARRAY(struct epoch) own;    /* of own ranks */
	uint32_t *places;	    /* [own epoch]: among the epochs of the process of its window */
	ARRAY(struct epoch) epochs; /* of the windows of this process */
	struct lock_cause *causes;  /* [place] */
};

/* --------------------------------------------------------------------- epochs */

static struct epoch epoch_of(const struct measured_rank *rank, uint32_t number,
			     const struct measured_lock *lock)
{
	const struct measured_call *calls = rank->calls.items;
	struct epoch epoch = {.rank = number,
			      .window = lock->window,
			      .target = lock->target,
			      .unlock.call = lock->end,
			      .exclusive = lock->exclusive & 1,
			      .locked_ns = calls[lock->begin].leave_ns};

	if (lock->end == NO_CALL)
		return epoch;
	epoch.unlock.begin_ns = calls[lock->end].enter_ns;
	epoch.unlock.function = calls[lock->end].function;
	epoch.had_ns = calls[lock->end].leave_ns;
	if (lock->had != NO_CALL && lock->had != lock->end)
		epoch.had_ns = epoch.unlock.begin_ns;
	return epoch;
}

static int list_epochs(struct locking *locking, struct error *err)
{
	const struct measured_run *run = locking->waits->run;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		for (size_t i = 0; i < run->ranks[r].locks.count; i++)
			TRY(array_push(&locking->own,
				       epoch_of(&run->ranks[r], r, &run->ranks[r].locks.items[i]),
				       err));
	return 0;
}

static uint32_t owner_of(const struct locking *locking, size_t number)
{
	return locking->own.items[number].window % locking->processes;
}

static uint32_t ask_to_keep_epoch(const void *own, size_t number, void *question)
{
	const struct locking *locking = own;

	*(struct epoch *)question = locking->own.items[number];
	return owner_of(locking, number);
}

static int answer_keep_epoch(void *data, const void *questions, size_t count, void *answers,
			     struct error *err)
{
	struct locking *locking = data;
	const struct epoch *epochs = questions;
	uint32_t *places = answers;

	for (size_t i = 0; i < count; i++) {
		struct epoch epoch = epochs[i];

		places[i] = (uint32_t)locking->epochs.count;
		epoch.place = places[i] & 0x7fffffff;
		TRY(array_push(&locking->epochs, epoch, err));
	}
	return 0;
}

static void take_epoch_place(void *own, size_t number, const void *answer)
{
	((struct locking *)own)->places[number] = *(const uint32_t *)answer;
}

static int locks_compare(uint64_t x, uint64_t y)
{
	return x < y ? -1 : x > y;
}

/* Compare what is left if windows and times are the same. */
static int locks_compare_calls(const struct epoch *x, const struct epoch *y)
{
	return x->rank != y->rank ? locks_compare(x->rank, y->rank)
				  : locks_compare(x->unlock.call, y->unlock.call);
}

static int compare_windows(const void *a, const void *b)
{
	const struct epoch *x = a, *y = b;

	if (x->window != y->window)
		return locks_compare(x->window, y->window);
	if (x->unlock.begin_ns != y->unlock.begin_ns)
		return locks_compare(x->unlock.begin_ns, y->unlock.begin_ns);
	/* One that has no length comes after one that ends as it begins: they do not overlap. */
	if (x->locked_ns != y->locked_ns)
		return locks_compare(x->locked_ns, y->locked_ns);
	return locks_compare_calls(x, y);
}

static int compare_had(const void *a, const void *b)
{
	const struct epoch *x = a, *y = b;

	return x->had_ns != y->had_ns ? locks_compare(x->had_ns, y->had_ns)
				      : locks_compare_calls(x, y);
}

/* --------------------------------------------------------------------- causes */

/* Of the epochs of a window so far, or of those of one target: the last unlock to begin, or NULL. */
struct latest {
	const struct epoch *exclusive, *shared;
};

struct window_locks {
	struct latest any; /* of any target; shared: of all targets (MPI_Win_lock_all) */
	ARRAY(struct latest) targets;
	struct number_map places; /* of targets */
};

/* The later of two; of those that begin at once that of the lowest rank, then the earliest call. */
static const struct epoch *later_of(const struct epoch *a, const struct epoch *b)
{
	if (!a || !b)
		return a ? a : b;
	if (a->unlock.begin_ns != b->unlock.begin_ns)
		return a->unlock.begin_ns > b->unlock.begin_ns ? a : b;
	if (a->rank != b->rank)
		return a->rank < b->rank ? a : b;
	return a->unlock.call <= b->unlock.call ? a : b;
}

static int find_target(struct window_locks *locks, uint32_t target, struct latest **found,
		       struct error *err)
{
	uint32_t place = number_map_get(&locks->places, target, 0);

	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)locks->targets.count;
		TRY(array_push(&locks->targets, (struct latest){0}, err));
		TRY(number_map_add(&locks->places, target, 0, place, err));
	}
	*found = &locks->targets.items[place];
	return 0;
}

/* Find for whom the next epoch of a window waits, and add it. */
static int pass_epoch(struct window_locks *locks, const struct epoch *epoch,
		      const struct epoch **cause, struct error *err)
{
	struct latest *target = &locks->any;

	if (epoch->target == RMA_ALL) {
		*cause = locks->any.exclusive;
		locks->any.shared = later_of(locks->any.shared, epoch);
		return 0;
	}
	TRY(find_target(locks, epoch->target, &target, err));
	*cause = target->exclusive;
	if (!epoch->exclusive) {
		target->shared = later_of(target->shared, epoch);
		return 0;
	}
	*cause = later_of(*cause, later_of(target->shared, locks->any.shared));
	target->exclusive = later_of(target->exclusive, epoch);
	locks->any.exclusive = later_of(locks->any.exclusive, epoch);
	return 0;
}

/*
 * Find the causes of the epochs of one window, first ... end - 1, in their order, but for those without an end.
 * *overlaps: two that conflict are between MPI_Win_lock and MPI_Win_unlock at some time.
 */
static int pass_window(struct locking *locking, size_t first, size_t end, bool *overlaps,
		       struct error *err)
{
	const struct epoch *epochs = locking->epochs.items;
	struct window_locks locks = {0};
	int result = 0;

	*overlaps = false;
	for (size_t i = first; result == 0 && i < end; i++) {
		const struct epoch *cause = NULL;

		if (epochs[i].unlock.call == NO_CALL)
			continue;
		result = pass_epoch(&locks, &epochs[i], &cause, err);
		if (!cause)
			continue;
		*overlaps |= cause->unlock.begin_ns > epochs[i].locked_ns;
		locking->causes[epochs[i].place] = (struct lock_cause){.begin = cause->unlock,
								       .rank = cause->rank};
	}
	array_release(&locks.targets);
	number_map_release(&locks.places);
	return result;
}

static int find_causes_in(struct locking *locking, size_t first, size_t end, struct error *err)
{
	bool overlaps;

	TRY(pass_window(locking, first, end, &overlaps, err));
	if (!overlaps)
		return 0;
	for (size_t i = first; i < end; i++)
		locking->causes[locking->epochs.items[i].place].begin.call = NO_CALL;
	qsort(locking->epochs.items + first, end - first, sizeof *locking->epochs.items,
	      compare_had);
	return pass_window(locking, first, end, &overlaps, err);
}

static int find_lock_causes(struct locking *locking, struct error *err)
{
	const size_t count = locking->epochs.count;

	TRY(allocate(&locking->causes, count, sizeof *locking->causes, err));
	for (size_t i = 0; i < count; i++)
		locking->causes[i].begin.call = NO_CALL;
	if (count)
		qsort(locking->epochs.items, count, sizeof *locking->epochs.items, compare_windows);
	for (size_t first = 0, end; first < count; first = end) {
		end = first + 1;
		while (end < count &&
		       locking->epochs.items[end].window == locking->epochs.items[first].window)
			end++;
		TRY(find_causes_in(locking, first, end, err));
	}
	return 0;
}

/* ---------------------------------------------------------------------- waits */

/* Causes of the own epochs, as they come. */
struct taking {
	struct locking *locking;
	struct lock_cause *causes; /* [own epoch] */
};

static uint32_t ask_lock_cause(const void *own, size_t number, void *question)
{
	const struct taking *taking = own;

	*(uint32_t *)question = taking->locking->places[number];
	return owner_of(taking->locking, number);
}

static int answer_lock_cause(void *data, const void *questions, size_t count, void *answers,
			     struct error *err)
{
	const struct locking *locking = data;
	const uint32_t *places = questions;
	struct lock_cause *causes = answers;

	(void)err;
	for (size_t i = 0; i < count; i++)
		causes[i] = locking->causes[places[i]];
	return 0;
}

static void take_lock_cause(void *own, size_t number, const void *answer)
{
	((struct taking *)own)->causes[number] = *(const struct lock_cause *)answer;
}

/* Whether a call may wait for the MPI_Win_unlock of an epoch: not one of its own thread. */
static bool may_wait_for(const struct measured_run *run, uint32_t rank, uint32_t call,
			 const struct lock_cause *cause)
{
	const struct measured_call *calls = run->ranks[rank].calls.items;

	if (cause->begin.call == NO_CALL || cause->begin.begin_ns > calls[call].leave_ns)
		return false;
	return cause->rank != rank || calls[cause->begin.call].thread != calls[call].thread;
}

/* Let the calls of a rank wait; `causes` are those of its epochs. */
static void wait_for_locks(struct waits *waits, uint32_t number, const struct lock_cause *causes)
{
	const struct measured_rank *rank = &waits->run->ranks[number];

	for (size_t i = 0; i < rank->lock_calls.count; i++) {
		const struct measured_lock_call *part = &rank->lock_calls.items[i];
		const struct lock_cause *cause = &causes[part->lock];
		const struct wait wait = wait_on_call(&cause->begin, cause->rank,
						      rank->locks.items[part->lock].comm,
						      WAIT_LOCK);

		if (may_wait_for(waits->run, number, part->call, cause))
			wait_for(waits, number, part->call, &wait);
	}
}

static int ask_lock_causes(struct locking *locking, struct dist *dist, struct error *err)
{
	const struct measured_run *run = locking->waits->run;
	struct taking taking = {.locking = locking};
	const struct dist_questions asking = {
		.question_bytes = sizeof(uint32_t),
		.answer_bytes = sizeof(struct lock_cause),
		.answer = answer_lock_cause,
		.data = locking,
		.ask = ask_lock_cause,
		.take = take_lock_cause,
		.own = &taking,
	};
	size_t first = 0;
	int result = allocate(&taking.causes, locking->own.count, sizeof *taking.causes, err);

	result = dist_agree(dist, result, err);
	if (result == 0)
		result = dist_ask(dist, &asking, locking->own.count, err);
	for (uint32_t r = run->own_first; result == 0 && r < run->own_end; r++) {
		wait_for_locks(locking->waits, r, taking.causes + first);
		first += run->ranks[r].locks.count;
	}
	free(taking.causes);
	return result;
}

static int wait_by_windows(struct locking *locking, struct dist *dist, struct error *err)
{
	const struct dist_questions keeping = {
		.question_bytes = sizeof(struct epoch),
		.answer_bytes = sizeof(uint32_t),
		.answer = answer_keep_epoch,
		.data = locking,
		.ask = ask_to_keep_epoch,
		.take = take_epoch_place,
		.own = locking,
	};
	int result = list_epochs(locking, err);

	if (result == 0)
		result = allocate(&locking->places, locking->own.count, sizeof *locking->places,
				  err);
	TRY(dist_agree(dist, result, err));
	TRY(dist_ask(dist, &keeping, locking->own.count, err));
	TRY(dist_agree(dist, find_lock_causes(locking, err), err));
	return ask_lock_causes(locking, dist, err);
}

/* Whether a rank of any process has locks. */
static int any_locks(const struct measured_run *run, uint64_t *count, struct dist *dist,
		     struct error *err)
{
	*count = 0;
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		*count += run->ranks[r].locks.count;
	return dist_allreduce(dist, count, 1, DIST_SUM, err);
}

int locks_wait(struct waits *waits, struct dist *dist, struct error *err)
{
	struct locking locking = {.waits = waits, .processes = dist->size};
	uint64_t count;
	int result;

	TRY(any_locks(waits->run, &count, dist, err));
	if (!count)
		return 0;
	result = wait_by_windows(&locking, dist, err);
	array_release(&locking.own);
	array_release(&locking.epochs);
	free(locking.places);
	free(locking.causes);
	return result;
}
