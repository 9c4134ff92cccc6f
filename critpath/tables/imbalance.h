/*
 * Imbalance of a measured run: what calls wait before and after the work that they have in common.
 *
 * In an instance of a collective, for each member i:
 *	wait before (i)	= the last begin of a member - begin (i)
 *	execution	= the first end of a member - the last begin
 *	wait after (i)	= end (i) - the first end
 * All members have the same execution.  Instances whose execution would be negative, as of a
 * broadcast that the root leaves early, are not synchronous and are left out; so are those of
 * calls that do not block, and those of which members are missing.  Their calls count as all other
 * calls:
 *	wait before	= the wait for another call (critpath/path/waits.h)
 *	execution	= the rest of the call
 *
 * Of a slice, all parts are cut at its edges.  So slices one after the other add up to the run.
 *
 * Per call: wait before + execution + wait after = end - begin.  Per rank, over its threads:
 * computation + unknown + the sum over calls = run time.  The computation of the first thread is
 * from MPI_Init to MPI_Finalize, that of others between their calls.
 *
 *	imbalance of calls	= waits / execution
 *	imbalance of a process	= waits / (execution + computation)
 *	load balance		= mean / most computation of the ranks, on their first threads
 *	communication efficiency = most computation / T
 *	parallel efficiency	= mean computation / T
 * The efficiencies are those of the POP project (co-design.pop-coe.eu/metrics).
 */
#ifndef CRITPATH_IMBALANCE_H
#define CRITPATH_IMBALANCE_H

#include "critpath/path/waits.h"
#include "dist/dist.h"

/* Parts of the time of calls. */
struct call_parts {
	uint64_t before_ns, execution_ns, after_ns;
};

/* Parts of the time of a rank, or of all. */
struct rank_parts {
	struct call_parts calls;
	uint64_t computation_ns;
	uint64_t first_thread_ns; /* of computation_ns */
	uint64_t unknown_ns;	  /* recording was off */
	uint64_t run_ns;	  /* from the begin to the end of each thread */
};

enum instance_state {
	INSTANCE_SYNCHRONOUS,
	INSTANCE_NOT_SYNCHRONOUS, /* a member ended before another one began */
	INSTANCE_NOT_BLOCKING,
	INSTANCE_INCOMPLETE, /* a member is missing */
	INSTANCE_STATES,
};

/* Ends with NULL. */
extern const char *const instance_state_names[INSTANCE_STATES + 1];

/* Collectives of a communicator, or calls of a function. */
struct parts_group {
	uint32_t number;   /* of the communicator or function */
	uint64_t count;	   /* synchronous instances, or calls */
	uint64_t left_out; /* other instances */
	struct call_parts calls;
};

/* An instance of a collective, as a row. */
struct imbalance_instance {
	struct measured_instance instance;
	struct call_parts parts; /* sums over members, if synchronous */
	uint32_t last_site;	 /* of the call that began it last; NO_SITE in imbalance_row */
	uint8_t state;		 /* enum instance_state */
};

struct imbalance_instances {
	ARRAY(struct imbalance_instance) list;
};

struct imbalance {
	const struct waits *waits;    /* not owned */
	uint32_t **instance_at;	      /* [rank][call]: synchronous instance, or NO_MATCH; owned */
	uint8_t *states;	      /* [instance]: enum instance_state; owned */
	struct call_parts *instances; /* [instance]: sums over members, if synchronous; owned */
	uint64_t instance_states[INSTANCE_STATES]; /* numbers */
	struct rank_parts *ranks;		   /* [rank]; owned */
	struct rank_parts sum;
	uint32_t busiest;		     /* rank with most computation on its first thread */
	ARRAY(struct parts_group) comms;     /* by waits, most first */
	ARRAY(struct parts_group) functions; /* likewise */
};

/*
 * Add up the imbalance.  Memory: 4 bytes for each call, 25 for each instance.  Collective.  Each
 * process has its own instances with all members, process 0 has all sums.  End with
 * imbalance_release.
 */
int imbalance_find(struct imbalance *imbalance, const struct waits *waits, struct dist *dist,
		   struct error *err);
void imbalance_release(struct imbalance *imbalance);

/* Whether an instance is counted and listed by this process: each is by one. */
bool imbalance_lists(const struct imbalance *imbalance, size_t instance);
struct imbalance_instance imbalance_row(const struct imbalance *imbalance, size_t instance);

/* Parts of the time of a call that are reported. */
struct call_parts imbalance_of_call(const struct imbalance *imbalance, uint32_t rank,
				    uint32_t call);

/* Waits / (execution + computation); INFINITY if only the latter is 0, 0 if both are. */
double imbalance_ratio(const struct call_parts *calls, uint64_t computation_ns);

#endif
