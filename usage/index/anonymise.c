#include "usage/index/anonymise.h"
#include "usage/index/walk.h"

#include "common/parallel.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------------ log */

static int replace_text(char **text, const struct pseudonym_key *key, char kind, struct error *err)
{
	char name[PSEUDONYM_BYTES];

	if (!*text)
		return 0;
	pseudonym(key, kind, *text, name);
	free(*text);
	*text = strdup(name);
	return *text ? 0 : error_set_memory(err, sizeof name);
}

/* The last part of the path is a name of its own. */
static int replace_program(char **program, const struct pseudonym_key *key, struct error *err)
{
	char *const slash = *program ? strrchr(*program, '/') : NULL;
	char folder[PSEUDONYM_BYTES], name[PSEUDONYM_BYTES], *path;

	if (!slash)
		return replace_text(program, key, 'p', err);
	pseudonym(key, 'p', slash + 1, name);
	*slash = '\0';
	pseudonym(key, 'f', *program, folder);
	if (asprintf(&path, "/%s/%s", folder, name) < 0)
		return error_set_memory(err, sizeof folder + sizeof name);
	free(*program);
	*program = path;
	return 0;
}

int job_log_anonymise(struct job_log *log, const struct pseudonym_key *key, struct error *err)
{
	TRY(replace_text(&log->user, key, 'u', err));
	TRY(replace_program(&log->program, key, err));
	TRY(replace_text(&log->build_id, key, 'b', err));
	for (size_t i = 0; i < log->rank_list.count; i++)
		TRY(replace_text(&log->rank_list.items[i].host, key, 'h', err));
	log->args_hash = pseudonym_hash(key, &log->args_hash, sizeof log->args_hash);
	free(log->reason);
	log->reason = NULL;
	return 0;
}

/* ---------------------------------------------------------------------- folder */

struct anonymising {
	struct found_logs found;
	const char *to;
	const struct pseudonym_key *key;
	struct bad_logs *bad;
	uint64_t *written;
};

/* A log that a thread has read. */
struct anonymous {
	bool is_read;
	struct error why;
};

/* Path below the folder that was asked for, which is the first one. */
static void output_path(const struct anonymising *of, const struct found_log *log, char *path,
			size_t size)
{
	const size_t length = strlen(of->found.folders.items[0]);

	snprintf(path, size, "%s%s/%s", of->to, of->found.folders.items[log->folder] + length,
		 log->name);
}

static int make_folders_of(char *path, struct error *err)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			return error_set_errno(err, "%s", path);
		*at = '/';
	}
	return 0;
}

static int write_log(const char *path, const struct job_log *log, struct error *err)
{
	FILE *const file = fopen(path, "wx");
	int result;

	if (!file)
		return error_set_errno(err, "%s", path);
	result = job_log_write(log, file, true, err);
	if (fclose(file) && result == 0)
		result = error_set_errno(err, "cannot be written");
	return result < 0 ? error_prefix(err, "%s", path) : 0;
}

static int write_anonymous(const struct anonymising *of, const struct found_log *found,
			   struct job_log *log, struct error *err)
{
	char path[PATH_MAX];

	TRY(job_log_anonymise(log, of->key, err));
	output_path(of, found, path, sizeof path);
	TRY(make_folders_of(path, err));
	return write_log(path, log, err);
}

static void input_path(const struct anonymising *of, const struct found_log *log, char *path,
		       size_t size)
{
	snprintf(path, size, "%s/%s", of->found.folders.items[log->folder], log->name);
}

static int anonymise_one(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct anonymising *const of = shared;
	const struct found_log *const found = &of->found.logs.items[item];
	struct anonymous *const result = state;
	char path[PATH_MAX];
	struct job_log log;
	int status;

	input_path(of, found, path, sizeof path);
	result->is_read = job_log_read(&log, path, &result->why) == 0;
	if (!result->is_read)
		return 0;
	status = write_anonymous(of, found, &log, err);
	job_log_release(&log);
	return status;
}

static int count_one(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct anonymising *const of = shared;
	const struct anonymous *const result = state;
	char path[PATH_MAX];

	if (result->is_read) {
		++*of->written;
		return 0;
	}
	input_path(of, &of->found.logs.items[item], path, sizeof path);
	return bad_logs_add(of->bad, path, result->why.text, err);
}

static int anonymise_found(struct anonymising *of, struct error *err)
{
	const struct parallel_work work = {
		.make = anonymise_one,
		.take = count_one,
		.shared = of,
		.state_bytes = sizeof(struct anonymous),
	};

	return parallel_run(&work, (uint32_t)of->found.logs.count, processor_count(), err);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status, (void)type, (void)place;
	return remove(path);
}

/* Write the logs to a folder beside the new one, which gets its name when all are there. */
static int write_folder(struct anonymising *of, const char *to, struct error *err)
{
	char beside[PATH_MAX];
	int result;

	snprintf(beside, sizeof beside, "%s.XXXXXX", to);
	if (!mkdtemp(beside))
		return error_set_errno(err, "%s", beside);
	of->to = beside;
	result = anonymise_found(of, err);
	if (result == 0 && (chmod(beside, 0755) < 0 || rename(beside, to) < 0))
		result = error_set_errno(err, "%s", to);
	if (result < 0)
		nftw(beside, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return result;
}

int anonymise_logs(const char *from, const char *to, const struct pseudonym_key *key,
		   struct bad_logs *bad, uint64_t *written, struct error *err)
{
	struct anonymising of = {.key = key, .bad = bad, .written = written};
	struct stat status;
	int result;

	*written = 0;
	if (lstat(to, &status) == 0)
		return error_set(err, STATUS_USAGE, "%s: exists already", to);
	result = find_logs(&of.found, from, err);
	if (result == 0)
		result = write_folder(&of, to, err);
	found_logs_release(&of.found);
	return result;
}
