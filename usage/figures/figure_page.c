#include "usage/figures/figure_page.h"

#include "common/draw/html.h"
#include "usage/figures/figure_picture.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { TABLE_ROWS = 40, TITLE_BYTES = 512 };

struct page {
	struct html html;
	struct report report;
	const struct figure_request *request;
};

static bool is_compared(const struct page *page)
{
	return page->request->source_count > 1;
}

/* ---------------------------------------------------------------------- figure */

static void write_heading(struct page *page, const struct figure *figure)
{
	char numbers[FIGURE_NUMBER_BYTES], heading[TITLE_BYTES];

	figure_numbers(figure, is_compared(page), numbers);
	*numbers = (char)toupper((unsigned char)*numbers);
	snprintf(heading, sizeof heading, "%s%s%s", numbers, *numbers ? ": " : "", figure->title);
	html_subheading(&page->html, heading);
	html_paragraph(&page->html, figure->meaning);
}

/* Write as a sentence why a figure has no rows. */
static void write_lack(struct page *page, const struct figure *figure)
{
	char text[128];

	snprintf(text, sizeof text, "%s.", figure_lack(figure));
	*text = (char)toupper((unsigned char)*text);
	html_note(&page->html, text);
}

static int write_picture(struct page *page, const struct figure_result *result,
			 const struct figure_source *source, struct error *err)
{
	struct svg svg;

	html_figure(&page->html, is_compared(page) ? source->db.path : NULL);
	if (!figure_has_picture(result))
		write_lack(page, result->figure);
	else
		while (html_picture(&page->html, &svg))
			TRY(figure_draw(result, &svg, err));
	html_figure_end(&page->html);
	return 0;
}

static int write_pictures(struct page *page, const struct figure_result *results, struct error *err)
{
	if (is_compared(page))
		html_beside(&page->html);
	for (int i = 0; i < page->request->source_count; i++)
		TRY(write_picture(page, &results[i], page->request->sources[i], err));
	if (is_compared(page))
		html_beside_end(&page->html);
	return 0;
}

static void write_tables(struct page *page, const struct figure_result *results)
{
	/* The heading says of what they are. */
	for (int i = 0; i < page->request->source_count; i++)
		figure_report_table(&page->report, &results[i],
				    is_compared(page) ? page->request->sources[i]->db.path : "",
				    TABLE_ROWS);
}

static bool any_rows(const struct page *page, const struct figure_result *results)
{
	for (int i = 0; i < page->request->source_count; i++)
		if (figure_rows(&results[i]))
			return true;
	return false;
}

static int write_answers(struct page *page, const struct figure_result *results, struct error *err)
{
	const struct figure *const figure = results->figure;

	write_heading(page, figure);
	if (!any_rows(page, results)) {
		write_lack(page, figure);
		return 0;
	}
	if (figure->kind == FIGURE_TABLE) {
		write_tables(page, results);
		return 0;
	}
	TRY(write_pictures(page, results, err));
	html_details(&page->html, "Numbers");
	write_tables(page, results);
	html_details_end(&page->html);
	return 0;
}

static int write_figure(struct page *page, const struct figure *figure, struct error *err)
{
	struct figure_result results[2];
	int asked = 0, status = 0;

	while (asked < page->request->source_count && status == 0) {
		status = figure_ask(&results[asked], figure, page->request->sources[asked], err);
		asked += status == 0;
	}
	if (status == 0)
		status = write_answers(page, results, err);
	for (int i = 0; i < asked; i++)
		figure_result_release(&results[i]);
	return status;
}

/* ------------------------------------------------------------------------ page */

static int write_section(struct page *page, const struct figure_section *section, struct error *err)
{
	bool begun = false;

	for (size_t i = 0; i < figure_count; i++) {
		if (strcmp(figures[i].section, section->id) != 0 ||
		    !figure_is_asked(page->request, &figures[i]))
			continue;
		if (!begun)
			html_section(&page->html, section->id, section->heading);
		begun = true;
		TRY(write_figure(page, &figures[i], err));
	}
	if (begun)
		html_section_end(&page->html);
	return 0;
}

/* The share of core-hours in MPI, in one sentence. */
static int write_answer(struct page *page, struct figure_source *source, struct error *err)
{
	const struct figure *const figure = figure_find("core-hours-in-mpi", err);
	struct figure_result result;
	struct sentence answer = {.length = 0};

	TRY(figure_ask(&result, figure, source, err));
	if (is_compared(page))
		sentence_add(&answer, "%s: ", source->db.path);
	if (figure_rows(&result) && figure_row(&result, 0)[0].number > 0)
		sentence_add(&answer, "%.1f %% of the core-hours of %.0f jobs are in MPI.",
			     100 * figure_row(&result, 0)[2].number,
			     figure_row(&result, 0)[3].number);
	else
		sentence_add(&answer, "No job with a log that tells its time in MPI.");
	html_answer(&page->html, answer.text);
	figure_result_release(&result);
	return 0;
}

static int write_whole(struct page *page, struct error *err)
{
	for (int i = 0; i < page->request->source_count; i++)
		TRY(write_answer(page, page->request->sources[i], err));
	for (int i = 0; i < page->request->source_count; i++) {
		struct sentence basis = {.length = 0};

		figure_basis(page->request->sources[i], &basis);
		html_note(&page->html, basis.text);
	}
	for (const struct figure_section *section = figure_sections; section->id; section++)
		TRY(write_section(page, section, err));
	return 0;
}

int figure_page(FILE *stream, const struct figure_request *request, struct error *err)
{
	struct page page = {.html = {.stream = stream}, .request = request};

	page.report = (struct report){.format = REPORT_PAGE, .page = &page.html};
	html_begin(&page.html, "MPI usage of jobs");
	TRY(write_whole(&page, err));
	html_end(&page.html);
	return 0;
}
