#include "llamp/page/page.h"

/* Sections in the order of the page.  A new one is a row here. */
static int (*const sections[])(struct page *page, struct error *err) = {
	page_answer, page_runtime, page_critical,  page_path,
	page_communication, page_ranks, page_parameters,
};

static void print_title(const struct page *page, struct sentence *title)
{
	if (page->varied->category == CATEGORY_LATENCY)
		sentence_add(title, "Latency tolerance of ");
	else
		sentence_add(title, "Tolerance to %s of ", page->varied->name);
	for (size_t i = 0; i < page->count; i++)
		sentence_add(title, "%s%s",
			     i == 0		  ? ""
			     : i + 1 < page->count ? ", "
						   : " and ",
			     page->runs[i].label);
}

int report_html(FILE *stream, const struct findings *runs, size_t count, struct error *err)
{
	struct page page = {
		.html = {.stream = stream},
		.report = {.format = REPORT_PAGE, .page = &page.html},
		.runs = runs,
		.count = count,
		.varied = &runs[0].curve.varied,
	};
	struct sentence title = {.length = 0};

	print_title(&page, &title);
	html_begin(&page.html, title.text);
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		TRY(sections[i](&page, err));
	html_end(&page.html);
	return 0;
}
