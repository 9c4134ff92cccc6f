/* Waits as the report of critpath waits needs them. */
#ifndef CRITPATH_WAIT_ROWS_H
#define CRITPATH_WAIT_ROWS_H

#include "critpath/tables/wait_items.h"

/*
 * Find the call sites of the waits.  Collective.  With `longest`, for text, process 0 gets the waits
 * that are among the ten longest of a pattern on one of the processes, and their sites only.
 */
int wait_rows_find(struct wait_items *items, const struct measured_run *run, bool longest,
		   enum wait_pattern pattern, struct dist *dist, struct error *err);

#endif
