#include "profiler/job.h"

#include "common/hash.h"
#include "common/source/loaded_module.h"
#include "pmpi/process.h"
#include "profiler/places.h"
#include "profiler/profiler.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum job_level job_level_of(int level)
{
	if (level == MPI_THREAD_SINGLE)
		return JOB_SINGLE;
	if (level == MPI_THREAD_FUNNELED)
		return JOB_FUNNELED;
	if (level == MPI_THREAD_SERIALIZED)
		return JOB_SERIALIZED;
	return level == MPI_THREAD_MULTIPLE ? JOB_MULTIPLE : JOB_LEVEL_UNKNOWN;
}

static int set_text(char **text, const char *value, struct error *err)
{
	if (!value)
		return 0;
	*text = strdup(value);
	return *text ? 0 : error_set_memory(err, strlen(value) + 1);
}

/* Set system and job by the variables of Slurm, PBS or LSF. */
static int set_ids(struct job_log *log, struct error *err)
{
	static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"};
	const char *job = NULL;

	for (size_t i = 0; i < sizeof variables / sizeof *variables && !job; i++)
		job = getenv(variables[i]);
	TRY(set_text(&log->system, getenv("SLURM_CLUSTER_NAME"), err));
	return set_text(&log->job, job ? job : "", err);
}

static int set_program(struct job_log *log, struct error *err)
{
	char build_id[2 * CALL_SITE_BUILD_ID + 1] = "";
	struct call_site *site;
	int result;

	TRY(allocate(&site, 1, sizeof *site, err));
	loaded_module_find(site, (uintptr_t)getauxval(AT_ENTRY));
	for (size_t i = 0; i < site->build_id_bytes; i++)
		snprintf(build_id + 2 * i, 3, "%02x", site->build_id[i]);
	result = set_text(&log->program, *site->module ? site->module : NULL, err);
	free(site);
	TRY(result);
	return set_text(&log->build_id, *build_id ? build_id : NULL, err);
}

/* Hash of the arguments, each with its final zero, without the name of the program. */
static uint64_t hash_arguments(void)
{
	FILE *file = fopen("/proc/self/cmdline", "r");
	uint64_t hash = HASH_NO_BYTES;
	bool argument = false;
	int byte;

	if (!file)
		return 0;
	while ((byte = getc(file)) != EOF) {
		const unsigned char one = (unsigned char)byte;

		if (argument)
			hash = hash_more_bytes(hash, &one, 1);
		argument |= byte == 0;
	}
	fclose(file);
	return hash >> 1; /* below 2^63, as numbers of JSON are */
}

static int set_library(struct job_log *log, struct error *err)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length;

	if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS)
		return 0;
	text[strcspn(text, "\n")] = 0;
	for (char *at = text; *at; at++)
		if (*at == '\t')
			*at = ' ';
	return set_text(&log->library, text, err);
}

int job_describe(struct job_log *log, bool user, struct error *err)
{
	const char *name = getenv("SLURM_JOB_USER");
	char number[16];

	TRY(set_ids(log, err));
	if (!name)
		name = getenv("USER");
	snprintf(number, sizeof number, "%u", (unsigned)getuid());
	if (user)
		TRY(set_text(&log->user, name ? name : number, err));
	TRY(set_program(log, err));
	log->args_hash = hash_arguments();
	return set_library(log, err);
}

bool job_is_spawned(void)
{
	MPI_Comm parent = MPI_COMM_NULL;

	return process.world && PMPI_Comm_get_parent(&parent) == MPI_SUCCESS &&
	       parent != MPI_COMM_NULL;
}

static int set_parent(struct job_log *log, struct error *err)
{
	const char *named = getenv(JOB_PARENT_VARIABLE);

	if (!profiler.spawned)
		return 0;
	/* If the launcher has not passed the variable on: both are of one job. */
	if (!named || !*named)
		named = log->job && *log->job ? log->job : "unknown";
	return set_text(&log->parent, named, err);
}

int job_describe_run(struct job_log *log, const char *step, struct error *err)
{
	const char *named = getenv("SLURM_STEP_ID");
	struct ticks_point now;
	int level = MPI_THREAD_SINGLE;

	if (process.world)
		PMPI_Query_thread(&level);
	TRY(set_text(&log->step, getenv("SLURM_JOB_ID") && named ? named : step, err));
	TRY(set_parent(log, err));
	TRY(set_text(&log->clock, ticks_are_cycles ? "tsc" : "monotonic", err));
	now = ticks_point();
	log->clock_hz = ticks_hz(ticks_rate(&profiler.load, &now));
	log->start_unix_ns = profiler.name.unix_ns;
	log->level_asked = process.world ? job_level_of(process.level_asked) : JOB_LEVEL_UNKNOWN;
	log->level_given = process.world ? job_level_of(level) : JOB_LEVEL_UNKNOWN;
	log->ranks = (uint32_t)process.size;
	log->nodes = places.nodes;
	return 0;
}
