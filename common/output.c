#include "common/output.h"

#include "common/array.h"
#include "common/child.h"
#include "common/number_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ------------------------------------------------------------ temporary files */

/* Temporary files and folders to remove when a signal ends the process. */
struct open_file {
	char *volatile path;
	volatile bool is_folder;
	struct open_file *volatile next;
};
static struct open_file *volatile open_files;
static pthread_mutex_t open_files_lock = PTHREAD_MUTEX_INITIALIZER;

/* Remove all files of a folder.  Returns whether there were some.  By system calls only, for handlers of signals. */
static bool empty_folder(int folder)
{
	_Alignas(struct dirent64) char block[4096];
	bool found = false;
	long bytes;

	if (lseek(folder, 0, SEEK_SET) < 0)
		return false;
	while ((bytes = syscall(SYS_getdents64, folder, block, sizeof block)) > 0)
		for (long at = 0; at < bytes;) {
			const struct dirent64 *entry = (const void *)(block + at);

			found |= unlinkat(folder, entry->d_name, 0) == 0;
			at += entry->d_reclen;
		}
	return found;
}

static void remove_folder(const char *path)
{
	const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (folder < 0)
		return;
	/* Removing may change what is listed, and other threads may still make files. */
	for (int i = 0; i < 16; i++) {
		while (empty_folder(folder))
			;
		if (rmdir(path) == 0 || errno != ENOTEMPTY)
			break;
	}
	close(folder);
}

void output_remove_temporary(void)
{
	/* They may write to a folder. */
	child_end_all();
	for (const struct open_file *file = open_files; file; file = file->next)
		if (file->path && file->is_folder)
			remove_folder(file->path);
		else if (file->path)
			unlink(file->path);
}

static void remove_open_files(int number)
{
	output_remove_temporary();
	signal(number, SIG_DFL);
	raise(number);
}

/* Put the file into a free place of the list.  Places are never freed: a handler may be there. */
static void list_open_file(char *temporary, bool is_folder)
{
	struct open_file *file = open_files;

	while (file && file->path)
		file = file->next;
	if (file) {
		file->is_folder = is_folder;
		file->path = temporary;
		return;
	}
	file = calloc(1, sizeof *file);
	if (!file)
		return;
	file->is_folder = is_folder;
	file->path = temporary;
	file->next = open_files;
	open_files = file;
}

static void remember(char *temporary, bool is_folder)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};

	pthread_mutex_lock(&open_files_lock);
	list_open_file(temporary, is_folder);
	pthread_mutex_unlock(&open_files_lock);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction action;

		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
			signal(signals[i], remove_open_files);
	}
}

static void forget_file(const char *temporary)
{
	pthread_mutex_lock(&open_files_lock);
	for (struct open_file *file = open_files; file; file = file->next)
		if (file->path == temporary)
			file->path = NULL;
	pthread_mutex_unlock(&open_files_lock);
}

/* Text of a link, as a path from where its name is valid.  NULL if the path is no link. */
static char *link_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	char text[PATH_MAX], *target;
	const ssize_t length = readlink(path, text, sizeof text - 1);

	if (length < 0)
		return NULL;
	text[length] = '\0';
	if (*text == '/' || !slash)
		return strdup(text);
	return asprintf(&target, "%.*s%s", (int)(slash + 1 - path), path, text) < 0 ? NULL : target;
}

/*
 * Follow links, so that the file behind a link is replaced and not the link, also if there is no
 * file behind it yet.  NULL if memory is exhausted.
 */
static char *final_path(const char *path)
{
	enum { MOST_LINKS = 40 };
	char *real = realpath(path, NULL), *at, *next;

	if (real)
		return real;
	at = strdup(path);
	for (int i = 0; at && i < MOST_LINKS && (next = link_target(at)); i++) {
		free(at);
		at = next;
	}
	return at;
}

/* ---------------------------------------------------- files of the command */

