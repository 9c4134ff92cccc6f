/* Report of llamp advise: what to do first, what each change gains, and the commands that print the same T. */
#ifndef LLAMP_REPORT_ADVICE_H
#define LLAMP_REPORT_ADVICE_H

#include "llamp/advise/advice.h"
#include "llamp/report/report.h"

/* What the commands have besides the changes: options as one text each, quoted for a shell. */
struct advice_commands {
	const char *archive;	 /* "app.trace" */
	const char *conversion;	 /* of schedgen, " --preset mpich"; "" without */
	const char *parameters;	 /* of llamp, " --params cluster.yaml"; "" without */
};

void report_advice(struct report *report, const struct model *model, const struct advice *advice,
		   const struct advice_commands *commands);

#endif
