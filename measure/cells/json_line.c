#include "measure/cells/json_line.h"

#include "common/options.h"

#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 4 };

int json_lines_error(const struct json_lines *lines, struct error *err, const char *format, ...)
{
	char text[sizeof err->text / 2];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return error_set(err, STATUS_DATA, "%s:%zu: %s", lines->path, lines->number, text);
}

/* ---------------------------------------------------------------------- lines */

int json_lines_open(struct json_lines *lines, const char *path, struct error *err)
{
	memset(lines, 0, sizeof *lines);
	lines->path = path;
	TRY(input_open(&lines->input, path, err));
	lines->tokener = json_tokener_new_ex(MOST_DEPTH);
	if (lines->tokener) {
		json_tokener_set_flags(lines->tokener,
				       JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
		return 0;
	}
	input_release(&lines->input);
	return error_set_memory(err, sizeof(struct json_tokener));
}

void json_lines_release(struct json_lines *lines)
{
	json_object_put(lines->object);
	json_tokener_free(lines->tokener);
	input_release(&lines->input);
}

bool json_lines_next(struct json_lines *lines, const char **bytes, size_t *count)
{
	const size_t left = lines->input.count - lines->offset;
	const char *from = (const char *)lines->input.bytes + lines->offset;
	const char *end;

	if (!left)
		return false;
	end = memchr(from, '\n', left);
	lines->cut = !end;
	*bytes = from;
	*count = end ? (size_t)(end - from) : left;
	lines->offset += *count + !lines->cut;
	lines->number++;
	return true;
}

/* Number of colons outside of texts: of the members of all objects, in valid JSON. */
static size_t count_colons(const char *bytes, size_t count)
{
	bool in_text = false;
	size_t colons = 0;

	for (size_t i = 0; i < count; i++) {
		if (in_text && bytes[i] == '\\')
			i++;
		else if (bytes[i] == '"')
			in_text = !in_text;
		else
			colons += !in_text && bytes[i] == ':';
	}
	return colons;
}

/* Number of members of an object and of objects in it. */
static size_t count_members(struct json_object *object)
{
	size_t count = 0;

	if (json_object_is_type(object, json_type_array))
		for (size_t i = 0; i < json_object_array_length(object); i++)
			count += count_members(json_object_array_get_idx(object, i));
	if (json_object_is_type(object, json_type_object)) {
		json_object_object_foreach(object, key, value)
		{
			(void)key;
			count += 1 + count_members(value);
		}
	}
	return count;
}

static int parse_error(const struct json_lines *lines, struct error *err)
{
	const enum json_tokener_error error = json_tokener_get_error(lines->tokener);

	if (error == json_tokener_error_depth)
		return error_set(err, STATUS_LIMIT, "%s:%zu: JSON is nested deeper than %d levels",
				 lines->path, lines->number, MOST_DEPTH);
	return error_set(err, STATUS_DATA, "%s:%zu:%zu: no JSON: %s", lines->path, lines->number,
			 json_tokener_get_parse_end(lines->tokener) + 1,
			 error == json_tokener_continue ? "the line ends too early"
							: json_tokener_error_desc(error));
}

int json_lines_parse(struct json_lines *lines, const char *bytes, size_t count, struct error *err)
{
	json_object_put(lines->object);
	lines->object = NULL;
	if (count > JSON_LINE_MOST_BYTES)
		return error_set(err, STATUS_LIMIT, "%s:%zu: the line is longer than %zu bytes",
				 lines->path, lines->number, JSON_LINE_MOST_BYTES);
	if (memchr(bytes, '\0', count))
		return json_lines_error(lines, err, "the line has a byte 0");
	json_tokener_reset(lines->tokener);
	lines->object = json_tokener_parse_ex(lines->tokener, bytes, (int)count);
	if (json_tokener_get_error(lines->tokener) != json_tokener_success)
		return parse_error(lines, err);
	if (!json_object_is_type(lines->object, json_type_object))
		return json_lines_error(lines, err, "the line is no JSON object");
	if (count_members(lines->object) != count_colons(bytes, count))
		return json_lines_error(lines, err, "two members have the same key");
	return 0;
}

/* -------------------------------------------------------------------- members */

bool json_lines_has(const struct json_lines *lines, const char *key)
{
	return json_object_object_get_ex(lines->object, key, NULL);
}

static int wrong_kind(const struct json_lines *lines, const char *key, const char *expected,
		      struct error *err)
{
	if (!json_lines_has(lines, key))
		return json_lines_error(lines, err, "member '%s' is missing", key);
	return json_lines_error(lines, err, "member '%s' is not %s", key, expected);
}

static struct json_object *member_of(const struct json_lines *lines, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(lines->object, key, &value);
	return value;
}

/* The text of a value that belongs to member `key`, or NULL with an error. */
static const char *text_of(const struct json_lines *lines, const char *key,
			   struct json_object *value, struct error *err)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string)) {
		wrong_kind(lines, key, "text", err);
		return NULL;
	}
	text = json_object_get_string(value);
	if (strlen(text) == (size_t)json_object_get_string_len(value))
		return text;
	json_lines_error(lines, err, "member '%s' has a character 0", key);
	return NULL;
}

