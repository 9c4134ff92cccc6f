/* Options of schedgen --pattern, and the command that they make. */
#ifndef SCHEDGEN_CMD_PATTERN_H
#define SCHEDGEN_CMD_PATTERN_H

#include "common/options.h"

#include <stdbool.h>

extern const struct option_spec cmd_pattern_options[];

/* Is --pattern given?  STATUS_USAGE if only options of --pattern are given. */
int cmd_pattern_given(bool *is_given, struct error *err);

/* Whether there is a pattern; and, if there is, whether --seed can change it. */
bool cmd_pattern_is_given(void);
bool cmd_pattern_has_chance(void);

/* Whether --reduce-cost, and --bytes, change the pattern, if there is one. */
bool cmd_pattern_reduces(void);
bool cmd_pattern_has_bytes(void);

/* Whether the pattern receives while it computes, so that --progress can change it. */
bool cmd_pattern_overlaps(void);

/* Whether --pattern help asks for a list. */
bool cmd_pattern_lists(void);

/* Write the pattern to `output`, or list all patterns.  progress: as in struct pattern_options. */
struct progress_table;
int cmd_pattern_run(const struct command_output *output, double reduce_ns_per_byte,
		    const struct progress_table *progress, struct error *err);

#endif
