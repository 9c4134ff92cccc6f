#include "launch/launch_preload.h"

#include "launch/forwarded.h"
#include "launch/launch_folder.h"
#include "launch/launch_mpi.h"
#include "launch/launcher.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool launch_is_first_rank(void)
{
	return launcher_rank(NULL) <= 0;
}

/* Find the connection to MPICH's launcher (PMI 1) if it has started this process, else -1. */
static int launched_by_mpich(void)
{
	const char *connection = getenv("PMI_FD");
	char path[32], name[20] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)getppid());
	file = connection ? fopen(path, "re") : NULL;
	if (!file)
		return -1;
	if (!fgets(name, sizeof name, file))
		name[0] = 0;
	fclose(file);
	return strncmp(name, "hydra_", 6) == 0 ? atoi(connection) : -1;
}

/* Open MPI's launcher, too, ends the others when a process fails before MPI_Init. */
static bool launched_by_open_mpi(void)
{
	return getenv("OMPI_COMM_WORLD_RANK") != NULL;
}

/* Time for the first rank to fail, after which launchers end the other ranks. */
enum { FIRST_RANK_S = 5 };

void launch_end_silently(int status)
{
	if (launch_is_first_rank())
		return;
	if (status == STATUS_OK)
		exit(status);
	sleep(FIRST_RANK_S);
	if (launched_by_mpich() < 0 && !launched_by_open_mpi())
		exit(status);
}

void launch_end_job(int status)
{
	const int launcher = launched_by_mpich();

	if (launcher < 0)
		return;
	forwarded_wait();
	dprintf(launcher, "cmd=abort exitcode=%d\n", status);
}

/* ------------------------------------------------------------ the right order */

/* Append words, up to `end` or NULL, as far as there is room. */
static void add_words(char line[static 512], char *const *words, char *const *end)
{
	for (; words != end && *words; words++) {
		size_t length = strlen(line);

		snprintf(line + length, 512 - length, " %s", *words);
	}
}

int launch_check(const struct launch_tool *tool, char **program, const char *options,
		 struct error *err)
{
	char **inner, line[512] = "";

	if (!launch_is_launcher(program[0]))
		return 0;
	inner = launch_find_program(program + 1);
	if (!inner)
		return error_set(err, STATUS_USAGE,
				 "start %s below %s: mpiexec [OPTION]... %s PROGRAM", tool->command,
				 program[0], tool->command);
	add_words(line, program, inner);
	snprintf(line + strlen(line), sizeof line - strlen(line), " %s%s", tool->command, options);
	add_words(line, inner, NULL);
	return error_set(err, STATUS_USAGE, "start %s below %s:%s", tool->command, program[0],
			 line);
}

/* ---------------------------------------------------------------- the library */

/* Find the tool's library for the program's MPI, or the neutral one that leads to it. */
static int find_own_library(const struct launch_tool *tool, const char *program,
			    char path[static PATH_MAX], struct error *err)
{
	char neutral[PATH_MAX];

	TRY(launch_file(tool->library, ".so", launch_mpi(program), program, path, err));
	if (!tool->neutral)
		return 0;
	TRY(launch_file(tool->library, ".so", NULL, program, neutral, err));
	if (access(neutral, R_OK) == 0)
		strcpy(path, neutral);
	return 0;
}

static int find_library(const struct launch_tool *tool, const char *program,
			char path[static PATH_MAX], struct error *err)
{
	if (*tool->given)
		snprintf(path, PATH_MAX, "%s", tool->given);
	else
		TRY(find_own_library(tool, program, path, err));
	if (access(path, R_OK) < 0)
		return error_set_errno(err, "%s", path);
	if (strpbrk(path, " :"))
		return error_set(err, STATUS_USAGE,
				 "%s: a library cannot be preloaded from a path with blanks or"
				 " colons",
				 path);
	return 0;
}

/* Length of the part of a list of libraries that stays before the tool's. */
static size_t length_before(const struct launch_tool *tool, const char *list)
{
	const char *last = list + strlen(list), *name;

	while (last > list && !strchr(": ", last[-1]))
		last--;
	name = strrchr(last, '/');
	name = name ? name + 1 : last;
	return tool->below && strncmp(name, tool->below, strlen(tool->below)) == 0
		       ? (size_t)(last - list)
		       : strlen(list);
}

/* Add the library to a list of libraries.  *value is to be freed. */
static int add_library(const struct launch_tool *tool, const char *others, const char *path,
		       char **value, struct error *err)
{
	const size_t before = length_before(tool, others);

	return asprintf(value, "%.*s%s%s%s%s", (int)before, others,
			before && !others[before] ? ":" : "", path, others[before] ? ":" : "",
			others + before) < 0
		       ? error_set_memory(err, PATH_MAX)
		       : 0;
}

/* Add the library to the word LD_PRELOAD=... of the command env. */
static int add_to_word(const struct launch_tool *tool, char **word, const char *path,
		       struct error *err)
{
	char *value;
	int result;

	TRY(add_library(tool, strchr(*word, '=') + 1, path, &value, err));
	/* The word stays until the program starts. */
	result = asprintf(word, "LD_PRELOAD=%s", value);
	free(value);
	return result < 0 ? error_set_memory(err, PATH_MAX) : 0;
}

int launch_preload(const struct launch_tool *tool, char **program, struct error *err)
{
	const char *others = getenv("LD_PRELOAD"), *obstacle = launch_obstacle(program);
	char path[PATH_MAX], *value, **word = launch_find_preload(program);
	int failed;

	if (obstacle && launch_is_first_rank())
		fprintf(stderr,
			"%s: %s is %s: %s cannot be loaded into it, and there will be no"
			" %s\n",
			tool->command, program[0], obstacle, tool->title, tool->result);
	TRY(find_library(tool, program[0], path, err));
	if (word)
		TRY(add_to_word(tool, word, path, err));
	TRY(add_library(tool, others ? others : "", path, &value, err));
	failed = setenv("LD_PRELOAD", value, 1);
	free(value);
	return failed ? error_set_memory(err, PATH_MAX) : 0;
}

int launch_run(char **program, struct error *err)
{
	execvp(program[0], program);
	return error_set(err, STATUS_DATA, "%s: %s", program[0], strerror(errno));
}
