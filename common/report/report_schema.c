#include "common/report/report_schema.h"

#include <assert.h>
#include <string.h>

static void require(struct report *report, const char *key)
{
	assert(report->required_count < sizeof report->required / sizeof *report->required);
	report->required[report->required_count++] = key;
}

static const char *type_of(enum value_kind kind)
{
	switch (kind) {
	case VALUE_ATTOSECONDS:
	case VALUE_NS:
	case VALUE_NS_PER_BYTE:
	case VALUE_NUMBER:
	case VALUE_LONG_NUMBER:
	case VALUE_SLOPE:
	case VALUE_SHARE:
	case VALUE_LONG_SHARE:
	case VALUE_PERCENT:
		return "number";
	case VALUE_COUNTS:
	case VALUE_NAMES:
	case VALUE_RANGE:
	case VALUE_TRUTHS:
		return "array";
	case VALUE_NAME:
		return "string";
	case VALUE_TRUTH:
		return "boolean";
	default:
		return "integer";
	}
}

static bool is_list(enum value_kind kind)
{
	return !strcmp(type_of(kind), "array");
}

static void write_type(struct json *json, const struct report_field *field);

/* Write what the items of a list are. */
static void write_items(struct json *json, enum value_kind kind)
{
	static const enum value_kind kinds[] = {[VALUE_COUNTS] = VALUE_COUNT, [VALUE_NAMES] = VALUE_NAME,
						[VALUE_RANGE] = VALUE_NUMBER, [VALUE_TRUTHS] = VALUE_TRUTH};
	const struct report_field item = {
		.kind = kinds[kind],
		.flags = kind == VALUE_RANGE ? FIELD_NULL : 0};

	json_begin(json, "items", '{', JSON_INLINE);
	write_type(json, &item);
	json_end(json);
	if (kind == VALUE_RANGE) {
		json_integer(json, "minItems", 2);
		json_integer(json, "maxItems", 2);
	}
}

static void write_type(struct json *json, const struct report_field *field)
{
	if (field->flags & FIELD_NULL) {
		json_begin(json, "type", '[', JSON_INLINE);
		json_text(json, NULL, type_of(field->kind));
		json_text(json, NULL, "null");
		json_end(json);
	} else {
		json_text(json, "type", type_of(field->kind));
	}
	if (is_list(field->kind))
		write_items(json, field->kind);
	else if (field->kind != VALUE_NAME && field->kind != VALUE_TRUTH &&
		 !(field->flags & FIELD_SIGNED))
		json_integer(json, "minimum", field->flags & FIELD_POSITIVE ? 1 : 0);
}

static void write_names(struct json *json, const char *key, const char *const *names)
{
	json_begin(json, key, '[', JSON_INLINE);
	for (; *names; names++)
		json_text(json, NULL, *names);
	json_end(json);
}

static void write_values(struct json *json, const struct report_field *field)
{
	const bool others = field->flags & FIELD_OTHER_VALUES;

	if (others)
		json_begin(json, "not", '{', JSON_INLINE);
	json_begin(json, "enum", '[', JSON_INLINE);
	for (const char *const *name = field->values; *name; name++)
		json_text(json, NULL, *name);
	if (field->flags & FIELD_NULL)
		json_null(json, NULL);
	json_end(json);
	if (others)
		json_end(json);
}

static bool is_in_json(const struct report_field *field)
{
	return field->key && !(field->flags & FIELD_CSV);
}

static void write_object(struct json *json, const struct report_field *fields,
			 const struct report_field *others);

static void write_field(struct json *json, const char *key, const struct report_field *field)
{
	static const struct report_field slopes[] = {
		{"left", NULL, .kind = VALUE_NUMBER}, {"right", NULL, .kind = VALUE_NUMBER}, {0}};

	json_begin(json, key, '{', JSON_INLINE);
	if (field->meaning)
		json_text(json, "description", field->meaning);
	if (field->values)
		write_values(json, field);
	else if (field->kind == VALUE_SLOPES)
		write_object(json, slopes, NULL);
	else if (field->kind != VALUE_ANY)
		write_type(json, field);
	json_end(json);
}

static void write_fields(struct json *json, const char *key, const struct report_field *fields)
{
	json_begin(json, key, '{', JSON_LINES);
	for (const struct report_field *field = fields; field->kind != VALUE_END; field++)
		if (is_in_json(field))
			write_field(json, field->key, field);
	json_end(json);
}

