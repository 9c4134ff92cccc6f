#include "tracer/iteration_windows.h"

#include "trace/journal/journal_chunks.h"

/* ------------------------------------------------------------------------ a window */

static struct journal_iterations begin_of(const struct iteration_window *window)
{
	const struct iteration_start *begin = &window->bounds.items[0];

	return (struct journal_iterations){
		.first = begin->iteration + 1,
		.begin_ns = begin->enter_ns,
		.end_ns = UINT64_MAX,
		.first_call = begin->call,
		.first_visit = begin->visit,
		.header = window->header,
	};
}

int iteration_window_begin(const struct iteration_window *window, struct journal *journal,
			   uint64_t wanted, struct error *err)
{
	struct journal_iterations noted = begin_of(window);

	noted.count = wanted;
	return journal_iterations(journal, &noted, err);
}

int iteration_window_end(const struct iteration_window *window, struct journal *journal,
			 uint64_t count, struct error *err)
{
	const struct iteration_start *begin = &window->bounds.items[0];
	const struct iteration_start *end = &window->bounds.items[count];
	struct journal_iterations noted = begin_of(window);

	noted.count = count;
	if (count) {
		noted.end_ns = end->enter_ns;
		noted.calls = end->call - begin->call;
		noted.visits = end->visit - begin->visit;
		noted.round = (uint32_t)(noted.visits / count);
	}
	return journal_iterations(journal, &noted, err);
}

struct flow_window iteration_window_of_graph(const struct iteration_window *window)
{
	const struct iteration_start *begin = window->bounds.items, *end = begin + window->kept;

	return (struct flow_window){
		.first_call = begin->call,
		.calls = end->call - begin->call,
		.first_visit = begin->visit,
		.visits = end->visit - begin->visit,
		.header = window->header,
		.round = (uint32_t)((end->visit - begin->visit) / window->kept),
	};
}

/* --------------------------------------------------------------------- all threads */

/* What is told counts up: its remainder by TURN is what to do. */
enum { TURN = JOURNALS_STOP + 1 };
static const unsigned stop_for_good = (UINT32_MAX - TURN) / TURN * TURN + JOURNALS_STOP;

static struct {
	unsigned told; /* atomic */
	unsigned hold_count; /* atomic */
	struct hold {
		unsigned told;
		uint64_t begin_ns;
	} holds[SETTINGS_MOST_PHASES];
} journals;

void journals_tell(enum journals_do what, uint64_t begin_ns)
{
	unsigned before = __atomic_load_n(&journals.told, __ATOMIC_RELAXED);
	unsigned next = before - before % TURN + what;

	if (before == stop_for_good || next == before)
		return;
	if (next < before)
		next += TURN;
	if (what == JOURNALS_HOLD) {
		journals.holds[journals.hold_count] = (struct hold){next, begin_ns};
		__atomic_store_n(&journals.hold_count, journals.hold_count + 1, __ATOMIC_RELEASE);
	}
	/* Fails if another thread stops for good. */
	__atomic_compare_exchange_n(&journals.told, &before, next, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

void journals_stop_for_good(void)
{
	__atomic_store_n(&journals.told, stop_for_good, __ATOMIC_RELEASE);
}

/* Hold what the thread has not held, in windows that may be over. */
static void hold_missed(struct journal *journal, unsigned from, unsigned to)
{
	const unsigned count = __atomic_load_n(&journals.hold_count, __ATOMIC_ACQUIRE);

	for (unsigned i = 0; i < count; i++) {
		const struct hold *hold = &journals.holds[i];

		if (hold->told > from && hold->told <= to)
			journal_hold(journal, hold->begin_ns);
		if (hold->told >= from && hold->told < to)
			journal_release(journal);
	}
}

bool journals_follow(struct journal *journal, unsigned *stage)
{
	const unsigned told = __atomic_load_n(&journals.told, __ATOMIC_ACQUIRE);

	if (told != *stage) {
		hold_missed(journal, *stage, told);
		journal_want_calls(journal, told % TURN != JOURNALS_STOP);
		*stage = told;
	}
	return told != stop_for_good;
}
