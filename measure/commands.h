/* The commands of llamp-measure: options, and what the command does with them. */
#ifndef MEASURE_COMMANDS_H
#define MEASURE_COMMANDS_H

#include "common/options.h"

extern const struct option_spec *const params_options[];
extern struct command_output params_output;
int cmd_params(char **operands, int operand_count, struct error *err);

#endif
