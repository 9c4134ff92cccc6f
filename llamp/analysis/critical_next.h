/*
 * Paths that become critical when the latency grows: what joins the critical path at the next
 * critical latencies, and what leaves it.
 */
#ifndef LLAMP_CRITICAL_NEXT_H
#define LLAMP_CRITICAL_NEXT_H

#include "llamp/analysis/critical_path.h"
#include "llamp/analysis/critical_calls.h"

/* Change of the latencies of a function, or of a pair of ranks if calls are not known. */
struct critical_change {
	const char *function;	/* NULL: operations without a call, or a pair of ranks */
	bool before;
	uint32_t from, to;	/* ranks of a pair */
	uint64_t now, there;	/* lambda at the given latency, and above the critical one */
};

struct critical_next {
	struct rational latency_as;	/* critical latency */
	int128 runtime_as;		/* T there, at the next attosecond unless latency_as is whole */
	int128 lambda;			/* lambda_L above it */
	bool has_calls;			/* changes are of functions, and `joining` is set */
	ARRAY(struct critical_change) changes;	/* that are not 0, the largest first */
	ARRAY(struct critical_call) joining;	/* calls on the path there and not now, longest first */
	uint64_t leaving;			/* number of calls on the path now and not there */
};

struct critical_nexts {
	ARRAY(struct critical_next) list;	/* ascending */
	bool limited;		/* with resources: latencies above limit_as are not looked at, */
	int64_t limit_as;	/* as there the order of service may be another one */
};

/* Number of critical latencies that are found; each takes a pass over the execution graph. */
enum { CRITICAL_NEXTS = 2 };

/*
 * Find the next critical latencies above the model's L, none if lambda_L stays the same.  `calls` is
 * that of `path`, or NULL if it has no calls.  With resources only those are found up to which the
 * order of service is known to stay the same (llamp/analysis/order_range.h).
 */
int critical_nexts_find(struct critical_nexts *nexts, const struct model *model,
			const struct critical_path *path, const struct critical_calls *calls,
			struct error *err);
void critical_nexts_release(struct critical_nexts *nexts);

#endif
