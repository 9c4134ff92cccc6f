#include "common/yaml.h"

#include "common/array.h"
#include "common/input.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* Mapping or sequence that is being read. */
struct level {
	struct yaml_entry *entry;	/* NULL for the document */
	struct yaml_entry **end;	/* place of its next entry */
	char *key;			/* of the next entry, if it has been read; owned */
	uint32_t key_line, key_column;
};

struct reader {
	const char *path;
	yaml_parser_t parser;
	yaml_event_t event;
	struct level levels[YAML_MOST_DEPTH + 1];
	int depth;			/* index of the innermost level */
	int entry_count;
};

static int error_at(const struct reader *reader, size_t line, size_t column, enum status status,
		    struct error *err, const char *text)
{
	return error_set(err, status, "%s:%zu:%zu: %s", reader->path, line, column, text);
}

static int error_here(const struct reader *reader, enum status status, struct error *err,
		      const char *text)
{
	const yaml_mark_t *mark = &reader->event.start_mark;

	return error_at(reader, mark->line + 1, mark->column + 1, status, err, text);
}

static int parser_error(const struct reader *reader, const struct input *input, struct error *err)
{
	const yaml_parser_t *parser = &reader->parser;
	size_t line = parser->problem_mark.line + 1, column = parser->problem_mark.column + 1;

	if (parser->error == YAML_MEMORY_ERROR)
		return error_set_memory(err, input->count);
	/* The decoder knows only the offset of the bytes that it cannot decode. */
	if (parser->error == YAML_READER_ERROR) {
		line = column = 1;
		for (size_t i = 0; i < parser->problem_offset && i < input->count; i++) {
			column = input->bytes[i] == '\n' ? 1 : column + 1;
			line += input->bytes[i] == '\n';
		}
	}
	return error_at(reader, line, column, STATUS_DATA, err,
			parser->problem ? parser->problem : "not YAML");
}

static void free_entries(struct yaml_entry *entry)
{
	while (entry) {
		struct yaml_entry *next = entry->next;

		free_entries(entry->first);	/* at most YAML_MOST_DEPTH deep */
		free((char *)entry->key);
		free((char *)entry->text);
		free(entry);
		entry = next;
	}
}

/* Copy the text of the scalar in the event, which must be free of NULs. */
static int scalar_text(const struct reader *reader, char **text, struct error *err)
{
	const char *value = (const char *)reader->event.data.scalar.value;

	if (strlen(value) != reader->event.data.scalar.length)
		return error_here(reader, STATUS_DATA, err, "a value holds a NUL character");
	*text = strdup(value);
	return *text ? 0 : error_set_memory(err, reader->event.data.scalar.length + 1);
}

static int read_key(struct reader *reader, struct level *level, struct error *err)
{
	if (reader->event.type != YAML_SCALAR_EVENT)
		return error_here(reader, STATUS_DATA, err, "a key must be a word");
	TRY(scalar_text(reader, &level->key, err));
	level->key_line = (uint32_t)reader->event.start_mark.line + 1;
	level->key_column = (uint32_t)reader->event.start_mark.column + 1;
	for (const struct yaml_entry *other = level->entry->first; other; other = other->next)
		if (!strcmp(other->key, level->key))
			return error_set(err, STATUS_DATA,
					 "%s:%u:%u: duplicate key '%s' (first on line %u)",
					 reader->path, level->key_line, level->key_column,
					 level->key, other->line);
	return 0;
}

/* Append a new entry of this kind to the innermost level. */
static int add_entry(struct reader *reader, enum yaml_kind kind, struct yaml_entry **added,
		     struct error *err)
{
	struct level *level = &reader->levels[reader->depth];
	struct yaml_entry *entry;

	if (++reader->entry_count > YAML_MOST_ENTRIES)
		return error_here(reader, STATUS_LIMIT, err, "the file has too many entries");
	TRY(allocate(&entry, 1, sizeof *entry, err));
	entry->kind = kind;
	entry->line = level->key ? level->key_line
				 : (uint32_t)reader->event.start_mark.line + 1;
	entry->column = level->key ? level->key_column
				   : (uint32_t)reader->event.start_mark.column + 1;
	entry->key = level->key;
	level->key = NULL;
	*level->end = entry;
	level->end = &entry->next;
	*added = entry;
	return 0;
}

