#include "trace/liballprof/liballprof_files.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Find the last number in the file name of a path, and return its length, or 0 without a number. */
static size_t last_number(const char *path, size_t *start)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t end = strlen(path), first = (size_t)(name - path);

	while (end > first && !isdigit((unsigned char)path[end - 1]))
		end--;
	*start = end;
	while (*start > first && isdigit((unsigned char)path[*start - 1]))
		--*start;
	return end - *start;
}

static bool names_rank_0(const char *path)
{
	size_t start, digits = last_number(path, &start);

	return digits && strspn(path + start, "0") == digits;
}

/* Is the line a call, "MPI_Init:..."? */
static bool is_call(const char *line)
{
	static const char name[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

	return !strncmp(line, "MPI_", 4) && line[strspn(line, name)] == ':';
}

/*
 * Check whether the file begins like a text trace: with its header, or with a call after comments
 * and empty lines.
 */
static bool is_trace(const char *path)
{
	static const char header[] = "# htor's PMPI Tracer";
	FILE *file = fopen(path, "rb");
	char line[128];
	bool whole = true, found = false;

	if (!file)
		return false;
	/* A long line comes in several pieces. */
	while (!found && fgets(line, sizeof line, file)) {
		if (whole && line[0] != '#' && line[0] != '\n' && !is_call(line))
			break;
		found = whole && (is_call(line) || !strncmp(line, header, strlen(header)));
		whole = strchr(line, '\n');
	}
	fclose(file);
	return found;
}

static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Find the file of rank 0 in a folder; *found is NULL without such a file. */
static int search_folder(const char *folder, char **found, struct error *err)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;
	int result = 0;

	*found = NULL;
	while (entries && !result && (entry = readdir(entries))) {
		char *path = names_rank_0(entry->d_name) ? join(folder, entry->d_name) : NULL;

		if (path && is_trace(path)) {
			if (*found)
				result = error_set(err, STATUS_DATA,
						   "%s and %s belong to different traces: "
						   "give one of them", *found, path);
			else
				*found = path, path = NULL;
		}
		free(path);
	}
	if (entries)
		closedir(entries);
	if (result < 0)
		free(*found);
	return result;
}

/* Find the file of rank 0, which the caller frees; NULL if the path names no text trace. */
static int find_first(const char *path, char **found, struct error *err)
{
	struct stat status;
	char *anchor;
	bool otf2;

	*found = NULL;
	if (stat(path, &status) < 0)
		return 0;
	if (S_ISDIR(status.st_mode)) {
		anchor = join(path, "traces.otf2");
		otf2 = anchor && access(anchor, F_OK) == 0;
		free(anchor);
		return otf2 ? 0 : search_folder(path, found, err);
	}
	if (!S_ISREG(status.st_mode) || !is_trace(path))
		return 0;
	if (!names_rank_0(path))
		return error_set(err, STATUS_DATA, "%s: the last number of its name is not 0: "
				 "give the file of rank 0", path);
	*found = strdup(path);
	return *found ? 0 : error_set_memory(err, strlen(path));
}

int liballprof_files_find(struct liballprof_files *files, const char *path, struct error *err)
{
	size_t start, digits;
	char *first;

	*files = (struct liballprof_files){0};
	TRY(find_first(path, &first, err));
	if (!first)
		return 0;
	digits = last_number(first, &start);
	files->digits = (int)digits;
	files->suffix = strdup(first + start + digits);
	files->prefix = first;
	first[start] = '\0';
	if (files->suffix)
		return 0;
	liballprof_files_release(files);
	return error_set_memory(err, 1);
}

char *liballprof_files_path(const struct liballprof_files *files, uint32_t rank)
{
	char *path;

	return asprintf(&path, "%s%0*u%s", files->prefix, files->digits, rank, files->suffix) < 0 ?
		       NULL : path;
}

int liballprof_files_count(const struct liballprof_files *files, uint32_t *count, struct error *err)
{
	for (*count = 1;; ++*count) {
		char *path = liballprof_files_path(files, *count);
		bool there;

		if (!path)
			return error_set_memory(err, 1);
		there = access(path, F_OK) == 0;
		free(path);
		if (!there)
			return 0;
	}
}

void liballprof_files_release(struct liballprof_files *files)
{
	free(files->prefix);
	free(files->suffix);
	*files = (struct liballprof_files){0};
}
