#include "tracer/roll_call.h"

#include "launch/launcher.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000, PAUSE_MS = 50 };

enum { PATH_BYTES = 4500, FOLDER_TRIES = 100 };

static void folder_of_job(char folder[static PATH_BYTES], const char *directory)
{
	snprintf(folder, PATH_BYTES, "%s/ranks/%s", directory, launcher_job());
}

static void path_of_mark(char path[static PATH_BYTES], const char *directory, int rank)
{
	snprintf(path, PATH_BYTES, "%s/ranks/%s/%d", directory, launcher_job(), rank);
}

static bool make_folders(const char *path)
{
	char parent[PATH_BYTES];

	snprintf(parent, sizeof parent, "%s", path);
	for (char *slash = strchr(parent + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(parent, 0777) < 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return true;
}

int roll_call_mark(const char *directory, int rank, struct error *err)
{
	char path[PATH_BYTES];
	int file, tries = 0;

	path_of_mark(path, directory, rank);
	/* Another job that ends here may remove folders between the two, while they are empty. */
	do
		file = make_folders(path) ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
	while (file < 0 && errno == ENOENT && ++tries < FOLDER_TRIES);
	if (file < 0)
		return error_set_errno(err, "%s", directory);
	close(file);
	return 0;
}

static struct roll count_marks(const char *folder, int size)
{
	struct roll roll = {0, size};
	struct dirent *entry;
	DIR *marks = opendir(folder);

	while (marks && (entry = readdir(marks))) {
		char *end;
		long rank = strtol(entry->d_name, &end, 10);

		if (*end || end == entry->d_name || rank < 0 || rank >= size)
			continue;
		roll.present++;
		if (rank < roll.first)
			roll.first = (int)rank;
	}
	if (marks)
		closedir(marks);
	return roll;
}

static const struct timespec pause_time = {.tv_nsec = PAUSE_MS * 1000000};

bool roll_call_sees(const char *directory, int rank)
{
	char path[PATH_BYTES];

	path_of_mark(path, directory, rank);
	for (int waited = 0; access(path, F_OK) < 0; waited += PAUSE_MS) {
		if (waited >= PATIENCE_MS)
			return false;
		nanosleep(&pause_time, NULL);
	}
	return true;
}

struct roll roll_call_count(const char *directory, int size)
{
	char folder[PATH_BYTES];
	struct roll roll;

	folder_of_job(folder, directory);
	for (int waited = 0;; waited += PAUSE_MS) {
		roll = count_marks(folder, size);
		if (roll.present == size || waited >= PATIENCE_MS)
			return roll;
		nanosleep(&pause_time, NULL);
	}
}

void roll_call_clear(const char *directory, int rank)
{
	char path[PATH_BYTES];

	path_of_mark(path, directory, rank);
	unlink(path);
	/* Remove the folders of the job, of all jobs, and that of the trace, if they are empty. */
	for (int i = 0; i < 3; i++) {
		*strrchr(path, '/') = 0;
		rmdir(path);
	}
}
