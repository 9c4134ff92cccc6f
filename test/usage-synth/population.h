/*
 * Jobs whose properties have known distributions: each property of N jobs takes the quantiles (i +
 * 1/2) / N of its distribution, i = 0 ... N-1, in an order of its own that depends on the seed.
 */
#ifndef TEST_USAGE_SYNTH_POPULATION_H
#define TEST_USAGE_SYNTH_POPULATION_H

#include "test/usage-synth/quantiles.h"
#include "usage/log/job_log.h"

/* Properties that are drawn independently of each other. */
enum synth_property {
	SYNTH_FRACTION, /* of the runtime in MPI, of the average rank; also the application */
	SYNTH_RUNTIME,	/* s */
	SYNTH_NODES,
	SYNTH_RANKS_PER_NODE,
	SYNTH_LEVEL,	 /* enum job_level */
	SYNTH_REDUCED,	 /* mean bytes of an Allreduce, at least 8 */
	SYNTH_BROADCAST, /* bytes of a Bcast */
	SYNTH_MESSAGE,	 /* bytes of a message */
	SYNTH_MESSAGES,	 /* 1: the job has point-to-point calls, 0: it has none */
	SYNTH_START,	 /* share of the period */
	SYNTH_PROPERTIES
};

/* Names of options and texts of distributions. */
extern const char *const synth_property_names[SYNTH_PROPERTIES];

/* Jobs of the fractions up to `to` are shared evenly by so many applications. */
struct synth_applications {
	double to;
	unsigned count;
};

struct synth_profile {
	const char *name, *meaning;
	const char *distributions[SYNTH_PROPERTIES];
	struct synth_applications applications[4]; /* ends with `to` 1 */
};

/* Profiles; the last has no name. */
extern const struct synth_profile synth_profiles[];

struct synth_calls {
	uint16_t function;
	uint64_t calls, bytes; /* bytes of a call, the largest of several sizes */
	uint64_t ns;	       /* all calls of the average rank */
};

enum { SYNTH_MOST_CALLS = 16 };

struct synth_job {
	uint32_t id;
	uint64_t start_ns, runtime_ns;
	uint32_t nodes, ranks_per_node;
	enum job_level level;
	char application[32], user[16], project[16];
	double fraction;
	uint64_t mpi_ns; /* of the average rank */
	struct synth_calls calls[SYNTH_MOST_CALLS];
	unsigned calls_count;
};

struct population {
	const char *system;
	uint32_t jobs;
	uint64_t seed;
	uint32_t days;	/* the period, from 2017-01-01 on */
	uint32_t sizes; /* of the messages of a job: SYNTH_MESSAGE, a half, a quarter, ... */
	double spread; /* rank 0 has (1 - spread) of the mean time in MPI, the last rank 1 + spread */
	struct quantiles distributions[SYNTH_PROPERTIES];
	struct synth_applications applications[4];
	uint32_t *orders[SYNTH_PROPERTIES];
};

/* Start of the period: 2017-01-01 in UTC. */
#define SYNTH_FIRST_NS (UINT64_C(1483228800) * 1000000000)

/* Id of job 0. */
enum { SYNTH_FIRST_ID = 100000 };

/* Take the distributions of a profile. */
int population_profile(struct population *of, const char *name, struct error *err);

/* Draw the orders, after everything else is set.  End with population_release. */
int population_draw(struct population *of, struct error *err);
void population_release(struct population *of);

/* Draw job number `number` of the population, without its calls. */
void population_job(const struct population *of, uint32_t number, struct synth_job *job);

/* Give the job its calls, which take its fraction of its runtime. */
void population_calls(const struct population *of, uint32_t number, struct synth_job *job);

/* Name of an application, and its domain of science. */
void synth_application(unsigned number, char *name, size_t size);
const char *synth_domain(unsigned number);

#endif
