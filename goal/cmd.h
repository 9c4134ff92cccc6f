/* Sub-commands of the command `goal`. */
#ifndef GOAL_CMD_H
#define GOAL_CMD_H

#include "common/options.h"
#include "goal/builder.h"
#include "goal/goal.h"

/* Call goal_open, with progress on a terminal. */
int open_graph(struct goal *goal, const char *path, struct error *err);

/* -o and --format of commands that print, in this order of formats, and of goal convert. */
enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };
extern struct command_output print_output, convert_output;

int cmd_info(char **operands, int operand_count, struct error *err);
int cmd_check(char **operands, int operand_count, struct error *err);
int cmd_convert(char **operands, int operand_count, struct error *err);
int cmd_stats(char **operands, int operand_count, struct error *err);

extern const struct option_spec stats_options[];

#endif
