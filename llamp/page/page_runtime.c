/* Section of the page: runtime and sensitivity as curves. */
#include "llamp/page/page.h"

#include <math.h>

/* ----------------------------------------------------------------- pictures */

static int write_pictures(struct page *page, struct error *err)
{
	const struct curve **curves;
	int result = 0;
	struct svg svg;

	TRY(allocate(&curves, page->count, sizeof *curves, err));
	for (size_t i = 0; i < page->count; i++)
		curves[i] = &page->runs[i].curve;
	html_figure(&page->html, NULL);
	while (result == 0 && html_picture(&page->html, &svg))
		result = picture_curves(&svg, curves, page->count, err);
	html_figure_end(&page->html);
	if (page->count > 1)
		html_figure(&page->html, NULL);
	while (page->count > 1 && result == 0 && html_picture(&page->html, &svg))
		result = picture_tolerances(&svg, curves, page->count, err);
	if (page->count > 1)
		html_figure_end(&page->html);
	free(curves);
	return result;
}

/* -------------------------------------------------------------- tolerances */

static bool has_baseline(const struct page *page)
{
	return page->runs[0].analysis.baseline_ns != 0;
}

static void write_baseline(struct page *page)
{
	struct sentence text = {.length = 0};
	char baseline[UNIT_TEXT_BYTES + 32];

	if (!has_baseline(page))
		return;
	if (page_baselines_differ(page))
		sentence_add(&text, "Tolerances are relative to the traced run of each program,"
			     " not to T.");
	else
		sentence_add(&text, "Tolerances are relative to %s, not to T.",
			     page_baseline(&page->runs[0], baseline, sizeof baseline));
	html_note(&page->html, text.text);
}

/* Put the tolerances of all programs, then the next ones. */
static void tolerance_row(struct report_row *row, const void *data, size_t number)
{
	const struct page *page = data;
	const size_t i = number / page->count;
	const struct findings *run = &page->runs[number % page->count];
	const struct tolerance *tolerance = &run->analysis.tolerance.items[i];
	const double from_ns = page->runs[0].analysis.tolerance.items[i].delta_ns;
	const double base_ns = has_baseline(page) ? run->curve.baseline_ns : run->curve.runtime_ns;

	put_name(row, run->label);
	put_number(row, tolerance->percent);
	put_number(row, tolerance->none ? -INFINITY : tolerance->value_ns);
	put_number(row, tolerance->none ? NAN : tolerance->delta_ns);
	put_number(row, tolerance->unbounded ? run->curve.runtime_ns
					     : (1 + tolerance->percent / 100) * base_ns);
	/* Less than now has no share. */
	page_put_difference(row, fmax(tolerance->delta_ns, 0),
			    run != page->runs && tolerance->delta_ns >= 0 ? fmax(from_ns, 0) : 0);
}

/* Write how much each tolerance is: of one program also T there, of several their differences. */
static void write_tolerances(struct page *page)
{
	const bool several = page->count > 1;
	const enum value_kind kind = report_variable(page->varied).kind;
	char up_to[REPORT_NAME_BYTES];
	const struct report_field fields[] = {
		{NULL, several ? "program" : NULL, .kind = VALUE_NAME},
		{NULL, has_baseline(page) ? "T above the baseline by" : "loss of at most",
		 .kind = VALUE_PERCENT},
		{NULL, up_to, .kind = kind},
		{NULL, "more than now", .kind = kind},
		{NULL, several ? NULL : "T", .kind = VALUE_NS},
		{NULL, several ? "difference" : NULL, VALUE_NAME, .right = true},
		{0},
	};

	snprintf(up_to, sizeof up_to, "%s up to", page->varied->name);
	write_baseline(page);
	report_table(&page->report, &(struct report_table){
		.caption = "Tolerances", .fields = fields, .row = tolerance_row, .data = page,
		.count = page->runs[0].analysis.tolerance.count * page->count});
}

/* Say where the order of service was decided again, and how far the curve is from T there. */
static void add_other_orders(struct sentence *text, const struct curve *curve)
{
	double less = 0, more = 0;
	size_t others = 0;
	char percents[2][UNIT_TEXT_BYTES];

	for (size_t i = 0; i < curve->orders.count; i++) {
		const struct curve_order *order = &curve->orders.items[i];
		const double apart = (order->runtime_ns - order->frozen_ns) / order->frozen_ns;

		if (!order->other)
			continue;
		less = fmax(less, -apart);
		more = fmax(more, apart);
		others++;
	}
	sentence_add(text, " At each tolerance the order was decided again.");
	if (curve->orders.count == 0)
		return;
	sentence_add(text, " So it was at %zu values of the curve: ", curve->orders.count);
	if (!others)
		sentence_add(text, "it is the same at all of them.");
	else
		sentence_add(text, "it is another one at %zu of them, which are points of the picture."
			     " There T is up to %s less and up to %s more than on the curve.", others,
			     page_percent(less, percents[0]), page_percent(more, percents[1]));
}

