#include "tracer/roll_call.h"

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

static bool make_folders(const char *path)
{
	char parent[4200];

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
	char path[4200];
	int file;

	snprintf(path, sizeof path, "%s/ranks/%d", directory, rank);
	file = make_folders(path) ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
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
	char path[4200];

	snprintf(path, sizeof path, "%s/ranks/%d", directory, rank);
	for (int waited = 0; access(path, F_OK) < 0; waited += PAUSE_MS) {
		if (waited >= PATIENCE_MS)
			return false;
		nanosleep(&pause_time, NULL);
	}
	return true;
}

struct roll roll_call_count(const char *directory, int size)
{
	char folder[4200];
	struct roll roll;

	snprintf(folder, sizeof folder, "%s/ranks", directory);
	for (int waited = 0;; waited += PAUSE_MS) {
		roll = count_marks(folder, size);
		if (roll.present == size || waited >= PATIENCE_MS)
			return roll;
		nanosleep(&pause_time, NULL);
	}
}

void roll_call_clear(const char *directory, int rank)
{
	char path[4200];

	snprintf(path, sizeof path, "%s/ranks/%d", directory, rank);
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	rmdir(directory);
}
