#include "usage/log/function_names.h"
#include "usage/show/live.h"

#include "common/machine/now.h"
#include "usage/show/show_tables.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ finding */

static bool is_wanted_job(const struct node_view *view, const char *job)
{
	char name[300];

	if (!job)
		return view->alive;
	snprintf(name, sizeof name, "%s.%s", view->log.job ? view->log.job : "",
		 view->log.step ? view->log.step : "");
	return strcmp(job, name) == 0 || (view->log.job && strcmp(job, view->log.job) == 0) ||
	       (!view->log.job && view->log.step && strcmp(job, view->log.step) == 0);
}

/* Add a file's job.  One that cannot be read is somebody else's, or none of ours. */
static int add_job(struct live *live, const char *path, const char *job, struct error *err)
{
	struct node_view view;
	struct error own;

	if (node_view_read(&view, path, &own) < 0)
		return 0;
	if (is_wanted_job(&view, job)) {
		if (array_push(&live->jobs, view, err) == 0)
			return 0;
		node_view_release(&view);
		return -1;
	}
	node_view_release(&view);
	return 0;
}

static int is_node_file(const struct dirent *entry)
{
	return node_is_name(entry->d_name, false);
}

static int find_in(struct live *live, const char *directory, const char *job, struct error *err)
{
	struct dirent **entries;
	const int count = scandir(directory, &entries, is_node_file, alphasort);
	int result = 0;

	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];

		if (result == 0 && snprintf(path, sizeof path, "%s/%s", directory,
					    entries[i]->d_name) < (int)sizeof path)
			result = add_job(live, path, job, err);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return result;
}

int live_find(struct live *live, const char *job, struct error *err)
{
	char *directories = strdup(node_file_directories()), *next = directories;
	int result = directories ? 0 : error_set_memory(err, PATH_MAX);

	for (char *one; result == 0 && (one = strsep(&next, ":"));)
		if (*one)
			result = find_in(live, one, job, err);
	free(directories);
	TRY(result);
	live->now_ns = now_ns();
	if (live->jobs.count > 0)
		return 0;
	return job ? error_set(err, STATUS_DATA, "no file of job %s is on this node, in %s", job,
			       node_file_directories())
		   : error_set(
			     err, STATUS_DATA,
			     "no job with a file in %s runs on this node, or it is another user's",
			     node_file_directories());
}

void live_release(struct live *live)
{
	for (size_t i = 0; i < live->jobs.count; i++)
		node_view_release(&live->jobs.items[i]);
	array_release(&live->jobs);
}

/* -------------------------------------------------------------------- report */

struct live_job {
	const struct node_view *view;
	uint64_t now_ns;
};

static const char *const state_values[] = {"running", "finalizing", "exited", "dead", NULL};

static const struct report_field live_fact_fields[] = {
	{"job", "job", VALUE_NAME, .flags = FIELD_NULL},
	{"step", "step", VALUE_NAME, .flags = FIELD_NULL},
	{"program", "program", VALUE_NAME, .flags = FIELD_NULL},
	{"user", "user", VALUE_NAME, .flags = FIELD_NULL},
	{"host", "node", VALUE_NAME, .flags = FIELD_NULL},
	{"ranks", "ranks", .kind = VALUE_COUNT},
	{"ranks_here", "here", VALUE_COUNT, .meaning = "Ranks on this node"},
	{"alive", "alive", VALUE_COUNT, .meaning = "Ranks on this node whose processes live"},
	{"runtime_ns", "runtime", VALUE_LONG_TIME, .flags = FIELD_NULL,
	 .meaning = "Since MPI_Init; null: no rank has counted yet"},
	{0},
};

/* Time from a rank's MPI_Init until now, or until its last sign of life. */
static uint64_t age_ns(const struct live_job *job, const struct node_rank *rank)
{
	return rank->alive ? passed_ns(rank->begin_ns, job->now_ns) : rank->runtime_ns;
}

