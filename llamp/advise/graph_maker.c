#include "llamp/advise/graph_maker.h"

#include "common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ------------------------------------------------------------------- processes */

/* Take the last line of schedgen's stderr that says something, without its name. */
static void last_line(FILE *stream, char *text, size_t bytes)
{
	char line[sizeof ((struct error *)0)->text - 100];

	*text = '\0';
	rewind(stream);
	while (fgets(line, sizeof line, stream)) {
		const char *said = line + (!strncmp(line, "schedgen: ", 10) ? 10 : 0);

		if (*line != '\n' && strncmp(said, "try '", 5) != 0)
			snprintf(text, bytes, "%s", said);
	}
	text[strcspn(text, "\n")] = '\0';
}

static int spawn(const char *program, char **words, int output, int errors, pid_t *process)
{
	posix_spawn_file_actions_t files;
	int code;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
	code = posix_spawn(process, program, &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	return code;
}

static int status_of(pid_t process)
{
	int status;

	while (waitpid(process, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_SYSTEM;
	return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_SYSTEM;
}

/* Run schedgen, whose output goes to a stream. */
static int run_schedgen(const char *program, char **words, FILE *output, struct error *err)
{
	FILE *errors = tmpfile();
	char text[sizeof err->text - 50];
	pid_t process;
	int status;

	if (!errors)
		return error_set_errno(err, "temporary file");
	errno = spawn(program, words, fileno(output), fileno(errors), &process);
	if (errno) {
		fclose(errors);
		return error_set_errno(err, "%s", program);
	}
	output_child(process);
	status = status_of(process);
	output_child(0);
	if (status)
		last_line(errors, text, sizeof text);
	fclose(errors);
	if (!status)
		return 0;
	return error_set(err, status <= STATUS_SYSTEM ? (enum status)status : STATUS_SYSTEM, "schedgen: %s",
			 *text ? text : "it failed without a message");
}

static int run_words(struct graph_maker *maker, const words_list *words, FILE *output,
		     struct error *err)
{
	char **copy;
	int result;

	TRY(allocate(&copy, words->count + 1, sizeof *copy, err));
	memcpy(copy, words->items, words->count * sizeof *copy);
	result = run_schedgen(maker->schedgen, copy, output, err);
	free(copy);
	return result;
}

/* ---------------------------------------------------------------------- folder */

/* schedgen lies beside the program that runs. */
static int find_schedgen(char path[static PATH_MAX], struct error *err)
{
	static const char name[] = "schedgen";
	const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof name - 1);
	char *slash;

	if (length < 0)
		return error_set_errno(err, "/proc/self/exe");
	path[length] = '\0';
	slash = strrchr(path, '/');
	strcpy(slash ? slash + 1 : path, name);
	return access(path, X_OK) == 0 ? 0 : error_set_errno(err, "%s", path);
}

int graph_maker_begin(struct graph_maker *maker, struct error *err)
{
	TRY(find_schedgen(maker->schedgen, err));
	return output_folder(&maker->folder, "llamp-advise", err);
}

void graph_maker_end(struct graph_maker *maker)
{
	output_folder_remove(maker->folder);
}

int graph_maker_file(struct graph_maker *maker, const char *suffix, char **path,
		    struct error *err)
{
	if (asprintf(path, "%s/%u%s", maker->folder, ++maker->made, suffix) >= 0)
		return 0;
	*path = NULL;
	return error_set_memory(err, PATH_MAX);
}

void graph_maker_remove(char *path)
{
	char side[PATH_MAX];

	if (!path)
		return;
	unlink(path);
	if (snprintf(side, sizeof side, "%s.calls", path) < (int)sizeof side)
		unlink(side);
	free(path);
}

/* ---------------------------------------------------------------------- graphs */

static int all_words(const struct graph_maker *maker, const words_list *more,
		     const char *output, words_list *words, struct error *err)
{
	TRY(array_push(words, maker->schedgen, err));
	for (size_t i = 0; i < maker->words.count; i++)
		TRY(array_push(words, maker->words.items[i], err));
	for (size_t i = 0; more && i < more->count; i++)
		TRY(array_push(words, more->items[i], err));
	TRY(array_push(words, "-o", err));
	TRY(array_push(words, output, err));
	TRY(array_push(words, "--", err));
	return array_push(words, maker->archive, err);
}

int graph_maker_make(struct graph_maker *maker, const words_list *more, char **path,
		    struct error *err)
{
	words_list words = {0};
	int result;

	TRY(graph_maker_file(maker, ".bin", path, err));
	result = all_words(maker, more, *path, &words, err);
	if (result == 0)
		result = run_words(maker, &words, stdout, err);
	array_release(&words);
	if (result < 0) {
		graph_maker_remove(*path);
		*path = NULL;
	}
	return result;
}

static int read_algorithms(FILE *stream, algorithm_list *found, struct error *err)
{
	char line[1024];

	rewind(stream);
	while (fgets(line, sizeof line, stream)) {
		struct algorithm_name name;

		if (sscanf(line, "%31s %47s", name.collective, name.algorithm) == 2)
			TRY(array_push(found, name, err));
	}
	return 0;
}

int graph_maker_algorithms(struct graph_maker *maker, algorithm_list *found, struct error *err)
{
	const char *question[] = {maker->schedgen, "--coll", "help"};
	const words_list words = {question, 3, 0};
	FILE *stream = tmpfile();
	int result;

	if (!stream)
		return error_set_errno(err, "temporary file");
	result = run_words(maker, &words, stream, err);
	if (result == 0)
		result = read_algorithms(stream, found, err);
	fclose(stream);
	return result;
}
