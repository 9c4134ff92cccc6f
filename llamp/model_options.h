/*
 * The options for the LogGPS parameters, the same in all commands of llamp.
 *
 * A value comes from the command line, else from the file of --params, else from
 * loggps_default.
 */
#ifndef LLAMP_MODEL_OPTIONS_H
#define LLAMP_MODEL_OPTIONS_H

#include "common/options.h"
#include "llamp/network/loggps.h"

/* --params, -L --latency, -o --overhead, -g --gap, -G --gap-per-byte, -S, --rendezvous */
extern const struct option_spec model_options[];

/* The same, but --overhead has no letter: for commands whose -o is --output. */
extern const struct option_spec model_options_without_o[];

/* For option tables: L, G or o into an enum parameter. */
int option_parameter(const char *text, void *target, struct error *err);

/* A percentage by which T may grow, 0 or from 0.0001 to 1e9 (STATUS_USAGE). */
int parse_tolerance(const char *text, double *percent, struct error *err);

/* The parameters that the options gave; reads the file of --params. */
int model_options_loggps(struct loggps *loggps, struct error *err);

#endif
