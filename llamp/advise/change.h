/*
 * Changes of a program or of its network, and how each is made: by options of schedgen, of commands of goal and of
 * llamp, and by llamp place, so that any set of them is a few commands that everybody can run.
 */
#ifndef LLAMP_CHANGE_H
#define LLAMP_CHANGE_H

#include "common/array.h"
#include "llamp/network/network.h"

enum change_kind {
	CHANGE_ALGORITHM, /* of a collective */
	CHANGE_EAGER,	  /* a larger threshold of the rendezvous protocol */
	CHANGE_BALANCE,	  /* of computation before a call */
	CHANGE_TOTALS,	  /* of computation: all ranks compute equally long in total */
	CHANGE_MESSAGES,  /* of a pair that are awaited together, as one */
	CHANGE_WAITS,	  /* later, and receives posted earlier */
	CHANGE_BARRIERS,  /* left out */
	CHANGE_PROGRESS,  /* messages move also while ranks compute */
	CHANGE_PLACEMENT, /* of ranks on nodes */
	CHANGE_NETWORK,	  /* L, o or G: halved, or 0 */
	CHANGE_KINDS,
};

extern const char *const change_kind_names[CHANGE_KINDS + 1]; /* "algorithm"; NULL at the end */

/* How sure a gain is. */
enum change_class {
	CHANGE_EXACT, /* T of the model with the change */
	CHANGE_BOUND, /* what the change can bring at most; of totals and messages an estimate of it */
	CHANGE_UNSAFE, /* the program may need what is left out */
};

extern const char *const change_class_names[];

/* Commands of goal that change a graph, in the order in which they do. */
enum graph_command { GRAPH_MERGE, GRAPH_BALANCE, GRAPH_MOVE, GRAPH_COMMANDS };

extern const char *const graph_command_names[GRAPH_COMMANDS]; /* "balance" */

struct change {
	enum change_kind kind;
	uint32_t group;	 /* of two changes of a kind and group only one can be made */
	bool is_no_step; /* its gain is shown, but it is not chosen */
	char *name;	 /* "MPI_Allreduce by ring"; owned */
	char *word;	 /* of schedgen, "--coll=allreduce=ring"; owned, or NULL */
	/*
	 * Of an algorithm: the collective, "allreduce", its name, "ring", and if it is that of some calls only, the name of
	 * their call site or communicator, not owned, which live as long as the model of the base; or NULL.
	 */
	char collective[32], algorithm[48];
	const char *site, *communicator;
	/* Of the graph: the command, its option, "--before", NULL if it has none, and its value, "MPI_Barrier@cg.c:57", owned or NULL. */
	bool is_of_graph;
	enum graph_command command;
	const char *option;
	char *value_of_option;
	double most_ns; /* of totals: the most that the change can take off T */
	/* Of the model, "S" and "65536"; owned, or NULL. */
	char *parameter, *value;
	/* The network with other hosts of the ranks: it and its hosts are owned, the rest is that of the model; or NULL. */
	struct network *placed;
	char *refusal; /* why the change cannot be made; owned, or NULL */
};

typedef ARRAY(struct change) change_list;

/* Whether a function is a form of a collective: of "allreduce" MPI_Allreduce, MPI_Iallreduce and MPI_Allreduce_init. */
bool is_form_of(const char *function, const char *collective);

/* Option of schedgen: messages of more bytes use the rendezvous protocol. */
extern const char threshold_word[];

/*
 * Whether only one of two changes can be made: two of a kind and group, one of all calls of a function and one of those at a
 * site, or one of totals and one of balance.
 */
bool change_excludes(const struct change *one, const struct change *other);

/* Whether schedgen gets the word of a change of a set.  Of several thresholds only the largest one is given. */
bool change_has_word(const struct change *const *set, size_t count, size_t number);

enum change_class change_class(enum change_kind kind);

/* Add a change; `changes` owns its texts also on failure. */
int change_add(change_list *changes, const struct change *change, struct error *err);
void change_list_release(change_list *changes);

/* Free the texts of a change that belongs to no list. */
void change_release(const struct change *change);

/* Format a text to be freed, or fail. */
int change_text(char **text, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
