/* Section of the page: what the critical path is made of. */
#include "llamp/page/page.h"

#include "llamp/report/report_critical_calls.h"
#include "llamp/report/report_path.h"

/* --------------------------------------------------------------- categories */

/* Whether the path of any program has time of a category. */
static bool has_category(const struct page *page, int category)
{
	for (size_t i = 0; i < page->count; i++)
		if (page->runs[i].category_as[category] > 0)
			return true;
	return false;
}

static void categories_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *run = &((const struct page *)data)->runs[number];

	put_name(row, run->label);
	for (int c = 0; c < CATEGORY_COUNT; c++)
		report_put_share(row, run->category_as[c], run->path.runtime_as);
}

static void write_categories_of_all(struct page *page)
{
	struct report_field fields[CATEGORY_COUNT + 2] = {{NULL, "program", .kind = VALUE_NAME}};

	for (int c = 0; c < CATEGORY_COUNT; c++)
		fields[c + 1] = (struct report_field){
			NULL, has_category(page, c) ? category_names[c] : NULL,
			.kind = VALUE_SHARE};
	report_table(&page->report, &(struct report_table){
		.caption = "Shares of the critical path by category", .fields = fields,
		.row = categories_row, .data = page, .count = page->count});
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
	report_lambda(&page->report, run);
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
	report_path_times(&page->report, run);
	report_functions(&page->report, run);
	html_details_end(&page->html);
	if (run->rank_switches.count)
		TRY(write_passing(page, run, err));
	report_overlap(&page->report, run);
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
