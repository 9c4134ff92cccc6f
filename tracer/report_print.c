#include "tracer/report_print.h"

#include "critpath/path/totals.h"
#include "critpath/report/imbalance_rows.h"
#include "critpath/report/run_report_waits.h"
#include "trace/journal/settings.h"
#include "trace/measured_match.h"
#include "tracer/tracer.h"

static bool is_wanted(enum trace_report report)
{
	return tracer.reports & 1U << report;
}

/* ------------------------------------------------------- as the commands print them */

static int print_waits(FILE *stream, const struct findings *findings, struct error *err)
{
	struct wait_items items;
	struct wait_groups groups;
	int result;

	TRY(wait_items_find(&items, findings->waits, err));
	result = wait_groups_find(&groups, findings->waits, &items, WAITS_BY_CALL, PATTERN_ANY,
				  NULL, err);
	if (result == 0) {
		run_report_waits(stream, RUN_TEXT, findings,
				 &(struct wait_findings){&items, NULL, &groups, WAITS_BY_CALL,
							 PATTERN_ANY});
		wait_groups_release(&groups);
	}
	wait_items_release(&items);
	return result;
}

static int print_imbalance(FILE *stream, const struct findings *findings, struct error *err)
{
	struct imbalance imbalance;
	struct imbalance_rows rows;
	int result;

	TRY(imbalance_find(&imbalance, findings->waits, NULL, err));
	result = imbalance_rows_open(&rows, RUN_TEXT, IMBALANCE_RANKS, findings, &imbalance, NULL,
				     err);
	if (result == 0) {
		run_report_imbalance(stream, RUN_TEXT, IMBALANCE_RANKS, findings, &imbalance,
				     &rows.rows);
		imbalance_rows_close(&rows);
	}
	imbalance_release(&imbalance);
	return result;
}

static int print_wanted(FILE *stream, const struct findings *findings, struct error *err)
{
	const struct findings without_path = {.path = findings->path,
					      .run = findings->run,
					      .waits = findings->waits};

	if (is_wanted(REPORT_PATH))
		run_report_path(stream, RUN_TEXT, findings);
	if (is_wanted(REPORT_PATH) && tracer.reports >> REPORT_WAITS)
		fputc('\n', stream);
	if (is_wanted(REPORT_WAITS))
		TRY(print_waits(stream, &without_path, err));
	if (is_wanted(REPORT_WAITS) && tracer.reports >> REPORT_IMBALANCE)
		fputc('\n', stream);
	return is_wanted(REPORT_IMBALANCE) ? print_imbalance(stream, findings, err) : 0;
}

/* ------------------------------------------------------------------------ finding */

static int find_totals(FILE *stream, struct findings *findings, struct error *err)
{
	struct totals totals;
	int result;

	TRY(totals_find(&totals, findings->waits, findings->walk, err));
	findings->totals = &totals;
	result = print_wanted(stream, findings, err);
	totals_release(&totals);
	return result;
}

static int find_path(FILE *stream, struct findings *findings, struct error *err)
{
	struct walk walk;
	int result;

	TRY(walk_find(&walk, findings->waits, err));
	findings->walk = &walk;
	result = find_totals(stream, findings, err);
	walk_release(&walk);
	return result;
}

static int find_waits(FILE *stream, struct measured_run *run, const char *name, struct error *err)
{
	struct waits waits;
	int result;

	TRY(measured_match(run, err));
	TRY(waits_find(&waits, run, err));
	result = find_path(stream, &(struct findings){.path = name, .run = run, .waits = &waits},
			   err);
	waits_release(&waits);
	return result;
}

int report_print(struct measured_run *run, const char *name, struct error *err)
{
	char *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);
	int result;

	if (!stream)
		return error_set_errno(err, "the report");
	result = find_waits(stream, run, name, err);
	if (fclose(stream) != 0 && result == 0)
		result = error_set_errno(err, "the report");
	if (result == 0)
		fwrite(text, 1, bytes, stderr);
	free(text);
	return result;
}
