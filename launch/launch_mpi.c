#include "launch/launch_mpi.h"

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
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Find the program as execvp does.  False if it does not exist. */
static bool find_program(const char *name, char path[static PATH_MAX])
{
	const char *folder = getenv("PATH");

	if (strchr(name, '/') || !folder)
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	for (;;) {
		int length = (int)strcspn(folder, ":");

		if (snprintf(path, PATH_MAX, "%.*s%s%s", length, folder, length ? "/" : "", name) <
			    PATH_MAX &&
		    access(path, X_OK) == 0)
			return true;
		if (!folder[length])
			return false;
		folder += length + 1;
	}
}

/*
 * Find the dynamic linker that a program in machine code asks for.  Return 1, 0 if it asks for
 * none, or -1 if the file is no such program.
 */
static int read_interpreter(int file, char path[static PATH_MAX])
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	if (pread(file, &header, sizeof header, 0) != sizeof header ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    header.e_phentsize != sizeof segment)
		return -1;
	for (int i = 0; i < header.e_phnum; i++) {
		off_t offset = (off_t)(header.e_phoff + (size_t)i * sizeof segment);

		if (pread(file, &segment, sizeof segment, offset) != sizeof segment)
			return -1;
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_filesz == 0 || segment.p_filesz > PATH_MAX ||
		    pread(file, path, segment.p_filesz, (off_t)segment.p_offset) !=
			    (ssize_t)segment.p_filesz)
			return -1;
		return path[segment.p_filesz - 1] == 0 ? 1 : -1;
	}
	return 0;
}

/* Find the MPI of a shared library by its file name: all libraries of an MPI have one version. */
static const struct mpi_implementation *mpi_of_library(const char *name)
{
	const char *suffix = strstr(name, ".so."), *version;
	int length;

	if (strncmp(name, "libmpi", 6) != 0 || !suffix)
		return NULL;
	suffix += 4;
	length = (int)strspn(suffix, "0123456789");
	for (size_t i = 0; i < MPI_IMPLEMENTATIONS; i++)
		for (version = mpi_implementations[i].versions; *version;
		     version += strspn(version, " "), version += strcspn(version, " "))
			if (atoi(version) == atoi(suffix) && length)
				return &mpi_implementations[i];
	return NULL;
}

/* Find the first library in a list of the dynamic linker: "\tNAME => PATH (ADDRESS)". */
static const struct mpi_implementation *mpi_of_list(FILE *list)
{
	char line[PATH_MAX + 512], *name, *state;
	const struct mpi_implementation *found = NULL;

	while (fgets(line, sizeof line, list)) {
		name = strtok_r(line, " \t\n", &state);
		if (name && !found)
			found = mpi_of_library(name);
	}
	return found;
}

/* Find the MPI in the list of libraries that the dynamic linker would load for the program. */
static const struct mpi_implementation *mpi_of_program(char *interpreter, char *program)
{
	char list_option[] = "--list";
	char *arguments[] = {interpreter, list_option, program, NULL};
	posix_spawn_file_actions_t actions;
	const struct mpi_implementation *found = NULL;
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

const struct mpi_implementation *launch_mpi(const char *program)
{
	char path[PATH_MAX], interpreter[PATH_MAX];
	const struct mpi_implementation *found = NULL;
	int file;

	if (find_program(program, path)) {
		file = open(path, O_RDONLY | O_CLOEXEC);
		if (file >= 0) {
			if (read_interpreter(file, interpreter) > 0)
				found = mpi_of_program(interpreter, path);
			close(file);
		}
	}
	return found ? found : launcher_mpi();
}

/* ------------------------------------------------------------- obstacles */

/* Whether the system takes LD_PRELOAD away because the file gives other rights. */
static bool gives_rights(const char *path)
{
	struct stat status;

	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return geteuid() != 0;
	return stat(path, &status) == 0 &&
	       ((status.st_mode & S_ISUID && status.st_uid != geteuid()) ||
		(status.st_mode & S_ISGID && status.st_gid != getegid()));
}

static const char *obstacle_of_file(const char *path)
{
	char interpreter[PATH_MAX];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	const char *obstacle = NULL;

	if (gives_rights(path))
		obstacle = "a program that runs with other rights (set-user-ID or capabilities)";
	else if (file >= 0 && read_interpreter(file, interpreter) == 0)
		obstacle = "statically linked";
	if (file >= 0)
		close(file);
	return obstacle;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Find out by which option the command env removes LD_PRELOAD, in one of its spellings. */
static const char *obstacle_of_env(char **words)
{
	for (words++; *words && **words == '-'; words++) {
		const char *removed = "";

		if (strcmp(*words, "-u") == 0 || strcmp(*words, "--unset") == 0) {
			if (!*++words)
				return NULL;
			removed = *words;
		} else if (strncmp(*words, "--unset=", 8) == 0) {
			removed = *words + 8;
		} else if (strncmp(*words, "-u", 2) == 0) {
			removed = *words + 2;
		} else if (strcmp(*words, "-") == 0 ||
			   strcmp(*words, "--ignore-environment") == 0 ||
			   (words[0][1] != '-' && strchr(*words, 'i'))) {
			return "a command that clears the environment, and LD_PRELOAD with it";
		}
		if (strcmp(removed, "LD_PRELOAD") == 0)
			return "a command that removes LD_PRELOAD from the environment";
	}
	return NULL;
}

/* Whether the next word belongs to this option of env. */
static bool takes_word(const char *option)
{
	static const char *const options[] = {"-u",	 "--unset", "-C",
					      "--chdir", "-S",	    "--split-string"};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (strcmp(option, options[i]) == 0)
			return true;
	return false;
}

char **launch_find_preload(char **program)
{
	char **found = NULL;

	if (strcmp(base_name(program[0]), "env") != 0)
		return NULL;
	for (char **word = program + 1; *word && (**word == '-' || strchr(*word, '=')); word++) {
		if (**word == '-' && takes_word(*word) && word[1])
			word++;
		else if (strncmp(*word, "LD_PRELOAD=", 11) == 0)
			found = word;
	}
	return found;
}

const char *launch_obstacle(char **program)
{
	const char *obstacle = NULL;
	char path[PATH_MAX];

	if (strcmp(base_name(program[0]), "env") == 0)
		obstacle = obstacle_of_env(program);
	if (!obstacle && find_program(program[0], path))
		obstacle = obstacle_of_file(path);
	return obstacle;
}

/* ------------------------------------------------------------- launchers */

static bool has_name(const char *command, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(command, name, length) != 0)
		return false;
	for (size_t i = 0; command[length] == '.' && i < MPI_IMPLEMENTATIONS; i++)
		if (strcmp(command + length + 1, mpi_implementations[i].key) == 0)
			return true;
	return !command[length];
}

bool launch_is_launcher(const char *command)
{
	static const char *const names[] = {
#define MPI(key, title, macro, versions, symbol, rank, size, local_size)
#define TEST_SETTING(key, variable, value)
#define LAUNCHER(name) name,
#include "launch/mpi_implementations.def"
#undef LAUNCHER
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (has_name(base_name(command), names[i]))
			return true;
	return false;
}

char **launch_find_program(char **words)
{
	char path[PATH_MAX];
	struct stat status;

	for (; *words; words++)
		if (**words != '-' && find_program(*words, path) && access(path, X_OK) == 0 &&
		    stat(path, &status) == 0 && S_ISREG(status.st_mode))
			return words;
	return NULL;
}
