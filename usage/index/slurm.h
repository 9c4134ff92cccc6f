/* Spellings of Slurm's sacct: ids, times, states, exit codes. */
#ifndef USAGE_INDEX_SLURM_H
#define USAGE_INDEX_SLURM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Split an id into job and step: "12.3" is step 3, "12" the job, with step "".  Returns whether
 * the row counts: "12.batch", "12.extern" and "12.interactive" belong to the job and are no steps.
 */
bool slurm_id(const char *text, char *job, char *step, size_t size);

/* Time of "2026-11-28T01:30:00" in the local time zone, or of seconds since 1970.  -1: no time. */
int64_t slurm_time(const char *text);

/* Seconds of "[DAYS-]HOURS:MINUTES:SECONDS", or of a number of seconds.  -1: no duration. */
int64_t slurm_duration(const char *text);

/* First word of a state: "CANCELLED by 1000" is CANCELLED.  Returns `state`. */
const char *slurm_state(const char *text, char *state, size_t size);

/* Whether jobs in this state have not ended. */
bool slurm_runs(const char *state);

/* Exit status of "STATUS:SIGNAL" or "STATUS"; with a signal 128 more than its number.  -1: none. */
int64_t slurm_exit(const char *text);

/* Whole number, or -1. */
int64_t slurm_number(const char *text);

/*
 * Find the program that a command line of srun starts: the first word that is no option of srun and
 * no value of one.  Returns `program`, "" if there is none, or the line is another command's.
 */
const char *slurm_program(const char *line, char *program, size_t size);

#endif
