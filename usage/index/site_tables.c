#include "usage/index/site_tables.h"
#include "usage/index/delimited.h"
#include "usage/index/slurm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct site_form {
	const char *name, *columns[2];
	/* What is wrong with the second field, or NULL. */
	const char *(*wrong)(const char *value);
};

static const char *wrong_class(const char *value)
{
	return strcmp(value, "normal") && strcmp(value, "failed")
		       ? "expected class normal or failed"
		       : NULL;
}

static const char *wrong_cores(const char *value)
{
	return slurm_number(value) > 0 && slurm_number(value) < 1 << 20
		       ? NULL
		       : "expected a number of cores";
}

static const char *wrong_name(const char *value)
{
	return *value ? NULL : "expected a name";
}

static const char *wrong_lambda(const char *value)
{
	char *end;
	const double lambda = strtod(value, &end);

	return end > value && !*end && isfinite(lambda) && lambda >= 0
		       ? NULL
		       : "expected lambda_L, a number of latencies";
}

static const struct site_form forms[SITE_TABLES] = {
	[SITE_PROGRAMMES] = {"programmes", {"project", "programme"}, wrong_name},
	[SITE_DOMAINS] = {"domains", {"application", "domain"}, wrong_name},
	[SITE_STATES] = {"states", {"state", "class"}, wrong_class},
	[SITE_SYSTEMS] = {"systems", {"system", "cores_per_node"}, wrong_cores},
	[SITE_TRACED] = {"traced", {"job", "lambda"}, wrong_lambda},
};

static int put_row(struct usage_db *db, const struct site_form *form, sqlite3_stmt *put,
		   const struct delimited *from, const int *columns, struct error *err)
{
	const char *wrong = from->wrong;

	if (!wrong)
		wrong = form->wrong(delimited_field(from, columns[1]));
	if (wrong)
		return error_set(err, STATUS_DATA, "%s:%llu: %s", from->path,
				 (unsigned long long)from->line, wrong);
	sqlite3_reset(put);
	for (int i = 0; i < 2; i++)
		sqlite3_bind_text(put, i + 1, delimited_field(from, columns[i]), -1,
				  SQLITE_TRANSIENT);
	if (usage_db_step(db, put, err) < 0)
		return error_prefix(err, "%s:%llu", from->path, (unsigned long long)from->line);
	return 0;
}

static int replace(struct usage_db *db, const struct site_form *form, struct delimited *from,
		   struct error *err)
{
	int columns[2], status = 0;
	sqlite3_stmt *put;
	char sql[160];

	for (int i = 0; i < 2; i++) {
		columns[i] = delimited_column(from, form->columns[i]);
		if (columns[i] == DELIMITED_NONE)
			return error_set(err, STATUS_DATA, "%s:1: expected headings %s,%s",
					 from->path, form->columns[0], form->columns[1]);
	}
	snprintf(sql, sizeof sql, "DELETE FROM %s", form->name);
	TRY(usage_db_run(db, sql, err));
	snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s(%s, %s) VALUES(?, ?)", form->name,
		 form->columns[0], form->columns[1]);
	TRY(usage_db_prepare(db, &put, sql, err));
	while (status == 0 && delimited_next(from))
		status = put_row(db, form, put, from, columns, err);
	sqlite3_finalize(put);
	return status;
}

int site_table_read(struct usage_db *db, enum site_table table, const char *path, struct error *err)
{
	struct delimited from;
	int result;

	TRY(delimited_open(&from, path, err));
	result = replace(db, &forms[table], &from, err);
	delimited_release(&from);
	return result;
}
