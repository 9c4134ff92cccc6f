/*
 * The options for the parameters of the network, the same in all commands of llamp.
 *
 * A value comes from the command line, else from the file of --params, else from
 * loggps_default.
 */
#ifndef LLAMP_MODEL_OPTIONS_H
#define LLAMP_MODEL_OPTIONS_H

#include "common/options.h"
#include "llamp/network/loggps.h"

/* --params, -p, -L --latency, --overhead, -g --gap, -G --gap-per-byte, -S, --rendezvous */
extern const struct option_spec model_options[];

/* Set *loggps to the parameters that the options gave; reads the file of --params. */
int model_options_loggps(struct loggps *loggps, struct error *err);

/* The file of --params, NULL without the option. */
const char *model_options_file(void);

/* A percentage by which T may grow, 0 or from 0.0001 to 1e9 (STATUS_USAGE). */
int parse_tolerance(const char *text, double *percent, struct error *err);

#endif
