#include "usage/log/log_file.h"

#include "common/machine/file_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Users may be allowed to write into the directory of logs, and not to list it. */
enum { FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* Open the folder `name` in an open folder, which is made if it is not there.  -1 with errno set. */
static int open_folder(int folder, const char *name)
{
	const bool made = mkdirat(folder, name, 0700) == 0;
	struct stat parent;

	if (!made && errno != EEXIST)
		return -1;
	/* As the folder it is in: for the same users, and sticky if that is. */
	if (made && fstat(folder, &parent) == 0)
		(void)!fchmodat(folder, name, parent.st_mode & 07777, 0);
	return openat(folder, name, FOLDER_FLAGS | O_NOFOLLOW);
}

/* Open the folder of the path NAME below a directory.  *last becomes the file's name in it. */
static int open_folders(const char *directory, const char *name, const char **last)
{
	int folder = open(directory, FOLDER_FLAGS);

	for (const char *slash; folder >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
		char one[JOB_LOG_NAME_BYTES];
		int next;

		snprintf(one, sizeof one, "%.*s", (int)(slash - name), name);
		next = open_folder(folder, one);
		close(folder);
		folder = next;
	}
	*last = name;
	return folder;
}

/* The log belongs to its user alone. */
static int give_to(int file, uid_t owner, const char *path, struct error *err)
{
	if (fchmod(file, 0400) < 0)
		return error_set_errno(err, "cannot write %s", path);
	if (geteuid() == 0 && owner != 0 && fchown(file, owner, (gid_t)-1) < 0)
		return error_set_errno(err, "cannot give %s to its user", path);
	return 0;
}

/* Write a log to an open file, and close it.  is_new: not one that was there, as a device. */
static int write_stream(const struct job_log *log, int file, bool is_new, uid_t owner,
			const char *path, struct error *err)
{
	FILE *stream = fdopen(file, "w");
	int result;

	if (!stream) {
		close(file);
		return error_set_errno(err, "cannot write %s", path);
	}
	result = job_log_write(log, stream, true, err);
	if (result == 0 && fflush(stream) != 0)
		result = error_set_errno(err, "cannot write %s", path);
	if (result == 0 && is_new)
		result = give_to(file, owner, path, err);
	if (fclose(stream) != 0 && result == 0)
		result = error_set_errno(err, "cannot write %s", path);
	return result;
}

/* Write a log beside the file `last` of an open folder, and rename it.  `path` is for messages. */
static int write_beside(const struct job_log *log, int folder, const char *last, uid_t owner,
			const char *path, struct error *err)
{
	char beside[NAME_MAX + 32];
	struct file_limit limit;
	int file, result;

	snprintf(beside, sizeof beside, "%.200s.%ld.new", last, (long)getpid());
	file = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return error_set_errno(err, "cannot make %s", path);
	file_limit_hold(&limit);
	result = write_stream(log, file, true, owner, path, err);
	file_limit_release(&limit);
	if (result == 0 && renameat(folder, beside, folder, last) < 0)
		result = error_set_errno(err, "cannot make %s", path);
	if (result < 0)
		unlinkat(folder, beside, 0);
	return result;
}

int log_file_write(const struct job_log *log, const char *directory, uint64_t random, uid_t owner,
		   char name[static JOB_LOG_NAME_BYTES], struct error *err)
{
	char path[PATH_MAX + JOB_LOG_NAME_BYTES];
	const char *last;
	int folder, result;

	job_log_name(log, random, name, JOB_LOG_NAME_BYTES);
	snprintf(path, sizeof path, "%s/%s", directory, name);
	if (access(directory, F_OK) < 0)
		return error_set_errno(err, "there is no directory of logs %s", directory);
	folder = open_folders(directory, name, &last);
	if (folder < 0)
		return error_set_errno(err, "cannot make the folders of %s", path);
	result = write_beside(log, folder, last, owner, path, err);
	close(folder);
	return result;
}

/* Whether the path leads to a device, a pipe or the like, or to an open file, which cannot be replaced. */
static bool is_special(const char *path)
{
	static const char *const open_files[] = {"/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/"};
	struct stat status;

	for (size_t i = 0; i < sizeof open_files / sizeof *open_files; i++)
		if (strncmp(path, open_files[i], strlen(open_files[i])) == 0)
			return true;
	return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Write to what is there.  A pipe that nobody reads must not hold the job up. */
static int write_special(const struct job_log *log, const char *path, struct error *err)
{
	const int file = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct file_limit limit;
	int result;

	if (file < 0)
		return error_set_errno(err, "cannot write %s", path);
	file_limit_hold(&limit);
	result = write_stream(log, file, false, geteuid(), path, err);
	file_limit_release(&limit);
	return result;
}

int log_file_write_to(const struct job_log *log, const char *path, struct error *err)
{
	const char *last = strrchr(path, '/');
	char folder_path[PATH_MAX];
	int folder, result;

	if (is_special(path))
		return write_special(log, path, err);
	last = last ? last + 1 : path;
	snprintf(folder_path, sizeof folder_path, "%.*s", (int)(last - path), path);
	folder = open(*folder_path ? folder_path : ".", FOLDER_FLAGS);
	if (folder < 0)
		return error_set_errno(err, "cannot make %s", path);
	result = write_beside(log, folder, last, geteuid(), path, err);
	close(folder);
	return result;
}
