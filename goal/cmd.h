/* Sub-commands of the command `goal`. */
#ifndef GOAL_CMD_H
#define GOAL_CMD_H

#include "common/options.h"
#include "goal/goal.h"

/* Call goal_open, with progress on a terminal. */
int open_graph(struct goal *goal, const char *path, struct error *err);

/* -o FILE of commands that print, "-" by default. */
extern const struct option_spec output_options[];
extern const char *output_path;

int cmd_info(char **operands, int operand_count, struct error *err);
int cmd_check(char **operands, int operand_count, struct error *err);
int cmd_convert(char **operands, int operand_count, struct error *err);
int cmd_stats(char **operands, int operand_count, struct error *err);

extern const struct option_spec info_options[];
extern const struct option_spec convert_options[];
extern const struct option_spec stats_options[];

#endif
