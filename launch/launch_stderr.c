#include "launch/launch_stderr.h"

#include "launch/launch_mpi.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Read name and parent of a process.  False if it is none. */
static bool read_process(long process, char name[static 32], long *parent)
{
	char path[40], text[256] = "", *end;
	FILE *file;

	snprintf(path, sizeof path, "/proc/%ld/stat", process);
	file = fopen(path, "re");
	if (!file)
		return false;
	/* PID (NAME) STATE PARENT ..., where NAME may hold parentheses. */
	if (!fgets(text, sizeof text, file))
		*text = 0;
	fclose(file);
	end = strrchr(text, ')');
	return end && sscanf(text, "%*d (%31[^)]", name) == 1 &&
	       sscanf(end, ") %*c %ld", parent) == 1;
}

/* Whether a process has this pipe open. */
static bool has_pipe(long process, const struct stat *pipe)
{
	char path[40];
	DIR *folder;
	struct dirent *entry;
	struct stat status;
	bool found = false;

	snprintf(path, sizeof path, "/proc/%ld/fd", process);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder)))
		found = fstatat(dirfd(folder), entry->d_name, &status, 0) == 0 &&
			status.st_dev == pipe->st_dev && status.st_ino == pipe->st_ino;
	if (folder)
		closedir(folder);
	return found;
}

static bool stat_stderr(long process, struct stat *status)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/%ld/fd/2", process);
	return stat(path, status) == 0;
}

/* Open the stderr of a process.  A file has to be shared with it, as both append to one place. */
static int open_stderr(long process, const struct stat *status)
{
	int opened = -1;
	char path[40];

#if defined SYS_pidfd_open && defined SYS_pidfd_getfd
	const int handle = (int)syscall(SYS_pidfd_open, (pid_t)process, 0);

	if (handle >= 0) {
		opened = (int)syscall(SYS_pidfd_getfd, handle, STDERR_FILENO, 0);
		close(handle);
	}
#endif
	snprintf(path, sizeof path, "/proc/%ld/fd/2", process);
	if (opened < 0 && (S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode)))
		opened = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	return opened;
}

int launch_stderr(void)
{
	long process = getpid(), parent, launcher = 0;
	struct stat status;
	char name[32];

	if (fstat(STDERR_FILENO, &status) < 0)
		return -1;
	/* On MPICH's way to mpiexec is the proxy of the host. */
	for (; read_process(process, name, &parent) && parent > 1; process = parent) {
		long other;

		if (!read_process(parent, name, &other) ||
		    !(launch_is_launcher(name) || strncmp(name, "hydra_", 6) == 0) ||
		    !S_ISFIFO(status.st_mode) || !has_pipe(parent, &status) ||
		    !stat_stderr(parent, &status))
			continue;
		launcher = parent;
	}
	return launcher ? open_stderr(launcher, &status) : -1;
}
