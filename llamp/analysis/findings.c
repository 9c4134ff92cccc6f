#include "llamp/analysis/findings.h"

#include "common/progress.h"

/* ------------------------------------------------- what the path is made of */

static int ranks_by_time(const void *a, const void *b)
{
	const struct path_rank *x = a, *y = b;

	if (x->all_as != y->all_as)
		return x->all_as < y->all_as ? 1 : -1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Add all segments, and keep the ranks that have one. */
static int sum_segments(struct findings *findings, struct error *err)
{
	size_t kept = 0;

	TRY(array_reserve(&findings->path_ranks, findings->model->goal.rank_count, err));
	for (uint32_t rank = 0; rank < findings->model->goal.rank_count; rank++)
		findings->path_ranks.items[rank] = (struct path_rank){.rank = rank};
	for (size_t i = 0; i < findings->path.segments.count; i++) {
		const struct critical_segment *segment = &findings->path.segments.items[i];
		const int128 length_as = segment->end_as - segment->start_as;
		struct path_rank *rank = &findings->path_ranks.items[segment->rank];

		rank->as[segment->category] += length_as;
		rank->all_as += length_as;
		findings->category_as[segment->category] += length_as;
	}
	for (uint32_t rank = 0; rank < findings->model->goal.rank_count; rank++)
		if (findings->path_ranks.items[rank].all_as > 0)
			findings->path_ranks.items[kept++] = findings->path_ranks.items[rank];
	findings->path_ranks.count = kept;
	if (kept)
		qsort(findings->path_ranks.items, kept, sizeof *findings->path_ranks.items,
		      ranks_by_time);
	return 0;
}

static int rank_switches_by_ranks(const void *a, const void *b)
{
	const struct rank_switch *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int rank_switches_by_latencies(const void *a, const void *b)
{
	const struct rank_switch *x = a, *y = b;

	if (x->lambda != y->lambda)
		return x->lambda < y->lambda ? 1 : -1;
	if (x->transfer_as != y->transfer_as)
		return x->transfer_as < y->transfer_as ? 1 : -1;
	return rank_switches_by_ranks(a, b);
}

/* Merge rank switches between the same two ranks, which follow each other. */
static void merge_rank_switches(struct findings *findings)
{
	struct rank_switch *items = findings->rank_switches.items;
	size_t kept = 0;

	for (size_t i = 0; i < findings->rank_switches.count; i++) {
		if (kept == 0 || rank_switches_by_ranks(&items[kept - 1], &items[i]) != 0) {
			items[kept++] = items[i];
			continue;
		}
		items[kept - 1].messages += items[i].messages;
		items[kept - 1].lambda += items[i].lambda;
		items[kept - 1].lambda_G += items[i].lambda_G;
		items[kept - 1].transfer_as += items[i].transfer_as;
	}
	findings->rank_switches.count = kept;
}

static int sum_messages(struct findings *findings, struct error *err)
{
	for (size_t i = 0; i < findings->path.messages.count; i++) {
		const struct critical_message *message = &findings->path.messages.items[i];

		TRY(array_push(&findings->rank_switches,
			       ((struct rank_switch){.from = message->from,
						     .to = message->to,
						     .messages = 1,
						     .lambda = message->lambda,
						     .lambda_G = message->lambda_G,
						     .transfer_as = message->transfer_as}),
			       err));
	}
	if (!findings->rank_switches.count)
		return 0;
	qsort(findings->rank_switches.items, findings->rank_switches.count,
	      sizeof *findings->rank_switches.items, rank_switches_by_ranks);
	merge_rank_switches(findings);
	qsort(findings->rank_switches.items, findings->rank_switches.count,
	      sizeof *findings->rank_switches.items, rank_switches_by_latencies);
	return 0;
}

/* ------------------------------------------------------------------- search */

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
	TRY(sum_segments(findings, err));
	TRY(sum_messages(findings, err));
	TRY(find_calls(findings, err));
	if (request->overlap)
		TRY(overlap_find(&findings->overlap, model, &findings->path, err));
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
	const struct path_request path = {.slack = beside, .next = beside, .overlap = beside};

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
			struct observations *measured, struct error *err)
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
	overlap_release(&findings->overlap);
	rank_totals_release(&findings->ranks);
	communication_release(&findings->communication);
	array_release(&findings->path_ranks);
	array_release(&findings->rank_switches);
	critical_path_release(&findings->path);
	curve_release(&findings->curve);
	analysis_release(&findings->analysis);
}
