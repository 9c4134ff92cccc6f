#include "usage/publish/anonymise.h"
#include "usage/index/walk.h"
#include "usage/publish/names.h"
#include "usage/publish/tables.h"

#include "common/parallel/parallel.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ------------------------------------------------------------------------ log */

static int replace_text(char **text, const char *by, struct error *err)
{
	free(*text);
	*text = strdup(by);
	return *text ? 0 : error_set_memory(err, strlen(by) + 1);
}

static int replace_name(char **text, const struct pseudonym_key *key, char kind, struct error *err)
{
	char name[ANONYMOUS_BYTES];

	return *text ? replace_text(text, anonymous_name(key, kind, *text, name), err) : 0;
}

static int replace_id(char **id, const struct pseudonym_key *key, struct error *err)
{
	char name[ANONYMOUS_BYTES];

	return *id ? replace_text(id, anonymous_id(key, *id, name), err) : 0;
}

/* The parent is an id, or JOB.STEP-START. */
static int replace_parent(char **parent, const struct pseudonym_key *key, struct error *err)
{
	char *const dot = *parent ? strchr(*parent, '.') : NULL;
	char name[ANONYMOUS_BYTES], *text;
	int length;

	if (!dot || dot[1 + strspn(dot + 1, "0123456789_-T")] != '\0')
		return replace_id(parent, key, err);
	*dot = '\0';
	length = asprintf(&text, "%s.%s", anonymous_id(key, *parent, name), dot + 1);
	if (length < 0)
		return error_set_memory(err, strlen(dot + 1));
	free(*parent);
	*parent = text;
	return 0;
}

/* Versions of libraries may name who built them: "package: Open MPI somebody@somewhere Distribution". */
static int replace_builders(char **library, const struct pseudonym_key *key, struct error *err)
{
	for (char *at; *library && (at = strchr(*library, '@'));) {
		const char *const end = at + strcspn(at, " ,");
		char name[ANONYMOUS_BYTES], builder[256], *text;

		while (at > *library && !strchr(" ,", at[-1]))
			at--;
		snprintf(builder, sizeof builder, "%.*s", (int)(end - at), at);
		if (asprintf(&text, "%.*s%s%s", (int)(at - *library), *library,
			     anonymous_name(key, 'h', builder, name), end) < 0)
			return error_set_memory(err, strlen(*library));
		free(*library);
		*library = text;
	}
	return 0;
}

int job_log_anonymise(struct job_log *log, const struct pseudonym_key *key, struct error *err)
{
	char program[ANONYMOUS_BYTES];

	TRY(replace_id(&log->job, key, err));
	TRY(replace_id(&log->step, key, err));
	TRY(replace_parent(&log->parent, key, err));
	TRY(replace_name(&log->user, key, 'u', err));
	if (log->program)
		TRY(replace_text(&log->program, anonymous_program(key, log->program, program),
				 err));
	TRY(replace_name(&log->build_id, key, 'b', err));
	TRY(replace_builders(&log->library, key, err));
	for (size_t i = 0; i < log->rank_list.count; i++)
		TRY(replace_name(&log->rank_list.items[i].host, key, 'h', err));
	log->args_hash = pseudonym_hash(key, &log->args_hash, sizeof log->args_hash);
	free(log->reason);
	log->reason = NULL;
	return 0;
}

/* ---------------------------------------------------------------------- folder */

struct anonymising {
	const struct anonymise_from *from;
	struct found_logs found;
	const char *to;
	const struct pseudonym_key *key;
	struct anonymised *done;
};

/* A log that a thread has read. */
struct anonymous {
	bool is_read;
	struct error why;
};

/* Whether the name of a log has only numbers: JOB.STEP-START-RANDOM.usage, as the profiler names logs. */
static bool has_numbers_only(const char *name)
{
	static const char *const parts[][2] = {{"0123456789_", "."},
					       {"0123456789_", "-"},
					       {"0123456789T", "-"},
					       {"0123456789abcdef", ".usage"}};

	if (!strncmp(name, "nojob.", 6))
		name += strlen("nojob");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		name += strspn(name, parts[i][0]);
		if (strncmp(name, parts[i][1], strlen(parts[i][1])) != 0)
			return false;
		name += strlen(parts[i][1]);
	}
	return *name == '\0';
}

static void add_to_path(char *path, size_t size, const char *text)
{
	const size_t length = strlen(path);

	snprintf(path + length, size - length, "%s", text);
}

/* Whether a folder is part of a date, as YYYY/MM/DD. */
static bool is_of_date(const char *folder)
{
	const size_t length = strlen(folder);

	return (length == 2 || length == 4) && strspn(folder, "0123456789") == length;
}

/* Add the folders of a path: days stay, all others get names. */
static void add_folders(const struct anonymising *of, const char *folders, char *path, size_t size)
{
	while (*folders++ == '/') {
		const size_t length = strcspn(folders, "/");
		char folder[NAME_MAX + 1], name[ANONYMOUS_BYTES];

		snprintf(folder, sizeof folder, "%.*s", (int)length, folders);
		add_to_path(path, size, "/");
		add_to_path(path, size,
			    is_of_date(folder) ? folder
					       : anonymous_name(of->key, 'f', folder, name));
		folders += length;
	}
}

/* Path below the folder that was asked for, which is the first one. */
static void output_path(const struct anonymising *of, const struct found_log *log, char *path,
			size_t size)
{
	char name[ANONYMOUS_BYTES];

	snprintf(path, size, "%s", of->to);
	add_folders(of, of->found.folders.items[log->folder] + strlen(of->found.folders.items[0]),
		    path, size);
	add_to_path(path, size, "/");
	if (has_numbers_only(log->name)) {
		add_to_path(path, size, log->name);
		return;
	}
	add_to_path(path, size, anonymous_name(of->key, 'f', log->name, name));
	add_to_path(path, size, ".usage");
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
		of->done->logs++;
		return 0;
	}
	input_path(of, &of->found.logs.items[item], path, sizeof path);
	return bad_logs_add(&of->done->bad, path, result->why.text, err);
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
	if (result == 0)
		result = anonymise_tables(of->from, beside, of->key, of->done, err);
	if (result == 0 && (chmod(beside, 0755) < 0 || rename(beside, to) < 0))
		result = error_set_errno(err, "%s", to);
	if (result < 0)
		nftw(beside, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return result;
}

int anonymise(const struct anonymise_from *from, const char *to, const struct pseudonym_key *key,
	      struct anonymised *done, struct error *err)
{
	struct anonymising of = {.from = from, .key = key, .done = done};
	struct stat status;
	int result;

	*done = (struct anonymised){0};
	if (lstat(to, &status) == 0)
		return error_set(err, STATUS_USAGE, "%s: exists already", to);
	result = find_logs(&of.found, from->folder, err);
	if (result == 0)
		result = write_folder(&of, to, err);
	found_logs_release(&of.found);
	return result;
}
