#include "test/usage-synth/population.h"

#include <math.h>
#include <string.h>

const char *const synth_property_names[SYNTH_PROPERTIES] = {
	[SYNTH_FRACTION] = "fraction",	 [SYNTH_RUNTIME] = "runtime",
	[SYNTH_NODES] = "nodes",	 [SYNTH_RANKS_PER_NODE] = "ranks-per-node",
	[SYNTH_LEVEL] = "level",	 [SYNTH_REDUCED] = "reduced",
	[SYNTH_BROADCAST] = "broadcast", [SYNTH_MESSAGE] = "message",
	[SYNTH_MESSAGES] = "messages",	 [SYNTH_START] = "start",
};

#define SMALL_JOBS                                                                 \
	[SYNTH_RUNTIME] = "0:600,1:7200",                                          \
	[SYNTH_NODES] = "0:1,.25:1,.25:2,.5:2,.5:4,.75:4,.75:8,1:8",               \
	[SYNTH_RANKS_PER_NODE] = "0:4,1:4", [SYNTH_LEVEL] = "0:0,1:0",             \
	[SYNTH_REDUCED] = "0:8,1:1024", [SYNTH_BROADCAST] = "0:4096,1:65536",      \
	[SYNTH_MESSAGE] = "0:8192,1:8192", [SYNTH_MESSAGES] = "0:0,.5:0,.5:1,1:1", \
	[SYNTH_START] = "0:0,1:1"

/* What the paper says of the jobs of both machines; what it does not say is plausible. */
#define ARGONNE_JOBS                                                                            \
	[SYNTH_REDUCED] = "0:8,.4:256,.7:16384,.81:524288,1:4194304",                           \
	[SYNTH_BROADCAST] = "0:4,.5:1024,.95:16777216,1:67108864",                              \
	[SYNTH_MESSAGE] = "0:64,.5:8192,1:1048576", [SYNTH_START] = "0:0,1:1",                  \
	[SYNTH_LEVEL] = "0:0,.624:0,.624:1,.686:1,.686:2,.692:2,.692:3,1:3",                    \
	[SYNTH_RANKS_PER_NODE] =                                                                \
		"0:1,.386:1,.386:2,.612:2,.612:4,.772:4,.772:8,.796:8,.796:16,.971:16,.971:32," \
		".981:32,.981:64,1:64"

const struct synth_profile synth_profiles[] = {
	{"uniform",
	 "fractions uniform from 0 to 1",
	 {[SYNTH_FRACTION] = "0:0,1:1", SMALL_JOBS},
	 {{1, 4}}},
	{"points",
	 "fractions 0, 0.25, 0.5, 1, a quarter of the jobs each",
	 {[SYNTH_FRACTION] = "0:0,.25:0,.25:.25,.5:.25,.5:.5,.75:.5,.75:1,1:1", SMALL_JOBS},
	 {{1, 4}}},
	{"mixture",
	 "fraction 0 of 40 % of the jobs, 0.9 of 20 %, the others uniform from 0.2 to 0.6",
	 {[SYNTH_FRACTION] = "0:0,.4:0,.4:.2,.8:.6,.8:.9,1:.9", SMALL_JOBS},
	 {{1, 4}}},
	{"mira",
	 "marginals of the jobs of Mira as the paper on Autoperf gives them",
	 {[SYNTH_FRACTION] = "0:0,.2:.01,.5:.3,.85:.6,1:.95",
	  [SYNTH_RUNTIME] = "0:60,.3:1000,.9:20000,1:86400",
	  [SYNTH_NODES] = "0:512,.5:512,.5:1024,.7:1024,.7:2048,.9:2048,.9:4096,.95:4096,.95:8192,"
			  ".98:8192,.98:16384,.995:16384,.995:49152,1:49152",
	  [SYNTH_MESSAGES] = "0:0,.5:0,.5:1,1:1",
	  ARGONNE_JOBS},
	 {{0.02, 3}, {0.4, 29}, {0.6, 17}, {1, 15}}},
	{"cetus",
	 "the same of Cetus",
	 {[SYNTH_FRACTION] = "0:0,.5:.5,.9:.8,1:.98",
	  [SYNTH_RUNTIME] = "0:10,.5:600,1:3600",
	  [SYNTH_NODES] = "0:32,.4:32,.4:128,.7:128,.7:512,.95:512,.95:2048,1:2048",
	  [SYNTH_MESSAGES] = "0:0,.3:0,.3:1,1:1",
	  ARGONNE_JOBS},
	 {{0.4, 7}, {0.6, 4}, {1, 4}}},
	{0},
};

void synth_application(unsigned number, char *name, size_t size)
{
	/* Of these the paper says how much they communicate: the most, and nearly nothing. */
	static const char *const least[] = {"QMCPACK", "QWalk", "topmon"};

	if (number < sizeof least / sizeof *least)
		snprintf(name, size, "%s", least[number]);
	else
		snprintf(name, size, "app-%02u", number);
}

const char *synth_domain(unsigned number)
{
	if (number < 3)
		return "quantum Monte Carlo";
	if (number < 21)
		return "lattice QCD";
	if (number < 32)
		return "molecular dynamics";
	if (number < 43)
		return "fluid dynamics";
	return number < 52 ? "quantum chemistry" : "materials";
}

