/* Commands of critpath.  Each cmd_*.c defines its entry of the table in main.c. */
#ifndef CRITPATH_COMMANDS_H
#define CRITPATH_COMMANDS_H

#include "common/options.h"
#include "common/output.h"
#include "critpath/report/run_report.h"

/* --format, -o --output and --strict */
extern const struct option_spec output_options[];
enum run_format given_format(void);
const char *given_output(void);

/* Read a trace, match its calls and name their call sites, with progress on a terminal. */
int open_run(struct measured_run *run, const char *path, struct error *err);
void close_run(struct measured_run *run);

/* Fail as the trace has no call sites. */
int no_sites(const char *path, struct error *err);

/*
 * Find the waits of a trace, and call `use` with them; with_observed_waits: as critpath/path/observed.h
 * says; with_totals: with walk and totals, too.
 */
typedef int use_findings(const struct findings *findings, struct error *err);
int with_waits(const char *path, use_findings *use, struct error *err);
int with_observed_waits(const char *path, use_findings *use, struct error *err);
int with_totals(const char *path, use_findings *use, struct error *err);

/*
 * Fail if clocks contradict too many messages for waits to mean anything: after the report, which
 * says so, too.
 */
int check_clocks(const struct findings *findings, struct error *err);

/* NULL-terminated list of option tables of a command, and the command. */
extern const struct option_spec *const path_options[];
int cmd_path(char **operands, int count, struct error *err);
extern const struct option_spec *const waits_options[];
int cmd_waits(char **operands, int count, struct error *err);
extern const struct option_spec *const imbalance_options[];
int cmd_imbalance(char **operands, int count, struct error *err);
extern const struct option_spec *const profile_options[];
int cmd_profile(char **operands, int count, struct error *err);

extern const struct option_spec *const graph_options[];
int cmd_graph(char **operands, int count, struct error *err);

extern const struct option_spec *const view_options[];
int cmd_view(char **operands, int count, struct error *err);

#endif
