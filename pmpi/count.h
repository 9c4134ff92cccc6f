/*
 * Bracket around a call for a sink that only counts (sink.h).
 *
 * It keeps the depth of calls, notes the call that the thread is in, reads the clock, and hands over what the
 * call amounts to.  No lock is taken, and what the thread has is found in its own memory: this path
 * decides what an always-on profile costs.
 */
#ifndef PMPI_COUNT_H
#define PMPI_COUNT_H

#include "common/machine/ticks.h"
#include "pmpi/sink.h"
#include "pmpi/threads.h"

#define WRAPPER_PART static inline __attribute__((always_inline))

/* Number of calls of MPI that this thread is in. */
extern _Thread_local unsigned call_depth __attribute__((tls_model("initial-exec")));

/*
 * Start recording if MPI has been initialised unseen.  Return whether recording is active.  Defined
 * in start.c, the only call upwards from here.
 */
bool start_late(void);

struct counted {
	struct thread *thread; /* NULL: the call is not counted */
	unsigned number, depth;
	uint64_t enter;
	bool open; /* in the call */
};

/* Prepare this thread, which is in no call, to count.  NULL if nothing is counted now. */
struct thread *count_prepare(void);

/* Count a call that an exception has left: it has failed. */
void count_left(struct counted counted);

WRAPPER_PART struct counted count_enter(unsigned number)
{
	struct counted counted = {own_thread, number, call_depth, 0, true};

	if (counted.depth)
		counted.thread = NULL;
	else if (__builtin_expect(process.state != PROCESS_ACTIVE || !process.on ||
					  !counted.thread || !counted.thread->recorder ||
					  counted.thread->switches != process.switch_count,
				  0))
		counted.thread = count_prepare();
	call_depth = counted.depth + 1;
	if (counted.thread && counted.thread->inside)
		*counted.thread->inside = number + 1;
	return counted;
}

static inline void count_unwind(const struct counted *counted)
{
	if (counted->open)
		count_left(*counted);
}

#define BRACKETED_COUNT __attribute__((cleanup(count_unwind))) struct counted

/* Nothing to count but the call itself. */
#define NO_SUMS ((void)0)

/*
 * If the sink only counts: call NEXT_Name, count the call, and return its result from the wrapper.  SUMS is a
 * statement that fills `sums` of a call that succeeded.
 */
#define COUNT_ONLY(...) COUNT_ONLY_(__VA_ARGS__)
#define COUNT_ONLY_(SUMS, Name, ...)                                                    \
	if (!sink.needs) {                                                              \
		BRACKETED_COUNT counting = count_enter(CALL_##Name);                    \
		int result;                                                             \
                                                                                        \
		counting.enter = ticks_now();                                           \
		result = NEXT_##Name(__VA_ARGS__);                                      \
		struct mpi_sums sums = {.enter = counting.enter, .leave = ticks_now()}; \
                                                                                        \
		counting.open = false;                                                  \
		call_depth = counting.depth;                                            \
		if (!counting.thread)                                                   \
			return result;                                                  \
		if (result == MPI_SUCCESS)                                              \
			SUMS;                                                           \
		else                                                                    \
			sums.failed = true;                                             \
		if (process.state == PROCESS_ACTIVE)                                    \
			sink.count(counting.thread->recorder, CALL_##Name, &sums);      \
		return result;                                                          \
	}

#endif
