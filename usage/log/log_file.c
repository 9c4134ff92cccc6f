#include "usage/log/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open the folder `name` in an open folder, which is made if it is not there.  -1 with errno set. */
static int open_folder(int folder, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	const bool made = mkdirat(folder, name, 0777) == 0;
	struct stat parent;
	int opened;

	if (!made && errno != EEXIST)
		return -1;
	opened = openat(folder, name, flags);
	/* As the folder it is in: for the same users, and sticky if that is. */
	if (made && opened >= 0 && fstat(folder, &parent) == 0)
		(void)!fchmod(opened, parent.st_mode & 07777);
	return opened;
}

/* Open the folder of the path NAME below a directory.  *last becomes the file's name in it. */
static int open_folders(const char *directory, const char *name, const char **last)
{
	int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

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

static int write_stream(const struct job_log *log, int file, uid_t owner, const char *path,
			struct error *err)
{
	FILE *stream = fdopen(file, "w");
	int result;

	if (!stream) {
		close(file);
		return error_set_errno(err, "cannot write %s", path);
	}
	result = job_log_write(log, stream, true, err);
	if (result == 0 && (fflush(stream) != 0 || fchmod(file, 0400) < 0))
		result = error_set_errno(err, "cannot write %s", path);
	if (result == 0 && geteuid() == 0 && owner != 0 && fchown(file, owner, (gid_t)-1) < 0)
		result = error_set_errno(err, "cannot give %s to its user", path);
	if (fclose(stream) != 0 && result == 0)
		result = error_set_errno(err, "cannot write %s", path);
	return result;
}

int log_file_write(const struct job_log *log, const char *directory, uint64_t random, uid_t owner,
		   char name[static JOB_LOG_NAME_BYTES], struct error *err)
{
	char path[4096 + JOB_LOG_NAME_BYTES], beside[JOB_LOG_NAME_BYTES + 32];
	const char *last;
	int folder, file, result;

	job_log_name(log, random, name, JOB_LOG_NAME_BYTES);
	snprintf(path, sizeof path, "%s/%s", directory, name);
	if (access(directory, F_OK) < 0)
		return error_set_errno(err, "there is no directory of logs %s", directory);
	folder = open_folders(directory, name, &last);
	if (folder < 0)
		return error_set_errno(err, "cannot make the folders of %s", path);
	snprintf(beside, sizeof beside, "%s.%ld.new", last, (long)getpid());
	file = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	result = file < 0 ? error_set_errno(err, "cannot make %s", path)
			  : write_stream(log, file, owner, path, err);
	if (result == 0 && renameat(folder, beside, folder, last) < 0)
		result = error_set_errno(err, "cannot make %s", path);
	if (result < 0 && file >= 0)
		unlinkat(folder, beside, 0);
	close(folder);
	return result;
}
