/* Imbalance as JSON and CSV, and the figures that are derived for all formats. */
#ifndef CRITPATH_RUN_REPORT_IMBALANCE_TABLES_H
#define CRITPATH_RUN_REPORT_IMBALANCE_TABLES_H

#include "critpath/report/run_report_imbalance.h"
#include "critpath/report/run_table.h"

/* Figures of critpath/tables/imbalance.h, 0 without computation. */
struct pop_figures {
	double load_balance, communication, parallel;
	double mean_ns, most_to_mean;
	uint64_t most_ns;
};

struct pop_figures pop_of(const struct imbalance *imbalance);

/* Time of a function on the critical path beyond the mean of the ranks (critpath/path/totals.h). */
uint64_t path_imbalance_of(const struct findings *findings, uint32_t function);

void imbalance_json(FILE *stream, const struct findings *findings,
		    const struct imbalance *imbalance, struct share_rows *rows);
void imbalance_csv(FILE *stream, enum imbalance_table table, const struct findings *findings,
		   const struct imbalance *imbalance, struct share_rows *rows);

#endif
