/*
 * The parameters of a model: LogGPS values and the network, from a file and by name
 * (doc/parameters.md).
 *
 * A file is a YAML mapping.  Besides the variables, S, rendezvous and resources it has
 *
 *	sizes:		rows of o, L and G for messages up to a size
 *	intra-node:	o, L and G of messages between ranks of a node
 *	ranks-per-node:	and mapping: the hosts of the ranks
 *	topology:	links and switches between the hosts (llamp/network/topology.h)
 *	unknown:	a variable that could not be measured, so that a default must not stand in
 *	intervals:	the least and the largest measured values of L, o, g, G, O
 *
 * Each number of these is a variable: L_4KiB, L_node, l_wire, d_switch.
 */
#ifndef LLAMP_PARAMETERS_H
#define LLAMP_PARAMETERS_H

#include "llamp/network/loggps.h"
#include "llamp/network/network.h"

/* Must not be moved: loggps.network may point to the network. */
struct model_parameters {
	struct loggps loggps;
	struct network network;
	const char *unknown; /* name of a variable that has no value yet, or NULL */
};

/* Set all to the default values.  End with parameters_release. */
void parameters_init(struct model_parameters *parameters);
void parameters_release(struct model_parameters *parameters);

/*
 * Read a file over the values in *parameters, at most once.  Unknown keys, duplicate keys and
 * wrong values are STATUS_DATA, with file, line and column, and leave *parameters unchanged.
 */
int parameters_read(struct model_parameters *parameters, const char *path, struct error *err);

/* Set a parameter from text; a wrong name or value is STATUS_USAGE. */
int parameters_set(struct model_parameters *parameters, const char *name, const char *value,
		   struct error *err);

/* Fail with STATUS_DATA if a variable of the file is unknown and has not been set. */
int parameters_check_known(const struct model_parameters *parameters, struct error *err);

/* Tell whether parameters_set knows the name without a file. */
bool parameters_know(const char *name);

/* Tell whether the name is of a parameter that places ranks: ranks-per-node or mapping. */
bool network_knows(const char *name);

#endif
