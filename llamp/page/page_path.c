/* Section of the page: what the critical path is made of. */
#include "llamp/page/page.h"

#include "llamp/network/network.h"

#include <stdlib.h>

static double share_of(int128 as, const struct findings *run)
{
	const int128 whole_as = run->path.runtime_as;

	return whole_as > 0 ? (double)as / (double)whole_as : 0;
}

/* --------------------------------------------------------------- categories */

static void write_categories(struct page *page, const struct findings *run)
{
	static const char *const columns[] = {"category", ">time", ">share"};

	html_table(&page->html, "Time on the critical path by category", columns, 3);
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		const int128 as = run->category_as[c];

		if (as == 0)
			continue;
		html_row(&page->html);
		html_cell(&page->html, category_names[c]);
		page_time_cell(page, report_ns(as));
		page_share_cell(page, share_of(as, run));
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
}

/* Whether the path of any program has time of a category. */
static bool has_category(const struct page *page, int category)
{
	for (size_t i = 0; i < page->count; i++)
		if (page->runs[i].category_as[category] > 0)
			return true;
	return false;
}

/* Categories of all programs: one row for each of them. */
static void write_categories_of_all(struct page *page)
{
	char names[CATEGORY_COUNT][REPORT_NAME_BYTES];
	const char *columns[CATEGORY_COUNT + 1] = {"program"};
	int count = 1;

	for (int c = 0; c < CATEGORY_COUNT; c++) {
		if (!has_category(page, c))
			continue;
		snprintf(names[c], sizeof names[c], ">%s", category_names[c]);
		columns[count++] = names[c];
	}
	html_table(&page->html, "Shares of the critical path by category", columns, count);
	for (size_t i = 0; i < page->count; i++) {
		html_row(&page->html);
		html_cell(&page->html, page->runs[i].label);
		for (int c = 0; c < CATEGORY_COUNT; c++)
			if (has_category(page, c))
				page_share_cell(page, share_of(page->runs[i].category_as[c],
							       &page->runs[i]));
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
}

/* ---------------------------------------------------------------- variables */

struct variable_time {
	uint32_t variable;
	int128 as;
};

static int variables_by_time(const void *a, const void *b)
{
	const struct variable_time *x = a, *y = b;

	if (x->as != y->as)
		return x->as < y->as ? 1 : -1;
	return (x->variable > y->variable) - (x->variable < y->variable);
}

/* Slope and time of each variable, where categories do not tell them apart. */
static void write_variables(struct page *page, const struct findings *run)
{
	static const char *const columns[] = {"variable", ">λ", "counts", ">time",
					      ">share"};
	const struct loggps *loggps = &run->model->loggps;
	struct variable_time times[VARIABLES_MOST];
	uint32_t count = 0;

	if (!loggps->network || network_is_plain(loggps->network))
		return;
	for (uint32_t v = 0; v < loggps->variables.count; v++)
		if (variable_is_on(&loggps->variables.of[v]))
			times[count++] = (struct variable_time){v, run->path.variable_as[v]};
	qsort(times, count, sizeof *times, variables_by_time);
	html_table(&page->html, "Slope and time on the critical path by variable", columns, 5);
	for (uint32_t i = 0; i < count; i++) {
		const struct variable *variable = &loggps->variables.of[times[i].variable];

		html_row(&page->html);
		html_cell(&page->html, variable->name);
		page_number_cell(page, run->analysis.lambda[times[i].variable]);
		html_cell(&page->html, variable->counted);
		page_time_cell(page, report_ns(times[i].as));
		page_share_cell(page, share_of(times[i].as, run));
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
}

/* ------------------------------------------------------------------ functions */

/* Name of a function, or of the computation before its calls. */
static const char *function_name(const struct critical_function *function, char *text, size_t room)
{
	if (!function->function)
		return "operations without a call";
	snprintf(text, room, "%s%s", function->before ? "before " : "", function->function);
	return text;
}

static void write_functions(struct page *page, const struct findings *run)
{
	static const char *const columns[] = {"function", ">calls", ">latencies", ">time", ">share"};
	const size_t count = run->calls.functions.list.count;

	html_table(&page->html, "Time on the critical path by MPI function", columns, 5);
	for (size_t i = 0; i < count && i < PAGE_MOST_ROWS; i++) {
		const struct critical_function *function = &run->calls.functions.list.items[i];
		char name[256];

		html_row(&page->html);
		html_cell(&page->html, function_name(function, name, sizeof name));
		page_count_cell(page, function->call_count);
		page_count_cell(page, function->lambda);
		page_time_cell(page, report_ns(function->all_as));
		page_share_cell(page, share_of(function->all_as, run));
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
	page_more(page, count, PAGE_MOST_ROWS, "functions");
}

/* ---------------------------------------------------------------------- ranks */

static void write_ranks(struct page *page, const struct findings *run)
{
	static const char *const columns[] = {">rank", ">time", ">computation", ">share"};
	const size_t count = run->path_ranks.count;

	html_table(&page->html, "Time on the critical path by rank", columns, 4);
	for (size_t i = 0; i < count && i < PAGE_MOST_ROWS; i++) {
		const struct path_rank *rank = &run->path_ranks.items[i];

		html_row(&page->html);
		page_count_cell(page, rank->rank);
		page_time_cell(page, report_ns(rank->all_as));
		page_time_cell(page, report_ns(rank->as[CATEGORY_COMPUTE]));
		page_share_cell(page, share_of(rank->all_as, run));
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
	page_more(page, count, PAGE_MOST_ROWS, "ranks");
}

static void write_rank_switches(struct page *page, const struct findings *run)
{
	static const char *const columns[] = {"ranks", ">messages", ">latencies", ">bytes",
					      ">latency and bandwidth"};
	const size_t count = run->rank_switches.count;

	html_table(&page->html, "Messages of the critical path", columns, 5);
	for (size_t i = 0; i < count && i < PAGE_MOST_ROWS; i++) {
		const struct rank_switch *change = &run->rank_switches.items[i];
		char name[64];

		snprintf(name, sizeof name, "%u → %u", change->from, change->to);
		html_row(&page->html);
		html_cell(&page->html, name);
		page_count_cell(page, change->messages);
		page_count_cell(page, change->lambda);
		page_count_cell(page, change->lambda_G);
		page_time_cell(page, report_ns(change->transfer_as));
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
	page_more(page, count, PAGE_MOST_ROWS, "pairs of ranks");
}

/* -------------------------------------------------------------------- section */

static int write_composition(struct page *page, const struct findings *run, struct error *err)
{
	struct svg svg;

	html_figure(&page->html, NULL);
	while (html_picture(&page->html, &svg))
		TRY(picture_composition(&svg, run, err));
	html_figure_end(&page->html);
	return 0;
}

/* Latencies or bytes of the path from each rank to each rank. */
static int write_pairs(struct page *page, const struct findings *run, enum picture_slope slope,
		       const char *caption, struct error *err)
{
	struct svg svg;

	html_figure(&page->html, caption);
	while (html_picture(&page->html, &svg))
		TRY(picture_pairs(&svg, run, slope, err));
	html_figure_end(&page->html);
	return 0;
}

static int write_passing(struct page *page, const struct findings *run, struct error *err)
{
	struct svg svg;

	html_figure(&page->html, NULL);
	while (html_picture(&page->html, &svg))
		TRY(picture_rank_switches(&svg, run, err));
	html_figure_end(&page->html);
	if (run->path.lambda > 0)
		TRY(write_pairs(page, run, PICTURE_LAMBDA_L,
				"λ_L of each pair of ranks: latencies on the critical path", err));
	if (run->path.lambda_G > 0)
		TRY(write_pairs(page, run, PICTURE_LAMBDA_G,
				"λ_G of each pair of ranks: bytes on the critical path", err));
	html_details(&page->html, "The numbers");
	write_rank_switches(page, run);
	page_communicators(page, run);
	html_details_end(&page->html);
	return 0;
}

static int page_path_write_path(struct page *page, const struct findings *run, struct error *err)
{
	struct sentence text = {.length = 0};
	const size_t messages = run->path.messages.count;
	const size_t ranks = run->path_ranks.count;

	page_program(page, run);
	if (!ranks) {
		html_paragraph(&page->html, "No operation takes time: there is no path.");
		return 0;
	}
	sentence_add(&text, "The path that decides T spends its time on %zu of %u rank%s and passes"
		     " along %zu of %u message%s.", ranks, run->model->goal.rank_count,
		     plural(run->model->goal.rank_count), messages,
		     run->model->graph.message_count, plural(run->model->graph.message_count));
	html_paragraph(&page->html, text.text);
	if (!run->has_calls)
		html_note(&page->html, run->calls_error.status == STATUS_OK
					       ? "Without its side file FILE.calls the graph does not"
						 " name MPI functions."
					       : run->calls_error.text);
	TRY(write_composition(page, run, err));
	html_details(&page->html, "The numbers");
	write_categories(page, run);
	write_variables(page, run);
	if (run->has_calls)
		write_functions(page, run);
	write_ranks(page, run);
	html_details_end(&page->html);
	if (run->rank_switches.count)
		TRY(write_passing(page, run, err));
	page_slack(page, run);
	return 0;
}

int page_path(struct page *page, struct error *err)
{
	html_section(&page->html, "path", "Critical path");
	if (page->count > 1)
		write_categories_of_all(page);
	for (size_t i = 0; i < page->count; i++)
		TRY(page_path_write_path(page, &page->runs[i], err));
	html_section_end(&page->html);
	return 0;
}
