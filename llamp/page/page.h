/* Sections of the report (llamp/page/report_html.h), and what they share. */
#ifndef LLAMP_PAGE_H
#define LLAMP_PAGE_H

#include "common/draw/html.h"
#include "common/text.h"
#include "llamp/pictures/pictures.h"
#include "llamp/report/report.h"
#include "llamp/page/report_html.h"

struct page {
	struct html html;
	struct report report; /* which writes tables into the page */
	const struct findings *runs;
	size_t count;
	const struct variable *varied;
};

/* Rows of a table that lists the largest of many things. */
enum { PAGE_MOST_ROWS = 10 };

/* Write one section with its heading.  They only fail for want of memory. */
int page_answer(struct page *page, struct error *err);
int page_runtime(struct page *page, struct error *err);
int page_critical(struct page *page, struct error *err);
int page_path(struct page *page, struct error *err);
int page_communication(struct page *page, struct error *err);
int page_ranks(struct page *page, struct error *err);
int page_parameters(struct page *page, struct error *err);

/* Write the part about slack of the section about the path (page_slack.c). */
void page_slack(struct page *page, const struct findings *run);

/* Write the name of a program as heading, if there are several. */
void page_program(struct page *page, const struct findings *run);

/* ------------------------------------------------------------------- texts */

/* Digits of numbers in sentences. */
enum { PAGE_DIGITS = 4 };

/* Format a time, a value of a variable or of the varied one, a share.  All return `text`. */
const char *page_time(double ns, int digits, char text[static UNIT_TEXT_BYTES]);
const char *page_variable(const struct variable *variable, double value_ns, int digits,
			  char text[static UNIT_TEXT_BYTES]);
const char *page_value(const struct page *page, double value_ns, int digits,
		       char text[static UNIT_TEXT_BYTES]);
const char *page_percent(double share, char text[static UNIT_TEXT_BYTES]);

/* Format the difference from a value in per cent: "+3.2 %", "–" if that value is 0. */
const char *page_difference(double value, double from, char text[static UNIT_TEXT_BYTES]);

/*
 * Name the runtime that the tolerances of a program are relative to: "the traced run, 14.5 ms".
 * Returns `text`.
 */
const char *page_baseline(const struct findings *run, char *text, size_t room);

/* Whether the tolerances of programs are relative to different runtimes. */
bool page_baselines_differ(const struct page *page);

/* ------------------------------------------------------------------ tables */

/* Put the difference from a value in per cent, as page_difference has it. */
void page_put_difference(struct report_row *row, double value, double from);

#endif
