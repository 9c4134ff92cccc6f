#include "common/progress.h"
#include "common/units.h"
#include "critpath/view/view_culprit.h"
#include "critpath/view/view_page_data.h"
#include "critpath/view/view_tiles.h"
#include "trace/call/trace_hosts.h"

#include <inttypes.h>

enum { MOST_ROWS = 20 };

/* ------------------------------------------------------------------- tables */

static void number_cell(struct html *html, uint64_t value)
{
	char text[RUN_TEXT_BYTES];

	snprintf(text, sizeof text, "%" PRIu64, value);
	html_number(html, text);
}

static void time_cell(struct html *html, uint64_t ns)
{
	char text[RUN_TEXT_BYTES];

	html_number(html, format_time((double)ns, 4, text));
}

static void share_cell(struct html *html, uint64_t part, uint64_t whole)
{
	char text[RUN_TEXT_BYTES];

	html_number(html, run_report_share(part, whole, text));
}

static int compare_ranks(const void *a, const void *b)
{
	const struct rank_total *x = *(const struct rank_total *const *)a;
	const struct rank_total *y = *(const struct rank_total *const *)b;
	const uint64_t on_x = x->path_compute_ns + x->path_mpi_ns;
	const uint64_t on_y = y->path_compute_ns + y->path_mpi_ns;

	if (on_x != on_y)
		return on_x > on_y ? -1 : 1;
	return (x > y) - (x < y);
}

static void write_rank_rows(struct html *html, const struct findings *findings,
			    const struct rank_total *const *ranks, uint32_t count)
{
	const struct totals *totals = findings->totals;

	for (uint32_t i = 0; i < count && i < MOST_ROWS; i++) {
		const struct rank_total *rank = ranks[i];

		html_row(html);
		number_cell(html, (uint64_t)(rank - totals->ranks));
		time_cell(html, rank->path_compute_ns + rank->path_mpi_ns);
		share_cell(html, rank->path_compute_ns + rank->path_mpi_ns,
			   findings->walk->length_ns);
		time_cell(html, rank->compute_ns);
		time_cell(html, rank->mpi_ns);
		time_cell(html, rank->wait_ns);
		html_row_end(html);
	}
}

static int write_ranks(struct view_page *page, struct error *err)
{
	static const char *const columns[] = {">rank",	      ">on the path", ">share of T",
					      ">outside MPI", ">in MPI",      ">of which it waits"};
	const struct findings *findings = page->findings;
	const uint32_t count = findings->run->rank_count;
	const struct rank_total **ranks;

	TRY(allocate(&ranks, count, sizeof *ranks, err));
	for (uint32_t i = 0; i < count; i++)
		ranks[i] = &findings->totals->ranks[i];
	qsort(ranks, count, sizeof *ranks, compare_ranks);
	html_table(&page->html,
		   count > MOST_ROWS ? "The 20 ranks with the most time on the critical path"
				     : "Ranks by their time on the critical path",
		   columns, sizeof columns / sizeof *columns);
	write_rank_rows(&page->html, findings, ranks, count);
	html_table_end(&page->html);
	free(ranks);
	return 0;
}

static void write_functions(struct view_page *page)
{
	static const char *const columns[] = {"function",	    ">on the path",
					      ">share of T",	    ">calls",
					      ">time of all ranks", ">of which they wait"};
	const struct findings *findings = page->findings;
	const struct totals *totals = findings->totals;
	struct html *html = &page->html;

	html_table(html,
		   totals->functions.count > MOST_ROWS
			   ? "The 20 functions with the most time on the critical path"
			   : "Functions by their time on the critical path",
		   columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < totals->functions.count && i < MOST_ROWS; i++) {
		const struct function_total *function = &totals->functions.items[i];

		html_row(html);
		html_cell(html, measured_function(&findings->run->names, function->function));
		time_cell(html, function->path_ns);
		share_cell(html, function->path_ns, findings->walk->length_ns);
		number_cell(html, function->calls);
		time_cell(html, function->ns);
		time_cell(html, function->wait_ns);
		html_row_end(html);
	}
	html_table_end(html);
}

/* Begin with the rank and the calls that others waited for most. */
static int write_culprit(struct view_page *page, struct error *err)
{
	const struct findings *findings = page->findings;
	const struct measured_names *names = &findings->run->names;
	const uint64_t run_ns = findings->totals->sum.compute_ns + findings->totals->sum.mpi_ns;
	char text[1024], wait[RUN_TEXT_BYTES], share[RUN_TEXT_BYTES], caused[RUN_TEXT_BYTES];
	char called[RUN_TEXT_BYTES];
	struct view_culprit found;

	TRY(view_culprit_find(&found, findings->waits, err));
	if (!found.wait_ns) {
		html_answer(&page->html, "No call waited for another rank.");
		return 0;
	}
	snprintf(text, sizeof text,
		 "Others waited most for rank %u: %s of all waiting. %s of that was in %.100s, until rank"
		 " %u came to %.100s. All waiting is %s, %s of the time of all ranks.",
		 found.rank, run_report_share(found.caused_ns, found.wait_ns, caused),
		 run_report_share(found.function_ns, found.caused_ns, called),
		 measured_function(names, found.waiting), found.rank,
		 measured_function(names, found.function),
		 format_time((double)found.wait_ns, 4, wait),
		 run_report_share(found.wait_ns, run_ns, share));
	html_answer(&page->html, text);
	return 0;
}

