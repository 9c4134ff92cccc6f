#include "critpath/view/view_page_data.h"

#include "critpath/view/view_below.h"
#include "critpath/view/view_tiles.h"

#include <inttypes.h>

static void write_names(struct json *json, const struct findings *findings)
{
	char name[MEASURED_COMM_BYTES];

	json_begin(json, "functions", '{', JSON_INLINE);
	for (size_t i = 0; i < findings->totals->functions.count; i++) {
		const uint32_t function = findings->totals->functions.items[i].function;
		char number[16];

		snprintf(number, sizeof number, "%u", function);
		json_text(json, number, measured_function(&findings->run->names, function));
	}
	json_end(json);
	json_begin(json, "communicators", '[', JSON_INLINE);
	for (uint32_t i = 0; i < findings->run->world->comm_count; i++)
		json_text(json, NULL, measured_comm_name(findings->run, i, name));
	json_end(json);
	json_begin(json, "waits", '[', JSON_INLINE);
	for (int i = 0; i < WAIT_KINDS; i++)
		json_text(json, NULL, wait_kind_name((enum wait_kind)i));
	json_end(json);
	json_begin(json, "categories", '[', JSON_INLINE);
	for (int i = 0; i < WALK_CATEGORIES; i++)
		json_text(json, NULL, walk_category_names[i]);
	json_end(json);
}

/* Write the names of the call sites, by their numbers. */
static void write_sites(struct json *json, const struct measured_run *run)
{
	if (!run->site_count)
		return;
	json_begin(json, "sites", '{', JSON_INLINE);
	for (uint32_t site = 1; site < run->site_count; site++) {
		char number[16];

		snprintf(number, sizeof number, "%u", site);
		json_text(json, number, call_site_short(run->site_names[site]));
	}
	json_end(json);
}

/* Write the names of the functions below MPI, and their kinds. */
static void write_below(struct json *json)
{
	static const char *const kinds[] = {[BELOW_POST] = "post", [BELOW_POLL] = "poll"};

	json_begin(json, "below", '[', JSON_INLINE);
	for (unsigned i = 0; i < BELOW_FUNCTION_COUNT; i++)
		json_text(json, NULL, below_functions[i].name);
	json_end(json);
	json_begin(json, "below_kinds", '[', JSON_INLINE);
	for (unsigned i = 0; i < BELOW_FUNCTION_COUNT; i++)
		json_text(json, NULL, i == BELOW_EMPTY_POLLS ? "nothing"
				      : below_functions[i].kind > BELOW_POLL
					      ? "other"
					      : kinds[below_functions[i].kind]);
	json_end(json);
}

static void write_run(FILE *stream, const struct view_page *page)
{
	const struct measured_run *run = page->findings->run;
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	json_text(&json, "schema", "critpath-view-1");
	json_text(&json, "file", page->findings->path);
	json_integer(&json, "runtime_ns", page->findings->walk->length_ns);
	json_integer(&json, "calls", page->calls);
	json_boolean(&json, "part", view_part_limits(page->part, run));
	json_integer(&json, "from_ns", view_part_from_ns(page->part, run));
	json_integer(&json, "to_ns", view_part_to_ns(page->part, run));
	json_integer(&json, "tiles", page->tiles);
	json_integer(&json, "least_segment_ns", page->least_ns);
	json_begin(&json, "threads", '[', JSON_INLINE);
	for (uint32_t i = 0; i < run->rank_count; i++)
		json_integer(&json, NULL, page->rows.first[i + 1] - page->rows.first[i]);
	json_end(&json);
	write_names(&json, page->findings);
	write_sites(&json, run);
	if (view_page_has_below(page))
		write_below(&json);
	json_end(&json);
}

/* JSON in a script ends at "</script>", so write '<' as an escape; it occurs in strings only. */
static int write_json(struct view_page *page, struct error *err)
{
	char *text = NULL;
	size_t bytes;
	FILE *memory = open_memstream(&text, &bytes);

	if (!memory)
		return error_set(err, STATUS_SYSTEM, "not enough memory for the page");
	write_run(memory, page);
	if (fclose(memory) != 0) {
		free(text);
		return error_set(err, STATUS_SYSTEM, "not enough memory for the page");
	}
	fputs("<script type=\"application/json\" id=\"run\">", page->html.stream);
	for (size_t i = 0; i < bytes; i++)
		if (text[i] == '<')
			fputs("\\u003c", page->html.stream);
		else
			putc(text[i], page->html.stream);
	fputs("</script>\n", page->html.stream);
	free(text);
	return 0;
}

static struct pack begin_data(struct view_page *page, const char *id)
{
	fprintf(page->html.stream, "<script type=\"text/plain\" id=\"%s\">", id);
	return (struct pack){.stream = page->html.stream};
}

static void end_data(struct view_page *page, struct pack *pack)
{
	pack_end(pack);
	fputs("</script>\n", page->html.stream);
}

static int compare_lengths(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Find the length from which on there are at most VIEW_MOST_SEGMENTS segments. */
static int limit_segments(struct view_page *page, struct error *err)
{
	const struct walk *walk = page->findings->walk;
	uint64_t *lengths;
	size_t count = 0;

	if (!page->tiles || walk->segments.count <= VIEW_MOST_SEGMENTS)
		return 0;
	TRY(allocate(&lengths, walk->segments.count, sizeof *lengths, err));
	for (size_t i = 0; i < walk->segments.count; i++) {
		const struct walk_segment *segment = &walk->segments.items[i];

		if (view_part_has_segment(page->part, segment))
			lengths[count++] = segment->end_ns - segment->start_ns;
	}
	qsort(lengths, count, sizeof *lengths, compare_lengths);
	if (count > VIEW_MOST_SEGMENTS)
		page->least_ns = lengths[VIEW_MOST_SEGMENTS] + 1;
	free(lengths);
	return 0;
}

int view_page_write_data(struct view_page *page, struct error *err)
{
	const struct findings *findings = page->findings;
	struct pack pack;

	TRY(limit_segments(page, err));
	TRY(write_json(page, err));
	pack = begin_data(page, "path");
	view_pack_path(&pack, findings->walk, findings->run, page->part, &page->rows,
		       page->least_ns);
	end_data(page, &pack);
	if (page->tiles) {
		pack = begin_data(page, "tiles");
		TRY(view_pack_tiles(&pack, findings->waits, page->part, page->tiles, err));
		end_data(page, &pack);
		return 0;
	}
	pack = begin_data(page, "collectives");
	view_pack_collectives(&pack, findings->run);
	end_data(page, &pack);
	pack = begin_data(page, "calls");
	TRY(view_pack_calls(&pack, findings->waits, page->part, err));
	end_data(page, &pack);
	if (findings->run->site_count) {
		pack = begin_data(page, "sites");
		view_pack_sites(&pack, findings->run, page->part);
		end_data(page, &pack);
	}
	if (!view_page_has_below(page))
		return 0;
	pack = begin_data(page, "below");
	view_pack_arrows(&pack, findings->run, page->part, &page->rows);
	TRY(view_pack_below(&pack, findings->run, page->part, err));
	end_data(page, &pack);
	return 0;
}
