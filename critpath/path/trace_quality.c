#include "critpath/path/trace_quality.h"

#include "common/units.h"
#include "trace/call/mpi_functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool trace_quality_is_gap(const struct measured_run *run, uint32_t function)
{
	return function >= MPI_FUNCTION_COUNT &&
	       !strcmp(measured_function(&run->names, function), RECORDING_OFF);
}

struct trace_quality trace_quality_of(const struct measured_run *run)
{
	struct trace_quality quality = {
		.unmatched = run->unmatched_sends + run->unmatched_recvs,
		.lacking = run->lacking,
		.incomplete_requests = run->incomplete,
		.unfinished_calls = run->left_out.unfinished_calls,
		.miscounted = run->left_out.miscounted_locations,
		.violations = run->violations.count,
		.ended_early = run->world->incomplete,
	};

	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t c = 0; c < run->ranks[r].calls.count; c++)
			quality.gaps += trace_quality_is_gap(run,
							     run->ranks[r].calls.items[c].function);
	return quality;
}

int trace_quality_refuse(const struct trace_quality *quality, struct error *err)
{
	const struct {
		uint64_t count;
		const char *what;
	} kinds[] = {
		{quality->unmatched, "sends or receives without the other half"},
		{quality->incomplete_requests, "requests whose begin or end is not known"},
		{quality->unfinished_calls, "calls that were never left"},
		{quality->lacking, "collectives that lack participants"},
		{quality->gaps, "times in which recording was off"},
		{quality->miscounted, "ranks or threads with another number of events than stated"},
		{quality->violations, "messages that ended before they began"},
	};
	char list[512] = "";
	size_t length = 0;

	if (quality->ended_early)
		length = (size_t)
			snprintf(list, sizeof list,
				 "some ranks ended before MPI_Finalize or were not traced");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].count)
			length += (size_t)snprintf(list + length, sizeof list - length,
						   "%s%" PRIu64 " %s", length ? ", " : "",
						   kinds[i].count, kinds[i].what);
	if (!length)
		return 0;
	return error_set(err, STATUS_DATA, "the trace is not complete: %s", list);
}

bool trace_quality_contradicts(const struct measured_run *run)
{
	return run->violations.count * 100 > run->violations.messages * MOST_VIOLATIONS_PERCENT;
}

int trace_quality_check_clocks(const struct measured_run *run, struct error *err)
{
	const struct clock_violations *violations = &run->violations;
	char text[UNIT_TEXT_BYTES];

	if (!trace_quality_contradicts(run))
		return 0;
	return error_set(
		err, STATUS_DATA,
		"%" PRIu64 " of %" PRIu64
		" messages ended before they began, by up to %s (rank %u to"
		" %u): the clocks differ by more than the trace knows, and waits that are shorter mean"
		" nothing; trace with llamp-trace, which compares the clocks at begin and end, or"
		" synchronise the clocks of the nodes",
		violations->count, violations->messages,
		format_time((double)violations->most_ns, 4, text), violations->sender,
		violations->receiver);
}
