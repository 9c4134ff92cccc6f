/* How long a message takes, from its send to its completion at the receiver. */
#ifndef INJECT_DELAY_H
#define INJECT_DELAY_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Environment variables by which llamp-inject tells its library what to do. */
#define DELAY_LATENCY "LLAMP_INJECT_LATENCY_NS"
#define DELAY_GAP "LLAMP_INJECT_GAP_AS_PER_BYTE"
#define DELAY_ADD "LLAMP_INJECT_ADD"		/* 1: in addition to what the network takes */
#define DELAY_SETTINGS "LLAMP_INJECT_SETTINGS"	/* what it has set for MPI, to be printed */

struct delay {
	int64_t latency_ns;
	int64_t gap_as_per_byte;	/* attoseconds */
	bool add;
};

/* The time s G of a message of `bytes`, in ns, rounded up; INT64_MAX / 4 at most. */
int64_t delay_gap_ns(const struct delay *delay, size_t bytes);

/* The first moment at which a message of `bytes` that was sent at `sent_ns` may be received. */
int64_t delay_due_ns(const struct delay *delay, int64_t sent_ns, size_t bytes);

/*
 * Add what the network takes itself, by the least times of a message of `small` bytes and one of
 * `large` bytes: a latency and, if the large one took longer, a gap per byte.
 */
void delay_add_native(struct delay *delay, size_t small, int64_t small_ns, size_t large,
		      int64_t large_ns);

/* Read the variables above; STATUS_USAGE if they are not there or hold no numbers. */
int delay_read(struct delay *delay, struct error *err);

#endif
