#include "llamp/analysis/path_findings.h"

static int find_path(struct path_findings *findings, bool slack, struct error *err)
{
	const struct model *model = findings->model;

	if (!slack)
		return critical_path_find(&findings->path, model, err);
	return critical_path_find_with_slack(&findings->path, &findings->slack_as, model, err);
}

/* Name the calls.  Without names from a damaged file the rest is as without the file. */
static void find_calls(struct path_findings *findings, struct error *why)
{
	why->status = STATUS_OK;
	if (critical_calls_find(&findings->calls, &findings->path, findings->model, why) != 0)
		return;
	if (critical_communicators_find(&findings->communicators, &findings->path,
					findings->model, why) == 0)
		findings->has_calls = true;
	else
		critical_calls_release(&findings->calls);
}

static int summarize_slack(struct path_findings *findings, struct error *why, struct error *err)
{
	const struct model *model = findings->model;
	const int128 runtime_as = findings->path.runtime_as;

	if (findings->has_calls && slack_find(&findings->slack, model, model->calls, runtime_as,
					      findings->slack_as, why) == 0)
		return 0;
	return slack_find(&findings->slack, model, NULL, runtime_as, findings->slack_as, err);
}

static int find_rest(struct path_findings *findings, const struct path_request *request,
		     struct error *why, struct error *err)
{
	const struct model *model = findings->model;

	TRY(composition_find(&findings->composition, &findings->path, model->goal.rank_count,
			     err));
	if (findings->slack_as)
		TRY(summarize_slack(findings, why, err));
	if (!request->next)
		return 0;
	return critical_nexts_find(&findings->nexts, model, &findings->path,
				   findings->has_calls ? &findings->calls : NULL, err);
}

int path_findings_find(struct path_findings *findings, const struct model *model,
		       const struct path_request *request, struct error *why, struct error *err)
{
	*findings = (struct path_findings){.model = model};
	TRY(find_path(findings, request->slack, err));
	find_calls(findings, why);
	if (find_rest(findings, request, why, err) == 0)
		return 0;
	path_findings_release(findings);
	return -1;
}

void path_findings_release(struct path_findings *findings)
{
	critical_path_release(&findings->path);
	composition_release(&findings->composition);
	critical_calls_release(&findings->calls);
	critical_communicators_release(&findings->communicators);
	free(findings->slack_as);
	slack_release(&findings->slack);
	critical_nexts_release(&findings->nexts);
}
