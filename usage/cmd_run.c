/* Command llamp-usage run: start a program with the library that counts loaded. */
#include "launch/launch_preload.h"
#include "launch/launcher.h"
#include "usage/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *run_output;

static const struct option_spec run_own_options[] = {
	{"output", 'o', "DIR|FILE",
	 "write the log into the directory of logs DIR, which exists, or to FILE (default: LLAMP_USAGE_DIR, else "
	 "llamp-usage-PROGRAM-ID.usage)",
	 option_text, &run_output},
	{0},
};

static int set_variable(const char *name, const char *value, struct error *err)
{
	return setenv(name, value, 1) < 0 ? error_set_memory(err, strlen(value)) : 0;
}

/* Refuse a file that cannot be made, before the program runs for hours. */
static int check_folder(const char *path, struct error *err)
{
	char folder[PATH_MAX], *slash;

	/* The path is absolute. */
	snprintf(folder, sizeof folder, "%s", path);
	slash = strrchr(folder, '/');
	slash[slash == folder] = 0;
	if (access(folder, W_OK | X_OK) < 0)
		return error_set_errno(err, "no log can be written to %s", folder);
	return 0;
}

/* The library takes a directory or a file, as an absolute path: the program may change its directory. */
static int set_output(const char *given, struct error *err)
{
	char path[PATH_MAX], here[PATH_MAX / 2] = "";
	struct stat status;

	if (!*given)
		return error_set(err, STATUS_USAGE, "-o needs the name of a directory or a file");
	if (*given != '/' && !getcwd(here, sizeof here))
		return error_set_errno(err, "the current directory");
	if (snprintf(path, sizeof path, "%s%s%s", here, *here ? "/" : "", given) >=
	    (int)sizeof path)
		return error_set(err, STATUS_USAGE, "-o: the name is too long");
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		if (access(path, W_OK | X_OK) < 0)
			return error_set_errno(err, "no log can be written to %s", given);
		return set_variable("LLAMP_USAGE_DIR", path, err);
	}
	if (given[strlen(given) - 1] == '/')
		return error_set(err, STATUS_DATA,
				 "there is no directory %s; a directory of logs has to exist",
				 given);
	TRY(check_folder(path, err));
	return set_variable("LLAMP_USAGE_FILE", path, err);
}

/* Name the log by the program and, as rank 0 writes it, by the process of rank 0. */
static int set_default_output(const char *program, struct error *err)
{
	const char *directory = getenv("LLAMP_USAGE_DIR"), *job = getenv("SLURM_JOB_ID");
	const char *name = strrchr(program, '/');
	char file[NAME_MAX], own[24];

	if (directory && *directory)
		return 0;
	snprintf(own, sizeof own, "%d", (int)getpid());
	snprintf(file, sizeof file, "llamp-usage-%.150s-%.60s.usage", name ? name + 1 : program,
		 job ? job : own);
	return set_output(file, err);
}

static int cmd_run(char **operands, int operand_count, struct error *err)
{
	const char *library = getenv("LLAMP_USAGE_LIBRARY");
	const struct launch_tool tool = {
		.command = "llamp-usage run",
		.library = "libllampusage",
		.given = library ? library : "",
		.title = "the profiler",
		.result = "log",
		.neutral = true,
	};
	char own_options[PATH_MAX + 8] = "";

	(void)operand_count;
	if (run_output)
		snprintf(own_options, sizeof own_options, " -o %s", run_output);
	TRY(launch_check(&tool, operands, own_options, err));
	if (run_output)
		TRY(set_output(run_output, err));
	else
		TRY(set_default_output(operands[0], err));
	/* A site that switches it off for all means programs that nobody has asked about. */
	if (unsetenv("LLAMP_USAGE_OFF") < 0)
		return error_set_errno(err, "LLAMP_USAGE_OFF");
	TRY(launch_preload(&tool, operands, err));
	return launch_run(operands, err);
}

static const struct help_entry run_examples[] = {
	{"mpiexec -n 8 llamp-usage run -o app.usage ./app",
	 "count the MPI calls of a run of 8 ranks"},
	{"mpiexec -n 8 llamp-usage run -o /logs/usage ./app",
	 "write the log into the directory of logs of the site"},
	{0},
};

static const struct option_spec *const run_options[] = {run_own_options, NULL};

const struct command run_command = {
	.name = "run",
	.operands = "PROGRAM [ARGUMENT]...",
	.least_operands = 1,
	.most_operands = -1,
	.operands_end_options = true,
	.summary = "run an MPI program and write the log of its MPI calls",
	.notes =
		"Start it as the ranks' program:\n\n"
		"  mpiexec -n 8 llamp-usage run ./app\n\n"
		"Rank 0 writes the log in MPI_Finalize. If the job is killed before, `llamp-usage collect` makes a log of "
		"each of its nodes.\n\n"
		"The library finds the MPI of PROGRAM when that starts, or when a script or an interpreter loads it. Other tools "
		"that wrap MPI functions work, too, whether PROGRAM is linked with them or LD_PRELOAD names them.",
	.options = run_options,
	.run = cmd_run,
	.examples = run_examples,
};
