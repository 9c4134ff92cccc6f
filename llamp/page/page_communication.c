/* Section of the page: messages between ranks. */
#include "llamp/page/page.h"

#include <string.h>

static bool has_more(const struct communication_pair *a, const struct communication_pair *b)
{
	return a->bytes != b->bytes ? a->bytes > b->bytes : a->messages > b->messages;
}

/* Find the pairs with most bytes, in descending order.  Returns their number. */
static size_t find_largest(const struct communication *communication,
			   const struct communication_pair *largest[PAGE_MOST_ROWS])
{
	size_t count = 0;

	for (size_t i = 0; i < communication->pairs.count; i++) {
		const struct communication_pair *pair = &communication->pairs.items[i];
		size_t at = count;

		while (at > 0 && has_more(pair, largest[at - 1]))
			at--;
		if (at == PAGE_MOST_ROWS)
			continue;
		if (count < PAGE_MOST_ROWS)
			count++;
		memmove(largest + at + 1, largest + at, (count - at - 1) * sizeof *largest);
		largest[at] = pair;
	}
	return count;
}

static void write_pairs(struct page *page, const struct communication *communication)
{
	static const char *const columns[] = {"ranks", ">messages", ">bytes", ">share of bytes"};
	const struct communication_pair *largest[PAGE_MOST_ROWS];
	const size_t count = find_largest(communication, largest);

	html_table(&page->html, "Pairs of ranks with most bytes", columns, 4);
	for (size_t i = 0; i < count; i++) {
		char name[64], bytes[UNIT_TEXT_BYTES];

		snprintf(name, sizeof name, "%u → %u", largest[i]->source, largest[i]->destination);
		html_row(&page->html);
		html_cell(&page->html, name);
		page_count_cell(page, largest[i]->messages);
		html_number(&page->html, format_bytes((double)largest[i]->bytes, bytes));
		page_share_cell(page, communication->bytes ? (double)largest[i]->bytes /
								     (double)communication->bytes
							   : 0);
		html_row_end(&page->html);
	}
	html_table_end(&page->html);
	page_more(page, communication->pairs.count, PAGE_MOST_ROWS, "pairs");
}

static int write_matrix(struct page *page, const struct communication *communication,
			enum picture_matrix quantity, const char *caption, struct error *err)
{
	struct svg svg;

	html_figure(&page->html, caption);
	while (html_picture(&page->html, &svg))
		TRY(picture_communication(&svg, communication, quantity, err));
	html_figure_end(&page->html);
	return 0;
}

static int write_communication(struct page *page, const struct findings *run, struct error *err)
{
	const struct communication *communication = &run->communication;
	struct sentence text = {.length = 0};
	char bytes[UNIT_TEXT_BYTES];

	page_program(page, run);
	if (!communication->messages) {
		html_paragraph(&page->html, "The ranks send no messages.");
		return 0;
	}
	sentence_add(&text, "%llu message%s with %s together, between %zu pair%s of ranks.",
		     (unsigned long long)communication->messages, plural(communication->messages),
		     format_bytes((double)communication->bytes, bytes), communication->pairs.count,
		     plural(communication->pairs.count));
	html_paragraph(&page->html, text.text);
	TRY(write_matrix(page, communication, PICTURE_BYTES, "Bytes from rank to rank", err));
	TRY(write_matrix(page, communication, PICTURE_MESSAGES, "Messages from rank to rank", err));
	html_details(&page->html, "The numbers");
	write_pairs(page, communication);
	html_details_end(&page->html);
	return 0;
}

int page_communication(struct page *page, struct error *err)
{
	html_section(&page->html, "communication", "Communication");
	for (size_t i = 0; i < page->count; i++)
		TRY(write_communication(page, &page->runs[i], err));
	html_section_end(&page->html);
	return 0;
}
