/* Options of schedgen --pattern, and the command that they make. */
#ifndef SCHEDGEN_CMD_PATTERN_H
#define SCHEDGEN_CMD_PATTERN_H

#include "common/options.h"

#include <stdbool.h>

extern const struct option_spec cmd_pattern_options[];

/* Is --pattern given?  STATUS_USAGE if only options of --pattern are given. */
int cmd_pattern_given(bool *is_given, struct error *err);

/* Write the pattern to `output`, or list all patterns. */
int cmd_pattern_run(const char *output, double reduce_ns_per_byte, struct error *err);

#endif
