/*
 * Graphs of one trace, each made by running schedgen with other options, and commands of goal; threads may make several at a
 * time.
 *
 * The graphs lie in a folder of their own for temporary files, which graph_maker_end removes.
 */
#ifndef LLAMP_GRAPH_MAKER_H
#define LLAMP_GRAPH_MAKER_H

#include "llamp/advise/companion.h"

#include <stdint.h>

struct graph_maker {
	const char *archive; /* not owned */
	words_list words;    /* options of the user for schedgen; not owned */
	char *folder;	     /* owned; NULL before graph_maker_begin */
	double not_modelled; /* share of the ranks' time in calls that are not modelled, set by graph_maker_base */
	_Atomic uint32_t made;
};

/* An algorithm that schedgen knows. */
struct algorithm_name {
	char collective[32], algorithm[48];
};

typedef ARRAY(struct algorithm_name) algorithm_list;

/* Make the folder.  archive and words are set. */
int graph_maker_begin(struct graph_maker *maker, struct error *err);
void graph_maker_end(struct graph_maker *maker);

/*
 * Make a graph with further words.  *path, to be freed, is where it lies.  The error is the last line that schedgen
 * said, with its status.
 */
int graph_maker_make(struct graph_maker *maker, const words_list *more, char **path,
		     struct error *err);

/* Make a graph from the one at `from` by a command of goal with its words.  *path is NULL on failure. */
int graph_maker_change(struct graph_maker *maker, const words_list *command, const char *from,
		       char **path, struct error *err);

/* Make the graph without further words.  *estimate_ns: how far T may be off if the trace is repeated (--repeat); else 0. */
int graph_maker_base(struct graph_maker *maker, char **path, double *estimate_ns,
		     struct error *err);

/* Name of a further file in the folder, to be freed. */
int graph_maker_file(struct graph_maker *maker, const char *suffix, char **path, struct error *err);

/* Open a stream to write and read, whose file lies in the folder as long as it is open. */
int graph_maker_stream(struct graph_maker *maker, FILE **stream, struct error *err);

/* Remove a graph and its side file, and free its path. */
void graph_maker_remove(char *path);

/* List the algorithms of all collectives. */
int graph_maker_algorithms(struct graph_maker *maker, algorithm_list *found, struct error *err);

#endif
