/* The report of a log. */
#include "usage/show/show_tables.h"

static const struct report_field show_quantile_fields[] = {
	{"share", NULL, VALUE_NUMBER, .meaning = "Of the ranks, that spent at most this time"},
	{"ns", NULL, .kind = VALUE_TIME},
	{0},
};

static void show_quantile_row(struct report_row *row, const void *data, size_t number)
{
	put_number(row, (double)number / (JOB_QUANTILES - 1));
	show_put_known(row, ((const struct show *)data)->log->quantiles_ns[number]);
}

static const struct report_field show_node_fields[] = {
	{"ranks", NULL, .kind = VALUE_COUNT},
	{"nodes", NULL, VALUE_COUNT, .meaning = "That have this number of ranks"},
	{0},
};

static void show_node_row(struct report_row *row, const void *data, size_t number)
{
	const struct job_nodes *nodes =
		&((const struct show *)data)->log->ranks_per_node.items[number];

	put_count(row, nodes->ranks);
	put_count(row, nodes->nodes);
}

void show_write(struct report *report, const struct show *show)
{
	const struct job_log *log = show->log;

	report_begin(report, "llamp-usage-show-1");
	show_facts(report, show);
	report_table(report, &(struct report_table){"ranks_per_node", .fields = show_node_fields,
						    .row = show_node_row, .data = show,
						    .count = log->ranks_per_node.count});
	report_table(report,
		     &(struct report_table){"quantiles", .meaning = "Time in MPI of the ranks",
					    .fields = show_quantile_fields,
					    .row = show_quantile_row, .data = show,
					    .count = JOB_QUANTILES});
	show_functions(report, show);
	show_cells(report, show);
	show_rank_list(report, show);
	report_end(report);
}