static void put_live_facts(struct report_row *row, const void *data, size_t number)
{
	const struct live_job *job = data;
	const struct node_view *view = job->view;
	uint64_t alive = 0, longest = 0;

	(void)number;
	for (size_t i = 0; i < view->ranks.count; i++) {
		const uint64_t age = age_ns(job, &view->ranks.items[i]);

		alive += view->ranks.items[i].alive;
		longest = age > longest ? age : longest;
	}
	put_name(row, view->log.job && *view->log.job ? view->log.job : NULL);
	put_name(row, view->log.step);
	put_name(row, view->log.program);
	put_name(row, view->log.user);
	put_name(row, view->host);
	put_count(row, view->log.ranks);
	put_count(row, view->ranks.count);
	put_count(row, alive);
	put_count_or_none(row, longest, view->ranks.count > 0);
}

static const struct report_field live_rank_fields[] = {
	{"rank", "rank", VALUE_COUNT, .width = 7},
	{"process", "process", VALUE_COUNT, .width = 9, .meaning = "Id of the process"},
	{"state", "state", VALUE_NAME, .width = 10, .values = state_values},
	{"function", "in", VALUE_NAME, .width = 14, .flags = FIELD_NULL,
	 .meaning = "Function that the rank is in; null: in none"},
	{"since_ns", "since", VALUE_TIME, .width = 9, .flags = FIELD_NULL, .right = true,
	 .meaning = "Time that it has been there"},
	{"threads", "threads", VALUE_COUNT, .width = 7,
	 .meaning = "That have called MPI; the function is of the one that is longest in its call"},
	{"calls", "calls", VALUE_COUNT, .width = 9, .meaning = "That have returned"},
	{"mpi_ns", "in MPI", VALUE_TIME, .width = 9},
	{"share", "share", VALUE_SHARE, .width = 7, .meaning = "Of the time since MPI_Init"},
	{0},
};

/* The thread that has been in its call longest, or NULL: none is in a call. */
static const struct node_thread_view *longest_inside(const struct node_rank *rank)
{
	const struct node_thread_view *found = NULL;

	for (size_t i = 0; i < rank->threads.count; i++) {
		const struct node_thread_view *thread = &rank->threads.items[i];

		if (thread->inside != USAGE_REST && (!found || thread->stamp_ns < found->stamp_ns))
			found = thread;
	}
	return found;
}

static void put_live_rank(struct report_row *row, const void *data, size_t number)
{
	const struct live_job *job = data;
	const struct node_rank *rank = &job->view->ranks.items[number];
	const struct node_thread_view *thread = longest_inside(rank);
	uint64_t calls = 0, mpi_ns, local_ns, stamp_ns = rank->runtime_ns;

	for (uint32_t i = 0; i <= rank->table->count; i++)
		calls += rank->table->cells[i].calls;
	usage_table_time(rank->table, &mpi_ns, &local_ns);
	if (thread)
		stamp_ns = thread->stamp_ns;
	put_count(row, rank->rank);
	put_count(row, (uint64_t)rank->process);
	put_name(row, rank->alive ? state_values[rank->state] : "dead");
	put_name(row, thread ? usage_function_name((uint16_t)thread->inside) : NULL);
	put_count_or_none(row, passed_ns(stamp_ns, age_ns(job, rank)), rank->threads.count > 0);
	put_count(row, rank->threads.count);
	put_count(row, calls);
	put_count(row, mpi_ns);
	put_share(row, mpi_ns, age_ns(job, rank));
}

static void write_live_job(struct report *report, const void *data, size_t number)
{
	static const struct node_view none;
	const struct live *live = data;
	const struct live_job job = {live->jobs.count ? &live->jobs.items[number] : &none,
				     live->now_ns};

	report_facts(report, &(struct report_facts){.fields = live_fact_fields,
						    .row = put_live_facts,
						    .data = &job});
	report_table(report, &(struct report_table){"ranks", .fields = live_rank_fields,
						    .row = put_live_rank, .data = &job,
						    .count = job.view->ranks.count});
}

void live_write(struct report *report, const struct live *live)
{
	report_begin(report, "llamp-usage-live-1");
	report_list(report, &(struct report_list){.key = "jobs",
						  .meaning = "Jobs on this node",
						  .object = write_live_job,
						  .data = live,
						  .count = live->jobs.count});
	report_end(report);
}
