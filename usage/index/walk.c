#include "usage/index/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".usage";

static bool is_log(const char *name)
{
	const size_t length = strlen(name);

	return length > sizeof suffix - 1 && !strcmp(name + length - (sizeof suffix - 1), suffix);
}

static bool has_folder(const struct found_logs *found, const char *path)
{
	for (size_t i = 0; i < found->folders.count; i++)
		if (!strcmp(found->folders.items[i], path))
			return true;
	return false;
}

static int add_path(char **to, const char *text, struct error *err)
{
	*to = strdup(text);
	return *to ? 0 : error_set_memory(err, strlen(text) + 1);
}

static int add_log(struct found_logs *found, uint32_t folder, const char *name,
		   const struct stat *entry, struct error *err)
{
	struct found_log log = {
		.folder = folder,
		.mtime_ns = entry->st_mtim.tv_sec * INT64_C(1000000000) + entry->st_mtim.tv_nsec,
		.bytes = entry->st_size,
	};

	TRY(array_reserve(&found->logs, 1, err));
	TRY(add_path(&log.name, name, err));
	found->logs.items[found->logs.count++] = log;
	return 0;
}

/* A file may vanish between the listing and this. */
static int look_at(struct found_logs *found, uint32_t folder, int directory,
		   const struct dirent *entry, struct error *err)
{
	struct stat status;

	if (!is_log(entry->d_name) || fstatat(directory, entry->d_name, &status, 0) < 0 ||
	    !S_ISREG(status.st_mode))
		return 0;
	return add_log(found, folder, entry->d_name, &status, err);
}

static bool is_folder(int directory, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(status.st_mode);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct found_log *)a)->name, ((const struct found_log *)b)->name);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct folder_names {
	ARRAY(char *) names;
};

/* A folder that cannot be read is the user's mistake, as a file. */
static int no_folder(const char *path, struct error *err)
{
	error_set_errno(err, "%s", path);
	err->status = STATUS_DATA;
	return -1;
}

static int list_folder(struct found_logs *found, const char *path, struct folder_names *below,
		       struct error *err)
{
	const uint32_t folder = (uint32_t)found->folders.count - 1;
	DIR *stream = opendir(path);
	const struct dirent *entry;
	int result = 0;

	if (!stream)
		return no_folder(path, err);
	while (result == 0 && (errno = 0, entry = readdir(stream))) {
		char joined[PATH_MAX], *copy;

		if (entry->d_name[0] == '.')
			continue;
		if (!is_folder(dirfd(stream), entry)) {
			result = look_at(found, folder, dirfd(stream), entry, err);
			continue;
		}
		if (snprintf(joined, sizeof joined, "%s/%s", path, entry->d_name) >=
		    (int)sizeof joined) {
			result = error_set(err, STATUS_LIMIT, "%s: the name is too long", path);
			continue;
		}
		result = array_reserve(&below->names, 1, err);
		if (result == 0)
			result = add_path(&copy, joined, err);
		if (result == 0)
			below->names.items[below->names.count++] = copy;
	}
	if (result == 0 && errno)
		result = error_set_errno(err, "%s", path);
	closedir(stream);
	return result;
}

static int walk(struct found_logs *found, const char *path, struct error *err)
{
	struct folder_names below = {0};
	const size_t first = found->logs.count;
	char *copy;
	int result;

	if (has_folder(found, path))
		return 0;
	TRY(array_reserve(&found->folders, 1, err));
	TRY(add_path(&copy, path, err));
	found->folders.items[found->folders.count++] = copy;
	result = list_folder(found, path, &below, err);
	if (result == 0) {
		if (found->logs.count > first)
			qsort(found->logs.items + first, found->logs.count - first,
			      sizeof *found->logs.items, compare_names);
		if (below.names.count)
			qsort(below.names.items, below.names.count, sizeof *below.names.items,
			      compare_texts);
	}
	for (size_t i = 0; i < below.names.count; i++) {
		if (result == 0)
			result = walk(found, below.names.items[i], err);
		free(below.names.items[i]);
	}
	array_release(&below.names);
	return result;
}

int find_logs(struct found_logs *found, const char *path, struct error *err)
{
	char *const absolute = realpath(path, NULL);
	int result;

	if (!absolute)
		return no_folder(path, err);
	result = walk(found, absolute, err);
	free(absolute);
	return result;
}

void found_logs_release(struct found_logs *found)
{
	for (size_t i = 0; i < found->folders.count; i++)
		free(found->folders.items[i]);
	for (size_t i = 0; i < found->logs.count; i++)
		free(found->logs.items[i].name);
	array_release(&found->folders);
	array_release(&found->logs);
}
