/* Questions to an index, and their answers. */
#include "usage/figures/figure_result.h"

#include <math.h>

static int read_cell(struct figure_result *result, sqlite3_stmt *statement, int column,
		     struct error *err)
{
	struct figure_value value = {.number = NAN};

	if (sqlite3_column_type(statement, column) == SQLITE_TEXT) {
		value.text = figure_text(result,
					 (const char *)sqlite3_column_text(statement, column), err);
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
			TRY(read_cell(result, statement, i, err));
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
	if (figure->flags & FIGURE_SUMS)
		TRY(figure_source_sum(source, err));
	if (figure->flags & FIGURE_RECORDS)
		TRY(figure_source_records(source, err));
	if (figure->flags & FIGURE_EXPOSURE)
		TRY(figure_source_expose(source, err));
	if (figure->flags & FIGURE_NETWORK)
		TRY(figure_source_network(source, err));
	TRY(usage_db_prepare(&source->db, &statement, figure->sql, err));
	status = read_answer(result, &source->db, statement, err);
	sqlite3_finalize(statement);
	if (status < 0) {
		figure_result_release(result);
		return error_prefix(err, "%s", figure->name);
	}
	return 0;
}
