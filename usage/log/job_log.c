#include "usage/log/job_log.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

void job_log_release(struct job_log *log)
{
	char **texts[] = {&log->system,	 &log->job,	 &log->step,	&log->parent, &log->user,
			  &log->program, &log->build_id, &log->library, &log->clock,  &log->reason};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(*texts[i]);
	for (size_t i = 0; i < log->rank_list.count; i++) {
		free(log->rank_list.items[i].host);
		array_release(&log->rank_list.items[i].calls);
	}
	array_release(&log->rank_list);
	array_release(&log->ranks_per_node);
	array_release(&log->cells);
	memset(log, 0, sizeof *log);
}

/* An id with what may not be in the name of a file replaced. */
static void clean_id(const char *id, char *clean, size_t size)
{
	size_t length = 0;

	for (; id && *id && length + 1 < size; id++)
		clean[length++] = isalnum((unsigned char)*id) || *id == '_' ? *id : '_';
	clean[length] = '\0';
}

static bool start_of(const struct job_log *log, struct tm *utc)
{
	const time_t seconds = log->start_unix_ns == USAGE_UNKNOWN
				       ? 0
				       : (time_t)(log->start_unix_ns / 1000000000);

	return gmtime_r(&seconds, utc) != NULL;
}

void job_log_identity(const struct job_log *log, char *text, size_t size)
{
	enum { ID_BYTES = 48 };
	char job[ID_BYTES], step[ID_BYTES], start[24] = "19700101T000000";
	struct tm utc;

	clean_id(log->job, job, sizeof job);
	clean_id(log->step, step, sizeof step);
	if (start_of(log, &utc))
		strftime(start, sizeof start, "%Y%m%dT%H%M%S", &utc);
	snprintf(text, size, "%s.%s-%s", *job ? job : "nojob", *step ? step : "0", start);
}

void job_log_name(const struct job_log *log, uint64_t random, char *name, size_t size)
{
	char identity[JOB_LOG_NAME_BYTES], day[16] = "1970/01/01";
	struct tm utc;

	job_log_identity(log, identity, sizeof identity);
	if (start_of(log, &utc))
		strftime(day, sizeof day, "%Y/%m/%d", &utc);
	snprintf(name, size, "%s/%s-%016" PRIx64 ".usage", day, identity, random);
}

void usage_table_time(const struct usage_table *table, uint64_t *mpi_ns, uint64_t *local_ns)
{
	*mpi_ns = table->cells[USAGE_CATCH_ALL].ticks;
	*local_ns = 0;
	for (unsigned i = 0; i < USAGE_CELLS; i++) {
		const struct usage_cell *cell = &table->cells[i];

		if (!cell->key.used)
			continue;
		if (mpi_functions[cell->key.function].class == MPI_CLASS_LOCAL)
			*local_ns += cell->ticks;
		else if (usage_counts_as_mpi(cell->key.function))
			*mpi_ns += cell->ticks;
	}
}

int usage_table_calls(const struct usage_table *table, struct job_rank *rank, struct error *err)
{
	const struct usage_cell **cells;
	unsigned count;

	TRY(allocate(&cells, USAGE_CELLS, sizeof *cells, err));
	count = usage_table_sorted(table, cells);
	rank->calls.count = 0;
	for (unsigned i = 0; i < count; i++) {
		const struct usage_cell *cell = cells[i];
		struct job_calls *calls;

		if (i == 0 || cells[i - 1]->key.function != cell->key.function) {
			const struct job_calls none = {.function = cell->key.function};

			if (array_push(&rank->calls, none, err) < 0) {
				free(cells);
				return -1;
			}
		}
		calls = &rank->calls.items[rank->calls.count - 1];
		calls->calls += cell->calls;
		calls->bytes += cell->bytes;
		calls->moved += cell->moved;
		calls->ns += cell->ticks;
	}
	free(cells);
	return 0;
}
