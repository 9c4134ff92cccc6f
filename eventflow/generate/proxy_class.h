/*
 * Ranks and threads that do the same, and their functions in C.  Regular parts are code: loops with counters,
 * conditions on them, calls.  Long parts without repetition are tables of records, which one
 * function plays.
 */
#ifndef EVENTFLOW_PROXY_CLASS_H
#define EVENTFLOW_PROXY_CLASS_H

#include "common/number_map.h"
#include "eventflow/generate/replay.h"

#include <stdio.h>

/* Threads with equal graphs and equal actions at all nodes; of most programs each rank has one. */
struct proxy_class {
	char name[128]; /* of its function */
	uint32_t graph;
	ARRAY(uint32_t) members;   /* rank * threads of the program + thread */
	ARRAY(uint32_t) sequences; /* of nodes, as in struct replay_rank */
	uint64_t *sums, *counts;   /* of the times of its edges, ns */
};

/* The rank has no such thread. */
#define NO_CLASS UINT32_MAX

/* Zero bytes are none. */
struct proxy_classes {
	ARRAY(struct proxy_class) classes;
	uint32_t *of; /* [member]: class, or NO_CLASS */
	double *pace; /* [member]: computation, compared with the mean of its class */
	bool level;   /* the program asks for a level of threads */
	/* Actions that are rows of a table, each with its form first. */
	ARRAY(int32_t) records;
	struct number_map record_of; /* action: its place */
	char *tables, *code;	     /* in C */
	uint64_t lines;
};

/* Find the classes of all threads, and their code. */
int proxy_classes_make(struct proxy_classes *classes, struct replay_program *program,
		       struct error *err);

/* Write the functions that play records. */
void proxy_write_calls(const struct replay_program *program, const struct proxy_classes *classes,
		       FILE *stream);

void proxy_classes_release(struct proxy_classes *classes);

/* Write the functions of a class: internal to eventflow/generate. */
int proxy_write_class(struct proxy_classes *classes, struct replay_program *program,
		      uint32_t number, FILE *tables, FILE *code, struct error *err);

/* Place of an action in the records, which has it then. */
int proxy_record(struct proxy_classes *classes, const struct replay_program *program,
		 uint32_t action, uint32_t *place, struct error *err);

#endif