/* Say for which order of service the curve and the tolerances hold. */
static void write_order(struct page *page, const struct findings *run)
{
	const struct analysis *analysis = &run->analysis;
	const struct range_ns order = order_in_ns(&analysis->order);
	char at[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];
	struct sentence text = {.length = 0};

	if (!analysis->has_order)
		return;
	page_value(page, order.low, REPORT_DIGITS, low);
	page_value(page, order.high, REPORT_DIGITS, high);
	sentence_add(&text, "The curve holds for the order in which resources serve requests at %s = %s. It is"
		     " known to be the same from %s to %s; elsewhere the order may change, and T may jump.",
		     page->varied->name, page_value(page, run->curve.value_ns, PAGE_DIGITS, at), low,
		     isinf(order.high) ? "all larger values" : high);
	if (analysis->resimulated)
		add_other_orders(&text, &run->curve);
	else
		sentence_add(&text, " So do the tolerances.");
	html_note(&page->html, text.text);
}

/* --------------------------------------------------------- several programs */

static void comparison_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *runs = data;
	const struct curve *curve = &runs[number].curve, *first = &runs->curve;

	put_name(row, runs[number].label);
	put_number(row, curve->runtime_ns);
	page_put_difference(row, curve->runtime_ns, number ? first->runtime_ns : 0);
	put_number(row, curve->lambda);
	page_put_difference(row, curve->lambda, number ? first->lambda : 0);
	put_number(row, curve->rho);
}

static void write_comparison(struct page *page)
{
	const struct report_variable names = report_variable(page->varied);
	const struct report_field fields[] = {
		{NULL, "program", .kind = VALUE_NAME},
		{NULL, "T", .kind = VALUE_NS},
		{NULL, "difference", VALUE_NAME, .right = true},
		{NULL, names.lambda, .kind = VALUE_LONG_NUMBER},
		{NULL, "difference", VALUE_NAME, .right = true},
		{NULL, names.rho, .kind = VALUE_SHARE},
		{0},
	};

	report_table(&page->report, &(struct report_table){
		.caption = "Runtime and sensitivity", .fields = fields, .row = comparison_row,
		.data = page->runs, .count = page->count});
}

/* ------------------------------------------------------------ measurements */

enum { MOST_MEASURED = 50 };

static void measured_row(struct report_row *row, const void *data, size_t number)
{
	const struct observation *point = &((const struct observations *)data)->points.items[number];

	put_number(row, rational_ns(rational_from(point->value_as)));
	put_count(row, point->runs);
	put_number(row, point->mean_ns);
	put_number(row, point->modelled_ns);
	page_put_difference(row, point->modelled_ns, point->mean_ns);
}

static void write_measured_rows(struct page *page, const struct observations *measured)
{
	const struct report_field fields[] = {
		{NULL, page->varied->name, .kind = report_variable(page->varied).kind},
		{NULL, "runs", .kind = VALUE_COUNT},
		{NULL, "measured", .kind = VALUE_NS},
		{NULL, "T", .kind = VALUE_NS},
		{NULL, "difference", VALUE_NAME, .right = true},
		{0},
	};

	report_table(&page->report, &(struct report_table){
		.caption = "Measured runtimes and the model's", .fields = fields,
		.row = measured_row, .data = measured, .count = measured->points.count,
		.most = MOST_MEASURED, .counts_rest = true});
}

static void write_measured(struct page *page, const struct findings *run)
{
	const struct observations *measured = &run->curve.measured;
	struct sentence sentence = {.length = 0};
	char rmse[UNIT_TEXT_BYTES], rrmse[UNIT_TEXT_BYTES];

	if (!measured->compared)
		return;
	page_program(page, run);
	sentence_add(&sentence, "Root mean square error of the model: RMSE = %s, RRMSE = %s of the"
		     " mean of the measured runtimes.",
		     page_time(measured->rmse_ns, REPORT_DIGITS, rmse),
		     page_percent(measured->rrmse, rrmse));
	html_paragraph(&page->html, sentence.text);
	write_measured_rows(page, measured);
}

int page_runtime(struct page *page, struct error *err)
{
	struct sentence heading = {.length = 0};

	sentence_add(&heading, "Runtime over %s", page->varied->name);
	html_section(&page->html, "runtime", heading.text);
	TRY(write_pictures(page, err));
	for (size_t i = 0; i < page->count; i++)
		write_order(page, &page->runs[i]);
	if (page->count > 1) {
		html_note(&page->html, "Differences are to the first program.");
		write_comparison(page);
	}
	write_tolerances(page);
	for (size_t i = 0; i < page->count; i++)
		write_measured(page, &page->runs[i]);
	html_section_end(&page->html);
	return 0;
}
