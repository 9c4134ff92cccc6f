#include "usage/figures/figure_result.h"

#include <string.h>

size_t figure_rows(const struct figure_result *result)
{
	return result->columns ? result->values.count / (size_t)result->columns : 0;
}

double figure_shown(const struct figure *figure, int column, double value)
{
	return figure->fields[column].kind == VALUE_SHARE ? 100 * value : value;
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
	if (string_map_add(&result->numbers, copy, bytes, (uint32_t)result->texts.count - 1, err) <
	    0)
		return NULL;
	return copy;
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
