#include "usage/figures/figure_result.h"

#include <math.h>
#include <string.h>

size_t figure_rows(const struct figure_result *result)
{
	return result->columns ? result->values.count / (size_t)result->columns : 0;
}

const struct figure_value *figure_row(const struct figure_result *result, size_t row)
{
	return &result->values.items[row * (size_t)result->columns];
}

const char *figure_text(struct figure_result *result, const char *text, struct error *err)
{
	const uint32_t bytes = (uint32_t)strlen(text);
	const uint32_t number = string_map_get(&result->numbers, text, bytes);
	char *copy;

	if (number != STRING_MAP_EMPTY)
		return result->texts.items[number];
	copy = strdup(text);
	if (!copy) {
		error_set_memory(err, bytes);
		return NULL;
	}
	if (array_push(&result->texts, copy, err) < 0) {
		free(copy);
		return NULL;
	}
	if (string_map_add(&result->numbers, copy, bytes, (uint32_t)result->texts.count - 1, err) < 0)
		return NULL;
	return copy;
}

static int read_value(struct figure_result *result, sqlite3_stmt *statement, int column,
		      struct error *err)
{
	struct figure_value value = {.number = NAN};

	if (sqlite3_column_type(statement, column) == SQLITE_TEXT) {
		value.text = figure_text(result, (const char *)sqlite3_column_text(statement, column),
					 err);
		if (!value.text)
			return -1;
	} else if (sqlite3_column_type(statement, column) != SQLITE_NULL) {
		value.number = sqlite3_column_double(statement, column);
	}
	return array_push(&result->values, value, err);
}

static int read_rows(struct figure_result *result, struct usage_db *db, sqlite3_stmt *statement,
		     struct error *err)
{
	int status;

	while ((status = usage_db_step(db, statement, err)) > 0)
		for (int i = 0; i < result->columns; i++)
			TRY(read_value(result, statement, i, err));
	return status;
}

static int read_answer(struct figure_result *result, struct usage_db *db, sqlite3_stmt *statement,
		       struct error *err)
{
	switch (result->figure->kind) {
	case FIGURE_CURVES:
		return figure_read_curves(result, db, statement, err);
	case FIGURE_QUARTILES:
		return figure_read_quartiles(result, db, statement, err);
	default:
		return read_rows(result, db, statement, err);
	}
}

int figure_ask(struct figure_result *result, const struct figure *figure,
	       struct figure_source *source, struct error *err)
{
	sqlite3_stmt *statement;
	int status;

	*result = (struct figure_result){.figure = figure};
	while (figure->fields[result->columns].kind != VALUE_END)
		result->columns++;
	if (!figure->sql)
		return 0;
	if (figure->flags & FIGURE_SUMS)
		TRY(figure_source_sum(source, err));
	TRY(usage_db_prepare(&source->db, &statement, figure->sql, err));
	status = read_answer(result, &source->db, statement, err);
	sqlite3_finalize(statement);
	if (status < 0) {
		figure_result_release(result);
		return error_prefix(err, "%s", figure->name);
	}
	return 0;
}

void figure_result_release(struct figure_result *result)
{
	for (size_t i = 0; i < result->texts.count; i++)
		free(result->texts.items[i]);
	array_release(&result->texts);
	array_release(&result->values);
	array_release(&result->summaries);
	string_map_release(&result->numbers);
}
