/* What a traced run cannot tell, as critpath says it: times that are not known, and what the trace lacks. */
#ifndef LLAMP_RUN_QUALITY_H
#define LLAMP_RUN_QUALITY_H

#include "llamp/advise/graph_maker.h"

#include <stdbool.h>

struct run_quality {
	/* What critpath says if it refuses the trace, as where clocks contradict messages; else "" and the rest is known. */
	char refusal[sizeof((struct error *)0)->text];
	uint64_t runtime_ns; /* of the run, or the slice */
	uint64_t unknown_ns; /* of it, on the critical path of the run */
	bool begins_later;   /* than the run: a slice */
	bool ended_early;    /* some ranks, or they were not traced */
	/* Of the main loop, of the rank that makes most; UINT64_MAX: not known, of a slice or a repeated trace. */
	uint64_t iterations;
	uint64_t unmatched_sends, unmatched_receives, lacking, incomplete, unfinished;
};

/*
 * Ask critpath about the archive, and the slice of it, that graphs are made of.  Nothing is wrong with a trace that is repeated
 * (--repeat): schedgen checks it by its event flow graph, and critpath would take what is between windows for lost.
 */
int run_quality_ask(struct run_quality *quality, struct graph_maker *maker, struct error *err);

#endif
