/* Command llamp analyze: runtime, sensitivity and tolerance of one program on one network. */
#include "common/progress.h"
#include "llamp/analysis_options.h"
#include "llamp/commands.h"
#include "llamp/report/report.h"

static struct {
	bool basis, exact_order_range;
} given;

static const struct option_spec analyze_own_options[] = {
	{"basis-range", 0, NULL,
	 "in text, also print the range in which GLPK's basis stays optimal;"
	 " JSON and CSV always have it",
	 option_flag, &given.basis},
	{"exact-order-range", 0, NULL,
	 "with --resources: find the ends of the order range by further"
	 " simulations",
	 option_flag, &given.exact_order_range},
	{0},
};

static const struct option_spec *const analyze_options[] = {model_options,
							    analysis_options,
							    tolerance_options,
							    baseline_options,
							    order_options,
							    analyze_own_options,
							    NULL};

static int write_analysis(const struct model *model, const struct analysis *analysis,
			  const struct overlap *overlap, struct error *err)
{
	struct output output;
	struct report report;

	TRY(output_open(&output, table_output.path, err));
	report = given_report(&table_output, &output);
	report_analysis(&report, model, analysis, overlap, given.basis);
	return output_commit(&output, err);
}

static int analyze(const struct model *model, uint32_t varied, struct error *err)
{
	struct analysis_request request = analysis_options_question()->request;
	struct analysis analysis;
	struct overlap overlap;
	int result;

	request.varied = varied;
	request.exact_order_range = given.exact_order_range;
	TRY(baseline_of(model, &request.baseline_ns, err));
	progress_begin("llamp", "analyzing the graph");
	result = analysis_run(&analysis, model, &request, err);
	if (result == 0 && overlap_find(&overlap, model, NULL, err) < 0) {
		analysis_release(&analysis);
		result = -1;
	}
	progress_end();
	if (result < 0)
		return -1;
	warn_if_never_deferred(model, &overlap);
	warn_if_far_from_traced(model, analysis.runtime_ns, analysis.runtime_ns);
	warn_about_pivots(analysis.pivots);
	if (given.basis && !analysis.has_basis)
		tool_warning("llamp", "the path engine has no basis, so there is no basis range;"
				      " --engine lp finds it");
	result = write_analysis(model, &analysis, &overlap, err);
	overlap_release(&overlap);
	analysis_release(&analysis);
	return result;
}

static const char *basis_unused(const char *option)
{
	(void)option;
	return table_output.format == REPORT_TEXT ? NULL : "JSON and CSV always have the range";
}

static const struct option_condition analyze_conditions[] = {{"basis-range", basis_unused}, {0}};

static int cmd_analyze(char **operands, int count, struct error *err)
{
	struct direction asked;
	struct loggps loggps;
	struct model model;
	uint32_t varied;
	int result;

	(void)count;
	TRY(model_options_loggps(&loggps, err));
	TRY(order_options_check(loggps.resources != 0, err));
	if (given.exact_order_range && !loggps.resources)
		return option_unused("--exact-order-range",
				     "without --resources there is no order of service", err);
	TRY(loggps_vary(&loggps, analysis_options_vary(), &varied, err));
	asked = direction_of(&loggps.variables, varied);
	loggps.asked = &asked;
	TRY(open_graph(&model, operands[0], &loggps, MODEL_COSTS, err));
	result = analyze(&model, varied, err);
	model_release(&model);
	return result;
}

static const struct help_entry analyze_examples[] = {
	{"llamp analyze app.bin -L 1.5us -G 100Gbit/s --tolerance 1,5,10",
	 "the latencies at which the runtime grows by 1, 5 and 10 %"},
	{"llamp analyze app.bin --params cluster.yaml --format json",
	 "the analysis as JSON, for programs"},
	{0},
};

const struct command analyze_command = {
	.name = "analyze",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "runtime, latency sensitivity and latency tolerance",
	.notes = input_notes,
	.options = analyze_options,
	.output = &table_output,
	.conditions = analyze_conditions,
	.run = cmd_analyze,
	.examples = analyze_examples,
};
