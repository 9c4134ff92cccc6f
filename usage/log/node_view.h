/*
 * What a node file says (usage/log/node_file.h), while the job runs and after it.
 *
 * The file may be of another user, damaged, or be written at this moment: any content is read without harm,
 * and what makes no sense is left out.
 */
#ifndef USAGE_LOG_NODE_VIEW_H
#define USAGE_LOG_NODE_VIEW_H

#include "common/array.h"
#include "usage/log/node_file.h"

/* A thread as the file shows it. */
struct node_thread_view {
	uint32_t number;
	uint32_t inside;   /* CALL_..., or USAGE_REST if it is in no call */
	uint64_t stamp_ns; /* from MPI_Init to the last change of `inside` */
};

/* A process. */
struct node_rank {
	uint32_t rank;
	int64_t process;
	bool alive;
	enum node_state state;
	uint64_t before_ns, begin_ns; /* begin_ns: MPI_Init left, by the node's CLOCK_MONOTONIC */
	uint64_t runtime_ns; /* from MPI_Init to MPI_Finalize, or to the last change that is seen */
	uint64_t begin_ticks, ticks_per_s; /* of the node's clock */
	uint64_t counters[JOB_COUNTER_END];
	ARRAY(struct node_thread_view) threads;
	struct usage_table *table; /* of all threads together, in ns */
};

struct node_view {
	struct job_log log; /* identity only */
	char *host, *log_directory;
	uid_t owner;
	bool alive;		       /* a process lives */
	ARRAY(struct node_rank) ranks; /* by rank, each once */
};

/* Read a node file.  STATUS_DATA if it is none of this version, STATUS_SYSTEM if it cannot be opened. */
int node_view_read(struct node_view *view, const char *path, struct error *err);

/* Read a node file that is open.  `path` is for messages. */
int node_view_read_file(struct node_view *view, int file, const char *path, struct error *err);

void node_view_release(struct node_view *view);

/*
 * Open a node file and lock it against processes of its job and other collectors, until it is closed.
 * Returns the file; NODE_IN_USE if a process of the job or a collector lives, or it has just been removed;
 * -1 on failure.
 */
enum { NODE_IN_USE = -2 };
int node_view_claim(const char *path, struct error *err);

/* Whether a file name is that of a node file, or of one whose making has not ended if `unfinished`. */
bool node_is_name(const char *name, bool unfinished);

/*
 * Make the log of what a node file says, of a job that has ended (JOB_KILLED, JOB_EXITED) or still runs.  The
 * view stays the owner of what it has; release the log before it.
 */
int node_view_log(const struct node_view *view, struct job_log *log, struct error *err);

#endif
