/* Random calls of ranks with threads: messages, wildcards, polls, operations on windows, collectives. */
#ifndef TEST_RANDOM_FLOW_H
#define TEST_RANDOM_FLOW_H

#include "test/unit/lib/make/make_flow.h"

/* Add `calls` calls of at most `threads` threads to each rank. */
void flow_feed_random(struct flow_feed *feed, uint32_t threads, int calls, uint64_t *numbers);

#endif
