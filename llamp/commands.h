/* Commands of llamp.  Each cmd_*.c defines its entry of the table in main.c. */
#ifndef LLAMP_COMMANDS_H
#define LLAMP_COMMANDS_H

#include "common/options.h"
#include "common/output.h"
#include "llamp/analysis/model.h"
#include "llamp/model_options.h"
#include "llamp/report/report.h"

/* Call model_open, with progress on a terminal. */
int open_graph(struct model *model, const char *path, const struct loggps *loggps,
	       struct error *err);

/* Warn if GLPK did not find the longest path optimal (struct analysis). */
void warn_about_pivots(int64_t pivots);

/* Warn of the first model whose T, at its least and its most, is far from the traced run time. */
void warn_if_far_from_traced(const struct model *model, double least_ns, double most_ns);

/* -o and --format of commands that print, whose formats have the numbers of enum report_format. */
enum { OUTPUT_SVG = REPORT_CSV + 1 };
extern struct command_output table_output;
extern struct command_output picture_output;	/* the same, and OUTPUT_SVG */
extern struct command_output page_output, lp_output, timeline_output;

/* NULL-terminated list of option tables of a command, and the command. */
extern const struct option_spec *const analyze_options[];
extern const struct option_condition analyze_conditions[];
int cmd_analyze(char **operands, int count, struct error *err);

extern const struct option_spec *const sweep_options[];
int cmd_sweep(char **operands, int count, struct error *err);

extern const struct option_spec *const path_options[];
extern const struct option_condition path_conditions[];
int cmd_path(char **operands, int count, struct error *err);

extern const struct option_spec *const compare_options[];
int cmd_compare(char **operands, int count, struct error *err);

extern const struct option_spec *const report_options[];
int cmd_report(char **operands, int count, struct error *err);

extern const struct option_spec *const lp_options[];
int cmd_lp(char **operands, int count, struct error *err);

extern const struct option_spec *const timeline_options[];
int cmd_timeline(char **operands, int count, struct error *err);

extern const struct option_spec *const topology_options[];
int cmd_topology(char **operands, int count, struct error *err);

extern const struct option_spec *const place_options[];
extern const struct option_condition place_conditions[], topology_conditions[];
int cmd_place(char **operands, int count, struct error *err);

extern const struct option_spec *const tradeoff_options[];
int cmd_tradeoff(char **operands, int count, struct error *err);

#endif