int population_profile(struct population *of, const char *name, struct error *err)
{
	const struct synth_profile *profile = synth_profiles;

	while (profile->name && strcmp(profile->name, name))
		profile++;
	if (!profile->name)
		return error_set(err, STATUS_USAGE, "there is no profile '%s'", name);
	for (unsigned i = 0; i < SYNTH_PROPERTIES; i++)
		TRY(quantiles_parse(&of->distributions[i], profile->distributions[i], err));
	memcpy(of->applications, profile->applications, sizeof of->applications);
	return 0;
}

/* SplitMix64. */
static uint64_t next_number(uint64_t *state)
{
	uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

int population_draw(struct population *of, struct error *err)
{
	uint64_t state = of->seed;

	for (unsigned i = 0; i < SYNTH_PROPERTIES; i++) {
		TRY(allocate(&of->orders[i], of->jobs, sizeof *of->orders[i], err));
		for (uint32_t j = 0; j < of->jobs; j++) {
			const uint32_t other = (uint32_t)(next_number(&state) % (j + 1));

			of->orders[i][j] = of->orders[i][other];
			of->orders[i][other] = j;
		}
	}
	return 0;
}

void population_release(struct population *of)
{
	for (unsigned i = 0; i < SYNTH_PROPERTIES; i++)
		free(of->orders[i]);
}

static double drawn(const struct population *of, enum synth_property property, uint32_t number)
{
	return quantile(&of->distributions[property],
			(of->orders[property][number] + 0.5) / of->jobs);
}

/* Number of the application of a job: jobs of similar fractions have one application. */
static unsigned application_of(const struct population *of, uint32_t number, double fraction)
{
	const struct synth_applications *group = of->applications;
	unsigned before = 0;

	for (; group->to < 1 && fraction > group->to; group++)
		before += group->count;
	return before + of->orders[SYNTH_START][number] % group->count;
}

static void add_calls(struct synth_job *job, uint16_t function, uint64_t calls, double bytes,
		      double share)
{
	job->calls[job->calls_count++] = (struct synth_calls){
		.function = function,
		.calls = calls,
		.bytes = (uint64_t)bytes,
		.ns = (uint64_t)((double)job->mpi_ns * share),
	};
}

static int compare_calls(const void *a, const void *b)
{
	return ((const struct synth_calls *)a)->function -
	       ((const struct synth_calls *)b)->function;
}

/*
 * Shares of MPI time: with messages, collectives have 32 %, and without 100 %.  If half of the MPI
 * time is of jobs with messages, collectives have 66 %, and Allreduce 19.4 %, as on Mira.
 */
void population_calls(const struct population *of, uint32_t number, struct synth_job *job)
{
	const uint64_t steps = 4 * (1 + job->runtime_ns / 1000000000);
	const double reduced = drawn(of, SYNTH_REDUCED, number);
	const double broadcast = drawn(of, SYNTH_BROADCAST, number);
	const double message = drawn(of, SYNTH_MESSAGE, number);
	uint64_t all = 0;

	job->mpi_ns = (uint64_t)llround(job->fraction * (double)job->runtime_ns);
	if (drawn(of, SYNTH_MESSAGES, number) > 0.5) {
		add_calls(job, CALL_Send, steps, message, 0.06);
		add_calls(job, CALL_Recv, steps, message, 0.04);
		add_calls(job, CALL_Isend, 6 * steps, message, 0.08);
		add_calls(job, CALL_Irecv, 6 * steps, message, 0.04);
		add_calls(job, CALL_Wait, 12 * steps, 1, 0.46);
		add_calls(job, CALL_Barrier, steps / 4, 0, 0.082);
		add_calls(job, CALL_Bcast, steps / 4, broadcast, 0.1);
		add_calls(job, CALL_Allreduce, steps, reduced, 0.138);
	} else {
		add_calls(job, CALL_Barrier, steps, 0, 0.2);
		add_calls(job, CALL_Bcast, steps / 2, broadcast, 0.25);
		add_calls(job, CALL_Reduce, steps / 4, reduced, 0.1);
		add_calls(job, CALL_Alltoallv, steps / 4, message, 0.2);
		add_calls(job, CALL_Allreduce, steps, reduced, 0.25);
	}
	for (unsigned i = 0; i + 1 < job->calls_count; i++)
		all += job->calls[i].ns;
	job->calls[job->calls_count - 1].ns = job->mpi_ns - all;
	qsort(job->calls, job->calls_count, sizeof *job->calls, compare_calls);
}

void population_job(const struct population *of, uint32_t number, struct synth_job *job)
{
	const double fraction = drawn(of, SYNTH_FRACTION, number);
	const uint64_t seconds = (uint64_t)drawn(of, SYNTH_RUNTIME, number);
	const unsigned application = application_of(of, number, fraction);

	memset(job, 0, sizeof *job);
	job->id = SYNTH_FIRST_ID + number;
	job->start_ns = SYNTH_FIRST_NS +
			(uint64_t)(drawn(of, SYNTH_START, number) * of->days * 86400) * 1000000000;
	job->runtime_ns = seconds * 1000000000;
	job->nodes = (uint32_t)drawn(of, SYNTH_NODES, number);
	job->ranks_per_node = (uint32_t)drawn(of, SYNTH_RANKS_PER_NODE, number);
	job->level = (enum job_level)drawn(of, SYNTH_LEVEL, number);
	job->fraction = fraction;
	synth_application(application, job->application, sizeof job->application);
	snprintf(job->user, sizeof job->user, "user%02u", application % 20);
	snprintf(job->project, sizeof job->project, "project%02u", application % 10);
}
