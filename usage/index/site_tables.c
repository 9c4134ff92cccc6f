#include "usage/index/site_tables.h"
#include "usage/index/delimited.h"
#include "usage/index/slurm.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *wrong_class(const char *const *values)
{
	return strcmp(values[1], "normal") && strcmp(values[1], "failed")
		       ? "expected class normal or failed"
		       : NULL;
}

static const char *wrong_cores(const char *const *values)
{
	return slurm_number(values[1]) > 0 && slurm_number(values[1]) < 1 << 20
		       ? NULL
		       : "expected a number of cores";
}

static const char *wrong_name(const char *const *values)
{
	return *values[1] ? NULL : "expected a name";
}

/* Whether a text is a number of at least `least`, as SQLite reads it: not in base 16. */
static bool is_number(const char *text, double least)
{
	char *end;
	const double number = strtod(text, &end);

	return end > text && !*end && !strpbrk(text, "xX") && isfinite(number) && number >= least;
}

static const char *wrong_lambda(const char *const *values)
{
	return is_number(values[1], 0) ? NULL : "expected lambda_L, a number of latencies";
}

static const char *wrong_ping_pong(const char *const *values)
{
	if (strcmp(values[0], "alone") && strcmp(values[0], "profiled"))
		return "expected run alone or profiled";
	if (slurm_number(values[1]) < 0)
		return "expected a number of bytes";
	return is_number(values[2], 1e-3) ? NULL : "expected a latency in ns";
}

const struct site_form site_forms[SITE_TABLES] = {
	[SITE_PROGRAMMES] = {"programmes", {"project", "programme"}, wrong_name},
	[SITE_DOMAINS] = {"domains", {"application", "domain"}, wrong_name},
	[SITE_STATES] = {"states", {"state", "class"}, wrong_class},
	[SITE_SYSTEMS] = {"systems", {"system", "cores_per_node"}, wrong_cores},
	[SITE_TRACED] = {"traced", {"job", "lambda"}, wrong_lambda},
	[SITE_PING_PONG] = {"ping_pong", {"run", "bytes", "latency_ns"}, wrong_ping_pong},
};

int site_columns(const struct site_form *form)
{
	int count = 0;

	while (count < SITE_COLUMNS && form->columns[count])
		count++;
	return count;
}

/* Write the columns as a list, or `mark` for each. */
static void write_columns(const struct site_form *form, const char *mark, char *text, size_t bytes)
{
	size_t length = 0;

	for (int i = 0; i < site_columns(form) && length < bytes; i++)
		length += (size_t)snprintf(text + length, bytes - length, "%s%s", i ? "," : "",
					   mark ? mark : form->columns[i]);
}

static int take_row(const struct site_form *form, const struct delimited *from, const int *columns,
		    site_table_take *take, void *context, struct error *err)
{
	const char *values[SITE_COLUMNS], *wrong;

	for (int i = 0; i < site_columns(form); i++)
		values[i] = delimited_field(from, columns[i]);
	wrong = from->wrong ? from->wrong : form->wrong(values);
	if (wrong)
		return error_set(err, STATUS_DATA, "%s:%llu: %s", from->path,
				 (unsigned long long)from->line, wrong);
	if (take(context, values, err) < 0)
		return error_prefix(err, "%s:%llu", from->path, (unsigned long long)from->line);
	return 0;
}

static int take_rows(const struct site_form *form, struct delimited *from, site_table_take *take,
		     void *context, struct error *err)
{
	int columns[SITE_COLUMNS];
	char headings[64];

	for (int i = 0; i < site_columns(form); i++) {
		columns[i] = delimited_column(from, form->columns[i]);
		if (columns[i] == DELIMITED_NONE) {
			write_columns(form, NULL, headings, sizeof headings);
			return error_set(err, STATUS_DATA, "%s:1: expected headings %s", from->path,
					 headings);
		}
	}
	while (delimited_next(from))
		TRY(take_row(form, from, columns, take, context, err));
	return 0;
}

int site_table_each(enum site_table table, const char *path, site_table_take *take, void *context,
		    struct error *err)
{
	struct delimited from;
	int result;

	TRY(delimited_open(&from, path, err));
	result = take_rows(&site_forms[table], &from, take, context, err);
	delimited_release(&from);
	return result;
}

/* ---------------------------------------------------------------------- index */

struct replacing {
	struct usage_db *db;
	sqlite3_stmt *put;
	int columns;
};

static int put_row(void *context, const char *const *values, struct error *err)
{
	const struct replacing *const of = context;

	sqlite3_reset(of->put);
	for (int i = 0; i < of->columns; i++)
		sqlite3_bind_text(of->put, i + 1, values[i], -1, SQLITE_TRANSIENT);
	return usage_db_step(of->db, of->put, err) < 0 ? -1 : 0;
}

int site_table_read(struct usage_db *db, enum site_table table, const char *path, struct error *err)
{
	const struct site_form *const form = &site_forms[table];
	struct replacing of = {.db = db, .columns = site_columns(form)};
	char names[64], values[16], sql[160];
	int result;

	snprintf(sql, sizeof sql, "DELETE FROM %s", form->name);
	TRY(usage_db_run(db, sql, err));
	write_columns(form, NULL, names, sizeof names);
	write_columns(form, "?", values, sizeof values);
	snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s(%s) VALUES(%s)", form->name, names, values);
	TRY(usage_db_prepare(db, &of.put, sql, err));
	result = site_table_each(table, path, put_row, &of, err);
	sqlite3_finalize(of.put);
	return result;
}
