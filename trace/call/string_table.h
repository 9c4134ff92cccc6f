/*
 * A set of strings, each stored once and numbered from 0 in the order of addition.  Zero bytes are
 * a valid empty table.
 */
#ifndef TRACE_STRING_TABLE_H
#define TRACE_STRING_TABLE_H

#include "common/array.h"
#include "common/string_map.h"

#include <stdint.h>

struct string_table {
	ARRAY(char *) starts;		/* the strings, owned, each with its final zero */
	struct string_map numbers;
};

/* Find or add a string of `bytes` non-zero bytes, and set *number. */
int string_table_add(struct string_table *table, const char *string, size_t bytes,
		     uint32_t *number, struct error *err);

/* String `number`; valid until the table is released. */
const char *string_table_get(const struct string_table *table, uint32_t number);

void string_table_release(struct string_table *table);

#endif
