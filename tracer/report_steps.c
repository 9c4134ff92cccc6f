#include "tracer/report_steps.h"

#include "common/units.h"
#include "pmpi/process.h"
#include "pmpi/together.h"
#include "tracer/tracer.h"

#include <stdio.h>

void report_refuse(const char *why)
{
	if (!tracer.reports)
		return;
	if (tracer.archive)
		fprintf(stderr, "llamp-trace: no report: %s; critpath path %s prints it\n", why,
			tracer.directory);
	else
		fprintf(stderr, "llamp-trace: no report: %s\n", why);
}

bool report_agree(int result, const struct error *err)
{
	const uint64_t size = (uint64_t)process.size;
	uint64_t first = result < 0 ? (uint64_t)process.rank : size;

	if (!together_least(&first, 1))
		return false;
	if (first == (uint64_t)process.rank)
		report_refuse(err->text);
	return first == size;
}

/* Least time of a budget that is a share of the run. */
enum { LEAST_NS = 1000000000 };

bool report_budget_begin(struct report_budget *budget)
{
	const double run_ns = (double)(process.finalize_ns - process.load_ns);
	uint64_t most;

	budget->begin_ns = now_ns();
	budget->ns = tracer.budget_ns;
	if (tracer.budget_share >= 0) {
		budget->ns = (uint64_t)(tracer.budget_share * run_ns);
		if (budget->ns < LEAST_NS)
			budget->ns = LEAST_NS;
	}
	most = ~budget->ns;
	if (!together_least(&most, 1))
		return false;
	budget->ns = ~most;
	return true;
}

int report_budget_check(const struct report_budget *budget, uint64_t more_ns, struct error *err)
{
	char text[UNIT_TEXT_BYTES];

	if (now_ns() - budget->begin_ns + more_ns < budget->ns)
		return 0;
	return error_set(err, STATUS_LIMIT, "it takes longer than LLAMP_TRACE_BUDGET allows, %s",
			 format_time((double)budget->ns, 3, text));
}
