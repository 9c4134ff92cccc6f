/* Section of the page: slack of the calls. */
#include "llamp/page/page.h"
#include "llamp/report/report_path.h"

static void write_communicators(struct page *page, const struct findings *run)
{
	static const char *const columns[] = {"communicator", ">messages", ">latencies",
					      ">latency and bandwidth"};
	const size_t count = run->communicators.list.count;

	html_table(&page->html, "Messages of the critical path by communicator", columns, 4);
	for (size_t i = 0; i < count && i < PAGE_MOST_ROWS; i++) {
		const struct critical_communicator *item = &run->communicators.list.items[i];

		html_row(&page->html);
		html_cell(&page->html, item->name ? item->name : "not known");
		page_count_cell(page, item->messages);
		page_count_cell(page, item->lambda);
		page_time_cell(page, report_ns(item->transfer_as));
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
	page_more(page, count, PAGE_MOST_ROWS, "communicators");
}

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
	struct report report = {.format = REPORT_PAGE, .page = &page->html};

	if (!run->has_slack) {
		html_note(&page->html, "llamp path tells the slack of calls and what joins the path"
				       " next. Here it is left out above 1,000,000 operations.");
		return;
	}
	html_details(&page->html, "Beside the path: slack, and what joins it next");
	report_slack(&report, run);
	report_next(&report, run);
	if (run->nexts.limited)
		write_limit(page, run);
	html_details_end(&page->html);
}

void page_communicators(struct page *page, const struct findings *run)
{
	if (run->has_calls && run->communicators.list.count)
		write_communicators(page, run);
}
