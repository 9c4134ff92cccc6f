#include "usage/log/job_value.h"
#include "usage/log/function_names.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void add_place(char *text, size_t room, const struct job_place *place)
{
	if (!place->around) {
		snprintf(text, room, "%s:", place->key);
		return;
	}
	add_place(text, room, place->around);
	snprintf(text + strlen(text), room - strlen(text), "%s%s",
		 place->around->around ? "." : " ", place->key);
	if (place->item != JOB_NO_ITEM)
		snprintf(text + strlen(text), room - strlen(text), "[%zu]", place->item);
}

int job_value_error(const struct job_place *place, struct error *err, const char *format, ...)
{
	char where[sizeof err->text / 2] = "", what[sizeof err->text / 4];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	add_place(where, sizeof where, place);
	return error_set(err, STATUS_DATA, "%s: %s", where, what);
}

int job_value_member(const struct job_place *place, const struct tree_value *object,
		     const char *key, enum tree_kind kind, const struct tree_value **value,
		     struct error *err)
{
	*value = tree_member(object, key);
	if (!*value)
		return job_value_error(place, err, "member '%s' is missing", key);
	if ((*value)->kind != kind)
		return job_value_error(&(struct job_place){place, key, JOB_NO_ITEM}, err,
				       "expected %s", tree_kind_names[kind]);
	return 0;
}

/* --------------------------------------------------------------------- values */

static int read_integer(const struct job_place *place, const struct tree_value *from, uint64_t most,
			uint64_t *value, struct error *err)
{
	if (from->kind != TREE_INTEGER || (from->negative && from->integer > 0))
		return job_value_error(place, err, "expected a whole number from 0 on");
	*value = from->integer;
	if (*value > most)
		return job_value_error(place, err, "%llu is above %llu", (unsigned long long)*value,
				       (unsigned long long)most);
	return 0;
}

int job_value_number(const struct job_place *place, const struct tree_value *from, uint64_t *value,
		     struct error *err)
{
	if (from->kind == TREE_INTEGER && !from->negative && from->integer <= INT64_MAX) {
		*value = from->integer;
		return 0;
	}
	if (from->kind != TREE_NULL)
		return read_integer(place, from, INT64_MAX, value, err);
	*value = USAGE_UNKNOWN;
	return 0;
}

/* Text of a value, or NULL with an error. */
static const char *text_of(const struct job_place *place, const struct tree_value *from,
			   struct error *err)
{
	if (from->kind != TREE_STRING) {
		job_value_error(place, err, "expected text");
		return NULL;
	}
	if (strlen(from->text) == from->count)
		return from->text;
	job_value_error(place, err, "the text has a character 0");
	return NULL;
}

static int read_text(const struct job_place *place, const struct tree_value *from, char **copy,
		     struct error *err)
{
	const char *text;

	if (from->kind == TREE_NULL)
		return 0;
	text = text_of(place, from, err);
	if (!text)
		return -1;
	*copy = strdup(text);
	return *copy ? 0 : error_set_memory(err, strlen(text) + 1);
}

static int read_hash(const struct job_place *place, const struct tree_value *from, uint64_t *value,
		     struct error *err)
{
	const char *text = text_of(place, from, err);

	if (!text)
		return -1;
	if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return job_value_error(place, err, "expected 16 hexadecimal digits");
	*value = strtoull(text, NULL, 16);
	return 0;
}

static int read_real(const struct job_place *place, const struct tree_value *from, double *value,
		     struct error *err)
{
	if (from->kind != TREE_INTEGER && from->kind != TREE_REAL)
		return job_value_error(place, err, "expected a number");
	*value = from->kind == TREE_REAL ? from->real
		 : from->negative	 ? -(double)from->integer
					 : (double)from->integer;
	if (!isfinite(*value) || *value < 0)
		return job_value_error(place, err, "expected a number from 0 on");
	return 0;
}

int job_value_choice(const struct job_place *place, const struct tree_value *from,
		     const struct job_member *member, unsigned *value, struct error *err)
{
	const char *text = text_of(place, from, err);

	if (!text)
		return -1;
	for (*value = 0; *value <= member->most; ++*value)
		if (!strcmp(member->names[*value], text))
			return 0;
	return job_value_error(place, err, "'%s' is unknown", text);
}

static int read_function(const struct job_place *place, const struct tree_value *from,
			 uint16_t *function, struct error *err)
{
	const char *text = text_of(place, from, err);
	int found;

	if (!text)
		return -1;
	found = usage_function_find(text, from->count, function, err);
	if (found)
		return found < 0 ? -1 : 0;
	return job_value_error(place, err,
			       "function '%s' is unknown; a newer version may have written the log",
			       text);
}

static int read_numbers(const struct job_place *place, const struct tree_value *from,
			uint64_t *values, size_t count, struct error *err)
{
	if (from->kind != TREE_ARRAY || from->count != count)
		return job_value_error(place, err, "expected a list of %zu numbers", count);
	from++;
	for (size_t i = 0; i < count; i++, from += from->size)
		TRY(job_value_number(place, from, &values[i], err));
	return 0;
}

int job_value_read(const struct job_place *place, const struct tree_value *from,
		   const struct job_member *member, void *to, struct error *err)
{
	void *value = (char *)to + member->offset;
	uint64_t number;

	switch (member->kind) {
	case JOB_MEMBER_TEXT:
		return read_text(place, from, value, err);
	case JOB_MEMBER_HASH:
		return read_hash(place, from, value, err);
	case JOB_MEMBER_NUMBER:
		return job_value_number(place, from, value, err);
	case JOB_MEMBER_COUNT:
		TRY(read_integer(place, from, UINT32_MAX, &number, err));
		*(uint32_t *)value = (uint32_t)number;
		return 0;
	case JOB_MEMBER_SMALL:
		TRY(read_integer(place, from, member->most, &number, err));
		*(uint8_t *)value = (uint8_t)number;
		return 0;
	case JOB_MEMBER_REAL:
		return read_real(place, from, value, err);
	case JOB_MEMBER_TRUTH:
		if (from->kind != TREE_BOOLEAN)
			return job_value_error(place, err, "expected true or false");
		*(bool *)value = from->truth;
		return 0;
	case JOB_MEMBER_CHOICE:
		return job_value_choice(place, from, member, value, err);
	case JOB_MEMBER_FUNCTION:
		return read_function(place, from, value, err);
	case JOB_MEMBER_NUMBERS:
		return read_numbers(place, from, value, member->most, err);
	case JOB_MEMBER_END:
		break;
	}
	return 0;
}

int job_value_members(const struct job_place *place, const struct tree_value *object,
		      const struct job_member *members, void *to, struct error *err)
{
	for (; members->kind != JOB_MEMBER_END; members++) {
		const struct tree_value *const value = tree_member(object, members->key);

		if (!value)
			return job_value_error(place, err, "member '%s' is missing", members->key);
		TRY(job_value_read(&(struct job_place){place, members->key, JOB_NO_ITEM}, value,
				   members, to, err));
	}
	return 0;
}
