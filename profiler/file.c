#include "profiler/file.h"

#include "common/machine/now.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Make the folders of a path below `root` bytes, which all users share as they share the directory. */
static int make_folders(char *path, size_t root, struct error *err)
{
	for (char *at = strchr(path + root + 1, '/'); at; at = strchr(at + 1, '/')) {
		struct stat parent;
		int made;

		*at = 0;
		made = mkdir(path, 0777);
		if (made < 0 && errno != EEXIST)
			return error_set_errno(err, "cannot make %s", path);
		/* As the directory: of the same users, and sticky if it is. */
		if (made == 0) {
			path[root] = 0;
			if (stat(path, &parent) == 0) {
				path[root] = '/';
				(void)!chmod(path, parent.st_mode & 07777);
			}
			path[root] = '/';
		}
		*at = '/';
	}
	return 0;
}

static int write_to(const struct job_log *log, int file, const char *path, struct error *err)
{
	FILE *stream = fdopen(file, "w");
	int result;

	if (!stream) {
		close(file);
		return error_set_errno(err, "cannot write %s", path);
	}
	result = job_log_write(log, stream, true, err);
	if (result == 0 && (fflush(stream) != 0 || fchmod(fileno(stream), 0400) < 0))
		result = error_set_errno(err, "cannot write %s", path);
	if (fclose(stream) != 0 && result == 0)
		result = error_set_errno(err, "cannot write %s", path);
	return result;
}

int file_write_to(const struct job_log *log, const char *path, struct error *err)
{
	char beside[4096 + 64];
	int file, result;

	snprintf(beside, sizeof beside, "%s.%d.new", path, (int)getpid());
	file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file < 0)
		return error_set_errno(err, "cannot make %s", beside);
	result = write_to(log, file, beside, err);
	if (result == 0 && rename(beside, path) < 0)
		result = error_set_errno(err, "cannot make %s", path);
	if (result < 0)
		unlink(beside);
	return result;
}

int file_write(const struct job_log *log, const char *directory,
	       char name[static JOB_LOG_NAME_BYTES], struct error *err)
{
	char path[4096];
	uint64_t random = 0;

	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
		random = now_ns() ^ (uint64_t)getpid() << 40;
	job_log_name(log, random, name, JOB_LOG_NAME_BYTES);
	if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path)
		return error_set(err, STATUS_USAGE,
				 "the name of the directory of logs is too long");
	if (access(directory, F_OK) < 0)
		return error_set_errno(err, "there is no directory of logs %s", directory);
	TRY(make_folders(path, strlen(directory), err));
	return file_write_to(log, path, err);
}
