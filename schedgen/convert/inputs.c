#include "schedgen/convert/inputs.h"

#include "common/output.h"
#include "goal/calls.h"
#include "goal/goal.h"
#include "trace/trace_files.h"

#include <stdlib.h>
#include <string.h>

static int refuse_output(const char *output, const char *archive, const char *rules,
			 struct error *err)
{
	TRY(trace_refuse_output(output, archive, err));
	return output_refuse_input(output, rules, err);
}

int inputs_refuse_output(const char *output, const char *archive, const char *rules,
			 struct error *err)
{
	char *calls = goal_calls_path(output);
	int result;

	if (!calls)
		return error_set_memory(err, strlen(output));
	result = refuse_output(output, archive, rules, err);
	if (result == 0)
		result = refuse_output(calls, archive, rules, err);
	free(calls);
	return result;
}

int inputs_explain(const char *archive, struct error *err)
{
	struct error none;
	struct goal goal;

	if (err->status != STATUS_DATA || goal_open(&goal, archive, &none) < 0)
		return -1;
	goal_release(&goal);
	return error_set(err, STATUS_DATA,
			 "%s: this is a GOAL graph already: analyze it with llamp", archive);
}
