#include "llamp/analysis/findings.h"

#include "common/progress.h"

/* Name the calls, also those of communicators and slacks: the names must fit the whole graph. */
static int name_calls(struct findings *findings, struct error *err)
{
	const struct model *model = findings->model;
	const struct critical_path *path = &findings->path;
	int found = critical_calls_find(&findings->calls, path, model, err);

	if (found != 0)
		return found;
	found = critical_communicators_find(&findings->communicators, path, model, err);
	if (found == 0 && findings->has_slack)
		found = slack_find(&findings->slack, model, model->calls, path->runtime_as,
				   findings->slack_as, err);
	if (found == 0)
		return 0;
	critical_communicators_release(&findings->communicators);
	critical_calls_release(&findings->calls);
	return found;
}

/* Name the calls.  Without names from a damaged file the rest is as without the file. */
static int find_calls(struct findings *findings, struct error *err)
{
	const struct model *model = findings->model;
	const int found = name_calls(findings, &findings->calls_error);

	findings->has_calls = found == 0;
	if (found == 0)
		findings->calls_error.status = STATUS_OK;
	else if (found > 0)
		findings->calls_error = model->calls_error;
	if (found == 0 || !findings->has_slack)
		return 0;
	return slack_find(&findings->slack, model, NULL, findings->path.runtime_as,
			  findings->slack_as, err);
}

static int findings_search_path(struct findings *findings, const struct path_request *request,
				struct error *err)
{
	const struct model *model = findings->model;

	findings->has_slack = request->slack;
	if (request->slack)
		TRY(critical_path_find_with_slack(&findings->path, &findings->slack_as, model,
						  err));
	else
		TRY(critical_path_find(&findings->path, model, err));
	TRY(composition_find(&findings->composition, &findings->path, model->goal.rank_count,
			     err));
	TRY(find_calls(findings, err));
	if (!request->next)
		return 0;
	return critical_nexts_find(&findings->nexts, model, &findings->path,
				   findings->has_calls ? &findings->calls : NULL, err);
}

int findings_find_path(struct findings *findings, const struct model *model,
		       const struct path_request *request, struct error *err)
{
	*findings = (struct findings){.model = model};
	if (findings_search_path(findings, request, err) == 0)
		return 0;
	findings_release(findings);
	return -1;
}

static int findings_find_all(struct findings *findings, const struct findings_request *request,
			     struct error *err)
{
	const struct model *model = findings->model;
	const bool beside = model->graph.op_count <= FINDINGS_MOST_BESIDE;
	const struct path_request path = {.slack = beside, .next = beside};

	progress_phase("finding tolerances");
	TRY(analysis_run(&findings->analysis, model, &request->analysis, err));
	progress_phase("finding the critical path");
	TRY(findings_search_path(findings, &path, err));
	free(findings->slack_as);
	findings->slack_as = NULL;
	progress_phase("counting messages");
	TRY(communication_count(&findings->communication, &model->goal, err));
	progress_phase("finding the ends of the ranks");
	return rank_totals_find(&findings->ranks, model, err);
}

int findings_find(struct findings *findings, const struct model *model, const char *label,
		  const struct findings_request *request, struct error *err)
{
	*findings = (struct findings){.model = model, .label = label,
				       .network = request->network};
	if (findings_find_all(findings, request, err) == 0)
		return 0;
	findings_release(findings);
	return -1;
}

int findings_find_curve(struct findings *findings, int64_t from_as, int64_t to_as,
			struct measured *measured, struct error *err)
{
	progress_phase("finding critical latencies");
	TRY(curve_find(&findings->curve, findings->model, &findings->analysis, from_as, to_as,
		       measured, err));
	findings->curve.label = findings->label;
	findings->curve.traced_ns = (double)model_traced_ns(findings->model);
	return 0;
}

void findings_release(struct findings *findings)
{
	if (findings->has_calls) {
		critical_calls_release(&findings->calls);
		critical_communicators_release(&findings->communicators);
	}
	free(findings->slack_as);
	slack_release(&findings->slack);
	critical_nexts_release(&findings->nexts);
	rank_totals_release(&findings->ranks);
	communication_release(&findings->communication);
	composition_release(&findings->composition);
	critical_path_release(&findings->path);
	curve_release(&findings->curve);
	analysis_release(&findings->analysis);
}
