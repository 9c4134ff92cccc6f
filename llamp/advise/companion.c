#include "llamp/advise/companion.h"

#include "common/child.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Take the last line of stderr that says something, without the name of the command. */
static void last_line(FILE *stream, const char *name, char *text, size_t bytes)
{
	const size_t length = strlen(name);
	char line[sizeof((struct error *)0)->text - 100];

	*text = '\0';
	rewind(stream);
	while (fgets(line, sizeof line, stream)) {
		const bool named = !strncmp(line, name, length) && !strncmp(line + length, ": ", 2);
		const char *said = line + (named ? length + 2 : 0);

		if (*line != '\n' && strncmp(said, "try '", 5) != 0)
			snprintf(text, bytes, "%s", said);
	}
	text[strcspn(text, "\n")] = '\0';
}

/* Find the file of the command. */
static int find(const char *name, char path[static PATH_MAX], struct error *err)
{
	const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	if (length < 0)
		return error_set_errno(err, "/proc/self/exe");
	path[length] = '\0';
	slash = strrchr(path, '/');
	slash = slash ? slash + 1 : path;
	if ((size_t)(slash - path) + strlen(name) >= PATH_MAX)
		return error_set(err, STATUS_SYSTEM, "%s: the name is too long", path);
	strcpy(slash, name);
	return access(path, X_OK) == 0 ? 0 : error_set_errno(err, "%s", path);
}

static int run_found(const char *name, char *const *words, FILE *output, FILE *errors,
		     struct error *err)
{
	char text[sizeof err->text - 50];
	pid_t process;
	int status;

	errno = child_start(&process, words[0], words, fileno(output), fileno(errors));
	if (errno)
		return error_set_errno(err, "%s", words[0]);
	status = child_wait(process);
	if (!status)
		return 0;
	last_line(errors, name, text, sizeof text);
	return error_set(err,
			 status > 0 && status <= STATUS_SYSTEM ? (enum status)status
							       : STATUS_SYSTEM,
			 "%s: %s", name, *text ? text : "it failed without a message");
}

int companion_run(const char *name, const words_list *words, FILE *output, FILE *errors,
		  struct error *err)
{
	char path[PATH_MAX], **copy;
	int result;

	TRY(find(name, path, err));
	TRY(allocate(&copy, words->count + 2, sizeof *copy, err));
	copy[0] = path;
	if (words->count)
		memcpy(copy + 1, words->items, words->count * sizeof *copy);
	result = run_found(name, copy, output, errors, err);
	free(copy);
	return result;
}
