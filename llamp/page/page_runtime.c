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

static const char *percent_heading(const struct page *page)
{
	return has_baseline(page) ? ">T above the baseline by" : ">loss of at most";
}

/* Cells of a percentage, the value of the variable, and what this is more than now. */
static void tolerance_cells(struct page *page, const struct tolerance *tolerance)
{
	char percent[UNIT_TEXT_BYTES], text[UNIT_TEXT_BYTES + 4];

	snprintf(text, sizeof text, "%s %%", report_number(tolerance->percent, percent));
	html_number(&page->html, text);
	if (tolerance->none) {
		html_number(&page->html, "none");
		html_number(&page->html, "");
		return;
	}
	page_value_cell(page, tolerance->value_ns);
	page_value_cell(page, tolerance->delta_ns);
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

/* ------------------------------------------------------------- one program */

static void write_tolerances(struct page *page)
{
	const struct findings *run = &page->runs[0];
	char up_to[REPORT_NAME_BYTES];
	const char *const columns[] = {percent_heading(page), up_to, ">more than now", ">T"};
	double from_ns;

	snprintf(up_to, sizeof up_to, ">%s up to", page->varied->name);
	write_baseline(page);
	from_ns = has_baseline(page) ? run->curve.baseline_ns : run->curve.runtime_ns;
	html_table(&page->html, "Tolerances", columns, 4);
	for (size_t i = 0; i < run->analysis.tolerance.count; i++) {
		const struct tolerance *tolerance = &run->analysis.tolerance.items[i];

		html_row(&page->html);
		tolerance_cells(page, tolerance);
		page_time_cell(page, tolerance->unbounded
					     ? run->curve.runtime_ns
					     : (1 + tolerance->percent / 100) * from_ns);
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
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

static void write_comparison(struct page *page)
{
	char lambda[REPORT_NAME_BYTES], rho[REPORT_NAME_BYTES];
	const char *const columns[] = {"program", ">T", ">difference", lambda, ">difference", rho};
	const struct curve *first = &page->runs[0].curve;

	snprintf(lambda, sizeof lambda, ">λ_%s", page->varied->name);
	snprintf(rho, sizeof rho, ">ρ_%s", page->varied->name);
	html_table(&page->html, "Runtime and sensitivity", columns, 6);
	for (size_t i = 0; i < page->count; i++) {
		const struct curve *curve = &page->runs[i].curve;

		html_row(&page->html);
		html_cell(&page->html, page->runs[i].label);
		page_time_cell(page, curve->runtime_ns);
		page_difference_cell(page, curve->runtime_ns, i ? first->runtime_ns : 0);
		page_number_cell(page, curve->lambda);
		page_difference_cell(page, curve->lambda, i ? first->lambda : 0);
		page_share_cell(page, curve->rho);
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
}

static void write_tolerances_of_all(struct page *page)
{
	char up_to[REPORT_NAME_BYTES];
	const char *const columns[] = {"program", percent_heading(page), up_to, ">more than now",
				       ">difference"};
	const struct findings *first = &page->runs[0];

	snprintf(up_to, sizeof up_to, ">%s up to", page->varied->name);
	write_baseline(page);
	html_table(&page->html, "Tolerances", columns, 5);
	for (size_t i = 0; i < first->analysis.tolerance.count; i++) {
		for (size_t k = 0; k < page->count; k++) {
			const struct tolerance *tolerance =
				&page->runs[k].analysis.tolerance.items[i];
			const double from_ns = first->analysis.tolerance.items[i].delta_ns;

			html_row(&page->html);
			html_cell(&page->html, page->runs[k].label);
			tolerance_cells(page, tolerance);
			/* Less than now has no share. */
			page_difference_cell(page, fmax(tolerance->delta_ns, 0),
					     k && tolerance->delta_ns >= 0 ? fmax(from_ns, 0) : 0);
			html_row_end(&page->html);
		}
	}
	html_table_end(&page->html);
}

/* ------------------------------------------------------------ measurements */

enum { MOST_MEASURED = 50 };

static void write_measured_rows(struct page *page, const struct observations *measured)
{
	const char *const columns[] = {page->varied->unit == UNIT_TIME ? ">L" : ">value", ">runs",
				       ">measured", ">T", ">difference"};

	html_table(&page->html, "Measured runtimes and the model's", columns, 5);
	for (size_t i = 0; i < measured->points.count && i < MOST_MEASURED; i++) {
		const struct observation *point = &measured->points.items[i];

		html_row(&page->html);
		page_value_cell(page, rational_ns(rational_from(point->value_as)));
		page_count_cell(page, point->runs);
		page_time_cell(page, point->mean_ns);
		page_time_cell(page, point->modelled_ns);
		page_difference_cell(page, point->modelled_ns, point->mean_ns);
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
	page_more(page, measured->points.count, MOST_MEASURED, "measured values");
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
	if (page->count == 1) {
		write_tolerances(page);
	} else {
		html_note(&page->html, "Differences are to the first program.");
		write_comparison(page);
		write_tolerances_of_all(page);
	}
	for (size_t i = 0; i < page->count; i++)
		write_measured(page, &page->runs[i]);
	html_section_end(&page->html);
	return 0;
}
