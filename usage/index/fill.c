#include "usage/index/fill.h"
#include "usage/index/join.h"

#include "common/progress.h"

/* Read records and tables of the site.  Returns 1 if there were any, 0, -1. */
static int read_site(struct filled *filled, struct texts *texts, const struct fill_from *from,
		     struct error *err)
{
	int changed = 0;

	for (int i = 0; i < SITE_TABLES; i++) {
		if (!from->tables[i])
			continue;
		TRY(site_table_read(texts->db, (enum site_table)i, from->tables[i], err));
		changed = 1;
	}
	if (from->accounting) {
		progress_phase("reading records");
		TRY(accounting_read(&filled->accounting, texts, from->accounting, &filled->logs.bad,
				    err));
		changed = 1;
	}
	return changed;
}

static int fill_site(struct filled *filled, struct texts *texts, const struct fill_from *from,
		     struct error *err)
{
	int changed;

	TRY(usage_db_run(texts->db, "BEGIN IMMEDIATE", err));
	TRY(changed = read_site(filled, texts, from, err));
	progress_phase("joining records");
	if (changed || filled->logs.removed || filled->logs.whole || filled->logs.merged)
		TRY(join_records(texts, changed || filled->logs.removed, err));
	return usage_db_run(texts->db, "COMMIT", err);
}

static int count(struct usage_db *db, const char *sql, uint64_t *number, struct error *err)
{
	sqlite3_stmt *statement;
	int status;

	TRY(usage_db_prepare(db, &statement, sql, err));
	status = usage_db_step(db, statement, err);
	*number = status > 0 ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return status < 0 ? -1 : 0;
}

int fill_index(struct filled *filled, struct usage_db *db, const struct fill_from *from,
	       struct error *err)
{
	struct texts texts;
	int result;

	*filled = (struct filled){0};
	TRY(index_logs(&filled->logs, db, from->folders, from->folder_count, err));
	TRY(texts_init(&texts, db, err));
	result = fill_site(filled, &texts, from, err);
	if (result < 0 && !sqlite3_get_autocommit(db->handle))
		sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
	texts_release(&texts);
	TRY(result);
	TRY(count(db, "SELECT count(*) FROM job_data", &filled->jobs, err));
	TRY(count(db, "SELECT count(*) FROM record_data", &filled->records, err));
	return count(db, "SELECT count(*) FROM job_data WHERE record IS NOT NULL",
		     &filled->jobs_with_record, err);
}
