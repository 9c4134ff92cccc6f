/*
 * usage-synth: logs of jobs whose properties have known distributions, and the records that belong
 * to them.
 */
#include "common/options.h"
#include "common/parallel/parallel.h"
#include "test/usage-synth/published.h"
#include "test/usage-synth/synth_log.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* Logs of a step of work. */
enum { BLOCK = 64 };

static struct {
	const char *profile, *system, *table;
	const char *distributions[SYNTH_PROPERTIES];
	double jobs, seed, copies, unlogged, killed, divisor, days, spread, sizes;
} given = {.profile = "uniform",
	   .system = "synth",
	   .jobs = 1000,
	   .copies = 1,
	   .divisor = 1,
	   .days = 365,
	   .spread = 0.1,
	   .sizes = 1};

static const char *folder;
static struct population population;

static FILE *open_output(const char *name, char *path, size_t size, struct error *err)
{
	FILE *file;

	snprintf(path, size, "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		error_set_errno(err, "%s", path);
	return file;
}

/* ----------------------------------------------------------------- population */

/* Logs of job `number`: one, or one of each node if it was killed. */
static int write_logs(const struct synth_job *job, uint32_t number, struct error *err)
{
	const bool killed = number % population.jobs < given.killed;
	const uint32_t count = killed ? job->nodes : 1;
	char logs[4096];

	snprintf(logs, sizeof logs, "%s/logs", folder);
	for (uint32_t i = 0; i < count; i++) {
		struct job_log log;
		int result;

		TRY(killed ? synth_log_of_node(&log, &population, job, i, err)
			   : synth_log(&log, &population, job, err));
		result = synth_log_write(&log, logs, (uint64_t)number << 20 | i, err);
		job_log_release(&log);
		TRY(result);
	}
	return 0;
}

static int write_block(void *shared, void *state, uint32_t item, struct error *err)
{
	const uint32_t end = population.jobs * (uint32_t)given.copies;

	(void)shared, (void)state;
	for (uint32_t i = item * BLOCK; i < end && i < (item + 1) * BLOCK; i++) {
		struct synth_job job;

		population_job(&population, i % population.jobs, &job);
		population_calls(&population, i % population.jobs, &job);
		job.id = SYNTH_FIRST_ID + i;
		TRY(write_logs(&job, i, err));
	}
	return 0;
}

static void write_record(FILE *file, uint32_t id, uint32_t number)
{
	struct synth_job job;

	population_job(&population, number % population.jobs, &job);
	accounting_record(file,
			  &(struct synth_record){
				  .system = given.system,
				  .id = id,
				  .user = job.user,
				  .project = job.project,
				  .executable = job.application,
				  .exit_status = number % population.jobs < given.killed ? 137 : 0,
				  .start_s = job.start_ns / 1000000000,
				  .seconds = job.runtime_ns / 1000000000,
				  .nodes = job.nodes,
				  .ranks = job.nodes * job.ranks_per_node,
			  });
}

static int write_population(FILE *records, struct error *err)
{
	const struct parallel_work work = {.make = write_block};
	const uint32_t logs = population.jobs * (uint32_t)given.copies;

	for (uint32_t i = 0; i < logs + (uint32_t)given.unlogged; i++)
		write_record(records, SYNTH_FIRST_ID + i, i);
	return parallel_run(&work, (logs + BLOCK - 1) / BLOCK, processor_count(), err);
}

/* ------------------------------------------------------------ published tables */

static int write_group(FILE *records, const struct published_table *table,
		       const struct published_group *group, uint32_t *written, struct error *err)
{
	const uint32_t divisor = (uint32_t)given.divisor;
	const uint32_t jobs = published_jobs(group, divisor);

	for (uint32_t i = 0; i < jobs; i++) {
		const uint32_t drawn = i % population.jobs;
		struct synth_record record;
		struct synth_job job;

		population_job(&population, drawn, &job);
		job.id = SYNTH_FIRST_ID + (*written)++;
		published_job(table, group, i, divisor, &job, &record);
		accounting_record(records, &record);
		if (!group->has_log)
			continue;
		population_calls(&population, drawn, &job);
		TRY(write_logs(&job, job.id, err));
	}
	return 0;
}

static int write_published(FILE *records, const struct published_table *table, struct error *err)
{
	uint32_t written = 0;

	for (unsigned i = 0; i < PUBLISHED_GROUPS; i++)
		TRY(write_group(records, table, &table->groups[i], &written, err));
	return 0;
}

/* --------------------------------------------------------------------- command */

static int check(struct error *err)
{
	if (given.jobs < 1 || given.copies < 1 || given.divisor < 1 || given.unlogged < 0 ||
	    given.jobs * given.copies + given.unlogged > 1e8)
		return error_set(err, STATUS_USAGE, "numbers of jobs must be from 1 to 10^8");
	if (given.sizes < 1 || given.sizes > 13 || given.spread < 0 || given.spread > 1)
		return error_set(err, STATUS_USAGE,
				 "expected 1 to 13 sizes and a spread from 0 to 1");
	return 0;
}

/* The population of options; that of a published table has the jobs with a log. */
static int set_up(const struct published_table *table, struct error *err)
{
	population = (struct population){
		.system = given.system,
		.jobs = (uint32_t)given.jobs,
		.seed = (uint64_t)given.seed,
		.days = (uint32_t)given.days,
		.sizes = (uint32_t)given.sizes,
		.spread = given.spread,
	};
	if (table) {
		population.system = given.system = table->name;
		population.jobs = published_jobs(&table->groups[0], (uint32_t)given.divisor);
		given.profile = table->name;
	}
	TRY(population_profile(&population, given.profile, err));
	for (unsigned i = 0; i < SYNTH_PROPERTIES; i++)
		if (given.distributions[i])
			TRY(quantiles_parse(&population.distributions[i], given.distributions[i],
					    err));
	return population_draw(&population, err);
}

static int write_all(const struct published_table *table, struct error *err)
{
	char path[4096];
	FILE *records = open_output("sacct.txt", path, sizeof path, err);
	int result;

	if (!records)
		return -1;
	accounting_heading(records);
	result = table ? write_published(records, table, err) : write_population(records, err);
	if (fclose(records) && result == 0)
		result = error_set_errno(err, "%s", path);
	return result == 0 ? accounting_tables(folder, population.system, err) : result;
}

static int run(char **operands, int count, struct error *err)
{
	const struct published_table *table = given.table ? published_table(given.table) : NULL;
	int result;

	(void)count;
	folder = operands[0];
	TRY(check(err));
	if (given.table && !table)
		return error_set(err, STATUS_USAGE, "there is no table of '%s'", given.table);
	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return error_set_errno(err, "%s", folder);
	result = set_up(table, err);
	if (result == 0)
		result = write_all(table, err);
	population_release(&population);
	return result;
}

static const struct option_spec own_options[] = {
	{"profile", 0, "NAME",
	 "uniform (default): fractions uniform from 0 to 1; points: 0, .25, .5, 1; mixture: 40 % 0, 20 % "
	 ".9, others .2 to .6; mira, cetus: as published",
	 option_text, &given.profile},
	{"jobs", 0, "N", "number of jobs, by default 1000", option_number, &given.jobs},
	{"copies", 0, "K", "write each job K times, under K ids", option_number, &given.copies},
	{"unlogged", 0, "N", "add N records of jobs without a log", option_number, &given.unlogged},
	{"killed", 0, "N", "let the first N jobs be killed: one log for each of their nodes",
	 option_number, &given.killed},
	{"system", 0, "NAME", "name of the system", option_text, &given.system},
	{"seed", 0, "N", "choose another order of the properties", option_number, &given.seed},
	{"days", 0, "N", "length of the period, from 2017-01-01 on; by default 365", option_number,
	 &given.days},
	{"sizes", 0, "N",
	 "let each job have messages of N sizes, each half of the one before: more cells; by default 1",
	 option_number, &given.sizes},
	{"spread", 0, "S",
	 "rank 0 has 1 - S of the mean MPI time, the last rank 1 + S; by default 0.1",
	 option_number, &given.spread},
	{"table", 0, "NAME",
	 "mira or cetus: records and logs that have the published coverage table", option_text,
	 &given.table},
	{"divisor", 0, "N", "divide the numbers of jobs of the table", option_number,
	 &given.divisor},
	{"fraction", 0, "QUANTILES", "fraction of MPI: SHARE:VALUE,..., lines between marks",
	 option_text, &given.distributions[SYNTH_FRACTION]},
	{"runtime", 0, "QUANTILES", "seconds", option_text, &given.distributions[SYNTH_RUNTIME]},
	{"nodes", 0, "QUANTILES", "nodes", option_text, &given.distributions[SYNTH_NODES]},
	{"ranks-per-node", 0, "QUANTILES", "ranks per node", option_text,
	 &given.distributions[SYNTH_RANKS_PER_NODE]},
	{"level", 0, "QUANTILES", "0 single, 1 funneled, 2 serialized, 3 multiple", option_text,
	 &given.distributions[SYNTH_LEVEL]},
	{"reduced", 0, "QUANTILES", "mean bytes of an Allreduce or Reduce, at least 8", option_text,
	 &given.distributions[SYNTH_REDUCED]},
	{"broadcast", 0, "QUANTILES", "bytes of a Bcast", option_text,
	 &given.distributions[SYNTH_BROADCAST]},
	{"message", 0, "QUANTILES", "bytes of a message", option_text,
	 &given.distributions[SYNTH_MESSAGE]},
	{"messages", 0, "QUANTILES", "above 0.5: the job has point-to-point calls", option_text,
	 &given.distributions[SYNTH_MESSAGES]},
	{0},
};

static const struct option_spec *const options[] = {own_options, NULL};

static const struct command command = {
	.name = "",
	.operands = "DIR",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "Write logs of jobs whose properties have known distributions.",
	.notes =
		"DIR gets the folder logs, sacct.txt with a record of each job, and programmes.csv, domains.csv and "
		"systems.csv.\n\n"
		"Each property of N jobs takes the quantiles (i + 1/2) / N of its distribution, once each, so that the "
		"distribution of the logs is exact. The fraction of MPI, of the average rank, is exact to 1 ns. A job of "
		"more than two ranks has the least time in MPI on rank 0, the most on the last one, the mean on all "
		"others. Jobs with messages spend 32 % of their MPI time in collectives, others all of it; Allreduce has "
		"13.8 % or 25 % of it. Three quarters of the Allreduces have 8 bytes. The calls of a job do not depend on "
		"its fraction.",
	.options = options,
	.run = run,
};

static const struct command *const commands[] = {&command, NULL};

int main(int argc, char **argv)
{
	static const struct tool tool = {
		.name = "usage-synth",
		.summary = "Write logs of jobs whose properties have known distributions.",
		.commands = commands,
	};

	return tool_main(&tool, argc, argv);
}
