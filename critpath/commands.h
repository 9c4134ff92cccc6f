/*
 * Commands of critpath and critpath-mpi, and what they have in common (main_study.c).
 */
#ifndef CRITPATH_COMMANDS_H
#define CRITPATH_COMMANDS_H

#include "common/options.h"
#include "common/output.h"
#include "critpath/report/study.h"
#include "dist/dist.h"

/* The commands, each by its cmd_*.c; all of critpath, ends with NULL. */
extern const struct command path_command, waits_command, imbalance_command, profile_command,
	causes_command, efficiency_command, graph_command, below_command, view_command;
extern const struct command *const critpath_commands[];

/* Notes of most commands. */
extern const char input_notes[];

/* -o and --format of commands that print. */
extern struct command_output table_output;
/* --strict */
extern const struct option_spec strict_options[];
enum report_format given_format(void);

/* --from and --to */
extern const struct option_spec slice_options[];
bool given_slice(void);

/*
 * Open the study of a trace, with progress on a terminal, the slice and the strictness that are given; use
 * it; and close it.  observed: members of collectives wait as observed (critpath/path/members.h).
 */
typedef int use_study(struct study *study, struct error *err);
int with_study(const char *path, bool observed, use_study *use, struct error *err);

/* Fail as the trace has no call sites. */
int no_sites(const char *path, struct error *err);

/*
 * Fail if clocks contradict too many messages for waits to mean anything: after the report, which
 * says so, too.
 */
int check_clocks(const struct findings *findings, struct error *err);

/*
 * Set the processes that work together, before a command runs.  Each runs the command, and has some of
 * the ranks.
 */
void commands_share(struct dist *dist);
struct dist *commands_dist(void);

/*
 * Open the given output for a report in the given format.  Collective: process 0 has the output, all have
 * the format.  On success end with commands_commit.
 */
int commands_open(struct output *output, struct report *report, struct error *err);

/* Commit the output if `result`, which is that of all processes, is 0, else discard it.  Collective. */
int commands_commit(struct output *output, int result, struct error *err);

#endif
