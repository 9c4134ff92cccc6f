#include "usage/log/json_tree.h"

#include <stdlib.h>
#include <string.h>

const char *const tree_kind_names[TREE_KINDS] = {
	[TREE_NULL] = "null",	  [TREE_BOOLEAN] = "boolean", [TREE_INTEGER] = "int",
	[TREE_REAL] = "double",	  [TREE_STRING] = "string",   [TREE_ARRAY] = "array",
	[TREE_OBJECT] = "object",
};

struct parser {
	struct json_tree *tree;
	const char *at, *end;
	char *to; /* where the next text is stored */
	struct error *err;
};

static const char too_early[] = "the text ends too early";

/* Returns -1 with what is wrong at this place. */
static int wrong(struct parser *parser, const char *what)
{
	parser->tree->wrong = parser->at == parser->end ? too_early : what;
	return -1;
}

static void skip_space(struct parser *parser)
{
	while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\n' ||
					    *parser->at == '\t' || *parser->at == '\r'))
		parser->at++;
}

static bool take_byte(struct parser *parser, char expected)
{
	if (parser->at == parser->end || *parser->at != expected)
		return false;
	parser->at++;
	return true;
}

/* ---------------------------------------------------------------------- texts */

/* Read four hexadecimal digits, or return -1. */
static int read_hex(struct parser *parser)
{
	int code = 0;

	for (int i = 0; i < 4; i++, parser->at++) {
		const char next = parser->at < parser->end ? *parser->at : ' ';
		const char letter = (char)(next | 0x20);

		if (next >= '0' && next <= '9')
			code = code * 16 + next - '0';
		else if (letter >= 'a' && letter <= 'f')
			code = code * 16 + letter - 'a' + 10;
		else
			return wrong(parser, "expected four hexadecimal digits");
	}
	return code;
}

