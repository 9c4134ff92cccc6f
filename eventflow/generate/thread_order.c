#include "eventflow/generate/thread_order.h"

#include "eventflow/generate/order_keys.h"
#include "trace/flow/recover/flow_recover.h"

#include <string.h>

/* A call that has used a key; number 0: none. */
struct touching {
	uint64_t call;
	uint64_t over_ns; /* its end, if that counts; 0: it does not */
	uint32_t number, clock;
	bool certain;
};

/* The last two calls of a thread that have used a key, and that have written it. */
struct touched {
	uint32_t thread, next; /* of the same key, or NO_HINT */
	struct touching any[2], writes[2];
};

struct ordered_thread {
	uint32_t number; /* calls so far */
	uint32_t clock;
	uint64_t leave_ns; /* of its last call */
};

/* A call was over if it ended so long before another one began: times of threads are apart. */
enum { TIMES_APART_NS = 1000 };

struct ordering {
	struct rank_calls *calls;
	uint32_t count; /* of threads */
	struct ordered_thread *threads;
	struct string_table keys;
	ARRAY(uint32_t) first; /* by key: place in touched */
	ARRAY(struct touched) touched;
	/* Clocks, each a number for each thread: which of its calls have ended. */
	ARRAY(uint32_t) clocks;
	/* The call at hand. */
	uint64_t enter_ns;
	struct touching *needed; /* [thread]: calls that it comes after */
	ARRAY(uint32_t) used;	 /* its keys, twice the number plus 1 if it writes */
	/* Thread that has switched recording off, its call, and of it the number. */
	uint32_t off_thread, off_number;
	uint64_t off_call;
	struct number_map ended; /* that call and a thread whose call before had ended */
	bool off;		 /* the call at hand is one that switches recording off */
};

static const uint32_t *clock_of(const struct ordering *ordering, uint32_t clock)
{
	return ordering->clocks.items + (size_t)clock * ordering->count;
}

/* -------------------------------------------------------------------------- needed calls */

/*
 * Note that the call at hand comes after the last call of another thread with the key.  If that is the last one of the
 * thread, it may go on when this one begins, unless it is certain or its times tell: then only the one with the key
 * before has ended.
 */
static void need_last(struct ordering *ordering, uint32_t thread, const struct touching last[2],
		      bool forced)
{
	const struct touching *needed = &last[0];
	const bool over = needed->over_ns && needed->over_ns + TIMES_APART_NS < ordering->enter_ns;

	if (needed->number == ordering->threads[thread].number && !needed->certain && !over &&
	    !forced)
		needed = &last[1];
	if (needed->number > ordering->needed[thread].number)
		ordering->needed[thread] = *needed;
}

/* Whether another thread's last call had ended before the call at hand, which is one that comes after all. */
static bool has_ended(const struct ordering *ordering, uint32_t thread)
{
	return !ordering->off ||
	       number_map_get(&ordering->ended, ordering->calls->call, thread) != NUMBER_MAP_EMPTY;
}

static int use_key(void *data, const struct order_key *key, unsigned use, struct error *err)
{
	struct ordering *ordering = data;
	const size_t before = ordering->keys.starts.count;
	uint32_t number;

	TRY(string_table_add(&ordering->keys, (const char *)key, sizeof *key, &number, err));
	if (ordering->keys.starts.count > before)
		TRY(array_push(&ordering->first, NO_HINT, err));
	for (uint32_t i = ordering->first.items[number]; i != NO_HINT;
	     i = ordering->touched.items[i].next) {
		const struct touched *touched = &ordering->touched.items[i];

		if (touched->thread != ordering->calls->thread)
			need_last(ordering, touched->thread,
				  use & ORDER_WRITES ? touched->any : touched->writes,
				  use & ORDER_FORCED && has_ended(ordering, touched->thread));
	}
	TRY(array_push(&ordering->used, number, err));
	return array_push(&ordering->used, use, err);
}

static struct touched *touched_by(struct ordering *ordering, uint32_t key, struct error *err)
{
	const uint32_t thread = ordering->calls->thread;
	struct touched new = {.thread = thread, .next = ordering->first.items[key]};

	for (uint32_t i = new.next; i != NO_HINT; i = ordering->touched.items[i].next)
		if (ordering->touched.items[i].thread == thread)
			return &ordering->touched.items[i];
	ordering->first.items[key] = (uint32_t)ordering->touched.count;
	if (array_push(&ordering->touched, new, err) < 0)
		return NULL;
	return &ordering->touched.items[ordering->touched.count - 1];
}

/* A call may use a key in several ways: if one of them is certain, later calls come after its end. */
static void put_last(struct touching last[2], const struct touching *now)
{
	const bool again = last[0].number == now->number, certain = again && last[0].certain;
	const uint64_t over_ns = again ? last[0].over_ns : 0;

	if (!again)
		last[1] = last[0];
	last[0] = *now;
	last[0].certain |= certain;
	last[0].over_ns |= over_ns;
}

