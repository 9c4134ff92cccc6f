#include "common/draw/axis.h"
#include "common/progress.h"
#include "critpath/report/run_report_below.h"
#include "critpath/report/run_report_causes.h"
#include "critpath/view/view_page_data.h"
#include "critpath/view/view_ranks.h"
#include "critpath/view/view_tiles.h"
#include "trace/call/trace_hosts.h"

#include <inttypes.h>

/* ------------------------------------------------------------------- tables */

static const struct report_field page_rank_fields[] = {
	{NULL, "rank", .kind = VALUE_COUNT},
	{NULL, "on the path", .kind = VALUE_TIME},
	{NULL, "share of T", .kind = VALUE_SHARE},
	{NULL, "outside MPI", .kind = VALUE_TIME},
	{NULL, "in MPI", .kind = VALUE_TIME},
	{NULL, "of which it waits", .kind = VALUE_TIME},
	{0},
};

static uint64_t rank_path_ns(const struct findings *findings, size_t rank)
{
	const struct rank_total *total = &findings->totals->ranks[rank];

	return total->path_compute_ns + total->path_mpi_ns;
}

/* Order ranks by their time on the path; those without any are shown, too. */
static report_weight page_rank_weight(const void *data, size_t number)
{
	return rank_path_ns(data, number) + 1;
}

static void page_rank_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct rank_total *rank = &findings->totals->ranks[number];

	put_count(row, number);
	put_count(row, rank_path_ns(findings, number));
	put_share(row, rank_path_ns(findings, number), findings->walk->length_ns);
	put_count(row, rank->compute_ns);
	put_count(row, rank->mpi_ns);
	put_count(row, rank->wait_ns);
}

static const struct report_field page_function_fields[] = {
	{NULL, "function", .kind = VALUE_NAME},
	{NULL, "on the path", .kind = VALUE_TIME},
	{NULL, "share of T", .kind = VALUE_SHARE},
	{NULL, "calls", .kind = VALUE_COUNT},
	{NULL, "time of all ranks", .kind = VALUE_TIME},
	{NULL, "of which they wait", .kind = VALUE_TIME},
	{0},
};

static void page_function_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct function_total *function = &findings->totals->functions.items[number];

	put_name(row, measured_function(&findings->run->names, function->function));
	put_count(row, function->path_ns);
	put_share(row, function->path_ns, findings->walk->length_ns);
	put_count(row, function->calls);
	put_count(row, function->ns);
	put_count(row, function->wait_ns);
}

static void write_tables(struct view_page *page)
{
	const struct findings *findings = page->findings;
	struct report report = {.format = REPORT_PAGE, .page = &page->html};
	const size_t ranks = findings->run->rank_count;
	const size_t functions = findings->totals->functions.count;

	report_table(
		&report,
		&(struct report_table){
			.title = ranks > REPORT_MOST_ROWS
					 ? "The 20 ranks with the most time on the critical path"
					 : "Ranks by their time on the critical path",
			.fields = page_rank_fields,
			.row = page_rank_row,
			.data = findings,
			.count = ranks,
			.most = REPORT_MOST_ROWS,
			.weight = page_rank_weight});
	report_table(
		&report,
		&(struct report_table){
			.title =
				functions > REPORT_MOST_ROWS
					? "The 20 functions with the most time on the critical path"
					: "Functions by their time on the critical path",
			.fields = page_function_fields,
			.row = page_function_row,
			.data = findings,
			.count = functions,
			.most = REPORT_MOST_ROWS});
}

/* Begin with what caused most of the waiting. */
static void write_culprit(struct view_page *page, const struct wait_causes *causes)
{
	const struct findings *findings = page->findings;
	const uint64_t run_ns = findings->totals->sum.compute_ns + findings->totals->sum.mpi_ns;
	char culprit[RUN_CULPRIT_BYTES], text[RUN_CULPRIT_BYTES + 256];
	char wait[RUN_TEXT_BYTES], share[RUN_TEXT_BYTES], ends[RUN_TEXT_BYTES];

	html_answer(&page->html, run_report_culprit(findings->run, causes, culprit));
	if (!causes->calls.ns && !causes->ends.ns)
		return;
	snprintf(text, sizeof text, "Calls waited for %s, %s of the time of all ranks%s%s.",
		 axis_value(QUANTITY_TIME, (double)causes->calls.ns, 4, wait),
		 run_report_share(causes->calls.ns, run_ns, share),
		 causes->ends.ns ? ", and ranks that had ended for " : "",
		 causes->ends.ns ? axis_value(QUANTITY_TIME, (double)causes->ends.ns, 4, ends)
				 : "");
	html_note(&page->html, text);
}

