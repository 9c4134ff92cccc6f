/*
 * Pages as HTML: one file that needs no other file and no network.
 *
 *	struct html page = {.stream = stream};
 *	struct svg svg;
 *
 *	html_begin(&page, "Latency tolerance of lulesh");
 *	html_section(&page, "answer", "Answer");
 *	html_paragraph(&page, "It tolerates 12 µs more.");
 *	html_figure(&page, "T over L");
 *	while (html_picture(&page, &svg))
 *		TRY(picture_curve(&svg, &curve, err));
 *	html_figure_end(&page);
 *	html_section_end(&page);
 *	html_end(&page);
 *
 * A page is good to read on a phone, on a wide screen, printed, in light and in dark, without its
 * script, too, which shows the values of a chart under the pointer (common/draw/html_script.h).
 * All texts are escaped, and long words break where names do: after "::", '<', ',', '_' and '/'.
 * An underscore after a Greek letter begins a subscript: "λ_L" is λ with the index L. The writer
 * allocates no memory.  The owner of the stream checks it for errors.
 */
#ifndef COMMON_DRAW_HTML_H
#define COMMON_DRAW_HTML_H

#include "common/draw/svg.h"

struct html {
	FILE *stream;
	const char *style;	/* more rules of the style sheet, or NULL */
	const char *script;	/* more of the script, after that of all pages, or NULL */
	unsigned picture_count; /* used for ids of pictures */
	int size;		/* of the picture that html_picture gave last */
	bool beside;		/* within html_beside */
	int column;		/* of the table's row */
};

void html_begin(struct html *page, const char *title);
void html_end(struct html *page);

/* `id` is the target of links (#id): letters, digits and dashes. */
void html_section(struct html *page, const char *id, const char *heading);
void html_section_end(struct html *page);
void html_subheading(struct html *page, const char *heading);

void html_paragraph(struct html *page, const char *text);
/* A paragraph in large letters: the answer. */
void html_answer(struct html *page, const char *text);
/* A paragraph in small letters: where numbers come from, what is missing. */
void html_note(struct html *page, const char *text);

/*
 * Begin a figure with a caption.  Each call of html_picture prepares *svg for one more size of the
 * same picture, and returns false when there are enough: a wide one for screens and paper, a narrow
 * one for phones, of which the reader's browser shows one.
 */
void html_figure(struct html *page, const char *caption);
bool html_picture(struct html *page, struct svg *svg);
void html_figure_end(struct html *page);

/*
 * Put the figures between these beside each other, two in a row, and below each other on phones.  Each has one
 * picture, a narrow one.
 */
void html_beside(struct html *page);
void html_beside_end(struct html *page);

/*
 * Tables.  The caption says what the numbers are; it is "" where a heading does.  Each row has
 * as many cells as there are `columns`.  The first cell of a row is its heading.  A heading that
 * begins with '>' is of a column of numbers, aligned to the right, and is shown without it.  Wide
 * tables scroll by themselves, never the page.
 */
void html_table(struct html *page, const char *caption, const char *const *columns,
		int column_count);
void html_row(struct html *page);
void html_cell(struct html *page, const char *text);
void html_number(struct html *page, const char *text);
void html_row_end(struct html *page);
void html_table_end(struct html *page);

/*
 * What a reader opens by its summary: numbers of a figure above it.  It is open in print.
 */
void html_details(struct html *page, const char *summary);
void html_details_end(struct html *page);

/* A list of names and values: parameters, how a graph was made. */
void html_list(struct html *page);
void html_item(struct html *page, const char *name, const char *value);
void html_list_end(struct html *page);

#endif
