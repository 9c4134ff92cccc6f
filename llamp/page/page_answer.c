/* Section of the page: the answer in a sentence. */
#include "llamp/page/page.h"

#include <math.h>

static const struct tolerance *first_tolerance(const struct findings *run)
{
	return &run->analysis.tolerance.items[0];
}

/*
 * How far a tolerance is: "L = 3.16 us (160 ns more than now)", "links that take 1.2 times as long".
 * Relative to a baseline it may be less.
 */
static void add_tolerance(struct sentence *answer, const struct page *page,
			  const struct tolerance *tolerance)
{
	char value[UNIT_TEXT_BYTES], more[UNIT_TEXT_BYTES];

	if (page->varied->unit == UNIT_FACTOR) {
		sentence_add(answer, "%s that take %s times as long as now", page->varied->name,
			     format_number(tolerance->value_ns, PAGE_DIGITS, value));
		return;
	}
	sentence_add(answer, "%s = %s (%s %s than now)", page->varied->name,
		     page_value(page, tolerance->value_ns, PAGE_DIGITS, value),
		     page_value(page, fabs(tolerance->delta_ns), PAGE_DIGITS, more),
		     tolerance->delta_ns < 0 ? "less" : "more");
}

static void answer_one(struct sentence *answer, const struct page *page)
{
	const struct tolerance *tolerance = &page->runs[0].analysis.tolerance.items[0];
	char percent[UNIT_TEXT_BYTES];

	if (tolerance->unbounded) {
		sentence_add(answer, "However large %s is, it costs the program no time.",
			     page->varied->name);
		return;
	}
	sentence_add(answer, "Up to ");
	add_tolerance(answer, page, tolerance);
	sentence_add(answer, " the program loses at most %s %%.",
		     report_number(tolerance->percent, percent));
}

/* ---------------------------------------------------------------- baseline */

/* Answers about tolerances that are relative to another runtime than T. */
static void answer_one_beside(struct sentence *answer, const struct page *page)
{
	const struct tolerance *tolerance = first_tolerance(&page->runs[0]);
	char percent[UNIT_TEXT_BYTES], baseline[UNIT_TEXT_BYTES + 32];

	report_number(tolerance->percent, percent);
	page_baseline(&page->runs[0], baseline, sizeof baseline);
	if (tolerance->none) {
		sentence_add(answer, "Even with %s = 0 T is more than %s %% above %s.",
			     page->varied->name, percent, baseline);
		return;
	}
	if (tolerance->unbounded) {
		sentence_add(answer, "However large %s is", page->varied->name);
	} else {
		sentence_add(answer, "Up to ");
		add_tolerance(answer, page, tolerance);
	}
	sentence_add(answer, " T is at most %s %% above %s.", percent, baseline);
}

static void add_limit(struct sentence *answer, const struct page *page, const struct findings *run)
{
	const struct tolerance *tolerance = first_tolerance(run);

	if (tolerance->none)
		sentence_add(answer, "not even with %s = 0", page->varied->name);
	else if (tolerance->unbounded)
		sentence_add(answer, "however large %s is", page->varied->name);
	else
		add_tolerance(answer, page, tolerance);
}

static void answer_several_beside(struct sentence *answer, const struct page *page)
{
	char percent[UNIT_TEXT_BYTES], baseline[UNIT_TEXT_BYTES + 32];

	sentence_add(answer, "T is at most %s %% above ",
		     report_number(first_tolerance(&page->runs[0])->percent, percent));
	if (page_baselines_differ(page))
		sentence_add(answer, "the traced run up to: ");
	else
		sentence_add(answer, "%s up to: ",
			     page_baseline(&page->runs[0], baseline, sizeof baseline));
	for (size_t i = 0; i < page->count && i < PAGE_MOST_ROWS; i++) {
		sentence_add(answer, "%s%s ", i ? "; " : "", page->runs[i].label);
		add_limit(answer, page, &page->runs[i]);
	}
	sentence_add(answer, page->count > PAGE_MOST_ROWS ? " ..." : ".");
}

/* Whether the variable has the same value in all networks now. */
static bool same_now(const struct page *page)
{
	for (size_t i = 1; i < page->count; i++)
		if (page->runs[i].curve.value_ns != page->runs[0].curve.value_ns)
			return false;
	return true;
}

static void answer_several(struct sentence *answer, const struct page *page)
{
	const struct findings *most = &page->runs[0], *least = &page->runs[0];
	char percent[UNIT_TEXT_BYTES];

	for (size_t i = 1; i < page->count; i++) {
		const struct findings *run = &page->runs[i];

		if (first_tolerance(run)->delta_ns > first_tolerance(most)->delta_ns)
			most = run;
		if (first_tolerance(run)->delta_ns < first_tolerance(least)->delta_ns)
			least = run;
	}
	if (first_tolerance(least)->unbounded) {
		sentence_add(answer, "However large %s is, it costs none of the programs time.",
			     page->varied->name);
		return;
	}
	/* From different values on, the largest one is not what counts. */
	sentence_add(answer, "%s tolerates %s: ", most->label,
		     same_now(page) ? "most" : "the largest increase");
	if (first_tolerance(most)->unbounded) {
		sentence_add(answer, "it loses no time however large %s is", page->varied->name);
	} else {
		sentence_add(answer, "it loses at most %s %% up to ",
			     report_number(first_tolerance(most)->percent, percent));
		add_tolerance(answer, page, first_tolerance(most));
	}
	if (most == least) {
		sentence_add(answer, ", as the others do.");
		return;
	}
	sentence_add(answer, ", %s ", least->label);
	if (first_tolerance(most)->unbounded)
		sentence_add(answer, "at most %s %% ",
			     report_number(first_tolerance(least)->percent, percent));
	sentence_add(answer, "up to ");
	add_tolerance(answer, page, first_tolerance(least));
	sentence_add(answer, ".");
}