struct input_file {
	char *path;
	bool is_directory;
	dev_t device;
	ino_t inode;
};

struct declared_output {
	char *path;
	bool opened;
};

static struct {
	pthread_mutex_t lock;
	bool watching;
	ARRAY(struct input_file) inputs;
	struct number_map numbers; /* of inputs, by inode and device, as there may be a million */
	ARRAY(struct declared_output) outputs;
} noted = {.lock = PTHREAD_MUTEX_INITIALIZER};

void output_watch(void)
{
	noted.watching = true;
	for (size_t i = 0; i < noted.inputs.count; i++)
		free(noted.inputs.items[i].path);
	for (size_t i = 0; i < noted.outputs.count; i++)
		free(noted.outputs.items[i].path);
	noted.inputs.count = noted.outputs.count = 0;
	number_map_clear(&noted.numbers);
}

/* Status of the file to which an output goes, also to stdout.  Returns 0, or -1 without a file. */
static int stat_output(const char *path, struct stat *status)
{
	return strcmp(path, "-") ? stat(path, status) : fstat(STDOUT_FILENO, status);
}

/* Whether an output replaces no file: a pipe, a device, or a directory. */
static bool goes_elsewhere(const char *path)
{
	struct stat status;

	return stat_output(path, &status) == 0 && !S_ISREG(status.st_mode);
}

char *output_final_path(const char *path)
{
	return strcmp(path, "-") && !goes_elsewhere(path) ? final_path(path) : NULL;
}

static const char *shown_output(const char *path)
{
	return strcmp(path, "-") ? path : "stdout";
}

/* Absolute path without links, also of a file that does not exist.  NULL without its directory. */
static char *absolute_path(const char *path)
{
	char *final = final_path(path), *slash = final ? strrchr(final, '/') : NULL, *folder = NULL;
	char *absolute = NULL;

	if (final) {
		if (slash)
			*slash = '\0';
		folder = realpath(!slash ? "." : *final ? final : "/", NULL);
	}
	if (folder && asprintf(&absolute, "%s/%s", folder, slash ? slash + 1 : final) < 0)
		absolute = NULL;
	free(folder);
	free(final);
	return absolute;
}

/* Cut the last component off an absolute path.  Paths directly below "/" become "/". */
static void cut_component(char *path)
{
	char *slash = strrchr(path, '/');

	slash[slash == path] = '\0';
}

static bool is_input(const struct stat *status, const struct input_file *input)
{
	return status->st_dev == input->device && status->st_ino == input->inode;
}

/* File that is looked for in a directory, and whether it has been found.  nftw has no argument. */
static _Thread_local struct {
	dev_t device;
	ino_t inode;
} wanted;

static int is_wanted(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)path;
	(void)kind;
	(void)place;
	return status->st_dev == wanted.device && status->st_ino == wanted.inode;
}

/* Whether a file with several names has one in the directory. */
static bool is_linked_inside(const struct stat *status, const struct input_file *directory)
{
	enum { MOST_OPEN_FOLDERS = 16 };

	if (status->st_nlink < 2)
		return false;
	wanted.device = status->st_dev;
	wanted.inode = status->st_ino;
	return nftw(directory->path, is_wanted, MOST_OPEN_FOLDERS, FTW_PHYS) > 0;
}

static bool lies_inside(const char *path, const struct input_file *directory)
{
	char *real = absolute_path(path);
	struct stat status;
	bool inside = false;

	while (real && !inside && strcmp(real, "/") != 0) {
		cut_component(real);
		inside = stat(real, &status) == 0 && is_input(&status, directory);
	}
	free(real);
	return inside;
}

