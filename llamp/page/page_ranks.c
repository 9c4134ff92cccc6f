/* Section of the page: ranks and what they do. */
#include "llamp/page/page.h"

/* Values of one quantity of all ranks, in ascending order. */
struct rank_value {
	double ns;
	uint32_t rank;
};

static int values_ascending(const void *a, const void *b)
{
	const struct rank_value *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Values of the end of all ranks, then of their computation. */
struct rank_values {
	struct rank_value *items;
	size_t count;	/* of each */
};

static void quantity_row(struct report_row *row, const void *data, size_t number)
{
	const struct rank_values *all = data;
	const struct rank_value *values = all->items + number * all->count;

	put_name(row, number ? "computation" : "end");
	put_number(row, values->ns);
	put_count(row, values->rank);
	put_number(row, (values[(all->count - 1) / 2].ns + values[all->count / 2].ns) / 2);
	put_number(row, values[all->count - 1].ns);
	put_count(row, values[all->count - 1].rank);
}

static int write_totals(struct page *page, const struct rank_totals *totals, struct error *err)
{
	static const struct report_field fields[] = {
		{NULL, "quantity", .kind = VALUE_NAME}, {NULL, "least", .kind = VALUE_NS},
		{NULL, "on rank", .kind = VALUE_COUNT}, {NULL, "median", .kind = VALUE_NS},
		{NULL, "most", .kind = VALUE_NS}, {NULL, "on rank", .kind = VALUE_COUNT}, {0},
	};
	const size_t count = totals->ranks.count;
	struct rank_values values = {.count = count};

	TRY(allocate(&values.items, 2 * count, sizeof *values.items, err));
	for (uint32_t i = 0; i < count; i++) {
		values.items[i] = (struct rank_value){totals->ranks.items[i].end_ns, i};
		values.items[count + i] = (struct rank_value){totals->ranks.items[i].compute_ns, i};
	}
	for (size_t i = 0; i < 2; i++)
		qsort(values.items + i * count, count, sizeof *values.items, values_ascending);
	report_table(&page->report, &(struct report_table){
		.caption = "End and computation of the ranks", .fields = fields,
		.row = quantity_row, .data = &values, .count = 2});
	free(values.items);
	return 0;
}

int page_ranks(struct page *page, struct error *err)
{
	html_section(&page->html, "ranks", "Ranks");
	for (size_t i = 0; i < page->count; i++) {
		struct svg svg;

		page_program(page, &page->runs[i]);
		html_figure(&page->html, NULL);
		while (html_picture(&page->html, &svg))
			TRY(picture_ranks(&svg, &page->runs[i].ranks, err));
		html_figure_end(&page->html);
		TRY(write_totals(page, &page->runs[i].ranks, err));
	}
	html_section_end(&page->html);
	return 0;
}
