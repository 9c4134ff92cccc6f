#include "usage/index/texts.h"

#include <string.h>

int texts_init(struct texts *texts, struct usage_db *db, struct error *err)
{
	*texts = (struct texts){.db = db};
	if (usage_db_prepare(db, &texts->find, "SELECT id FROM texts WHERE text = ?", err) < 0 ||
	    usage_db_prepare(db, &texts->add, "INSERT INTO texts(text) VALUES(?)", err) < 0) {
		texts_release(texts);
		return -1;
	}
	return 0;
}

void texts_forget(struct texts *texts)
{
	string_map_clear(&texts->known);
	for (size_t i = 0; i < texts->owned.count; i++)
		free(texts->owned.items[i]);
	texts->owned.count = 0;
}

void texts_release(struct texts *texts)
{
	texts_forget(texts);
	string_map_release(&texts->known);
	array_release(&texts->owned);
	sqlite3_finalize(texts->find);
	sqlite3_finalize(texts->add);
}

static int remember(struct texts *texts, const char *text, uint32_t bytes, sqlite3_int64 number,
		    struct error *err)
{
	char *copy;

	if (number < 0 || number >= STRING_MAP_EMPTY)
		return 0;
	TRY(array_reserve(&texts->owned, 1, err));
	copy = strdup(text);
	if (!copy)
		return error_set_memory(err, bytes);
	texts->owned.items[texts->owned.count++] = copy;
	return string_map_add(&texts->known, copy, bytes, (uint32_t)number, err);
}

static int find_or_add(struct texts *texts, const char *text, sqlite3_int64 *number,
		       struct error *err)
{
	int status;

	sqlite3_reset(texts->find);
	sqlite3_bind_text(texts->find, 1, text, -1, SQLITE_STATIC);
	status = usage_db_step(texts->db, texts->find, err);
	if (status > 0)
		*number = sqlite3_column_int64(texts->find, 0);
	sqlite3_reset(texts->find);
	if (status != 0)
		return status < 0 ? -1 : 0;
	sqlite3_reset(texts->add);
	sqlite3_bind_text(texts->add, 1, text, -1, SQLITE_STATIC);
	TRY(usage_db_step(texts->db, texts->add, err));
	sqlite3_reset(texts->add);
	*number = sqlite3_last_insert_rowid(texts->db->handle);
	return 0;
}

int texts_number(struct texts *texts, const char *text, sqlite3_int64 *number, struct error *err)
{
	const uint32_t bytes = (uint32_t)strlen(text);
	const uint32_t known = string_map_get(&texts->known, text, bytes);

	if (known != STRING_MAP_EMPTY) {
		*number = known;
		return 0;
	}
	TRY(find_or_add(texts, text, number, err));
	return remember(texts, text, bytes, *number, err);
}

int texts_bind(struct texts *texts, sqlite3_stmt *statement, int parameter, const char *text,
	       struct error *err)
{
	sqlite3_int64 number;

	if (!text) {
		sqlite3_bind_null(statement, parameter);
		return 0;
	}
	TRY(texts_number(texts, text, &number, err));
	sqlite3_bind_int64(statement, parameter, number);
	return 0;
}