/* Keep the call at hand as the last one of its keys. */
static int keep_uses(struct ordering *ordering, uint64_t leave_ns, struct error *err)
{
	const struct ordered_thread *thread = &ordering->threads[ordering->calls->thread];

	for (size_t i = 0; i < ordering->used.count; i += 2) {
		struct touched *touched = touched_by(ordering, ordering->used.items[i], err);
		const unsigned use = ordering->used.items[i + 1];
		const struct touching now = {.call = ordering->calls->call,
					     .over_ns = use & ORDER_BY_TIME ? leave_ns : 0,
					     .number = thread->number,
					     .clock = thread->clock,
					     .certain = (use & ORDER_CERTAIN) != 0};

		if (!touched)
			return -1;
		put_last(touched->any, &now);
		if (use & ORDER_WRITES)
			put_last(touched->writes, &now);
	}
	ordering->used.count = 0;
	return 0;
}

/* --------------------------------------------------------------------------------- waits */

/* Forget needed calls that come before others anyway. */
static void forget_implied(struct ordering *ordering)
{
	const uint32_t *known = clock_of(ordering,
					 ordering->threads[ordering->calls->thread].clock);

	for (uint32_t u = 0; u < ordering->count; u++)
		if (ordering->needed[u].number <= known[u])
			ordering->needed[u].number = 0;
	for (uint32_t u = 0; u < ordering->count; u++)
		for (uint32_t v = 0; v < ordering->count && ordering->needed[u].number; v++)
			if (v != u && ordering->needed[v].number &&
			    clock_of(ordering, ordering->needed[v].clock)[u] >=
				    ordering->needed[u].number)
				ordering->needed[u].number = 0;
}

/* Let the call at hand wait for the call of another thread, and learn what that knows. */
static int come_after(struct ordering *ordering, uint32_t other, struct error *err)
{
	const uint32_t thread = ordering->calls->thread;
	const struct touching *needed = &ordering->needed[other];
	struct thread_order *order = &ordering->calls->order;
	uint32_t *known = ordering->clocks.items + ordering->clocks.count - ordering->count;
	const uint32_t *learnt = clock_of(ordering, needed->clock);

	for (uint32_t u = 0; u < ordering->count; u++)
		if (learnt[u] > known[u])
			known[u] = learnt[u];
	if (needed->number > known[other])
		known[other] = needed->number;
	TRY(array_push(&order->waits[thread], ((struct order_entry){ordering->calls->call, other}),
		       err));
	return array_push(&order->tells[other], ((struct order_entry){needed->call, thread}), err);
}

static int wait_for_needed(struct ordering *ordering, struct error *err)
{
	struct ordered_thread *thread = &ordering->threads[ordering->calls->thread];
	bool any = false;

	forget_implied(ordering);
	for (uint32_t u = 0; u < ordering->count; u++)
		any |= ordering->needed[u].number != 0;
	if (!any)
		return 0;
	/* A clock that is new begins as the thread's last one. */
	TRY(array_reserve(&ordering->clocks, ordering->count, err));
	memcpy(ordering->clocks.items + ordering->clocks.count, clock_of(ordering, thread->clock),
	       ordering->count * sizeof(uint32_t));
	ordering->clocks.count += ordering->count;
	thread->clock = (uint32_t)(ordering->clocks.count / ordering->count - 1);
	for (uint32_t u = 0; u < ordering->count; u++)
		if (ordering->needed[u].number)
			TRY(come_after(ordering, u, err));
	memset(ordering->needed, 0, ordering->count * sizeof *ordering->needed);
	return 0;
}

/* --------------------------------------------------------------------------------- calls */

/*
 * Find who switches recording off: all threads have the time without it, and the first one does.  A
 * call of another thread gets the hint which one that is.  A thread whose call ran on until recording was on again learns
 * of it afterwards, when no time is left.  If that is later than the thread's last call, the call had ended before.
 */
static int note_off(struct ordering *ordering, const struct mpi_call *call, struct error *err)
{
	struct rank_calls *calls = ordering->calls;
	uint32_t before;

	if (call->leave_ns > call->enter_ns &&
	    (!ordering->off_number || ordering->off_thread == calls->thread ||
	     ordering->threads[ordering->off_thread].number != ordering->off_number)) {
		ordering->off_thread = calls->thread;
		ordering->off_number = ordering->threads[calls->thread].number;
		ordering->off_call = calls->call;
		return 0;
	}
	if (call->leave_ns > call->enter_ns &&
	    call->enter_ns > ordering->threads[calls->thread].leave_ns)
		TRY(number_map_set(&ordering->ended, ordering->off_call, calls->thread, 1, &before,
				   err));
	return number_map_set(&calls->hints, calls->call, 0, ordering->off_thread, &before, err);
}

