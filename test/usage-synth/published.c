#include "test/usage-synth/published.h"

#include <math.h>
#include <string.h>

/*
 * The rows of the paper are cumulative: 682,255 jobs of Mira, 505,648 of INCITE and ALCC, 405,100
 * of large executables, of which 337,942 ended normally, and 86,490 have a log.  Core-hours follow
 * from the shares, which have more digits than the hours.
 */
static const struct published_table tables[] = {
	{"mira",
	 512,
	 {
		 {86490, 11.6e9 * .230, 0, 64, true, false, true},
		 {337942 - 86490, 11.6e9 * (.548 - .230), 0, 105, true, false, false},
		 {67158, 11.6e9 * .362, 0, 110, true, true, false},
		 {505648 - 405100, 11.6e9 * (.956 - .910), 110, 819 - 110, true, false, false},
		 {682255 - 505648, 11.6e9 * (1 - .956), 819, 1450 - 819, false, false, false},
	 }},
	{"cetus",
	 32,
	 {
		 {34012, 736e6 * .047, 0, 15, true, false, true},
		 {81839 - 34012, 736e6 * (.112 - .047), 0, 28, true, false, false},
		 {18603, 736e6 * .120, 0, 28, true, true, false},
		 {148494 - 100442, 736e6 * (.259 - .232), 28, 651 - 28, true, false, false},
		 {914419 - 148494, 736e6 * (1 - .259), 651, 4352 - 651, false, false, false},
	 }},
};

const struct published_table *published_table(const char *name)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (!strcmp(tables[i].name, name))
			return &tables[i];
	return NULL;
}

uint32_t published_jobs(const struct published_group *group, uint32_t divisor)
{
	return group->jobs / divisor;
}

/* Exit statuses of a group by turns. */
static unsigned exit_status(bool failed, uint32_t number)
{
	static const unsigned normal[] = {0, 0, 0, 256, 0, 300}, bad[] = {1, 255, 137, 134, 143};

	return failed ? bad[number % 5] : normal[number % 6];
}

void published_job(const struct published_table *table, const struct published_group *group,
		   uint32_t number, uint32_t divisor, struct synth_job *job,
		   struct synth_record *record)
{
	const double seconds = group->core_hours / divisor / published_jobs(group, divisor) * 3600 /
			       (table->nodes * SYNTH_CORES);
	const unsigned executable = group->first_executable + number % group->executables;

	/* Whole seconds whose sum is right. */
	job->runtime_ns = (uint64_t)(floor(seconds * (number + 1)) - floor(seconds * number)) *
			  1000000000;
	job->nodes = table->nodes;
	synth_application(executable, job->application, sizeof job->application);
	snprintf(job->project, sizeof job->project, "%s%02u",
		 group->in_programme ? "project" : "other", executable % 10);
	*record = (struct synth_record){
		.system = table->name,
		.id = job->id,
		.user = job->user,
		.project = job->project,
		.executable = job->application,
		.exit_status = exit_status(group->failed, number),
		.start_s = job->start_ns / 1000000000,
		.seconds = job->runtime_ns / 1000000000,
		.nodes = job->nodes,
		.ranks = job->nodes * job->ranks_per_node,
	};
}
