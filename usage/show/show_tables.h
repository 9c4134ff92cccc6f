/* What the tables of a shown log share. */
#ifndef USAGE_SHOW_TABLES_H
#define USAGE_SHOW_TABLES_H

#include "usage/show/show.h"

/* Put a count, or nothing if it is USAGE_UNKNOWN. */
static inline void show_put_known(struct report_row *row, uint64_t value)
{
	put_count_or_none(row, value, value != USAGE_UNKNOWN);
}

/* Write the facts of the report, and each of its tables. */
void show_facts(struct report *report, const struct show *show);
void show_functions(struct report *report, const struct show *show);
void show_cells(struct report *report, const struct show *show);
void show_rank_list(struct report *report, const struct show *show);

#endif
