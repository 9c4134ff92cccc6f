/* Rows of the tables of critpath imbalance that may be long, of all processes (dist/dist_rows.h). */
#ifndef CRITPATH_IMBALANCE_ROWS_H
#define CRITPATH_IMBALANCE_ROWS_H

#include "critpath/report/run_report_imbalance.h"
#include "dist/dist_rows.h"

/* A call, for CSV. */
struct imbalance_call {
	uint32_t rank, thread, call, function;
	uint32_t comm; /* of a collective, or of what it waited for; NO_COMM */
	uint64_t enter_ns, leave_ns;
	struct call_parts parts;
	uint64_t critical_ns; /* on the critical path */
};

struct imbalance_rows {
	/*
	 * struct imbalance_call if the table of CSV is that of calls, else struct imbalance_instance.  Those
	 * for text are the ones that wait longest, at least the ten longest of all.
	 */
	struct dist_rows rows;

	/* Private. */
	const struct findings *findings;
	const struct imbalance *imbalance;
	ARRAY(uint32_t) instances; /* to list */
	bool text;		   /* with the sites of the calls that began them last, at most ten: */
	uint32_t last_sites[RUN_MOST_ROWS];
	uint32_t rank, next;	   /* the call after the one made last */
};

/* Choose the rows of a table.  Collective.  End with imbalance_rows_close. */
int imbalance_rows_open(struct imbalance_rows *rows, enum report_format format,
			enum imbalance_table table, const struct findings *findings,
			const struct imbalance *imbalance, struct dist *dist, struct error *err);
void imbalance_rows_close(struct imbalance_rows *rows);

#endif
