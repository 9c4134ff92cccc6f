/*
 * Options for the parameters of the network, which all commands of llamp have.
 *
 * A value comes from the command line.  Without an option it comes from the file of --params, or
 * else from loggps_default.
 */
#ifndef LLAMP_MODEL_OPTIONS_H
#define LLAMP_MODEL_OPTIONS_H

#include "common/options.h"
#include "llamp/network/parameters.h"

#include <stdio.h>

/* --params, -p, -L --latency, --overhead, -g --gap, -G --gap-per-byte, -S, --rendezvous */
extern const struct option_spec model_options[];

/* -p and --ranks-per-node as options that only place ranks. */
extern const struct option_spec placing_options[];

/*
 * Set *loggps to the parameters that the options give.  Reads the file of --params; several are
 * STATUS_USAGE.  The network stays in memory until the next call.
 */
int model_options_loggps(struct loggps *loggps, struct error *err);

/* Number of networks: files of --params, or 1 without the option. */
size_t model_options_networks(void);

/* File of the n-th --params, or NULL without the option. */
const char *model_options_file(size_t network);

/*
 * Read the parameters of one network into *parameters, which have the default values.  The other
 * options apply to each network.
 */
int model_options_network(struct model_parameters *parameters, size_t network, struct error *err);

/* Read a parameter file, if path is not NULL, and apply the other options. */
int model_options_read(struct model_parameters *parameters, const char *path, struct error *err);

/*
 * Refuse options of the model that have an effect on none of the networks: --rendezvous without S,
 * --ranks-per-node where it does not matter where ranks are.
 */
int model_options_check(const struct model_parameters *const *networks, size_t count,
			struct error *err);

/* Whether a parameter is set by an option of its own, or by -p. */
bool model_options_set(const char *name);

/* Write the given options as words of a command line, each after a space and by write_word. */
void model_options_write(FILE *stream, void (*write_word)(FILE *stream, const char *word));

/* Read a percentage by which T may grow, 0 or from 0.0001 to 1e9, else STATUS_USAGE. */
int parse_tolerance(const char *text, double *percent, struct error *err);

#endif
