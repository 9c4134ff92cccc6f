/* Section of the page: slack of the calls. */
#include "llamp/page/page.h"
#include "llamp/report/report_path.h"

enum { MOST_LEVELS = 5, MOST_CELLS = 4 };

/* Write a row: numbers where the name of the column begins with '>', else texts. */
static void write_cells(struct page *page, char cells[][TABLE_CELL_BYTES], int count,
			const char *const *columns)
{
	html_row(&page->html);
	for (int i = 0; i < count; i++) {
		if (columns[i][0] == '>')
			html_number(&page->html, cells[i]);
		else
			html_cell(&page->html, cells[i]);
	}
	html_row_end(&page->html);
}

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

static void write_counts(struct page *page, const struct findings *run)
{
	const char *const columns[] = {"slack", run->has_calls ? ">calls" : ">operations", ">share"};
	char cells[MOST_CELLS][TABLE_CELL_BYTES];

	html_table(&page->html,
		   run->has_calls
			   ? "Slack: how much later a call may end without changing T"
			   : "Slack: how much later an operation may end without changing T",
		   columns, 3);
	for (size_t i = 0; i < REPORT_SLACK_COUNTS; i++) {
		report_slack_count(&run->slack, i, cells);
		write_cells(page, cells, 3, columns);
	}
	html_table_end(&page->html);
}

static void write_levels(struct page *page, const struct findings *run)
{
	const char *const columns[] = {">slack", ">of T", run->has_calls ? ">calls" : ">operations",
				       "first of them"};
	const size_t count = run->slack.least.count;
	char cells[MOST_CELLS][TABLE_CELL_BYTES];

	html_table(&page->html, "Least slack above 0", columns, 4);
	for (size_t i = 0; i < count && i < MOST_LEVELS; i++) {
		report_slack_level(&run->slack, &run->model->goal, i, cells);
		page_time(report_ns(run->slack.least.items[i].slack_as), REPORT_DIGITS, cells[0]);
		write_cells(page, cells, 4, columns);
	}
	html_table_end(&page->html);
}

static void write_next(struct page *page, const struct findings *run)
{
	static const char *const columns[] = {">critical L", ">λ_L above", "change of the path"};
	char cells[MOST_CELLS][TABLE_CELL_BYTES];

	html_table(&page->html, "What joins the path next", columns, 3);
	for (size_t i = 0; i < run->nexts.list.count; i++) {
		const struct critical_next *next = &run->nexts.list.items[i];

		report_next(next, run->calls.timed, cells);
		page_time(rational_in_ns(next->latency_as), REPORT_DIGITS, cells[0]);
		write_cells(page, cells, 3, columns);
	}
	html_table_end(&page->html);
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
	if (!run->has_slack) {
		html_note(&page->html, "llamp path tells the slack of calls and what joins the path"
				       " next. Here it is left out above 1,000,000 operations.");
		return;
	}
	html_details(&page->html, "Beside the path: slack, and what joins it next");
	write_counts(page, run);
	if (run->slack.least.count)
		write_levels(page, run);
	if (run->nexts.list.count)
		write_next(page, run);
	if (run->nexts.limited)
		write_limit(page, run);
	html_details_end(&page->html);
}

void page_communicators(struct page *page, const struct findings *run)
{
	if (run->has_calls && run->communicators.list.count)
		write_communicators(page, run);
}
