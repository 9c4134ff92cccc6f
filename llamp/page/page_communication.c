/* Section of the page: messages between ranks. */
#include "llamp/page/page.h"

/* Order pairs by bytes, then messages. */
static report_weight pair_weight(const void *data, size_t number)
{
	const struct communication_pair *pair =
		&((const struct communication *)data)->pairs.items[number];

	return (report_weight)pair->bytes << 64 | pair->messages;
}

static void volume_row(struct report_row *row, const void *data, size_t number)
{
	const struct communication *communication = data;
	const struct communication_pair *pair = &communication->pairs.items[number];
	char ranks[32];

	snprintf(ranks, sizeof ranks, "%u to %u", pair->source, pair->destination);
	put_name(row, ranks);
	put_count(row, pair->messages);
	put_count(row, pair->bytes);
	put_share(row, pair->bytes, communication->bytes);
}

static void write_pairs(struct page *page, const struct communication *communication)
{
	static const struct report_field fields[] = {
		{NULL, "ranks", .kind = VALUE_NAME}, {NULL, "messages", .kind = VALUE_COUNT},
		{NULL, "bytes", .kind = VALUE_BYTES}, {NULL, "share of bytes", .kind = VALUE_SHARE}, {0},
	};

	report_table(&page->report, &(struct report_table){
		.caption = "Pairs of ranks with most bytes", .fields = fields, .row = volume_row,
		.data = communication, .count = communication->pairs.count,
		.most = PAGE_MOST_ROWS, .weight = pair_weight, .counts_rest = true});
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
