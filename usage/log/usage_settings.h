/*
 * Settings of the library that counts, from environment variables: LLAMP_USAGE_DIR and so on.  The library
 * (profiler/settings.h) and `llamp-usage --help` use this table.
 */
#ifndef USAGE_LOG_USAGE_SETTINGS_H
#define USAGE_LOG_USAGE_SETTINGS_H

#define USAGE_SETTINGS_PREFIX "LLAMP_USAGE_"

/* SETTING(name, default, help) */
#define USAGE_SETTINGS(SETTING) \
	SETTING(DIR, "", \
		"the directory of the logs, which has to exist; each job is written to YYYY/MM/DD " \
		"in it; default: none, and nothing is recorded") \
	SETTING(FILE, "", \
		"the file of the log, in place of one in the directory of logs; default: none") \
	SETTING(OFF, "0", "1: nothing is recorded; default: 0") \
	SETTING(RANKS, "4", \
		"all: a log has the calls of all ranks; default: 4, those of the ranks with most and " \
		"least time in MPI, nearest to the mean, and rank 0") \
	SETTING(COUNTERS, "on", \
		"off: no processor counters are opened; default: on") \
	SETTING(CLOCK, "auto", \
		"monotonic: times are read from CLOCK_MONOTONIC; auto: from the processor's " \
		"time-stamp counter, which is faster, if the kernel's own clock is that counter; " \
		"default: auto") \
	SETTING(PARTIAL, "/dev/shm:/var/tmp", \
		"directories, with colons between, for the file that survives if the job is killed, " \
		"on each node in the first that works; off: there is none; default: " \
		"/dev/shm:/var/tmp") \
	SETTING(EXCLUDE, "", \
		"names of programs that are not recorded, with commas between; default: none") \
	SETTING(USER_INFO, "on", "off: logs do not name the user; default: on") \
	SETTING(QUIET, "0", \
		"1: say nothing if a log cannot be written; default: 0")

/* The help of all settings, as rows of a table of struct help_entry. */
#define USAGE_SETTINGS_HELP_(name, value, help) {USAGE_SETTINGS_PREFIX #name, help},
#define USAGE_SETTINGS_HELP USAGE_SETTINGS(USAGE_SETTINGS_HELP_)

#endif
