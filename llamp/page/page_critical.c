/* Section of the page: critical values, at which the sensitivity changes. */
#include "llamp/page/page.h"

#include <math.h>

/* Name of the values at which lambda steps. */
static const char *critical_name(const struct page *page, bool several)
{
	if (page->varied->category == CATEGORY_LATENCY)
		return several ? "critical latencies" : "critical latency";
	return several ? "critical values" : "critical value";
}

static const char *section_name(const struct page *page)
{
	return page->varied->category == CATEGORY_LATENCY ? "Critical latencies" : "Critical values";
}

static void page_critical_describe(struct sentence *text, const struct page *page,
				   const struct findings *run)
{
	const struct range_ns *critical = &run->analysis.critical;
	const size_t count = run->curve.breakpoint_count;
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES], number[UNIT_TEXT_BYTES];

	sentence_add(text, "Now λ_%s is %s", page->varied->name,
		     report_number(run->curve.lambda, number));
	if (isinf(critical->high))
		sentence_add(text, ", and stays so however large %s becomes.", page->varied->name);
	else
		sentence_add(text, ", and stays so from %s to %s.",
			     page_value(page, critical->low, PAGE_DIGITS, low),
			     page_value(page, critical->high, PAGE_DIGITS, high));
	if (count)
		snprintf(number, sizeof number, "%zu", count);
	else
		snprintf(number, sizeof number, "no");
	sentence_add(text, " Between %s and %s there %s %s %s",
		     page_value(page, run->curve.from_ns, PAGE_DIGITS, low),
		     page_value(page, run->curve.to_ns, PAGE_DIGITS, high),
		     count < 2 ? "is" : "are", number, critical_name(page, count > 1));
	if (count > run->curve.critical.count)
		sentence_add(text, "; the table has those with the largest steps");
	sentence_add(text, ".");
}

static void step_row(struct report_row *row, const void *data, size_t number)
{
	const struct curve_step *step = &((const struct curve *)data)->critical.items[number];

	put_number(row, step->value_ns);
	put_number(row, step->left);
	put_number(row, step->right);
	put_number(row, step->runtime_ns);
}

/* Fold long tables away where they would keep programs apart. */
static void write_steps(struct page *page, const struct curve *curve)
{
	const struct report_variable names = report_variable(page->varied);
	const bool folded = page->count > 1 && curve->critical.count > 3;
	char below[2 * REPORT_NAME_BYTES], above[2 * REPORT_NAME_BYTES];
	const struct report_field fields[] = {
		{NULL, page->varied->name, .kind = names.kind}, {NULL, below, .kind = VALUE_LONG_NUMBER},
		{NULL, above, .kind = VALUE_LONG_NUMBER}, {NULL, "T", .kind = VALUE_NS}, {0},
	};

	snprintf(below, sizeof below, "%s below", names.lambda);
	snprintf(above, sizeof above, "%s above", names.lambda);
	if (folded)
		html_details(&page->html, "The numbers");
	report_table(&page->report, &(struct report_table){
		.caption = section_name(page), .fields = fields, .row = step_row, .data = curve,
		.count = curve->critical.count});
	if (folded)
		html_details_end(&page->html);
}

int page_critical(struct page *page, struct error *err)
{
	(void)err;
	html_section(&page->html, "critical", section_name(page));
	html_note(&page->html, "At these values another path becomes the critical one, and the slope"
			       " of T changes.");
	for (size_t i = 0; i < page->count; i++) {
		struct sentence text = {.length = 0};

		page_program(page, &page->runs[i]);
		page_critical_describe(&text, page, &page->runs[i]);
		html_paragraph(&page->html, text.text);
		write_steps(page, &page->runs[i].curve);
	}
	html_section_end(&page->html);
	return 0;
}