static void store_character(struct parser *parser, uint32_t code)
{
	if (code < 0x80) {
		*parser->to++ = (char)code;
		return;
	}
	if (code < 0x800) {
		*parser->to++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*parser->to++ = (char)(0xe0 | code >> 12);
		} else {
			*parser->to++ = (char)(0xf0 | code >> 18);
			*parser->to++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*parser->to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*parser->to++ = (char)(0x80 | (code & 0x3f));
}

/* \uXXXX, of which two are one character above U+FFFF. */
static int read_code(struct parser *parser)
{
	int code = read_hex(parser), low;

	if (code < 0)
		return -1;
	if (code >= 0xdc00 && code <= 0xdfff)
		return wrong(parser, "half of a character");
	if (code >= 0xd800 && code <= 0xdbff) {
		if (!take_byte(parser, '\\') || !take_byte(parser, 'u'))
			return wrong(parser, "half of a character");
		low = read_hex(parser);
		if (low < 0)
			return -1;
		if (low < 0xdc00 || low > 0xdfff)
			return wrong(parser, "half of a character");
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	store_character(parser, (uint32_t)code);
	return 0;
}

static int read_escape(struct parser *parser)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *letter;

	if (parser->at == parser->end)
		return wrong(parser, too_early);
	if (take_byte(parser, 'u'))
		return read_code(parser);
	letter = *parser->at ? strchr(letters, *parser->at) : NULL;
	if (!letter)
		return wrong(parser, "an unknown escape in a text");
	parser->at++;
	*parser->to++ = values[letter - letters];
	return 0;
}

/* Copy a character of several bytes. */
static int copy_character(struct parser *parser)
{
	const uint8_t first = (uint8_t)*parser->at;
	const int bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
	uint32_t code = first & (0x7f >> bytes);
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	if (first < 0xc2 || first > 0xf4 || parser->end - parser->at < bytes)
		return wrong(parser, "invalid utf-8");
	for (int i = 1; i < bytes; i++) {
		const uint8_t next = (uint8_t)parser->at[i];

		if ((next & 0xc0) != 0x80)
			return wrong(parser, "invalid utf-8");
		code = code << 6 | (next & 0x3f);
	}
	if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return wrong(parser, "invalid utf-8");
	memcpy(parser->to, parser->at, (size_t)bytes);
	parser->to += bytes;
	parser->at += bytes;
	return 0;
}

/* Read a text behind its first quote. */
static int read_text(struct parser *parser, const char **text, uint32_t *count)
{
	*text = parser->to;
	while (parser->at < parser->end) {
		const uint8_t next = (uint8_t)*parser->at;

		if (next == '"') {
			parser->at++;
			*count = (uint32_t)(parser->to - *text);
			*parser->to++ = '\0';
			return 0;
		}
		if (next < 0x20)
			return wrong(parser, "a control character in a text");
		if (next == '\\') {
			parser->at++;
			if (read_escape(parser) < 0)
				return -1;
		} else if (next < 0x80) {
			*parser->to++ = *parser->at++;
		} else if (copy_character(parser) < 0) {
			return -1;
		}
	}
	return wrong(parser, too_early);
}

/* -------------------------------------------------------------------- numbers */

static bool is_digit(const struct parser *parser)
{
	return parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9';
}

static int skip_digits(struct parser *parser)
{
	if (!is_digit(parser))
		return wrong(parser, "expected a digit");
	while (is_digit(parser))
		parser->at++;
	return 0;
}

/* Read the digits of a whole number, saturated. */
static int read_digits(struct parser *parser, struct tree_value *value)
{
	enum { SAFE_DIGITS = 19 }; /* no number of so many is above UINT64_MAX */
	const char *at = parser->at, *safe;
	uint64_t number = 0;

	if (!is_digit(parser))
		return wrong(parser, "expected a value");
	if (*parser->at == '0') {
		parser->at++;
		return is_digit(parser) ? wrong(parser, "a number that begins with 0") : 0;
	}
	safe = parser->end - at > SAFE_DIGITS ? at + SAFE_DIGITS : parser->end;
	for (unsigned digit; at < safe; at++) {
		digit = (unsigned)(*at - '0');
		if (digit > 9)
			break;
		number = number * 10 + digit;
	}
	for (unsigned digit; at < parser->end; at++) {
		digit = (unsigned)(*at - '0');
		if (digit > 9)
			break;
		number = number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : number * 10 + digit;
	}
	parser->at = at;
	value->integer = number;
	return 0;
}

static int read_json_number(struct parser *parser, struct tree_value *value)
{
	enum { MOST_DIGITS = 400 };
	const char *const start = parser->at;
	char copy[MOST_DIGITS + 1];
	size_t length;

	value->kind = TREE_INTEGER;
	value->negative = take_byte(parser, '-');
	if (read_digits(parser, value) < 0)
		return -1;
	if (parser->at == parser->end ||
	    (*parser->at != '.' && *parser->at != 'e' && *parser->at != 'E'))
		return 0;
	if (take_byte(parser, '.') && skip_digits(parser) < 0)
		return -1;
	if (take_byte(parser, 'e') || take_byte(parser, 'E')) {
		if (!take_byte(parser, '-'))
			take_byte(parser, '+');
		if (skip_digits(parser) < 0)
			return -1;
	}
	length = (size_t)(parser->at - start);
	if (length > MOST_DIGITS)
		return wrong(parser, "a number with too many digits");
	memcpy(copy, start, length);
	copy[length] = '\0';
	value->kind = TREE_REAL;
	value->real = strtod(copy, NULL);
	return 0;
}

/* --------------------------------------------------------------------- values */

static int read_word(struct parser *parser, struct tree_value *value)
{
	static const struct {
		const char *text;
		enum tree_kind kind;
		bool truth;
	} words[] = {{"null", TREE_NULL, false},
		     {"true", TREE_BOOLEAN, true},
		     {"false", TREE_BOOLEAN, false}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const size_t length = strlen(words[i].text);

		if ((size_t)(parser->end - parser->at) < length ||
		    memcmp(parser->at, words[i].text, length))
			continue;
		parser->at += length;
		value->kind = (uint8_t)words[i].kind;
		value->truth = words[i].truth;
		return 0;
	}
	return wrong(parser, "expected a value");
}

static int read_tree(struct parser *parser, const char *key, unsigned depth);

static int read_key(struct parser *parser, const char **key)
{
	uint32_t count;

	if (!take_byte(parser, '"'))
		return wrong(parser, "expected the key of a member");
	if (read_text(parser, key, &count) < 0)
		return -1;
	if (strlen(*key) != count)
		return wrong(parser, "a character 0 in a key");
	skip_space(parser);
	return take_byte(parser, ':') ? 0 : wrong(parser, "expected ':'");
}

/* Read items or members, up to `end`.  number: of the list or object among the values. */
static int read_items(struct parser *parser, size_t number, char end, unsigned depth)
{
	uint32_t count = 0;

	if (depth == 0)
		return wrong(parser, "nested too deep");
	skip_space(parser);
	if (take_byte(parser, end))
		return 0;
	do {
		const char *key = NULL;

		skip_space(parser);
		if (end == '}' && read_key(parser, &key) < 0)
			return -1;
		if (read_tree(parser, key, depth - 1) < 0)
			return -1;
		count++;
		skip_space(parser);
	} while (take_byte(parser, ','));
	parser->tree->values.items[number].count = count;
	return take_byte(parser, end)
		       ? 0
		       : wrong(parser, "expected ',' or the end of a list or an object");
}

/* Add a value behind all others. */
static int add_value(struct parser *parser, const struct tree_value *value)
{
	struct json_tree *const tree = parser->tree;

	if (tree->values.count == tree->values.capacity)
		TRY(array_reserve(&tree->values, 1, parser->err));
	tree->values.items[tree->values.count++] = *value;
	return 0;
}

/* Read a list or an object, whose first byte is the next one. */
static int read_all_items(struct parser *parser, struct tree_value *value, unsigned depth)
{
	const size_t number = parser->tree->values.count;
	const char end = *parser->at++ == '[' ? ']' : '}';

	value->kind = end == ']' ? TREE_ARRAY : TREE_OBJECT;
	TRY(add_value(parser, value));
	TRY(read_items(parser, number, end, depth));
	parser->tree->values.items[number].size = (uint32_t)(parser->tree->values.count - number);
	return 0;
}

static int read_tree(struct parser *parser, const char *key, unsigned depth)
{
	struct tree_value value = {.key = key, .size = 1};

	skip_space(parser);
	if (parser->at == parser->end)
		return wrong(parser, too_early);
	if (*parser->at == '[' || *parser->at == '{')
		return read_all_items(parser, &value, depth);
	if (take_byte(parser, '"')) {
		value.kind = TREE_STRING;
		TRY(read_text(parser, &value.text, &value.count));
	} else if (*parser->at == '-' || is_digit(parser)) {
		TRY(read_json_number(parser, &value));
	} else {
		TRY(read_word(parser, &value));
	}
	return add_value(parser, &value);
}

int json_tree_parse(struct json_tree *tree, const char *text, size_t count, unsigned depth,
		    struct error *err)
{
	struct parser parser = {.tree = tree, .at = text, .end = text + count, .err = err};

	*tree = (struct json_tree){0};
	/* A text with its quotes is no shorter than what is stored, with its zero. */
	TRY(allocate(&tree->texts, count + 1, 1, err));
	TRY(array_reserve(&tree->values, count / 8 + 16, err));
	parser.to = tree->texts;
	if (read_tree(&parser, NULL, depth) == 0) {
		skip_space(&parser);
		if (parser.at < parser.end)
			wrong(&parser, "something follows the end");
	} else if (!tree->wrong) {
		return -1;
	}
	tree->at = (size_t)(parser.at - text);
	return 0;
}

void json_tree_release(struct json_tree *tree)
{
	array_release(&tree->values);
	free(tree->texts);
	tree->texts = NULL;
}

const struct tree_value *tree_member(const struct tree_value *object, const char *key)
{
	const struct tree_value *member = object + 1, *found = NULL;

	for (uint32_t i = 0; i < object->count; i++, member += member->size)
		if (*member->key == *key && !strcmp(member->key, key))
			found = member;
	return found;
}
