#include "llamp/analysis_options.h"

#include "llamp/model_options.h"

#include <string.h>

static double percents[MOST_TOLERANCES] = {1, 2, 5};
static struct analysis_question given = {
	.request = {.percents = percents, .percent_count = 3}};

static int option_engine(const char *text, void *target, struct error *err)
{
	for (int i = ENGINE_AUTO; i <= ENGINE_PATH; i++) {
		if (!strcmp(text, engine_names[i])) {
			*(enum engine *)target = (enum engine)i;
			return 0;
		}
	}
	return error_set(err, STATUS_USAGE, "'%s' is not an engine: auto, lp or path", text);
}

/* Read percentages that are separated by commas. */
static int option_tolerances(const char *text, void *target, struct error *err)
{
	(void)target;
	given.request.percent_count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		char item[32];
		double percent;

		if (given.request.percent_count == MOST_TOLERANCES)
			return error_set(err, STATUS_USAGE, "more than %d tolerances",
					 MOST_TOLERANCES);
		if (length >= sizeof item)
			return error_set(err, STATUS_USAGE, "'%s' is not a list such as 1,2,5",
					 text);
		memcpy(item, text, length);
		item[length] = '\0';
		TRY(parse_tolerance(item, &percent, err));
		percents[given.request.percent_count++] = percent;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

const struct option_spec tolerance_options[] = {
	{"tolerance", 0, "LIST", "percentages by which T may grow (default 1,2,5)",
	 option_tolerances, NULL},
	{0},
};

const struct option_spec analysis_options[] = {
	{"vary", 0, "NAME", "variable to vary: ranges and tolerances refer to it (default L; of a report of"
	 " topologies with L = 0, links); links: all links of a topology; or a sum such as l_tc+2*l_inter",
	 option_text, &given.vary},
	{"engine", 0, "NAME",
	 "auto (default: lp for models below 1,000,000 rows, else path), lp or"
	 " path",
	 option_engine, &given.request.engine},
	{0},
};

const struct option_spec order_options[] = {
	{"frozen-order", 0, NULL, "with --resources: find tolerances in the order of service at the"
	 " given parameters (default: simulate the order again at each tolerance)", option_flag,
	 &given.request.frozen_order},
	{0},
};

int order_options_check(bool resources, struct error *err)
{
	if (!given.request.frozen_order || resources)
		return 0;
	return option_unused("--frozen-order", "without --resources there is no order of service", err);
}

/* ---------------------------------------------------------------- baseline */

static struct {
	bool traced;
	uint64_t ns;		/* 0: T */
} given_baseline;

/* Read a time, or "traced". */
static int option_baseline(const char *text, void *target, struct error *err)
{
	(void)target;
	given_baseline.traced = !strcmp(text, "traced");
	given_baseline.ns = 0;
	if (given_baseline.traced)
		return 0;
	if (parse_time_ns(text, &given_baseline.ns, err) < 0)
		return error_prefix(err, "--baseline is a time or 'traced'");
	return given_baseline.ns ? 0 : error_set(err, STATUS_USAGE, "'%s' is less than 1 ns", text);
}

const struct option_spec baseline_options[] = {
	{"baseline", 0, "TIME", "find tolerances relative to runtime TIME instead of T; traced: to"
	 " the length of the traced run", option_baseline, NULL},
	{0},
};

int baseline_of(const struct model *model, uint64_t *baseline_ns, struct error *err)
{
	*baseline_ns = given_baseline.traced ? model_traced_ns(model) : given_baseline.ns;
	if (!given_baseline.traced || *baseline_ns)
		return 0;
	if (!model->calls)
		return error_set(err, STATUS_USAGE, "--baseline traced: %s has no file %s.calls"
				 " beside it, in which schedgen writes the length of the traced run",
				 model->path, model->path);
	return error_set(err, STATUS_USAGE, "--baseline traced: %s is the graph of a run that nobody"
			 " has traced (%s)", model->path, model->calls->origin.how);
}

const char *analysis_options_vary(void)
{
	return given.vary ? given.vary : "L";
}

const struct analysis_question *analysis_options_question(void)
{
	return &given;
}