/* Write type, members and required members of an object.  others: all other members, or NULL. */
static void write_object(struct json *json, const struct report_field *fields,
			 const struct report_field *others)
{
	json_text(json, "type", "object");
	if (others)
		write_field(json, "additionalProperties", others);
	else
		json_boolean(json, "additionalProperties", false);
	json_begin(json, "required", '[', JSON_INLINE);
	for (const struct report_field *field = fields; field->kind != VALUE_END; field++)
		if (is_in_json(field) && !(field->flags & FIELD_OPTIONAL))
			json_text(json, NULL, field->key);
	json_end(json);
	write_fields(json, "properties", fields);
}

/* Write that an object has one of these forms. */
static void write_forms(struct json *json, const struct report_field *const *forms)
{
	json_begin(json, "anyOf", '[', JSON_LINES);
	for (; *forms; forms++) {
		json_begin(json, NULL, '{', JSON_LINES);
		write_object(json, *forms, NULL);
		json_end(json);
	}
	json_end(json);
}

/* Write which members an object of rows has. */
static void write_members(struct json *json, const struct report_table *table)
{
	json_begin(json, "propertyNames", '{', JSON_INLINE);
	write_names(json, "enum", table->members);
	json_end(json);
	write_names(json, "required", table->members);
}

/* Begin an object whose members are not known yet. */
static void begin_members(struct json *json)
{
	json_text(json, "type", "object");
	json_boolean(json, "additionalProperties", false);
	json_begin(json, "properties", '{', JSON_LINES);
}

/* End its members.  first: number of the first key of `required` that is of this object. */
static void end_members(struct report *report, size_t first)
{
	struct json *json = &report->json;

	json_end(json);
	json_begin(json, "required", '[', JSON_INLINE);
	for (size_t i = first; i < report->required_count; i++)
		json_text(json, NULL, report->required[i]);
	json_end(json);
	report->required_count = first;
	if (report->patterns)
		write_fields(json, "patternProperties", report->patterns);
	report->patterns = NULL;
}

static void write_draft(struct json *json)
{
	json_text(json, "$schema", "http://json-schema.org/draft-07/schema#");
}

void schema_begin_forms(struct report *report)
{
	report->json.stream = report->stream;
	json_begin(&report->json, NULL, '{', JSON_LINES);
	write_draft(&report->json);
	json_begin(&report->json, "oneOf", '[', JSON_LINES);
}

void schema_end_forms(struct report *report)
{
	json_end(&report->json);
	json_end(&report->json);
}

void schema_begin(struct report *report, const char *schema)
{
	struct json *json = &report->json;

	json_begin(json, NULL, '{', JSON_LINES);
	if (json->depth == 1)
		write_draft(json);
	begin_members(json);
	json_begin(json, "schema", '{', JSON_INLINE);
	json_text(json, "const", schema);
	json_end(json);
	require(report, "schema");
}

void schema_facts(struct report *report, const struct report_facts *facts)
{
	struct json *json = &report->json;

	if (facts->key) {
		require(report, facts->key);
		json_begin(json, facts->key, '{', JSON_LINES);
		if (facts->meaning)
			json_text(json, "description", facts->meaning);
		write_object(json, facts->fields, facts->others);
		json_end(json);
		return;
	}
	if (facts->patterns)
		report->patterns = facts->patterns;
	for (const struct report_field *field = facts->fields; field->kind != VALUE_END; field++) {
		if (!is_in_json(field))
			continue;
		if (!(field->flags & FIELD_OPTIONAL))
			require(report, field->key);
		write_field(json, field->key, field);
	}
}

void schema_table(struct report *report, const struct report_table *table)
{
	struct json *json = &report->json;

	if (!table->optional)
		require(report, table->key);
	json_begin(json, table->key, '{', JSON_LINES);
	if (table->meaning)
		json_text(json, "description", table->meaning);
	if (table->members)
		write_members(json, table);
	json_text(json, "type", table->members ? "object" : "array");
	json_begin(json, table->members ? "additionalProperties" : "items", '{', JSON_LINES);
	if (table->forms)
		write_forms(json, table->forms);
	else
		write_object(json, table->fields, table->others);
	json_end(json);
	json_end(json);
}

void schema_list(struct report *report, const struct report_list *list)
{
	struct json *json = &report->json;
	const struct report_field *outer = report->patterns;
	size_t first;

	require(report, list->key);
	first = report->required_count;
	report->patterns = NULL;
	json_begin(json, list->key, '{', JSON_LINES);
	if (list->meaning)
		json_text(json, "description", list->meaning);
	if (!list->is_object) {
		json_text(json, "type", "array");
		json_begin(json, "items", '{', JSON_LINES);
	}
	begin_members(json);
	list->object(report, list->data, 0);
	end_members(report, first);
	if (!list->is_object)
		json_end(json);
	json_end(json);
	report->patterns = outer;
}

void schema_end(struct report *report)
{
	end_members(report, 0);
	json_end(&report->json);
}
