#include "critpath/report/study_reports.h"

#include "critpath/report/imbalance_rows.h"
#include "critpath/report/run_report_waits.h"

/* ------------------------------------------------------------------------ path */

/* Write the path by process 0.  The call sites are those of the path in detail. */
static int write_path(struct study *study, struct report *report, const struct path_sites *sites,
		      struct error *err)
{
	struct findings findings = study->found;

	findings.sites = sites;
	if (findings.blocks)
		TRY(walk_join(&study->walk, findings.run, findings.blocks, study->dist, err));
	if (study->dist->rank == 0)
		run_report_path(report, &findings);
	return 0;
}

int study_write_path(struct study *study, struct report *report, struct error *err)
{
	struct path_sites sites;
	int result;

	TRY(study_totals(study, err));
	result = path_sites_find(&sites, study->found.waits, &study->walk, study->dist, err);
	if (result == 0)
		result = write_path(study, report, &sites, err);
	path_sites_release(&sites);
	return result;
}

/* ----------------------------------------------------------------------- waits */

static report_weight wait_weight(const void *data, size_t number)
{
	const struct wait_findings *waits = data;

	return wait_item_ns(&waits->items->list.items[number], waits->pattern);
}

static void copy_item(void *data, size_t number, void *row)
{
	*(struct wait_item *)row = ((const struct wait_items *)data)->list.items[number];
}

/* Keep the longest waits of this process for text.  Let process 0 have those of all, and call sites. */
static int gather_longest(const struct study *study, struct wait_items *items,
			  const struct wait_findings *waits, struct error *err)
{
	size_t chosen[REPORT_MOST_ROWS];
	const size_t count = report_largest(items->list.count, wait_weight, waits, RUN_MOST_ROWS,
					    chosen);

	wait_items_choose(items, chosen, count);
	TRY(wait_items_find_sites(items, study->found.run, study->dist, err));
	return dist_gather_array(study->dist, &items->list, err);
}

/* Let process 0 write, to which the others send their rows. */
static int write_waits(const struct study *study, struct report *report,
		       const struct wait_findings *waits, struct error *err)
{
	int result;

	TRY(dist_rows_open(waits->rows, err));
	if (study->dist->rank == 0)
		run_report_waits(report, &study->found, waits);
	result = dist_agree(study->dist, dist_rows_serve(waits->rows, err), err);
	dist_rows_close(waits->rows);
	return result;
}

static int group_waits(const struct study *study, struct report *report, struct wait_items *items,
		       enum wait_grouping by, enum wait_pattern pattern, struct error *err)
{
	const bool lists_calls = by == WAITS_BY_CALL && report->format != REPORT_TEXT;
	struct dist_rows rows = {.dist = study->dist,
				 .row_bytes = sizeof(struct wait_item),
				 .make = copy_item,
				 .data = items};
	struct wait_groups groups;
	const struct wait_findings waits = {items, &rows, &groups, by, pattern};
	int result;

	TRY(wait_groups_find(&groups, study->found.waits, items, by, pattern, study->dist, err));
	wait_items_keep(items, pattern);
	result = lists_calls ? wait_items_find_sites(items, study->found.run, study->dist, err)
			     : gather_longest(study, items, &waits, err);
	rows.count = lists_calls ? items->list.count : 0;
	if (result == 0)
		result = write_waits(study, report, &waits, err);
	wait_groups_release(&groups);
	return result;
}

int study_write_waits(struct study *study, struct report *report, enum wait_grouping by,
		      enum wait_pattern pattern, struct error *err)
{
	struct wait_items items;
	int result;

	TRY(study_waits(study, err));
	result = dist_agree(study->dist, wait_items_find(&items, &study->waits, err), err);
	if (result == 0)
		result = group_waits(study, report, &items, by, pattern, err);
	wait_items_release(&items);
	return result;
}

/* ---------------------------------------------------------------------- causes */

int study_write_causes(struct study *study, struct report *report,
		       const struct wait_causes_options *options, size_t most, struct error *err)
{
	struct wait_causes causes;
	const struct cause_findings findings = {&causes, options, most};
	int result;

	TRY(study_walk(study, err));
	result = wait_causes_find(&causes, &study->waits, &study->walk, options, study->dist, err);
	if (result == 0 && study->dist->rank == 0)
		run_report_causes(report, &study->found, &findings);
	wait_causes_release(&causes);
	return result;
}

/* ------------------------------------------------------------------- imbalance */

/* Let process 0 write, to which the others send their rows. */
static int write_imbalance(const struct study *study, struct report *report,
			   enum imbalance_table table, const struct imbalance *imbalance,
			   struct error *err)
{
	struct imbalance_rows rows;
	int result;

	TRY(imbalance_rows_open(&rows, report->format, table, &study->found, imbalance, study->dist,
				err));
	if (study->dist->rank == 0)
		run_report_imbalance(report, table, &study->found, imbalance, &rows.rows);
	result = dist_agree(study->dist, dist_rows_serve(&rows.rows, err), err);
	imbalance_rows_close(&rows);
	return result;
}

int study_write_imbalance(struct study *study, struct report *report, enum imbalance_table table,
			  struct error *err)
{
	struct imbalance imbalance;
	int result;

	TRY(study_totals(study, err));
	TRY(imbalance_find(&imbalance, &study->waits, study->dist, err));
	result = write_imbalance(study, report, table, &imbalance, err);
	imbalance_release(&imbalance);
	return result;
}
