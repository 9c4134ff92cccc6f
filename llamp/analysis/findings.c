#include "llamp/analysis/findings.h"

#include "common/progress.h"

static void find_calls(struct findings *findings)
{
	const struct model *model = findings->model;
	const int found = critical_calls_find(&findings->calls, &findings->path, model,
					      &findings->calls_error);

	findings->has_calls = found == 0;
	if (found == 0)
		findings->calls_error.status = STATUS_OK;
	else if (found > 0)
		findings->calls_error = model->calls_error;
}

static int find_path(struct findings *findings, struct error *err)
{
	const struct model *model = findings->model;

	progress_phase("finding the critical path");
	TRY(critical_path_find(&findings->path, model, err));
	TRY(composition_find(&findings->composition, &findings->path, model->goal.rank_count, err));
	find_calls(findings);
	return 0;
}

static int find_all(struct findings *findings, const struct findings_request *request,
		    struct error *err)
{
	const struct model *model = findings->model;

	progress_phase("finding tolerances");
	TRY(analysis_run(&findings->analysis, model, request->engine, request->varied,
			 request->percents, request->percent_count, err));
	TRY(find_path(findings, err));
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
	if (find_all(findings, request, err) == 0)
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
	if (findings->has_calls)
		critical_calls_release(&findings->calls);
	rank_totals_release(&findings->ranks);
	communication_release(&findings->communication);
	composition_release(&findings->composition);
	critical_path_release(&findings->path);
	curve_release(&findings->curve);
	analysis_release(&findings->analysis);
}