/* ------------------------------------------------------------------- facts */

/* What one more unit of the variable costs. */
static void add_slope(struct sentence *facts, const struct page *page, const struct findings *run)
{
	char number[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];
	const double lambda = run->curve.lambda;

	sentence_add(facts, " The number of %s on the critical path is λ_%s = %s",
		     page->varied->counted, page->varied->name, report_number(lambda, number));
	if (page->varied->unit == UNIT_TIME && lambda > 0)
		sentence_add(facts, ", so 1 µs more costs %s",
			     page_time(1000 * lambda, PAGE_DIGITS, time));
	sentence_add(facts, ".");
}

/* Add the time of the traced run, and how T differs from it. */
static void add_traced(struct sentence *facts, const struct findings *run)
{
	const struct curve *curve = &run->curve;
	const double ratio = model_to_traced(run->model, curve->runtime_ns);
	char time[UNIT_TEXT_BYTES], text[UNIT_TEXT_BYTES];

	sentence_add(facts, " The traced run took %s",
		     page_time(curve->traced_ns, PAGE_DIGITS, time));
	if (ratio >= 0.5 && ratio < 2)
		sentence_add(facts, "; T is %s %s.", page_percent(fabs(ratio - 1), text),
			     ratio < 1 ? "less" : "more");
	else
		sentence_add(facts, "; T is %s times that.", format_number(ratio, 3, text));
}

/* Add T without the deferral of receives. */
static void add_async(struct sentence *facts, const struct findings *run)
{
	const double async_ns = report_ns(run->overlap.async_as);
	const double runtime_ns = run->curve.runtime_ns;
	char time[UNIT_TEXT_BYTES], share[UNIT_TEXT_BYTES];

	if (!run->overlap.messages || !(runtime_ns > 0))
		return;
	sentence_add(facts, " If messages moved also while ranks compute, T would be %s, %s less:"
		     " the most that a progress thread can bring.",
		     page_time(async_ns, PAGE_DIGITS, time),
		     page_percent(1 - async_ns / runtime_ns, share));
}

static void facts_of_one(struct sentence *facts, const struct page *page)
{
	const struct findings *run = &page->runs[0];
	const struct curve *curve = &run->curve;
	char value[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES], share[UNIT_TEXT_BYTES];
	const uint32_t ranks = run->model->goal.rank_count;

	if (page->varied->unit == UNIT_FACTOR)
		sentence_add(facts, "Now");
	else
		sentence_add(facts, "With %s = %s", page->varied->name,
			     page_value(page, curve->value_ns, PAGE_DIGITS, value));
	sentence_add(facts, " it takes T = %s on %u rank%s, of which %s is due to %s (ρ_%s).",
		     page_time(curve->runtime_ns, PAGE_DIGITS, time), ranks, plural(ranks),
		     page_percent(curve->rho, share), page->varied->name, page->varied->name);
	add_slope(facts, page, run);
	if (curve->traced_ns > 0)
		add_traced(facts, run);
	add_async(facts, run);
	if (curve->measured.compared)
		sentence_add(facts, " Measured runtimes differ from the model by %s (RRMSE).",
			     page_percent(curve->measured.rrmse, share));
}

static void facts_of_several(struct sentence *facts, const struct page *page)
{
	const struct findings *fastest = &page->runs[0];
	char time[UNIT_TEXT_BYTES], more[UNIT_TEXT_BYTES];

	for (size_t i = 1; i < page->count; i++)
		if (page->runs[i].curve.runtime_ns < fastest->curve.runtime_ns)
			fastest = &page->runs[i];
	sentence_add(facts, "The fastest now is %s with T = %s.", fastest->label,
		     page_time(fastest->curve.runtime_ns, PAGE_DIGITS, time));
	for (size_t i = 0; i < page->count && page->count <= 4; i++)
		if (&page->runs[i] != fastest)
			sentence_add(facts, " %s takes %s (%s).", page->runs[i].label,
				     page_time(page->runs[i].curve.runtime_ns, PAGE_DIGITS, time),
				     page_difference(page->runs[i].curve.runtime_ns,
						     fastest->curve.runtime_ns, more));
}

int page_answer(struct page *page, struct error *err)
{
	struct sentence answer = {.length = 0}, facts = {.length = 0};
	const bool beside = page->runs[0].analysis.baseline_ns;

	(void)err;
	if (page->count == 1) {
		(beside ? answer_one_beside : answer_one)(&answer, page);
		facts_of_one(&facts, page);
	} else {
		(beside ? answer_several_beside : answer_several)(&answer, page);
		facts_of_several(&facts, page);
	}
	html_answer(&page->html, answer.text);
	html_paragraph(&page->html, facts.text);
	return 0;
}