/* List what caused the waiting. */
static void write_causes(struct view_page *page, const struct wait_causes *causes)
{
	static const struct wait_causes_options by_cause = {0};
	const struct cause_findings found = {causes, &by_cause, REPORT_MOST_ROWS};
	struct report report = {.format = REPORT_PAGE, .page = &page->html};

	if (!causes->calls.ns && !causes->ends.ns)
		return;
	html_section(&page->html, "causes", "What caused the waiting");
	run_report_cause_rows(&report, page->findings, &found);
	html_section_end(&page->html);
}

static void write_path_shares(struct view_page *page)
{
	const struct walk *walk = page->findings->walk;
	char text[512], whole[RUN_TEXT_BYTES], compute[RUN_TEXT_BYTES], calls[RUN_TEXT_BYTES];

	snprintf(text, sizeof text,
		 "The run took %s. On its critical path, %s is outside of MPI and %s in MPI calls."
		 " The path passes from rank to rank %" PRIu64 " time%s.",
		 axis_value(QUANTITY_TIME, (double)walk->length_ns, 4, whole),
		 run_report_share(walk->category_ns[WALK_COMPUTE], walk->length_ns, compute),
		 run_report_share(walk->category_ns[WALK_CALL], walk->length_ns, calls),
		 walk->rank_switches, plural(walk->rank_switches));
	html_note(&page->html, text);
}

/* Say first that ranks had to share cores. */
static void write_crowded(struct view_page *page)
{
	char crowded[TRACE_HOSTS_TEXT_BYTES], text[TRACE_HOSTS_TEXT_BYTES + 16];

	if (!trace_hosts_say_times(page->findings->run->world, crowded))
		return;
	snprintf(text, sizeof text, "Traced on %s.", crowded);
	html_note(&page->html, text);
}

static void write_quality(struct view_page *page)
{
	const struct measured_run *run = page->findings->run;
	const uint64_t unmatched = run->unmatched_sends + run->unmatched_recvs;
	char text[256];

	if (unmatched) {
		snprintf(text, sizeof text,
			 "%" PRIu64
			 " send%s or receive%s without a partner in the trace cause%s no wait.",
			 unmatched, plural(unmatched), plural(unmatched),
			 unmatched == 1 ? "s" : "");
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

/* Say in which calls messages made progress. */
static int write_finders(struct view_page *page, struct error *err)
{
	const struct measured_run *run = page->findings->run;
	struct below_totals totals;
	char text[BELOW_TEXT_BYTES], line[BELOW_TEXT_BYTES + 32];
	int result;

	if (!run->world->has_below)
		return 0;
	result = below_totals_find(&totals, run, err);
	if (result == 0) {
		snprintf(line, sizeof line, "Polls below MPI: %s.",
			 run_report_finders(run, &totals, text));
		html_note(&page->html, line);
	}
	below_totals_release(&totals);
	return result;
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
		 axis_value(QUANTITY_TIME, (double)view_part_from_ns(page->part, run), 7, from),
		 axis_value(QUANTITY_TIME, (double)view_part_to_ns(page->part, run), 7, to),
		 page->part->ranks.count ? ", of some of the ranks" : "");
	html_note(&page->html, text);
}

/* --------------------------------------------------------------------- page */

static int write_page(struct view_page *page, const char *title, const struct wait_causes *causes,
		      struct error *err)
{
	struct html *html = &page->html;

	html->style = view_page_style;
	html_begin(html, title);
	write_crowded(page);
	write_culprit(page, causes);
	write_path_shares(page);
	TRY(write_finders(page, err));
	write_quality(page);
	write_part(page);
	fputs("<noscript><p>Scripts are off, so the picture of the run is not shown, but its"
	      " tables are.</p></noscript>\n<section id=\"view\" hidden></section>\n",
	      html->stream);
	TRY(view_ranks_write(html, page->findings, err));
	write_causes(page, causes);
	html_section(html, "path-summary", "On the critical path");
	write_tables(page);
	html_section_end(html);
	TRY(view_page_write_data(page, err));
	fprintf(html->stream, "<script>\n{\n%s%s%s%s%s%s}\n</script>\n", view_data_script,
		view_draw_script, view_tell_script, view_window_script, view_page_script,
		view_page_has_below(page) ? view_below_script : "");
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
	struct wait_causes causes;
	char title[512];
	int result;

	TRY(view_rows_init(&page.rows, findings->run, part, err));
	if (page.calls > VIEW_MOST_CALLS)
		page.tiles = view_tile_count(page.rows.first[findings->run->rank_count]);
	snprintf(title, sizeof title, "Measured run of %s", name);
	progress_phase("writing the page");
	result = wait_causes_find(&causes, findings->waits, findings->walk,
				  &(struct wait_causes_options){0}, dist_alone(), err);
	if (result == 0)
		result = write_page(&page, title, &causes, err);
	wait_causes_release(&causes);
	view_rows_release(&page.rows);
	return result;
}
