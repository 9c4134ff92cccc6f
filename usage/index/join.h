/*
 * What follows from the logs, the scheduler's records and the tables of the site together: columns
 * of job_data and record_data.
 *
 * record of a job: the scheduler's with its system, job and step, or that of the whole job, if the
 * job started within a day of the record's times.  Without a system on one side the id decides.
 *
 * core_hours of a record: nodes x cores of a node x hours, but no more than its CPUs x hours.  Of
 * a job: its record's, shared by nodes x time if the record has several logs; without a record
 * nodes x cores x hours; without the cores of a node ranks x hours.
 *
 * normal: by the state of the record if the table states has it, else exit status 0 or above 255.
 *
 * in_programme: the project is in the table programmes; if the table is empty, all are.
 *
 * in_filter: in_programme, and such records of the executable have at least 0.1 % of the
 * core-hours of all records of the system.
 *
 * coverage: "log"; "other tool" if its logs have no data, as another tool had wrapped MPI; without
 * a log "killed" if the job did not end normally, "no Finalize" if the executable has logs of
 * other jobs, "no MPI" if there was one task, else "not preloaded".
 *
 * The executable of a record that has a log is the one of the log.
 */
#ifndef USAGE_INDEX_JOIN_H
#define USAGE_INDEX_JOIN_H

#include "usage/index/texts.h"

#include <stdbool.h>

/*
 * Compute these columns again, in a transaction that the caller has begun.  all: records or tables
 * of the site have changed, or jobs were removed; if not, only what new jobs change is computed.
 */
int join_records(struct texts *texts, bool all, struct error *err);

#endif
