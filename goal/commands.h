/* Sub-commands of the command `goal`, and what they share. */
#ifndef GOAL_COMMANDS_H
#define GOAL_COMMANDS_H

#include "common/options.h"
#include "common/source/source_lines.h"
#include "goal/builder.h"
#include "goal/goal.h"

/* Call goal_open, with progress on a terminal. */
int open_graph(struct goal *goal, const char *path, struct error *err);

/* Write a graph with a change.  lines: of the call sites, or NULL if the calls have none. */
typedef int graph_change(const struct goal *goal, const struct goal_calls *calls,
			 struct source_lines *lines, struct goal_writer *writer, struct error *err);

/* -o and --format of commands that write a changed graph. */
extern struct command_output change_output;

/* Write the graph at `path`, which must have calls, with a change. */
int write_changed(const char *path, graph_change *change, struct error *err);

/* -o and --format, an enum report_format, of commands that print. */
extern struct command_output print_output;

/* Start of the notes of all commands. */
#define FILE_NOTES "FILE is GOAL text or binary, told apart by its content; - is stdin."

/* The commands, each by its cmd_*.c. */
extern const struct command info_command, check_command, convert_command, stats_command,
	balance_command, merge_command, move_command;

#endif