static int refuse_input(const char *path, const struct input_file *input, struct error *err)
{
	struct stat status;

	if (goes_elsewhere(path))
		return 0;
	if (stat_output(path, &status) == 0 &&
	    (is_input(&status, input) || (input->is_directory && is_linked_inside(&status, input))))
		return error_set(err, STATUS_USAGE, "%s: the output would overwrite the input %s",
				 shown_output(path), input->path);
	if (input->is_directory && strcmp(path, "-") != 0 && lies_inside(path, input))
		return error_set(err, STATUS_USAGE,
				 "%s: the output would lie inside the input directory %s", path,
				 input->path);
	return 0;
}

static bool same_output(const char *a, const char *b)
{
	struct stat one, other;
	char *first, *second;
	bool same;

	if (!strcmp(a, b))
		return !strcmp(a, "-") || !goes_elsewhere(a);
	if (stat_output(a, &one) == 0 && stat_output(b, &other) == 0)
		return S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
		       one.st_ino == other.st_ino;
	if (!strcmp(a, "-") || !strcmp(b, "-"))
		return false;
	first = absolute_path(a);
	second = absolute_path(b);
	same = first && second && !strcmp(first, second);
	free(first);
	free(second);
	return same;
}

static int refuse_output(const char *path, const char *other, struct error *err)
{
	if (!same_output(path, other))
		return 0;
	if (!strcmp(path, other))
		return error_set(err, STATUS_USAGE, "%s: two outputs cannot be the same file",
				 shown_output(path));
	return error_set(err, STATUS_USAGE, "%s: the output would overwrite the output %s",
			 shown_output(path), shown_output(other));
}

static int note_output(const char *path, struct error *err)
{
	struct declared_output output = {0};

	for (size_t i = 0; i < noted.outputs.count; i++)
		TRY(refuse_output(path, noted.outputs.items[i].path, err));
	for (size_t i = 0; i < noted.inputs.count; i++)
		TRY(refuse_input(path, &noted.inputs.items[i], err));
	output.path = strdup(path);
	if (!output.path)
		return error_set_memory(err, strlen(path));
	return array_push(&noted.outputs, output, err);
}

int output_declare(const char *path, struct error *err)
{
	int result;

	if (!noted.watching)
		return 0;
	pthread_mutex_lock(&noted.lock);
	result = note_output(path, err);
	pthread_mutex_unlock(&noted.lock);
	return result;
}

static struct declared_output *find_declared(const char *path)
{
	for (size_t i = 0; i < noted.outputs.count; i++)
		if (!noted.outputs.items[i].opened && !strcmp(noted.outputs.items[i].path, path))
			return &noted.outputs.items[i];
	return NULL;
}

/* Note that a declared output, or one that nobody has declared, is opened. */
static int note_opened(const char *path, const char **name, struct error *err)
{
	if (!find_declared(path))
		TRY(note_output(path, err));
	*name = find_declared(path)->path;
	find_declared(path)->opened = true;
	return 0;
}

/* An output that has been discarded may be opened again. */
static void forget_opened(const char *name)
{
	pthread_mutex_lock(&noted.lock);
	for (size_t i = 0; i < noted.outputs.count; i++)
		if (noted.outputs.items[i].path == name)
			noted.outputs.items[i].opened = false;
	pthread_mutex_unlock(&noted.lock);
}

static int note_open_output(const char *path, const char **name, struct error *err)
{
	int result;

	if (!noted.watching)
		return 0;
	pthread_mutex_lock(&noted.lock);
	result = note_opened(path, name, err);
	pthread_mutex_unlock(&noted.lock);
	return result;
}

/* Number an input.  Of two devices that are alike in 32 bits one is not found again, and noted each time. */
static int number_input(const struct input_file *input, struct error *err)
{
	const uint32_t number = (uint32_t)noted.inputs.count - 1;
	uint32_t before;

	return number_map_set(&noted.numbers, input->inode, (uint32_t)input->device, number,
			      &before, err);
}

static bool is_noted(const struct stat *status)
{
	const uint32_t number = number_map_get(&noted.numbers, status->st_ino,
					       (uint32_t)status->st_dev);

	return number != NUMBER_MAP_EMPTY && is_input(status, &noted.inputs.items[number]);
}

