/*
 * Names of call sites for the report, by a program of its own that is started for them: lib/llamp/llamp-sites
 * next to this library (tracer/main_sites.c).
 *
 * It reads debugging information, which takes memory and time, and may fail in ways that a library cannot
 * recover from.  In another process nothing of this can harm the traced program.
 */
#ifndef TRACER_REPORT_SITES_H
#define TRACER_REPORT_SITES_H

#include "common/error.h"
#include "trace/call/string_table.h"

#include <stdint.h>

struct site_names {
	uint64_t until_ns;    /* wait for the program so long, on the clock of now_ns() */
	char *answers;	      /* of the program; owned */
	ARRAY(char *) places; /* names that it did not give; owned */
};

/*
 * Name the texts, a name_sites of critpath/match/run_sites.h with a struct site_names.  Without an answer
 * a site is named by the place in its file, and stderr says why.  Names are valid until site_names_release.
 */
int site_names_find(void *names, const struct string_table *texts, const char **found,
		    struct error *err);
void site_names_release(struct site_names *names);

#endif
