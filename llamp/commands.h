/* Commands of llamp, and what they share. */
#ifndef LLAMP_COMMANDS_H
#define LLAMP_COMMANDS_H

#include "common/options.h"
#include "common/output.h"
#include "llamp/analysis/model.h"
#include "llamp/analysis/overlap.h"
#include "llamp/model_options.h"
#include "llamp/report/report.h"

/* Call model_open, with progress on a terminal. */
int open_graph(struct model *model, const char *path, const struct loggps *loggps,
	       enum model_parts parts, struct error *err);

/* Warn if GLPK did not find the longest path optimal (struct analysis). */
void warn_about_pivots(int64_t pivots);

/* Warn that receives are deferred although no message waits for its receiver. */
void warn_if_never_deferred(const struct model *model, const struct overlap *overlap);

/* Warn of the first model whose T, at its least and its most, is far from the traced run time. */
void warn_if_far_from_traced(const struct model *model, double least_ns, double most_ns);

/* -o and --format of commands that print.  Their formats are those of reports (common/report/report.h). */
enum { OUTPUT_SVG = REPORT_FORMATS_END };
extern struct command_output table_output;
extern struct command_output picture_output; /* the same, and OUTPUT_SVG */

/* The report that is asked for, to `output`, which is that of `command`. */
struct report given_report(const struct command_output *command, const struct output *output);

/* Notes and files that several commands have. */
extern const struct help_entry graph_files[];
extern const char input_notes[];

/* The commands, each by its cmd_*.c. */
extern const struct command analyze_command, sweep_command, path_command, compare_command,
	report_command, lp_command, timeline_command, tradeoff_command, place_command,
	topology_command, advise_command;

#endif
