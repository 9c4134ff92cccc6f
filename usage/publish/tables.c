#include "usage/publish/tables.h"
#include "common/text.h"
#include "usage/index/accounting.h"
#include "usage/publish/names.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A table that is written. */
struct writing {
	const struct pseudonym_key *key;
	enum site_table table; /* unless it is the accounting */
	FILE *file;
};

static int open_table(struct writing *of, const char *folder, const char *name, char path[PATH_MAX],
		      struct error *err)
{
	snprintf(path, PATH_MAX, "%s/%s.csv", folder, name);
	of->file = fopen(path, "wx");
	return of->file ? 0 : error_set_errno(err, "%s", path);
}

static int close_table(struct writing *of, const char *path, int result, struct error *err)
{
	const bool failed = ferror(of->file);

	if ((fclose(of->file) || failed) && result == 0)
		return error_set_errno(err, "%s: cannot be written", path);
	return result;
}

/* --------------------------------------------------------------------- records */

static void write_number(FILE *file, int64_t number)
{
	putc(',', file);
	if (number >= 0)
		fprintf(file, "%" PRId64, number);
}

static void write_id(const struct writing *of, const char *job, const char *step)
{
	char name[ANONYMOUS_BYTES];

	fputs(anonymous_id(of->key, job, name), of->file);
	if (*step)
		fprintf(of->file, ".%s", anonymous_id(of->key, step, name));
}

static int write_record(void *context, const struct accounting_record *record, struct error *err)
{
	const struct writing *const of = context;
	char user[ANONYMOUS_BYTES], project[ANONYMOUS_BYTES], program[ANONYMOUS_BYTES];
	char state[ANONYMOUS_BYTES];

	(void)err;
	write_id(of, record->job, record->step);
	putc(',', of->file);
	text_print_csv(of->file, record->system);
	fprintf(of->file, ",%s,%s,%s", anonymous_name(of->key, 'u', record->user, user),
		anonymous_name(of->key, 'a', record->project, project),
		anonymous_state(of->key, record->state, state));
	write_number(of->file, record->exit_status);
	write_number(of->file, record->start);
	write_number(of->file, record->end);
	write_number(of->file, record->seconds);
	write_number(of->file, record->nodes);
	write_number(of->file, record->cpus);
	write_number(of->file, record->tasks);
	fprintf(of->file, ",%s\n", anonymous_program(of->key, record->program, program));
	return 0;
}

static int write_accounting(const struct anonymise_from *from, const char *folder,
			    const struct pseudonym_key *key, struct anonymised *done,
			    struct error *err)
{
	struct writing of = {.key = key};
	struct accounting_read read = {0};
	char path[PATH_MAX];
	int result;

	TRY(open_table(&of, folder, "accounting", path, err));
	fputs("JobIDRaw,Cluster,User,Account,State,ExitCode,Start,End,ElapsedRaw,NNodes,AllocCPUS,"
	      "NTasks,Executable\n",
	      of.file);
	result = accounting_each(&read, from->accounting, write_record, &of, &done->bad, err);
	done->records = read.records;
	return close_table(&of, path, result, err);
}

/* ---------------------------------------------------------------------- tables */

/* An id of a job, or JOB.STEP, with a number as step. */
static void write_traced(const struct writing *of, const char *id)
{
	char job[RECORD_TEXT_BYTES];
	const char *const dot = strrchr(id, '.');
	const bool has_step = dot && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")];

	snprintf(job, sizeof job, "%.*s", (int)(has_step ? dot - id : (ptrdiff_t)strlen(id)), id);
	write_id(of, job, has_step ? dot + 1 : "");
}

static int write_site_row(void *context, const char *const *values, struct error *err)
{
	const struct writing *const of = context;
	char names[2][ANONYMOUS_BYTES];

	(void)err;
	switch (of->table) {
	case SITE_PROGRAMMES:
		fputs(anonymous_name(of->key, 'a', values[0], names[0]), of->file);
		break;
	case SITE_DOMAINS:
		fprintf(of->file, "%s,%s\n", anonymous_name(of->key, 'p', values[0], names[0]),
			anonymous_name(of->key, 'd', values[1], names[1]));
		return 0;
	case SITE_TRACED:
		write_traced(of, values[0]);
		break;
	default:
		text_print_csv(of->file, values[0]);
	}
	putc(',', of->file);
	text_print_csv(of->file, values[1]);
	putc('\n', of->file);
	return 0;
}

static int write_table(const char *from, enum site_table table, const char *folder,
		       const struct pseudonym_key *key, struct error *err)
{
	const struct site_form *const form = &site_forms[table];
	struct writing of = {.key = key, .table = table};
	char path[PATH_MAX];
	int result;

	TRY(open_table(&of, folder, form->name, path, err));
	fprintf(of.file, "%s,%s\n", form->columns[0], form->columns[1]);
	result = site_table_each(table, from, write_site_row, &of, err);
	return close_table(&of, path, result, err);
}

int anonymise_tables(const struct anonymise_from *from, const char *folder,
		     const struct pseudonym_key *key, struct anonymised *done, struct error *err)
{
	for (int i = 0; i < SITE_TABLES; i++)
		if (from->tables[i])
			TRY(write_table(from->tables[i], (enum site_table)i, folder, key, err));
	return from->accounting ? write_accounting(from, folder, key, done, err) : 0;
}