static void write_path_shares(struct view_page *page)
{
	const struct walk *walk = page->findings->walk;
	char text[512], whole[RUN_TEXT_BYTES], compute[RUN_TEXT_BYTES], calls[RUN_TEXT_BYTES];

	snprintf(text, sizeof text,
		 "The run took %s. On its critical path, %s is outside of MPI and %s in MPI calls."
		 " The path passes from rank to rank %" PRIu64 " time%s.",
		 format_time((double)walk->length_ns, 4, whole),
		 run_report_share(walk->category_ns[WALK_COMPUTE], walk->length_ns, compute),
		 run_report_share(walk->category_ns[WALK_CALL], walk->length_ns, calls),
		 walk->hand_overs, plural(walk->hand_overs));
	html_note(&page->html, text);
}

/* Say first that ranks had to share cores. */
static void write_crowded(struct view_page *page)
{
	char crowded[TRACE_HOSTS_TEXT_BYTES], text[TRACE_HOSTS_TEXT_BYTES + 64];

	if (!trace_hosts_say(page->findings->run->world, crowded))
		return;
	snprintf(text, sizeof text, "Traced on %s, whose times include waiting for a core.", crowded);
	html_note(&page->html, text);
}

static void write_quality(struct view_page *page)
{
	const struct measured_run *run = page->findings->run;
	const uint64_t lone = run->unmatched_sends + run->unmatched_recvs;
	char text[256];

	if (lone) {
		snprintf(text, sizeof text,
			 "%" PRIu64
			 " send%s or receive%s without a partner in the trace cause%s no wait.",
			 lone, plural(lone), plural(lone), lone == 1 ? "s" : "");
		html_note(&page->html, text);
	}
	if (run->lacking) {
		snprintf(text, sizeof text,
			 "%" PRIu64 " collective%s without all participants: who waited there for"
			 " whom is not known.",
			 run->lacking, run->lacking == 1 ? " is" : "s are");
		html_note(&page->html, text);
	}
	if (run->violations.count) {
		snprintf(text, sizeof text,
			 "%" PRIu64 " message%s: the clocks of the ranks differ.",
			 run->violations.count,
			 run->violations.count == 1 ? " arrives before it is sent"
						    : "s arrive before they are sent");
		html_note(&page->html, text);
	}
	if (run->left_out.unfinished_calls) {
		snprintf(text, sizeof text, "%" PRIu64 " call%s never left: not shown.",
			 (uint64_t)run->left_out.unfinished_calls,
			 run->left_out.unfinished_calls == 1 ? " was" : "s were");
		html_note(&page->html, text);
	}
}

static void write_part(struct view_page *page)
{
	const struct measured_run *run = page->findings->run;
	char text[256], from[RUN_TEXT_BYTES], to[RUN_TEXT_BYTES];

	if (!view_part_limits(page->part, run))
		return;
	snprintf(text, sizeof text,
		 "The picture shows %" PRIu64
		 " call%s, from %s to %s%s. The tables are of the whole run.",
		 page->calls, plural(page->calls),
		 format_time((double)view_part_from_ns(page->part, run), 7, from),
		 format_time((double)view_part_to_ns(page->part, run), 7, to),
		 page->part->ranks.count ? ", of some of the ranks" : "");
	html_note(&page->html, text);
}

/* --------------------------------------------------------------------- page */

static int write_page(struct view_page *page, const char *title, struct error *err)
{
	struct html *html = &page->html;

	html->style = view_page_style;
	html_begin(html, title);
	write_crowded(page);
	TRY(write_culprit(page, err));
	write_path_shares(page);
	write_quality(page);
	write_part(page);
	fputs("<noscript><p>Scripts are off, so the picture of the run is not shown, but its"
	      " tables are.</p></noscript>\n<section id=\"view\" hidden></section>\n",
	      html->stream);
	html_section(html, "path-summary", "On the critical path");
	TRY(write_ranks(page, err));
	write_functions(page);
	html_section_end(html);
	TRY(view_page_write_data(page, err));
	fprintf(html->stream, "<script>\n{\n%s%s%s%s%s}\n</script>\n", view_data_script,
		view_draw_script, view_tell_script, view_window_script, view_page_script);
	html_end(html);
	return 0;
}

int view_page_write(FILE *stream, const struct findings *findings, const struct run_part *part,
		    struct error *err)
{
	struct view_page page = {.html = {.stream = stream},
				 .findings = findings,
				 .part = part,
				 .calls = view_part_calls(part, findings->run)};
	const char *name = findings->path;
	char title[512];
	int result;

	TRY(view_rows_init(&page.rows, findings->run, part, err));
	if (page.calls > VIEW_MOST_CALLS)
		page.tiles = view_tile_count(page.rows.first[findings->run->rank_count]);
	snprintf(title, sizeof title, "Measured run of %s", name);
	progress_phase("writing the page");
	result = write_page(&page, title, err);
	view_rows_release(&page.rows);
	return result;
}
