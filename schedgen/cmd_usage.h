/* schedgen --usage: a synthetic graph from the log of a job. */
#ifndef SCHEDGEN_CMD_USAGE_H
#define SCHEDGEN_CMD_USAGE_H

#include "common/options.h"
#include "schedgen/collectives/collective.h"

extern const struct option_spec cmd_usage_options[];

/* The log that --usage gives, or NULL. */
const char *cmd_usage_log(void);

/* Write the skeleton of the log.  how: these options, as the graph tells them. */
int cmd_usage_run(const struct command_output *output, const struct coll_choice *choices,
		  double reduce_ns_per_byte, const char *how, struct error *err);

#endif