static int add_input(const char *path, const struct stat *status, struct error *err)
{
	struct input_file input = {
		.is_directory = S_ISDIR(status->st_mode),
		.device = status->st_dev,
		.inode = status->st_ino,
	};

	if (is_noted(status))
		return 0;
	input.path = strdup(strcmp(path, "-") ? path : "stdin");
	if (!input.path)
		return error_set_memory(err, strlen(path));
	for (size_t i = 0; i < noted.outputs.count; i++) {
		if (refuse_input(noted.outputs.items[i].path, &input, err) < 0) {
			free(input.path);
			return -1;
		}
	}
	TRY(array_push(&noted.inputs, input, err));
	return number_input(&input, err);
}

static int note_input(const char *path, const struct stat *status, struct error *err)
{
	int result;

	if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode))
		return 0;
	pthread_mutex_lock(&noted.lock);
	result = add_input(path, status, err);
	pthread_mutex_unlock(&noted.lock);
	return result;
}

int output_note_input(const char *path, struct error *err)
{
	struct stat status;

	return noted.watching && stat(path, &status) == 0 ? note_input(path, &status, err) : 0;
}

int output_note_open_input(const char *path, int file, struct error *err)
{
	struct stat status;

	return noted.watching && fstat(file, &status) == 0 ? note_input(path, &status, err) : 0;
}

/* ------------------------------------------------------------------- outputs */

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
	remember(output->temporary, false);
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

int output_open(struct output *output, const char *path, struct error *err)
{
	struct stat status;

	memset(output, 0, sizeof *output);
	if (!*path)
		return error_set(err, STATUS_USAGE, "the name of the output file is empty");
	TRY(note_open_output(path, &output->noted, err));
	/* Make a file that exceeds a limit an error like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	if (!strcmp(path, "-")) {
		output->stream = stdout;
		return 0;
	}
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

int output_folder(char **path, const char *name, struct error *err)
{
	const char *place = getenv("TMPDIR");

	if (asprintf(path, "%s/%s-XXXXXX", place && *place ? place : "/tmp", name) < 0) {
		*path = NULL;
		return error_set_memory(err, PATH_MAX);
	}
	if (!mkdtemp(*path)) {
		error_set_errno(err, "%s", *path);
		free(*path);
		*path = NULL;
		return -1;
	}
	remember(*path, true);
	return 0;
}

void output_folder_remove(char *path)
{
	if (!path)
		return;
	remove_folder(path);
	forget_file(path);
	free(path);
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
		error_set_errno(err, "%s: no temporary file can be made in %s", output_name(output),
				directory);
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

int output_finish(struct output *output, struct error *err)
{
	int failed = fflush(output->stream) != 0 || ferror(output->stream);

	if (output->stream != stdout && fclose(output->stream) != 0)
		failed = 1;
	output->stream = NULL;
	return failed ? error_set_errno(err, "%s: cannot be written", output_name(output)) : 0;
}

static int put_in_place(struct output *output, struct error *err)
{
	if (output->temporary && rename(output->temporary, output->path) != 0)
		return error_set_errno(err, "%s: cannot be written", output_name(output));
	output_release(output);
	return 0;
}

int output_commit_all(struct output *outputs, size_t count, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++)
		if (outputs[i].stream)
			result = output_finish(&outputs[i], err);
	for (size_t i = 0; i < count && result == 0; i++)
		result = put_in_place(&outputs[i], err);
	for (size_t i = 0; i < count && result < 0; i++)
		output_discard(&outputs[i]);
	return result;
}

int output_commit(struct output *output, struct error *err)
{
	return output_commit_all(output, 1, err);
}

void output_discard(struct output *output)
{
	if (output->stream && output->stream != stdout)
		fclose(output->stream);
	if (output->temporary)
		unlink(output->temporary);
	if (output->noted)
		forget_opened(output->noted);
	output_release(output);
}
