#include "critpath/report/study.h"

#include "critpath/match/run_match.h"
#include "critpath/path/members.h"
#include "critpath/path/run_slice.h"
#include "critpath/path/trace_quality.h"

/* Refuse a run that is not complete, if that is wanted. */
static int check_complete(struct study *study, struct error *err)
{
	struct trace_quality quality = trace_quality_of(&study->run);

	/* All other numbers are of all ranks. */
	TRY(dist_allreduce(study->dist, &quality.gaps, 1, DIST_SUM, err));
	return study->options.strict ? trace_quality_refuse(&quality, err) : 0;
}

int study_open(struct study *study, const char *path, const struct study_options *options,
	       struct dist *dist, struct error *err)
{
	struct measured_run *run = &study->run;

	*study = (struct study){.dist = dist, .options = *options, .found.path = path};
	TRY(slice_edges_check(&options->from, &options->to, err));
	TRY(run_open(run, path, dist, err));
	study->found.run = run;
	if ((options->from.kind || options->to.kind) &&
	    run_slice_find(run, &options->from, &options->to, dist, err) < 0)
		return error_prefix(err, "%s", path);
	TRY(run_sites_find(&study->sites, run, dist, options->name, NULL, err));
	return check_complete(study, err) == 0 ? 0 : error_prefix(err, "%s", path);
}

int study_match(struct study *study, const char *name, struct measured_run *run, struct dist *dist,
		struct error *err)
{
	*study = (struct study){.dist = dist, .found = {.path = name, .run = run}};
	return run_match(run, dist, err);
}

int study_waits(struct study *study, struct error *err)
{
	if (study->found.waits)
		return 0;
	TRY(waits_find(&study->waits, study->found.run, study->dist, err));
	study->found.waits = &study->waits;
	return study->options.observed ? members_wait(&study->waits, true, study->dist, err) : 0;
}

void study_take_walk(struct study *study, const struct walk *walk)
{
	study->walk = *walk;
	run_slice_cut(&study->walk, study->found.run);
	study->found.walk = &study->walk;
}

int study_walk(struct study *study, struct error *err)
{
	struct walk walk;

	if (study->found.walk)
		return 0;
	TRY(study_waits(study, err));
	TRY(walk_find(&walk, &study->waits, study->dist, err));
	study_take_walk(study, &walk);
	return 0;
}

int study_totals(struct study *study, struct error *err)
{
	if (study->found.totals)
		return 0;
	TRY(study_walk(study, err));
	TRY(totals_find(&study->totals, &study->waits, &study->walk, study->dist, err));
	study->found.totals = &study->totals;
	return 0;
}

void study_close(struct study *study)
{
	if (study->found.totals)
		totals_release(&study->totals);
	if (study->found.walk)
		walk_release(&study->walk);
	if (study->found.waits)
		waits_release(&study->waits);
	run_sites_release(&study->sites);
	if (study->found.run == &study->run)
		measured_run_release(&study->run);
}
