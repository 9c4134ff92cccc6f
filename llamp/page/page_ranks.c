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

static void value_cells(struct page *page, const struct rank_value *value)
{
	page_time_cell(page, value->ns);
	page_count_cell(page, value->rank);
}

static void write_quantity(struct page *page, const char *name, struct rank_value *values,
			   size_t count)
{
	qsort(values, count, sizeof *values, values_ascending);
	html_row(&page->html);
	html_cell(&page->html, name);
	value_cells(page, &values[0]);
	page_time_cell(page, (values[(count - 1) / 2].ns + values[count / 2].ns) / 2);
	value_cells(page, &values[count - 1]);
	html_row_end(&page->html);
}

static int write_totals(struct page *page, const struct rank_totals *totals, struct error *err)
{
	static const char *const columns[] = {"quantity", ">least", ">on rank", ">median", ">most",
					      ">on rank"};
	const size_t count = totals->ranks.count;
	struct rank_value *values;

	TRY(allocate(&values, count, sizeof *values, err));
	html_table(&page->html, "End and computation of the ranks", columns, 6);
	for (size_t i = 0; i < count; i++)
		values[i] = (struct rank_value){totals->ranks.items[i].end_ns, (uint32_t)i};
	write_quantity(page, "end", values, count);
	for (size_t i = 0; i < count; i++)
		values[i] = (struct rank_value){totals->ranks.items[i].compute_ns, (uint32_t)i};
	write_quantity(page, "computation", values, count);
	html_table_end(&page->html);
	free(values);
	return 0;
}

static int write_ranks(struct page *page, const struct rank_totals *totals, struct error *err)
{
	struct svg svg;

	html_figure(&page->html, NULL);
	while (html_picture(&page->html, &svg))
		TRY(picture_ranks(&svg, totals, err));
	html_figure_end(&page->html);
	return write_totals(page, totals, err);
}

int page_ranks(struct page *page, struct error *err)
{
	html_section(&page->html, "ranks", "Ranks");
	for (size_t i = 0; i < page->count; i++) {
		page_program(page, &page->runs[i]);
		TRY(write_ranks(page, &page->runs[i].ranks, err));
	}
	html_section_end(&page->html);
	return 0;
}