static int copy_text(const struct json_lines *lines, const char *key, struct json_object *value,
		     char **copy, struct error *err)
{
	const char *text = text_of(lines, key, value, err);

	if (!text)
		return -1;
	*copy = strdup(text);
	return *copy ? 0 : error_set_memory(err, strlen(text) + 1);
}

int json_lines_text(const struct json_lines *lines, const char *key, char **text, struct error *err)
{
	return copy_text(lines, key, member_of(lines, key), text, err);
}

int json_lines_truth(const struct json_lines *lines, const char *key, bool *value,
		     struct error *err)
{
	struct json_object *member = member_of(lines, key);

	if (!json_object_is_type(member, json_type_boolean))
		return wrong_kind(lines, key, "true or false", err);
	*value = json_object_get_boolean(member);
	return 0;
}

int json_lines_count(const struct json_lines *lines, const char *key, uint64_t most,
		     uint64_t *count, struct error *err)
{
	struct json_object *member = member_of(lines, key);

	if (!json_object_is_type(member, json_type_int) || json_object_get_int64(member) < 0)
		return wrong_kind(lines, key, "a whole number from 0 on", err);
	*count = json_object_get_uint64(member);
	if (*count > most)
		return json_lines_error(lines, err, "member '%s' is above %llu", key,
					(unsigned long long)most);
	return 0;
}

static int json_number_of(const struct json_lines *lines, const char *key,
			  struct json_object *member, double *value, struct error *err)
{
	if (!member) {
		*value = NAN;
		return 0;
	}
	if (!json_object_is_type(member, json_type_int) &&
	    !json_object_is_type(member, json_type_double))
		return wrong_kind(lines, key, "a number", err);
	*value = json_object_get_double(member);
	if (!(fabs(*value) <= JSON_MOST_NUMBER))
		return json_lines_error(lines, err, "member '%s' is above %g", key,
					JSON_MOST_NUMBER);
	return 0;
}

int json_lines_number(const struct json_lines *lines, const char *key, double *value,
		      struct error *err)
{
	if (!json_lines_has(lines, key))
		return wrong_kind(lines, key, "a number", err);
	return json_number_of(lines, key, member_of(lines, key), value, err);
}

int json_lines_choice(const struct json_lines *lines, const char *key, const char *const *names,
		      int *value, struct error *err)
{
	const char *text = text_of(lines, key, member_of(lines, key), err);

	if (!text)
		return -1;
	*value = parse_choice(text, key, names, err);
	if (*value < 0) {
		err->status = STATUS_DATA;
		return error_prefix(err, "%s:%zu", lines->path, lines->number);
	}
	return 0;
}

/* ---------------------------------------------------------------------- lists */

int json_lines_length(const struct json_lines *lines, const char *key, size_t *count,
		      struct error *err)
{
	struct json_object *member = member_of(lines, key);

	*count = 0;
	if (!member)
		return 0;
	if (!json_object_is_type(member, json_type_array))
		return wrong_kind(lines, key, "a list", err);
	*count = json_object_array_length(member);
	return 0;
}

int json_lines_texts(const struct json_lines *lines, const char *key, char **texts, size_t count,
		     struct error *err)
{
	struct json_object *member = member_of(lines, key);

	if (!json_object_is_type(member, json_type_array) ||
	    json_object_array_length(member) != count)
		return json_lines_error(lines, err, "member '%s' is not a list of %zu texts", key,
					count);
	for (size_t i = 0; i < count; i++)
		TRY(copy_text(lines, key, json_object_array_get_idx(member, i), &texts[i], err));
	return 0;
}

int json_lines_numbers(const struct json_lines *lines, const char *key, double *values,
		       size_t count, struct error *err)
{
	struct json_object *member = member_of(lines, key);

	for (size_t i = 0; i < count; i++)
		TRY(json_number_of(lines, key, json_object_array_get_idx(member, i), &values[i],
				   err));
	return 0;
}

int json_lines_pairs(const struct json_lines *lines, const char *key,
		     int (*put)(void *target, char *name, char *value, struct error *err),
		     void *target, struct error *err)
{
	struct json_object *member = member_of(lines, key);

	if (!json_object_is_type(member, json_type_object))
		return wrong_kind(lines, key, "an object", err);
	json_object_object_foreach(member, name, value)
	{
		char *copy, *text;

		TRY(copy_text(lines, key, value, &text, err));
		copy = strdup(name);
		if (!copy) {
			free(text);
			return error_set_memory(err, strlen(name) + 1);
		}
		TRY(put(target, copy, text, err));
	}
	return 0;
}
