#include "llamp/page/page.h"

#include "common/draw/axis.h"

#include <math.h>
#include <string.h>

const char *page_time(double ns, int digits, char text[static UNIT_TEXT_BYTES])
{
	return axis_value(QUANTITY_TIME, ns, digits, text);
}

const char *page_variable(const struct variable *variable, double value_ns, int digits,
			  char text[static UNIT_TEXT_BYTES])
{
	if (variable->unit == UNIT_FACTOR)
		return format_number(value_ns, digits, text);
	page_time(value_ns, digits, text);
	return variable->unit == UNIT_TIME_PER_BYTE && !isinf(value_ns) ? strcat(text, "/B") : text;
}

const char *page_value(const struct page *page, double value_ns, int digits,
		       char text[static UNIT_TEXT_BYTES])
{
	return page_variable(page->varied, value_ns, digits, text);
}

const char *page_percent(double share, char text[static UNIT_TEXT_BYTES])
{
	snprintf(text, UNIT_TEXT_BYTES, "%.2f %%", 100 * share);
	return text;
}

const char *page_difference(double value, double from, char text[static UNIT_TEXT_BYTES])
{
	const double percent = round_digits(100 * (value / from - 1));
	char number[UNIT_TEXT_BYTES];

	if (!isfinite(percent))
		snprintf(text, UNIT_TEXT_BYTES, "–");
	else
		snprintf(text, UNIT_TEXT_BYTES, "%s%s %%", percent < 0 ? "−" : "+",
			 format_number(fabs(percent), PAGE_DIGITS, number));
	return text;
}

const char *page_baseline(const struct findings *run, char *text, size_t room)
{
	const uint64_t baseline_ns = run->analysis.baseline_ns;
	char time[UNIT_TEXT_BYTES];

	page_time((double)baseline_ns, PAGE_DIGITS, time);
	snprintf(text, room, "%s%s",
		 baseline_ns == model_traced_ns(run->model) ? "the traced run, " : "", time);
	return text;
}

bool page_baselines_differ(const struct page *page)
{
	for (size_t i = 1; i < page->count; i++)
		if (page->runs[i].analysis.baseline_ns != page->runs[0].analysis.baseline_ns)
			return true;
	return false;
}

void page_program(struct page *page, const struct findings *run)
{
	if (page->count > 1)
		html_subheading(&page->html, run->label);
}

void page_put_difference(struct report_row *row, double value, double from)
{
	char text[UNIT_TEXT_BYTES];

	put_name(row, page_difference(value, from, text));
}
