#include "pmpi/launch_mpi.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where execvp would find the program; false if nowhere. */
static bool find_program(const char *name, char path[static PATH_MAX])
{
	const char *folder = getenv("PATH");

	if (strchr(name, '/') || !folder)
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	for (;;) {
		int length = (int)strcspn(folder, ":");

		if (snprintf(path, PATH_MAX, "%.*s%s%s", length, folder, length ? "/" : "", name) <
			    PATH_MAX && access(path, X_OK) == 0)
			return true;
		if (!folder[length])
			return false;
		folder += length + 1;
	}
}

/* The dynamic linker that a program asks for; false if it is no such program. */
static bool read_interpreter(int file, char path[static PATH_MAX])
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	if (pread(file, &header, sizeof header, 0) != sizeof header ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    header.e_phentsize != sizeof segment)
		return false;
	for (int i = 0; i < header.e_phnum; i++) {
		off_t offset = (off_t)(header.e_phoff + (size_t)i * sizeof segment);

		if (pread(file, &segment, sizeof segment, offset) != sizeof segment)
			return false;
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_filesz == 0 || segment.p_filesz > PATH_MAX ||
		    pread(file, path, segment.p_filesz, (off_t)segment.p_offset) !=
			    (ssize_t)segment.p_filesz)
			return false;
		return path[segment.p_filesz - 1] == 0;
	}
	return false;
}

/*
 * The MPI of a shared library's file name, or NULL.  All libraries of an MPI have one
 * version: 12 is that of MPICH's binary interface, which Intel MPI and others share.
 */
static const char *mpi_of_library(const char *name)
{
	static const struct {
		int version;
		const char *mpi;
	} versions[] = {{12, "mpich"}, {20, "openmpi"}, {40, "openmpi"}};
	const char *suffix = strstr(name, ".so.");

	if (strncmp(name, "libmpi", 6) != 0 || !suffix)
		return NULL;
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (atoi(suffix + 4) == versions[i].version)
			return versions[i].mpi;
	return NULL;
}

/* The first in a list as the dynamic linker prints it: "\tNAME => PATH (ADDRESS)". */
static const char *mpi_of_list(FILE *list)
{
	char line[PATH_MAX + 512], *name, *state;
	const char *found = NULL;

	while (fgets(line, sizeof line, list)) {
		name = strtok_r(line, " \t\n", &state);
		if (name && !found)
			found = mpi_of_library(name);
	}
	return found;
}

/* What the dynamic linker would load for the program. */
static const char *mpi_of_program(char *interpreter, char *program)
{
	char list_option[] = "--list";
	char *arguments[] = {interpreter, list_option, program, NULL};
	posix_spawn_file_actions_t actions;
	const char *found = NULL;
	FILE *list;
	int ends[2], error;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawn(&child, interpreter, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	list = error ? NULL : fdopen(ends[0], "r");
	if (list)
		found = mpi_of_list(list);
	if (list)
		fclose(list);
	else
		close(ends[0]);
	if (!error)
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	return found;
}

static const char *mpi_of_environment(void)
{
	static const struct {
		const char *variable, *mpi;
	} launchers[] = {
		{"OMPI_COMM_WORLD_SIZE", "openmpi"},
		{"PMI_SIZE", "mpich"},
		{"PMIX_RANK", "openmpi"},
	};

	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
		if (getenv(launchers[i].variable))
			return launchers[i].mpi;
	return NULL;
}

const char *launch_mpi(const char *program)
{
	char path[PATH_MAX], interpreter[PATH_MAX];
	const char *found = NULL;
	int file;

	if (find_program(program, path)) {
		file = open(path, O_RDONLY | O_CLOEXEC);
		if (file >= 0) {
			if (read_interpreter(file, interpreter))
				found = mpi_of_program(interpreter, path);
			close(file);
		}
	}
	return found ? found : mpi_of_environment();
}
