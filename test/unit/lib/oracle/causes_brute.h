/*
 * What caused the waits of a run, by the definition in doc/critpath.md: for each wait the pieces of both walks back to
 * the start of the run are listed, and those that both have are left out.  Shares no code with critpath/causes/.
 */
#ifndef TEST_CAUSES_BRUTE_H
#define TEST_CAUSES_BRUTE_H

#include "critpath/path/waits.h"

/* A cause: a rank, and its computation before calls of a function, the calls, or the time before it begins. */
struct brute_cause {
	uint32_t rank, function;
	int kind; /* 0 computation, 1 call, 2 start, 3 end */
	double cost_ns, direct_ns;
	int64_t weighted_ns; /* sum of length times slope */
	uint32_t victims;
};

struct brute_causes {
	struct brute_cause *list;
	size_t count;
	uint64_t wait_ns;
};

/* Find the causes of all waits, and with `ends` also of those from the end of ranks to that of the run. */
void causes_brute_find(struct brute_causes *causes, const struct waits *waits, bool ends);
void causes_brute_release(struct brute_causes *causes);

#endif
