/*
 * Programs that a command puts side by side: each graph of its operands on each network of
 * --params.
 *
 * They are in the order of the operands; those of one graph are in the order of the networks.
 */
#ifndef LLAMP_PROGRAMS_H
#define LLAMP_PROGRAMS_H

#include "llamp/network/parameters.h"

struct program {
	const char *path;		/* of the graph; not owned */
	const char *network;		/* file of --params, or NULL; not owned */
	const struct loggps *loggps;	/* of the network */
	uint32_t varied;		/* in *loggps */
	char *label;			/* short name, which no other graph and network share */
};

/* One file of --params. */
struct program_network {
	struct model_parameters parameters;
	uint32_t varied;
};

struct programs {
	struct program *of;
	size_t count;
	struct program_network *networks;
	size_t network_count;
	const char *vary;		/* variable of the question; not owned */
};

/*
 * Read all networks and list the programs.  `vary` names the variable of the question, which each
 * network must have; NULL: links if that is where the latency of all networks is, else L.  A graph of stdin can have one network only (STATUS_USAGE).  Release the
 * programs on failure, too.
 */
int programs_find(struct programs *programs, char **graphs, size_t graph_count, const char *vary,
		  struct error *err);
void programs_release(struct programs *programs);

#endif
