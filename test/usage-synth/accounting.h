/*
 * Records of the scheduler that belong to logs, as `sacct --parsable2` prints them, and tables of
 * the site: projects, domains, systems.
 */
#ifndef TEST_USAGE_SYNTH_ACCOUNTING_H
#define TEST_USAGE_SYNTH_ACCOUNTING_H

#include "test/usage-synth/population.h"

#include <stdio.h>

/* A node has so many cores. */
enum { SYNTH_CORES = 16 };

struct synth_record {
	const char *system;
	uint32_t id;
	const char *user, *project, *executable;
	unsigned exit_status; /* 0 or above 255: normal */
	uint64_t start_s, seconds;
	uint32_t nodes, ranks;
};

/* Write the line of headings, and a record. */
void accounting_heading(FILE *to);
void accounting_record(FILE *to, const struct synth_record *record);

/* Write programmes.csv, domains.csv and systems.csv into a folder. */
int accounting_tables(const char *folder, const char *system, struct error *err);

#endif
