/* Section of the page: slack of the calls. */
#include "llamp/page/page.h"
#include "llamp/report/report_path.h"

/* Up to where the next critical latencies are known, with resources. */
static void write_limit(struct page *page, const struct findings *run)
{
	char limit[UNIT_TEXT_BYTES];
	struct sentence text = {.length = 0};

	sentence_add(&text, "%s critical L up to %s, beyond which the order of service may change.",
		     run->nexts.list.count ? "No other" : "No",
		     page_time(rational_in_ns(rational_from(run->nexts.limit_as)), PAGE_DIGITS,
			       limit));
	html_note(&page->html, text.text);
}

void page_slack(struct page *page, const struct findings *run)
{
	if (!run->has_slack) {
		html_note(&page->html, "llamp path tells the slack of calls and what joins the path"
				       " next. Here it is left out above 1,000,000 operations.");
		return;
	}
	html_details(&page->html, "Beside the path: slack, and what joins it next");
	report_slack(&page->report, run);
	report_next(&page->report, run);
	if (run->nexts.limited)
		write_limit(page, run);
	html_details_end(&page->html);
}
