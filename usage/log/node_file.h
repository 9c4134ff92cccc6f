/*
 * Node file: tables of the processes of a job step on one node, in a file that outlives them.
 *
 * The processes of a step on a node share a file, DIR/llamp-usage-JOB.STEP-START.node, in shared memory.
 * What they count lies in it from the start, so it is there however they end.
 *
 *	node_file_join(&node, node_file_directories(), &job, err);	in MPI_Init
 *	thread = node_file_thread(node, err);				of each thread, at its first call
 *	usage_add(node_file_cell(node, thread, key), ...);		in each call
 *	node_file_state(node, NODE_EXITED);				in the exit handler, without MPI_Finalize
 *	node_file_leave(node, true);					in MPI_Finalize, when the log is there
 *
 * Who reads it (usage/log/node_view.h, `llamp-usage collect`) knows by locks which processes live: each one
 * holds an OFD lock on a byte of its own until it ends.  The file has no data that readers rely on: it may be
 * of another user.
 *
 * Memory is reserved in the file before it is touched, so a full /dev/shm is an error and no signal: 16 KiB
 * for the file, 4 KiB a process, 20 KiB a thread, which grow to 264 KiB with the number of cells.  After an
 * error use tables of other memory: they count as well, and do not survive.
 *
 * The child of a fork has no part in the file: all functions do nothing there, and its calls are not to be
 * counted.
 */
#ifndef USAGE_LOG_NODE_FILE_H
#define USAGE_LOG_NODE_FILE_H

#include "common/error.h"
#include "usage/log/cell.h"
#include "usage/log/job_log.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Of a process; stored in its slot. */
enum node_state {
	NODE_RUNNING,
	NODE_FINALIZING, /* in MPI_Finalize */
	NODE_EXITED,	 /* exit without MPI_Finalize */
	NODE_STATES
};

/* A thread that calls MPI.  The thread writes it, others may read it at any time. */
struct node_thread {
	uint32_t inside; /* 1 + CALL_... of the outermost call that the thread is in, 0: in none */
	uint32_t number; /* of the thread, from 0 */
	uint64_t stamp_ticks; /* when `inside` changed last, or as often as that is cheap */
	uint32_t full;	      /* 1: no more of the table can be reserved */
	uint32_t unused[11];
	struct usage_table table; /* times in ticks */
};

/* A process.  It may write counters and finalize_ticks whenever it likes. */
struct node_slot {
	uint32_t rank;
	uint32_t state;		 /* enum node_state */
	int64_t process;	 /* id */
	uint64_t begin_ticks;	 /* MPI_Init left */
	uint64_t finalize_ticks; /* MPI_Finalize entered, or 0 */
	uint64_t ticks_per_s;
	uint64_t begin_ns;  /* begin_ticks by CLOCK_MONOTONIC */
	uint64_t before_ns; /* from the start of the process to begin_ticks */
	uint64_t counters[JOB_COUNTER_END];
	uint32_t threads;  /* claimed entries of `tables` */
	uint32_t tables[]; /* units where they lie, 0: not there yet */
};

/* What a process brings when it joins. */
struct node_job {
	/*
	 * Identity, the same in all processes: strings, args_hash, start_unix_ns (of rank 0), ranks, nodes (0: not
	 * known), levels.  Strings too long for the file are cut.
	 */
	const struct job_log *log;
	const char *host;
	const char *log_directory; /* where the log of the job goes, or NULL */
	uint32_t rank;
	uint64_t begin_ticks, ticks_per_s, begin_ns, before_ns; /* as in struct node_slot */
};

struct node_file;

/* Most processes of a file, and threads of a process. */
enum { NODE_SLOTS = 1024, NODE_THREADS = 240 };

/* Directories to try, with colons between them: LLAMP_USAGE_PARTIAL, or "/dev/shm:/var/tmp". */
const char *node_file_directories(void);

/*
 * Join the file of the job on this node, which the first process makes, in the first of the directories where
 * that works.  The result belongs to the process and stays until it ends.
 */
int node_file_join(struct node_file **node, const char *directories, const struct node_job *job,
		   struct error *err);

/* The slot of this process. */
struct node_slot *node_file_slot(struct node_file *node);

/* Make the table of a thread.  Threads may call it at the same time. */
struct node_thread *node_file_thread(struct node_file *node, struct error *err);

/* Find or make a cell as usage_cell, with more of the thread's table reserved if it is full. */
struct usage_cell *node_file_cell(struct node_file *node, struct node_thread *thread,
				  struct usage_key key);

/* Note the state of this process.  node: may be NULL. */
void node_file_state(struct node_file *node, enum node_state state);

/*
 * Have done with the file, and remove it if `remove`: there is a log, or none is wanted.  Memory of threads
 * stays usable, as they may be in a call.  node: may be NULL.
 */
void node_file_leave(struct node_file *node, bool remove);

#endif
