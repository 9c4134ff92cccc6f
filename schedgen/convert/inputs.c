#include "schedgen/convert/inputs.h"

#include "goal/goal.h"

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