/* Note how a call switches recording off, if it does: before all others, as threads learn of it later. */
static int note_switch(void *data, const struct mpi_call *call, struct error *err)
{
	struct ordering *ordering = data;
	struct ordered_thread *thread = &ordering->threads[call->thread];

	ordering->calls->call++;
	ordering->calls->thread = call->thread;
	thread->number++;
	if (!strcmp(call->function, RECORDING_OFF))
		TRY(note_off(ordering, call, err));
	thread->leave_ns = call->leave_ns;
	return 0;
}

static int order_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct ordering *ordering = data;
	struct rank_calls *calls = ordering->calls;

	calls->call++;
	calls->thread = call->thread;
	ordering->threads[call->thread].number++;
	ordering->off = !strcmp(call->function, RECORDING_OFF);
	ordering->enter_ns = call->enter_ns;
	TRY(order_keys(calls, call, use_key, ordering, err));
	TRY(wait_for_needed(ordering, err));
	return keep_uses(ordering, call->leave_ns, err);
}

static int compare_entries(const void *left, const void *right)
{
	const struct order_entry *a = left, *b = right;

	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int begin(struct ordering *ordering, struct error *err)
{
	struct thread_order *order = &ordering->calls->order;

	order->threads = ordering->count = ordering->calls->threads;
	TRY(allocate(&order->waits, order->threads, sizeof *order->waits, err));
	TRY(allocate(&order->tells, order->threads, sizeof *order->tells, err));
	TRY(allocate(&ordering->threads, ordering->count, sizeof *ordering->threads, err));
	TRY(allocate(&ordering->needed, ordering->count, sizeof *ordering->needed, err));
	for (uint32_t i = 0; i < ordering->count; i++)
		TRY(array_push(&ordering->clocks, 0, err));
	return 0;
}

int thread_order_find(struct rank_calls *calls, struct error *err)
{
	struct ordering ordering = {.calls = calls};
	int result = begin(&ordering, err);

	calls->call = 0;
	if (result == 0)
		result = flow_recover(calls->flow, calls->rank, note_switch, &ordering, err);
	calls->call = 0;
	for (uint32_t i = 0; i < ordering.count && result == 0; i++)
		ordering.threads[i].number = 0;
	if (result == 0)
		result = flow_recover(calls->flow, calls->rank, order_call, &ordering, err);
	for (uint32_t i = 0; i < calls->threads && result == 0; i++)
		if (calls->order.tells[i].count)
			qsort(calls->order.tells[i].items, calls->order.tells[i].count,
			      sizeof *calls->order.tells[i].items, compare_entries);
	calls->call = 0;
	calls->inits = 0;
	string_table_release(&ordering.keys);
	array_release(&ordering.first);
	array_release(&ordering.touched);
	array_release(&ordering.clocks);
	array_release(&ordering.used);
	number_map_release(&ordering.ended);
	free(ordering.threads);
	free(ordering.needed);
	return result;
}

void thread_order_release(struct thread_order *order)
{
	for (uint32_t i = 0; i < order->threads; i++) {
		if (order->waits)
			array_release(&order->waits[i]);
		if (order->tells)
			array_release(&order->tells[i]);
	}
	free(order->waits);
	free(order->tells);
}

/* ---------------------------------------------------------------------------------- text */

/* Take the entries of a list up to the call at hand: one, or a list of the program. */
static int say_threads(struct rank_calls *calls, struct order_list *list, const char *one,
		       const char *several, struct action *text, struct error *err)
{
	ARRAY(int32_t) threads = {0};
	int64_t start;
	int result = 0;

	for (;
	     list->next < list->count && list->items[list->next].call <= calls->call && result == 0;
	     list->next++)
		result = array_push(&threads, (int32_t)list->items[list->next].thread, err);
	if (result == 0 && threads.count == 1)
		action_say(text, one, (int64_t)threads.items[0]);
	else if (result == 0 && threads.count)
		result = actions_list(&calls->program->actions, threads.items, threads.count,
				      &start, err);
	if (result == 0 && threads.count > 1)
		action_say(text, several, (int64_t)threads.count, start);
	array_release(&threads);
	return result;
}

int thread_order_say_before(struct rank_calls *calls, struct action *text, struct error *err)
{
	return calls->threads < 2
		       ? 0
		       : say_threads(calls, &calls->order.waits[calls->thread], "after($); ",
				     "after_all($, lists + $); ", text, err);
}

int thread_order_say_after(struct rank_calls *calls, struct action *text, struct error *err)
{
	return calls->threads < 2 ? 0
				  : say_threads(calls, &calls->order.tells[calls->thread],
						" tell($);", " tell_all($, lists + $);", text, err);
}
