/* When no advice may be given: runs whose traces show something else than the program. */
#ifndef LLAMP_WITHHOLD_H
#define LLAMP_WITHHOLD_H

#include "llamp/advise/run_quality.h"
#include "llamp/analysis/model.h"

enum { REASONS_MOST = 7 };

/* Reasons, as texts that continue "no advice: ". */
struct reasons {
	char *texts[REASONS_MOST]; /* owned */
	size_t count;
};

/*
 * Find the reasons why the trace, or the model, says too little about the program: ranks shared cores, the trace is
 * not complete, critpath refuses it as its clocks contradict messages, much of its critical path is unknown, recording
 * slowed the run, much time is in calls that are not modelled, T is not the traced run time.  not_modelled: the share
 * of these calls, as schedgen says it.  error: T / traced - 1, NAN if that is not known.  End with reasons_release, also
 * on failure.
 */
int reasons_find(struct reasons *reasons, const struct run_quality *quality,
		 const struct model *model, double not_modelled, double error, struct error *err);
void reasons_release(struct reasons *reasons);

#endif
