/*
 * Records and logs of a machine such that its coverage table has the published numbers of jobs and
 * executables: tables I and II of the paper on Autoperf.
 */
#ifndef TEST_USAGE_SYNTH_PUBLISHED_H
#define TEST_USAGE_SYNTH_PUBLISHED_H

#include "test/usage-synth/accounting.h"

/* Jobs of one row: they share the core-hours and the executables evenly. */
struct published_group {
	uint32_t jobs;
	double core_hours;
	unsigned first_executable, executables;
	bool in_programme, failed, has_log;
};

enum { PUBLISHED_GROUPS = 5 };

struct published_table {
	const char *name; /* "mira", "cetus" */
	uint32_t nodes;	  /* of each job */
	struct published_group groups[PUBLISHED_GROUPS];
};

/* The table of a machine, or NULL. */
const struct published_table *published_table(const char *name);

/* Number of jobs of a group if all numbers are divided. */
uint32_t published_jobs(const struct published_group *group, uint32_t divisor);

/*
 * Set what the table fixes of job number `number` of a group, and fill its record.  The record
 * points to the job's texts.
 */
void published_job(const struct published_table *table, const struct published_group *group,
		   uint32_t number, uint32_t divisor, struct synth_job *job,
		   struct synth_record *record);

#endif
