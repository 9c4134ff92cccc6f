#include "tracer/report_print.h"

#include "critpath/report/imbalance_rows.h"
#include "critpath/report/run_report_waits.h"
#include "critpath/report/study.h"
#include "critpath/report/wait_rows.h"
#include "trace/journal/settings.h"
#include "tracer/report_gather.h"
#include "tracer/tracer.h"

/* Run that all processes of `dist` analyse together. */
struct printing {
	FILE *stream; /* NULL on other ranks than 0 */
	const char *name;
	struct dist *dist;
};

static bool is_wanted(enum trace_report report)
{
	return tracer.reports & 1U << report;
}

/* Begin a report with an empty line if another one is before it. */
static void separate(FILE *stream, enum trace_report report)
{
	if (tracer.reports & ((1U << report) - 1))
		fputc('\n', stream);
}

/* ------------------------------------------------------------------------ waits */

static int group_waits(const struct printing *printing, const struct findings *findings,
		       struct wait_items *items, struct error *err)
{
	struct wait_groups groups;
	int result;

	TRY(wait_groups_find(&groups, findings->waits, items, WAITS_BY_CALL, PATTERN_ANY,
			     printing->dist, err));
	result = wait_rows_find(items, findings->run, true, PATTERN_ANY, printing->dist, err);
	if (result == 0 && printing->stream) {
		separate(printing->stream, REPORT_WAITS);
		run_report_waits(&(struct report){.stream = printing->stream}, findings,
				 &(struct wait_findings){items, NULL, &groups, WAITS_BY_CALL,
							 PATTERN_ANY});
	}
	wait_groups_release(&groups);
	return result;
}

static int print_waits(const struct printing *printing, const struct findings *findings,
		       struct error *err)
{
	struct wait_items items;
	int result = dist_agree(printing->dist, wait_items_find(&items, findings->waits, err), err);

	if (result == 0)
		result = group_waits(printing, findings, &items, err);
	wait_items_release(&items);
	return result;
}

/* -------------------------------------------------------------------- imbalance */

/* Rank 0 prints; the others send their rows. */
static int print_rows(const struct printing *printing, const struct findings *findings,
		      const struct imbalance *imbalance, struct dist_rows *rows, struct error *err)
{
	if (!printing->stream)
		return dist_rows_serve(rows, err);
	separate(printing->stream, REPORT_IMBALANCE);
	run_report_imbalance(&(struct report){.stream = printing->stream}, IMBALANCE_RANKS, findings,
			     imbalance, rows);
	return 0;
}

static int open_rows(const struct printing *printing, const struct findings *findings,
		     const struct imbalance *imbalance, struct error *err)
{
	struct imbalance_rows rows;
	int result;

	TRY(imbalance_rows_open(&rows, REPORT_TEXT, IMBALANCE_RANKS, findings, imbalance,
				printing->dist, err));
	result = dist_agree(printing->dist,
			    print_rows(printing, findings, imbalance, &rows.rows, err), err);
	imbalance_rows_close(&rows);
	return result;
}

static int print_imbalance(const struct printing *printing, const struct findings *findings,
			   struct error *err)
{
	struct imbalance imbalance;
	int result;

	TRY(imbalance_find(&imbalance, findings->waits, printing->dist, err));
	result = open_rows(printing, findings, &imbalance, err);
	imbalance_release(&imbalance);
	return result;
}

/* ------------------------------------------------------------------------- path */

static int print_path(const struct printing *printing, const struct findings *found,
		      struct error *err)
{
	struct findings findings = *found;
	struct path_sites sites;

	if (!printing->stream)
		return 0;
	TRY(path_sites_find(&sites, found->walk, err));
	findings.sites = &sites;
	run_report_path(&(struct report){.stream = printing->stream}, &findings);
	path_sites_release(&sites);
	return 0;
}

static int print_all(const struct printing *printing, const struct findings *findings,
		     struct error *err)
{
	const struct findings without_path = {.path = findings->path,
					      .run = findings->run,
					      .waits = findings->waits};

	if (is_wanted(REPORT_PATH))
		TRY(dist_agree(printing->dist, print_path(printing, findings, err), err));
	if (is_wanted(REPORT_WAITS))
		TRY(print_waits(printing, &without_path, err));
	return is_wanted(REPORT_IMBALANCE) ? print_imbalance(printing, findings, err) : 0;
}

/* Find and print all of a run that is not matched yet. */
static int study_run(const struct printing *printing, struct measured_run *run, struct error *err)
{
	struct study study;
	int result = study_match(&study, printing->name, run, printing->dist, err);

	if (result == 0)
		result = study_totals(&study, err);
	if (result == 0)
		result = print_all(printing, &study.found, err);
	study_close(&study);
	return result;
}

/* -------------------------------------------------------------------------- all */

/* Rank 0 does all: the fastest way if there are few ranks or calls. */
static int find_alone(const struct printing *printing, struct measured_run *run, struct error *err)
{
	const struct printing alone = {.stream = printing->stream,
				       .name = printing->name,
				       .dist = dist_alone()};
	struct measured_run all;
	int result = 0;

	TRY(report_gather(&all, run, printing->dist, err));
	if (printing->stream)
		result = study_run(&alone, &all, err);
	run->begin_ns = all.begin_ns;
	run->end_ns = all.end_ns;
	measured_run_release(&all);
	/* What is found is printed, even if it took a little longer. */
	printing->dist->deadline_ns = 0;
	return dist_agree(printing->dist, result, err);
}

/* Texts of the reports. */
struct text {
	char *bytes;
	size_t count;
};

static int open_text(struct printing *printing, struct text *text, struct error *err)
{
	if (printing->dist->rank != 0)
		return 0;
	printing->stream = open_memstream(&text->bytes, &text->count);
	return printing->stream ? 0 : error_set_errno(err, "the report");
}

static int close_text(struct printing *printing, struct error *err)
{
	FILE *stream = printing->stream;

	printing->stream = NULL;
	return !stream || fclose(stream) == 0 ? 0 : error_set_errno(err, "the report");
}

static int report_print_find_all(const struct printing *printing, struct measured_run *run,
				 struct error *err)
{
	bool rank_0_alone;

	TRY(report_choose(run, printing->dist, &rank_0_alone, err));
	return rank_0_alone ? find_alone(printing, run, err) : study_run(printing, run, err);
}

int report_print(struct measured_run *run, const char *name, struct dist *dist, struct error *err)
{
	struct printing printing = {.name = name, .dist = dist};
	struct text text = {0};
	struct error at_end;
	int result = dist_agree(dist, open_text(&printing, &text, err), err);

	if (result == 0)
		result = report_print_find_all(&printing, run, err);
	if (close_text(&printing, &at_end) < 0 && result == 0) {
		*err = at_end;
		result = -1;
	}
	if (result == 0 && text.bytes)
		fwrite(text.bytes, 1, text.count, stderr);
	free(text.bytes);
	return result;
}