static int read_scalar(struct reader *reader, struct error *err)
{
	struct level *level = &reader->levels[reader->depth];
	struct yaml_entry *entry;
	char *text;

	if (!level->entry)
		return error_here(reader, STATUS_DATA, err,
				  "expected a list of 'key: value' lines");
	if (reader->event.data.scalar.anchor || reader->event.data.scalar.tag)
		return error_here(reader, STATUS_DATA, err, "anchors and tags are not supported");
	if (level->entry->kind == YAML_MAPPING && !level->key)
		return read_key(reader, level, err);
	TRY(add_entry(reader, YAML_SCALAR, &entry, err));
	TRY(scalar_text(reader, &text, err));
	entry->text = text;
	return 0;
}

static int begin_level(struct reader *reader, enum yaml_kind kind, const yaml_char_t *anchor,
		       const yaml_char_t *tag, struct error *err)
{
	struct level *level = &reader->levels[reader->depth];
	struct yaml_entry *entry;

	if (anchor || tag)
		return error_here(reader, STATUS_DATA, err, "anchors and tags are not supported");
	if (level->entry && level->entry->kind == YAML_MAPPING && !level->key)
		return read_key(reader, level, err);
	if (reader->depth == YAML_MOST_DEPTH)
		return error_here(reader, STATUS_LIMIT, err, "the file is nested too deeply");
	TRY(add_entry(reader, kind, &entry, err));
	reader->levels[++reader->depth] = (struct level){.entry = entry, .end = &entry->first};
	return 0;
}

static int read_event(struct reader *reader, struct error *err)
{
	const yaml_event_t *event = &reader->event;

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return read_scalar(reader, err);
	case YAML_SEQUENCE_START_EVENT:
		return begin_level(reader, YAML_SEQUENCE, event->data.sequence_start.anchor,
				   event->data.sequence_start.tag, err);
	case YAML_MAPPING_START_EVENT:
		return begin_level(reader, YAML_MAPPING, event->data.mapping_start.anchor,
				   event->data.mapping_start.tag, err);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		reader->depth--;
		return 0;
	case YAML_ALIAS_EVENT:
		return error_here(reader, STATUS_DATA, err, "aliases are not supported");
	case YAML_DOCUMENT_START_EVENT:
		if (reader->entry_count > 0)
			return error_here(reader, STATUS_DATA, err,
					  "expected the end of the file, not a second document");
		return 0;
	default:
		return 0;
	}
}

static int read_events(struct reader *reader, const struct input *input, struct error *err)
{
	int done = 0;

	yaml_parser_set_input_string(&reader->parser, input->bytes, input->count);
	while (!done) {
		int result;

		if (!yaml_parser_parse(&reader->parser, &reader->event))
			return parser_error(reader, input, err);
		result = read_event(reader, err);
		done = reader->event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&reader->event);
		TRY(result);
	}
	if (reader->entry_count == 0)
		return error_at(reader, 1, 1, STATUS_DATA, err, "the file is empty");
	return 0;
}

static int read_tree(struct yaml_file *file, const struct input *input, struct error *err)
{
	struct reader reader = {.path = file->path};
	int result;

	if (!yaml_parser_initialize(&reader.parser))
		return error_set_memory(err, sizeof reader.parser);
	reader.levels[0].end = &file->root;
	result = read_events(&reader, input, err);
	for (int i = 0; i <= reader.depth; i++)
		free(reader.levels[i].key);
	yaml_parser_delete(&reader.parser);
	return result;
}

int yaml_file_open(struct yaml_file *file, const char *path, struct error *err)
{
	struct input input;
	int result;

	*file = (struct yaml_file){.path = path};
	TRY(input_open_begin(&input, path, YAML_MOST_BYTES + 1, err));
	if (input.count > YAML_MOST_BYTES)
		result = error_set(err, STATUS_LIMIT, "%s: the file has more than %d bytes", path,
				   YAML_MOST_BYTES);
	else
		result = read_tree(file, &input, err);
	input_release(&input);
	if (result < 0)
		yaml_file_release(file);
	return result;
}

int yaml_text_open(struct yaml_file *file, const char *path, const char *text, struct error *err)
{
	const struct input input = {.bytes = (const uint8_t *)text, .count = strlen(text)};

	*file = (struct yaml_file){.path = path};
	if (read_tree(file, &input, err) == 0)
		return 0;
	yaml_file_release(file);
	return -1;
}

void yaml_file_release(struct yaml_file *file)
{
	free_entries(file->root);
	file->root = NULL;
}

int yaml_error(const struct yaml_file *file, const struct yaml_entry *entry, struct error *err,
	       const char *format, ...)
{
	char text[sizeof err->text];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return error_set(err, STATUS_DATA, "%s:%u:%u: %s", file->path, entry->line, entry->column,
			 text);
}
