#include "common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Temporary files to remove when a signal ends the process. */
enum { MOST_OPEN = 8 };
static char *volatile open_files[MOST_OPEN];

static void remove_open_files(int number)
{
	for (int i = 0; i < MOST_OPEN; i++)
		if (open_files[i])
			unlink(open_files[i]);
	signal(number, SIG_DFL);
	raise(number);
}

static void remember(char *temporary)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

	for (int i = 0; i < MOST_OPEN; i++) {
		if (!open_files[i]) {
			open_files[i] = temporary;
			break;
		}
	}
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction action;

		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
			signal(signals[i], remove_open_files);
	}
}

static void forget_file(const char *temporary)
{
	for (int i = 0; i < MOST_OPEN; i++)
		if (open_files[i] == temporary)
			open_files[i] = NULL;
}

/* Follow links, so that the file behind a link is replaced and not the link. */
static char *final_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

static int open_beside(struct output *output, const char *path, struct error *err)
{
	static const char suffix[] = ".XXXXXX";
	mode_t mask;
	int file;

	output->path = final_path(path);
	output->temporary = output->path ? malloc(strlen(output->path) + sizeof suffix) : NULL;
	if (!output->temporary)
		return error_set_memory(err, strlen(path));
	strcpy(output->temporary, output->path);
	strcat(output->temporary, suffix);
	file = mkstemp(output->temporary);
	if (file < 0) {
		error_set_errno(err, "%s: cannot be written", path);
		/* Forget the name: nothing is to be removed, and another process may take it. */
		free(output->temporary);
		output->temporary = NULL;
		return -1;
	}
	remember(output->temporary);
	mask = umask(0);
	umask(mask);
	fchmod(file, 0666 & ~mask);
	output->stream = fdopen(file, "wb");
	if (!output->stream) {
		close(file);
		return error_set_errno(err, "%s: cannot be written", path);
	}
	return 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Cut the last component off an absolute path.  Paths directly below "/" become "/". */
static void cut_component(char *path)
{
	char *slash = strrchr(path, '/');

	slash[slash == path] = '\0';
}

/* Absolute path without links.  For a new file, that of its directory and "/".  NULL on failure. */
static char *absolute_path(const char *path)
{
	char *real = realpath(path, NULL), *copy;

	if (real)
		return real;
	if (asprintf(&copy, "%s%s", *path == '/' ? "" : "./", path) < 0)
		return NULL;
	*strrchr(copy, '/') = '\0';
	real = realpath(*copy ? copy : "/", NULL);
	free(copy);
	if (!real || asprintf(&copy, "%s/", real) < 0)
		copy = NULL;
	free(real);
	return copy;
}

static bool lies_inside(const char *path, const struct stat *directory)
{
	char *real = absolute_path(path);
	struct stat status;
	bool inside = false;

	while (real && !inside && strcmp(real, "/") != 0) {
		cut_component(real);
		inside = stat(real, &status) == 0 && is_same(&status, directory);
	}
	free(real);
	return inside;
}

int output_refuse_input(const char *path, const char *input, struct error *err)
{
	struct stat written, read;

	if (!path || !input || !strcmp(path, "-") || !strcmp(input, "-") || stat(input, &read) != 0)
		return 0;
	if (S_ISREG(read.st_mode) && stat(path, &written) == 0 && is_same(&written, &read))
		return error_set(err, STATUS_USAGE,
				 "%s: the output would overwrite the input %s", path, input);
	if (S_ISDIR(read.st_mode) && !(stat(path, &written) == 0 && !S_ISREG(written.st_mode)) &&
	    lies_inside(path, &read))
		return error_set(err, STATUS_USAGE,
				 "%s: the output would lie inside the input directory %s", path,
				 input);
	return 0;
}

int output_open(struct output *output, const char *path, struct error *err)
{
	struct stat status;

	memset(output, 0, sizeof *output);
	/* Make a file that exceeds a limit an error like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	if (!strcmp(path, "-")) {
		output->stream = stdout;
		return 0;
	}
	if (!*path)
		return error_set(err, STATUS_USAGE, "the name of the output file is empty");
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		output->path = strdup(path);
		output->stream = fopen(path, "wb");
		if (!output->path || !output->stream) {
			error_set_errno(err, "%s: cannot be written", path);
			output_discard(output);
			return -1;
		}
		return 0;
	}
	if (open_beside(output, path, err) < 0) {
		output_discard(output);
		return -1;
	}
	return 0;
}

const char *output_name(const struct output *output)
{
	return output->path ? output->path : "stdout";
}

/* Make a file and remove its name, for file systems without O_TMPFILE. */
static int open_and_unlink(const char *directory)
{
	sigset_t all, before;
	char *name;
	int file;

	if (asprintf(&name, "%s/.XXXXXX", directory) < 0)
		return -1;
	/* A signal between creation and unlinking would leave the file on the disk. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	file = mkostemp(name, O_CLOEXEC);
	if (file >= 0)
		unlink(name);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	free(name);
	return file;
}

int scratch_file(const char *directory)
{
	int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return file < 0 ? open_and_unlink(directory) : file;
}

/* Directory of the output's file, or the directory for temporary files.  To be freed. */
static char *scratch_directory(const struct output *output)
{
	const char *own = getenv("TMPDIR"), *slash;

	if (!output->temporary)
		return strdup(own && *own ? own : "/tmp");
	slash = strrchr(output->temporary, '/');
	if (!slash)
		return strdup(".");
	return strndup(output->temporary, (size_t)(slash - output->temporary) + 1);
}

int output_scratch(const struct output *output, int *file, struct error *err)
{
	char *directory = scratch_directory(output);

	if (!directory)
		return error_set_memory(err, 1);
	*file = scratch_file(directory);
	if (*file < 0)
		error_set_errno(err, "%s: no temporary file can be made in %s",
				output_name(output), directory);
	free(directory);
	return *file < 0 ? -1 : 0;
}

static void output_release(struct output *output)
{
	if (output->temporary)
		forget_file(output->temporary);
	free(output->temporary);
	free(output->path);
	memset(output, 0, sizeof *output);
}

int output_commit(struct output *output, struct error *err)
{
	const char *name = output_name(output);
	int failed = fflush(output->stream) != 0 || ferror(output->stream);

	if (output->stream != stdout && fclose(output->stream) != 0)
		failed = 1;
	output->stream = NULL;
	if (!failed && output->temporary && rename(output->temporary, output->path) != 0)
		failed = 1;
	if (failed) {
		error_set_errno(err, "%s: cannot be written", name);
		output_discard(output);
		return -1;
	}
	output_release(output);
	return 0;
}

void output_discard(struct output *output)
{
	if (output->stream && output->stream != stdout)
		fclose(output->stream);
	if (output->temporary)
		unlink(output->temporary);
	output_release(output);
}
