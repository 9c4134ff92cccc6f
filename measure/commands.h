/* The commands of llamp-measure, each by its cmd_*.c. */
#ifndef MEASURE_COMMANDS_H
#define MEASURE_COMMANDS_H

#include "common/options.h"

extern const struct command params_command;

#endif
