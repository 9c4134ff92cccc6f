#include "usage/log/collect.h"

#include "common/hash.h"
#include "usage/log/log_file.h"
#include "usage/log/node_view.h"

#include <dirent.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Age at which a file whose making has not ended is left over, s. */
enum { LEFT_OVER_S = 60 };

/* Random part of a log's name: the same if it is made again. */
static uint64_t name_hash(const struct node_view *view, const char *path)
{
	const char *name = strrchr(path, '/');
	const char *host = view->host ? view->host : "";

	name = name ? name + 1 : path;
	return mix64(hash_more_bytes(hash_bytes(host, strlen(host)), name, strlen(name)));
}

/* A user that is named is the owner of the file: what is in it may say anything. */
static int set_user(struct job_log *log, uid_t owner, struct error *err)
{
	const struct passwd *user = getpwuid(owner);
	char number[24];

	if (!log->user)
		return 0;
	free(log->user);
	snprintf(number, sizeof number, "%lu", (unsigned long)owner);
	log->user = strdup(user ? user->pw_name : number);
	return log->user ? 0 : error_set_memory(err, sizeof number);
}

static int write_collected(struct collected *it, const struct node_view *view,
			   const struct collect_options *options, struct error *err)
{
	char name[JOB_LOG_NAME_BYTES];
	struct job_log log = {0};
	int result;

	TRY(node_view_log(view, &log, err));
	it->end = log.end;
	it->ranks = log.ranks;
	it->ranks_seen = log.ranks_seen;
	it->job = log.job ? strdup(log.job) : NULL;
	it->step = log.step ? strdup(log.step) : NULL;
	result = options->own ? 0 : set_user(&log, view->owner, err);
	if (result == 0)
		result = log_file_write(&log, options->logs, name_hash(view, it->path), view->owner,
					name, err);
	if (result == 0 && !(it->log = strdup(name)))
		result = error_set_memory(err, sizeof name);
	job_log_release(&log);
	return result;
}

static bool goes_here(const struct node_view *view, const struct collect_options *options)
{
	return !options->same ||
	       (view->log_directory && strcmp(view->log_directory, options->logs) == 0);
}

/* Whether a file has been left, not just been made. */
static bool is_left_over(const struct stat *status)
{
	return status->st_mtime + LEFT_OVER_S < time(NULL);
}

/* Turn a file that is locked into a log, then remove it. */
static int collect_claimed(struct collected *it, int file, const struct collect_options *options,
			   struct error *err)
{
	struct node_view view;
	struct stat status;
	int result;

	TRY(node_view_read_file(&view, file, it->path, err));
	/*
	 * Locks of this very opening do not count; another host may hold some on a shared file system.  In a
	 * file that has just been made the first process takes its place, and its lock, in a moment.
	 */
	it->in_use = view.alive ||
		     (view.ranks.count == 0 && fstat(file, &status) == 0 && !is_left_over(&status));
	result = it->in_use || !goes_here(&view, options)
			 ? 0
			 : write_collected(it, &view, options, err);
	node_view_release(&view);
	if (result == 0 && it->log)
		unlink(it->path);
	return result;
}

static int collect_file(struct collection *collection, const char *path,
			const struct collect_options *options, struct error *err)
{
	struct collected it = {.path = strdup(path)};
	struct error own;
	int file, result = 0;

	if (!it.path)
		return error_set_memory(err, strlen(path) + 1);
	file = node_view_claim(path, &own);
	it.in_use = file == NODE_IN_USE;
	if (file >= 0) {
		result = collect_claimed(&it, file, options, &own);
		close(file);
	}
	if (file == -1 || result < 0)
		it.problem = strdup(own.text);
	collection->logs += it.log != NULL;
	collection->in_use += it.in_use;
	collection->problems += it.problem != NULL;
	return array_push(&collection->files, it, err);
}

static int collect_entry(struct collection *collection, const char *directory, const char *name,
			 const struct collect_options *options, struct error *err)
{
	struct stat status;
	char path[PATH_MAX];

	if (!node_is_name(name, true) ||
	    snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path ||
	    lstat(path, &status) < 0 || (options->own && status.st_uid != geteuid()))
		return 0;
	if (node_is_name(name, false))
		return collect_file(collection, path, options, err);
	/* Its maker has died before it had a name of its own. */
	if (is_left_over(&status))
		unlink(path);
	return 0;
}

static int is_any(const struct dirent *entry)
{
	return node_is_name(entry->d_name, true);
}

int collect(struct collection *collection, const char *directory,
	    const struct collect_options *options, struct error *err)
{
	struct dirent **entries;
	const int count = scandir(directory, &entries, is_any, alphasort);
	int result = 0;

	if (count < 0) {
		error_set_errno(err, "%s", directory);
		err->status = STATUS_DATA;
		return -1;
	}
	for (int i = 0; i < count; i++) {
		if (result == 0)
			result = collect_entry(collection, directory, entries[i]->d_name, options,
					       err);
		free(entries[i]);
	}
	free(entries);
	return result;
}

int collect_list(struct collection *collection, const char *directories,
		 const struct collect_options *options, struct error *err)
{
	char *list = strdup(directories), *next = list;
	int result = 0;

	if (!list)
		return error_set_memory(err, strlen(directories) + 1);
	for (char *one; result == 0 && (one = strsep(&next, ":"));)
		if (*one && access(one, F_OK) == 0)
			result = collect(collection, one, options, err);
	free(list);
	return result;
}

void collection_release(struct collection *collection)
{
	for (size_t i = 0; i < collection->files.count; i++) {
		struct collected *it = &collection->files.items[i];

		free(it->path);
		free(it->log);
		free(it->job);
		free(it->step);
		free(it->problem);
	}
	array_release(&collection->files);
}
