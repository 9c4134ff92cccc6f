/*
 * Call sites of a run whose ranks are shared among processes (critpath/match/run_match.h): their texts,
 * and the sites of calls that other processes have.  All functions are collective.
 */
#ifndef CRITPATH_SITE_TEXTS_H
#define CRITPATH_SITE_TEXTS_H

#include "dist/dist.h"
#include "trace/call/string_table.h"
#include "trace/measured/measured_run.h"

/*
 * Add the texts of all other processes to those of process 0, each once, in the order of the processes.
 * Up a binomial tree: no process has more than the texts of all, each once.  Other processes have those
 * of some more processes, after their own.
 */
int site_texts_join(struct string_table *texts, struct dist *dist, struct error *err);

/*
 * Tell the numbers that process 0 gives to its texts: numbers[i] to text i.  On all other processes
 * `numbers`, which has room for `own` of them, gets those of the first `own` texts.
 */
int site_texts_tell(const struct string_table *texts, uint32_t *numbers, size_t own,
		    struct dist *dist, struct error *err);

/* Call of a row: its rank and number.  Returns where the number of its site goes. */
typedef uint32_t *site_of_row(void *rows, size_t number, uint32_t *rank, uint32_t *call);

/* Find the sites of the calls of `count` rows, of any ranks. */
int row_sites_find(const struct measured_run *run, struct dist *dist, site_of_row *of, void *rows,
		   size_t count, struct error *err);

#endif
