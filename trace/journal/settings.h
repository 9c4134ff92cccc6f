/*
 * Settings of the tracer, from environment variables: LLAMP_TRACE_DIR and so on.
 *
 * The tracer and `llamp-trace --help` use this table.  The archive has a property for each row:
 * LLAMP::TRACE_DIR and so on.
 */
#ifndef TRACE_SETTINGS_H
#define TRACE_SETTINGS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* SETTING(name, default, help): one sentence or more, with the default */
#define SETTINGS(SETTING)                                                                                \
	SETTING(DIR, "",                                                                                 \
		"the directory of the trace, which -o sets; default: llamp-trace-PROGRAM-ID")            \
	SETTING(BUFFER, "4MiB",                                                                          \
		"memory that each thread of a rank that calls MPI records into, 64KiB to 1GiB; "         \
		"default: 4MiB. When it is full, the next part of the thread's file is mapped "          \
		"in its place")                                                                          \
	SETTING(RECORD, "on", "off: nothing is recorded before MPI_Pcontrol(1); default: on")            \
	SETTING(CALL_SITES, "off",                                                                       \
		"on, as --call-sites: record where in the program each call is made; default: "          \
		"off")                                                                                   \
	SETTING(BELOW_MPI, "off",                                                                        \
		"on, as --below-mpi: record what MPI does below, in UCX; default: off")                  \
	SETTING(FLOW, "off",                                                                             \
		"on, as --flow: make event flow graphs while the program runs, and no archive; "         \
		"default: off")                                                                          \
	SETTING(MEMORY, "64MiB",                                                                         \
		"memory that the graphs of a rank may take, as --memory, 1MiB to 1TiB; past it "         \
		"calls that differ become one, and the file says so; default: 64MiB")                    \
	SETTING(FOLD, "",                                                                                \
		"fields of calls that do not tell nodes of graphs apart, bytes,tag,peer or a part of "   \
		"them; default: none")                                                                   \
	SETTING(ITERATIONS, "",                                                                          \
		"N or N:FROM, as --iterations: make an archive of N iterations of the main loop "        \
		"only, beside event flow graphs of the whole run; default: all calls")                   \
	SETTING(PHASES, "4",                                                                             \
		"with ITERATIONS: main loops of which iterations are recorded, one after the other, as " \
		"--phases, 1 to 64; default: 4")                                                         \
	SETTING(RING, "64MiB",                                                                           \
		"with ITERATIONS: disk space for calls of each thread until all ranks have found "       \
		"their main loops, 256KiB to 1TiB; the oldest are removed when it is full; "             \
		"default: 64MiB")                                                                        \
	SETTING(REQUIRED, "0",                                                                           \
		"1: a run without a whole trace ends with status 4, at once if its recording "           \
		"cannot begin; default: 0")                                                              \
	SETTING(QUIET, "0",                                                                              \
		"1: do not print the line that names the trace at the end of a run; default: 0")         \
	SETTING(REPORT, "",                                                                              \
		"the reports that are printed in MPI_Finalize, path,waits,causes,imbalance or a part "   \
		"of them, which --report sets; default: none")                                           \
	SETTING(ARCHIVE, "on",                                                                           \
		"off: no archive is made and no file is left if there is a report, as by "               \
		"--no-archive; default: on")                                                             \
	SETTING(BUDGET, "2%",                                                                            \
		"time that reports may take: a time, or a share of the run but at least 1 s; "           \
		"default: 2%")                                                                           \
	SETTING(CLOCK, "auto",                                                                           \
		"monotonic: the times of calls are read from CLOCK_MONOTONIC; auto: from the "           \
		"processor's time-stamp counter, which is faster, if the kernel's own clock is that "    \
		"counter and BELOW_MPI is off; default: auto")                                           \
	SETTING(LIBRARY, "",                                                                             \
		"the library that is loaded; default: that of the program's MPI, in the "                \
		"folder of libraries of the installation")

enum setting {
#define SETTING(name, value, help) SETTING_##name,
	SETTINGS(SETTING)
#undef SETTING
		SETTING_COUNT
};

/* The help of all settings, as rows of a table of struct help_entry. */
#define SETTINGS_HELP_(name, value, help) {"LLAMP_TRACE_" #name, help},
#define SETTINGS_HELP SETTINGS(SETTINGS_HELP_)

/* "DIR" */
const char *setting_name(enum setting setting);

/* The value of the environment, or the default. */
const char *setting_text(enum setting setting);

/* Reports, as `critpath` has commands. */
enum trace_report { REPORT_PATH, REPORT_WAITS, REPORT_CAUSES, REPORT_IMBALANCE };

/* Names of all, with commas between them. */
#define ALL_REPORTS "path,waits,causes,imbalance"

/* Of --phases. */
enum { SETTINGS_MOST_PHASES = 64 };

/* All values, checked; STATUS_USAGE if one is not valid. */
struct settings {
	uint64_t buffer_bytes;
	bool record, call_sites, below_mpi;
	bool flow;
	uint64_t memory_bytes;
	unsigned folds; /* bits of bytes, tag, peer, in this order, as in trace/flow/flow.h */
	uint64_t iterations, first_iteration; /* 0: all calls; 0: when ranks are steady */
	unsigned phases;		      /* of which iterations are recorded */
	uint64_t ring_bytes;
	bool required, quiet;
	unsigned reports; /* bits of enum trace_report */
	bool archive;
	double budget_share; /* negative: budget_ns is the budget */
	uint64_t budget_ns;
};

int settings_read(struct settings *settings, struct error *err);

/* Read whether times of calls may be read from the time-stamp counter, before all else is read. */
int settings_read_clock(bool *counter, struct error *err);

/* Variable that llamp-trace sets for the first rank: the process id that the program will have. */
#define SETTINGS_PROCESS "LLAMP_TRACED_PROCESS"

/* Variable that llamp-trace sets for the first rank: the socket of the watcher (tracer/watcher.h). */
#define SETTINGS_WATCHER "LLAMP_TRACED_WATCHER"

/* Variable of tests: any value makes --flow record an archive, too. */
#define SETTINGS_BOTH "LLAMP_TRACED_BOTH"

/* Variable of tests: seconds to wait for ranks that may not be traced, in place of 30. */
#define SETTINGS_LIMIT_S "LLAMP_TRACED_LIMIT_S"

#endif
