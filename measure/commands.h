/* The commands of llamp-measure, each by its cmd_*.c. */
#ifndef MEASURE_COMMANDS_H
#define MEASURE_COMMANDS_H

#include "common/options.h"

extern const struct command params_command;
extern const struct command overlap_command;
extern const struct command report_command;

/* Arguments of llamp-measure as they were given, for the program that overlap becomes; NULL ends them. */
extern char **measure_arguments;

#endif
