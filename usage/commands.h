/* Sub-commands of the command `llamp-usage`. */
#ifndef USAGE_COMMANDS_H
#define USAGE_COMMANDS_H

#include "common/options.h"

/* The commands, each by its cmd_*.c. */
extern const struct command anonymise_command;
extern const struct command collect_command;
extern const struct command index_command;
extern const struct command run_command;
extern const struct command query_command;
extern const struct command show_command;
extern const struct command from_trace_command;
extern const struct command report_command;

#endif
