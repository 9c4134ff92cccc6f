/*
 * The options for the LogGPS parameters, the same in all commands of llamp, and
 * the file they apply to.
 *
 * A value comes from the command line, else from the file of --params, else from
 * loggps_default.
 */
#ifndef LLAMP_MODEL_OPTIONS_H
#define LLAMP_MODEL_OPTIONS_H

#include "common/options.h"
#include "llamp/graph/cost_graph.h"

/* --params, -L --latency, -o --overhead, -g --gap, -G --gap-per-byte, -S, --rendezvous */
extern const struct option_spec model_options[];

/* The same, but --overhead has no letter: for commands whose -o is --output. */
extern const struct option_spec model_options_without_o[];

/* For option tables: L, G or o into an enum parameter. */
int option_parameter(const char *text, void *target, struct error *err);

/* A percentage by which T may grow, 0 or from 0.0001 to 1e9 (STATUS_USAGE). */
int parse_tolerance(const char *text, double *percent, struct error *err);

/* A program and the machine it is to run on. */
struct model {
	const char *path;	/* not owned */
	struct loggps loggps;
	struct goal goal;
	struct cost_graph graph;
};

/* Read the graph `path` ("-": stdin) with the parameters that the options gave. */
int model_open(struct model *model, const char *path, struct error *err);
void model_release(struct model *model);

#endif
