#include "measure/planes/page.h"

#include "common/draw/html.h"
#include "common/text.h"
#include "common/units.h"
#include "measure/planes/comm_curves.h"
#include "measure/report/overlap_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct overlap_page {
	struct html html;
	struct report report;
	const struct overlap_files *files;
	const struct progress_gains *gains;
	const struct planes *planes;
	enum heatmap_palette palette;
};

/* -------------------------------------------------------------------- answer */

static int section_answer(struct overlap_page *page, struct error *err)
{
	html_section(&page->html, "answer", "Answer");
	for (uint32_t i = 0; i < page->files->count; i++) {
		const struct library_class *library = &page->files->items[i].library;
		struct sentence answer = {.length = 0};

		if (page->files->count > 1)
			sentence_add(&answer, "%s: ", page->files->items[i].file.path);
		sentence_add(&answer, "Progress of messages: %s%s%s%s", library->name,
			     *library->evidence ? " (" : "", library->evidence,
			     *library->evidence ? ")" : "");
		(page->files->count > 1 ? html_paragraph : html_answer)(&page->html, answer.text);
	}
	for (size_t i = 0; i < page->gains->count; i++)
		html_paragraph(&page->html, page->gains->items[i].sentence);
	TRY(overlap_report_overview(&page->report, page->files, err));
	html_section_end(&page->html);
	return 0;
}

/* -------------------------------------------------------------------- planes */

static int draw_figure(struct overlap_page *page, const char *caption,
		       const struct heatmap *heatmap, struct error *err)
{
	struct svg svg;

	html_figure(&page->html, caption);
	while (html_picture(&page->html, &svg))
		TRY(heatmap_draw(heatmap, &svg, err));
	html_figure_end(&page->html);
	return 0;
}

static int section_planes(struct overlap_page *page, struct error *err)
{
	/* Planes of one file are large. */
	const size_t across = page->planes->file_count > 1 ? PLANES_ACROSS : 3;
	const struct heatmap heatmap = planes_heatmap(page->planes, across, page->palette);
	const size_t count = page->planes->file_count * page->planes->kinds.count;

	if (count == 0)
		return 0;
	html_section(&page->html, "planes", "Planes");
	html_paragraph(
		&page->html,
		"Each rectangle is a cell: a message of one size beside a computation of one length. Its colour is "
		"the overhead ratio: 0, the shorter of both is hidden; 1, one follows the other; above 1, slower "
		"than that. Computations are longer than messages above the white line, T_comm, and shorter below "
		"it. Point at a cell for its numbers.");
	for (size_t i = 0; i < count; i++)
		if (page->planes->planes[i].values)
			heatmap_define(&page->planes->planes[i], page->palette, page->html.stream);
	TRY(draw_figure(page, NULL, &heatmap, err));
	html_section_end(&page->html);
	return 0;
}

static int draw_communication(struct overlap_page *page, const struct comm_curves *curves,
			      struct error *err)
{
	const struct heatmap heatmap = {"T_comm by message size", &curves->row, 1, 1,
					page->palette};

	if (!curves->plane.curve_count)
		return 0;
	html_section(&page->html, "communication", "Communication alone");
	TRY(draw_figure(
		page,
		"T_comm, the time of a message without computation. A marker is at the size S from which "
		"a send waits for its receiver (rendezvous).",
		&heatmap, err));
	html_section_end(&page->html);
	return 0;
}

static int section_communication(struct overlap_page *page, struct error *err)
{
	const struct cells_file **files;
	struct comm_curves curves;
	int result;

	TRY(allocate(&files, page->files->count, sizeof *files, err));
	for (uint32_t i = 0; i < page->files->count; i++)
		files[i] = &page->files->items[i].file;
	result = comm_curves_build(&curves, page->planes, files, err);
	free(files);
	TRY(result);
	result = draw_communication(page, &curves, err);
	comm_curves_release(&curves);
	return result;
}

/* --------------------------------------------------------------------- files */

static void item(struct overlap_page *page, const char *name, const char *value)
{
	if (value && *value)
		html_item(&page->html, name, value);
}

static void describe_place(struct overlap_page *page, const struct cells_header *header)
{
	char ranks[512], processors[64];

	html_list(&page->html);
	item(page, "MPI", header->mpi);
	item(page, "transport", header->transport);
	item(page, "thread level", header->thread_level);
	item(page, "processor", header->processor);
	snprintf(processors, sizeof processors, "%u", header->processors);
	item(page, "processors", processors);
	snprintf(ranks, sizeof ranks, "%u, 0 on %.200s, 1 on %.200s", header->ranks,
		 header->hosts[0] ? header->hosts[0] : "",
		 header->hosts[1] ? header->hosts[1] : "");
	item(page, "ranks", ranks);
	item(page, "options", header->options);
	item(page, "start", header->start);
	for (size_t i = 0; i < header->settings.count; i++)
		item(page, header->settings.items[i].name, header->settings.items[i].value);
	html_list_end(&page->html);
}

static int section_files(struct overlap_page *page, struct error *err)
{
	(void)err;
	for (uint32_t i = 0; i < page->files->count; i++) {
		const struct overlap_findings *of = &page->files->items[i];
		char id[32];

		snprintf(id, sizeof id, "file-%" PRIu32, i + 1);
		html_section(&page->html, id, of->file.path);
		if (!of->file.end)
			html_paragraph(&page->html, "The run was killed. It has left these cells.");
		describe_place(page, &of->file.header);
		if (of->library.paper)
			html_note(&page->html, of->library.paper);
		overlap_table_classes(&page->report, of);
		overlap_table_stolen(&page->report, of);
		overlap_table_model(&page->report, of);
		overlap_table_negative(&page->report, of);
		html_section_end(&page->html);
	}
	return 0;
}

static int section_comparisons(struct overlap_page *page, struct error *err)
{
	(void)err;
	if (page->gains->count == 0)
		return 0;
	html_section(&page->html, "comparisons", "Settings side by side");
	for (size_t i = 0; i < page->gains->count; i++)
		overlap_report_gain(&page->report, page->gains, i);
	html_section_end(&page->html);
	return 0;
}

/* Sections in the order of the page. */
static int (*const sections[])(struct overlap_page *page, struct error *err) = {
	section_answer, section_planes, section_communication, section_comparisons, section_files,
};

int planes_page(FILE *stream, const struct overlap_files *files, const struct progress_gains *gains,
		const struct planes *planes, enum heatmap_palette palette, struct error *err)
{
	struct overlap_page page = {
		.html = {.stream = stream},
		.files = files,
		.gains = gains,
		.planes = planes,
		.palette = palette,
	};

	page.report = (struct report){.format = REPORT_PAGE, .page = &page.html};
	html_begin(&page.html, "Overlap of communication and computation");
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		TRY(sections[i](&page, err));
	html_end(&page.html);
	return 0;
}
