/*
 * All patterns, and their primitives.
 *
 * A pattern is one function that adds one iteration of pattern->rank, and one
 * entry in the table of pattern.c:
 *
 *	TRY(pattern_compute(pattern, pattern->options.compute_ns, err));
 *	TRY(pattern_recv(pattern, bytes, left, 0, err));
 *	TRY(pattern_send(pattern, bytes, right, 0, err));
 *	pattern_round_end(pattern);
 *
 *	pattern.c		the table, and collectives
 *	pattern_words.c		their primitives
 *	pattern_grid.c		halo exchanges, with and without an allreduce
 *	pattern_flow.c		pipeline, random bisection, incast, outcast
 *	pattern_overlap.c	messages beside computation
 *	pattern_training.c	a step of the training of a neural network
 */
#ifndef SCHEDGEN_PATTERN_KINDS_H
#define SCHEDGEN_PATTERN_KINDS_H

#include "schedgen/pattern/pattern.h"

int pattern_collective(struct pattern *pattern, struct error *err);

int pattern_grid_1(struct pattern *pattern, const char *settings, struct error *err);
int pattern_grid_2(struct pattern *pattern, const char *settings, struct error *err);
int pattern_grid_3(struct pattern *pattern, const char *settings, struct error *err);
int pattern_grid_4(struct pattern *pattern, const char *settings, struct error *err);
int pattern_halo(struct pattern *pattern, struct error *err);
int pattern_solver(struct pattern *pattern, struct error *err);

int pattern_pipeline(struct pattern *pattern, struct error *err);
int pattern_bisection(struct pattern *pattern, struct error *err);
int pattern_incast(struct pattern *pattern, struct error *err);
int pattern_outcast(struct pattern *pattern, struct error *err);

int pattern_overlap_sender(struct pattern *pattern, struct error *err);
int pattern_overlap_receiver(struct pattern *pattern, struct error *err);
int pattern_overlap_both(struct pattern *pattern, struct error *err);

int pattern_training_prepare(struct pattern *pattern, const char *settings, struct error *err);
int pattern_training(struct pattern *pattern, struct error *err);

/* ------------------------------------------------------------------ words */

/* Compute for `ns` within the jitter.  Add nothing for 0. */
int pattern_compute(struct pattern *pattern, uint64_t ns, struct error *err);

/* Add a message of the round, concurrent with its other messages, after the round before. */
int pattern_send(struct pattern *pattern, uint64_t bytes, uint32_t to, uint32_t tag,
		 struct error *err);
int pattern_recv(struct pattern *pattern, uint64_t bytes, uint32_t from, uint32_t tag,
		 struct error *err);

/* Let following operations wait for all messages of the round, if it has any. */
void pattern_round_end(struct pattern *pattern);

/* Pseudo-random number, a function of the three arguments. */
uint64_t pattern_hash(uint64_t seed, uint64_t a, uint64_t b);

#endif
