/* Reader of text: one pass over the bytes, rank by rank into a builder. */
#include "goal/text.h"

#include "common/memory.h"
#include "common/units.h"

/* Piece of the text. */
struct word {
	const uint8_t *text;
	size_t length;
};

/* Put file and line before the error. */
static int name_line(const struct goal_text *reader, const uint8_t *at)
{
	unsigned long long line = 1;

	for (const uint8_t *p = reader->start; p < at; p++)
		line += *p == '\n';
	return error_prefix(reader->err, "%s:%llu", reader->name, line);
}

/* Report an error at the byte `where`.  Returns -1. */
#define BAD(reader, where, ...) \
	(error_set((reader)->err, STATUS_DATA, __VA_ARGS__), name_line((reader), (where)))

static bool is_digit(uint8_t byte)
{
	return byte >= '0' && byte <= '9';
}

static bool is_letter(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_word_byte(uint8_t byte)
{
	return is_letter(byte) || is_digit(byte) || byte == '_';
}

static bool at_digit(const struct goal_text *reader)
{
	return reader->at < reader->end && is_digit(*reader->at);
}

/* Report that the text at the reader's place is not `expected`.  Returns -1. */
static int unexpected(const struct goal_text *reader, const char *expected)
{
	const uint8_t *at = reader->at;
	int length = 0;

	if (at == reader->end)
		return BAD(reader, at, "expected %s, not the end of the file", expected);
	if (*at == '\n' || *at == '\r')
		return BAD(reader, at, "expected %s, not the end of the line", expected);
	while (length < 20 && at + length < reader->end && is_word_byte(at[length]))
		length++;
	if (length == 0 && (*at < ' ' || *at > '~'))
		return BAD(reader, at, "expected %s, not the byte 0x%02x", expected, *at);
	return BAD(reader, at, "expected %s, not '%.*s'", expected, length ? length : 1,
		   (const char *)at);
}

static void skip_blanks(struct goal_text *reader)
{
	while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t'))
		reader->at++;
}

/*
 * Return the end of `text` if the reader is at it, else NULL.  The texts are short and mostly
 * differ in the first byte, so memcmp would take longer.
 */
static inline const uint8_t *end_of(const struct goal_text *reader, const char *text)
{
	const uint8_t *at = reader->at;

	for (; *text; text++, at++)
		if (at == reader->end || *at != (uint8_t)*text)
			return NULL;
	return at;
}

static bool ahead(const struct goal_text *reader, const char *text)
{
	return end_of(reader, text) != NULL;
}

static bool text_skip(struct goal_text *reader, const char *text)
{
	const uint8_t *end = end_of(reader, text);

	if (end)
		reader->at = end;
	return end != NULL;
}

/* Skip a comment.  Returns 1, 0 without a comment here, or -1. */
static int skip_comment(struct goal_text *reader)
{
	const uint8_t *start = reader->at;
	size_t left = (size_t)(reader->end - start);

	if (ahead(reader, "//")) {
		const uint8_t *newline = memchr(start, '\n', left);

		reader->at = newline ? newline : reader->end;
		return 1;
	}
	if (ahead(reader, "/*")) {
		const uint8_t *close = memmem(start + 2, left - 2, "*/", 2);

		if (!close)
			return BAD(reader, start, "the comment that begins here does not end");
		reader->at = close + 2;
		return 1;
	}
	return 0;
}

/* Go to the next statement. */
static int skip_space(struct goal_text *reader)
{
	for (;;) {
		int comment;

		while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' ||
						    *reader->at == '\n' || *reader->at == '\r'))
			reader->at++;
		if (reader->at == reader->end || *reader->at != '/')
			return 0;
		comment = skip_comment(reader);
		if (comment <= 0)
			return comment;
	}
}

/* Check that a statement ends here: its line ends or a comment begins. */
static int end_statement(struct goal_text *reader)
{
	skip_blanks(reader);
	if (reader->at == reader->end || *reader->at == '\n' || ahead(reader, "\r\n") ||
	    ahead(reader, "//") || ahead(reader, "/*"))
		return 0;
	if (*reader->at == '\r' && reader->at + 1 == reader->end)
		return 0;
	return unexpected(reader, "the end of the line");
}

static struct word read_word(struct goal_text *reader)
{
	struct word word = {reader->at, 0};

	if (reader->at < reader->end && is_letter(*reader->at)) {
		while (reader->at < reader->end && is_word_byte(*reader->at))
			reader->at++;
		word.length = (size_t)(reader->at - word.text);
	}
	return word;
}

static bool word_is(const struct word *word, const char *text)
{
	size_t i = 0;

	while (i < word->length && text[i] && word->text[i] == (uint8_t)text[i])
		i++;
	return i == word->length && !text[i];
}

static int word_length(const struct word *word)
{
	return word->length < 60 ? (int)word->length : 60;
}

/*
 * Read a number of at most `most`.  Errors name it (`what`) and the reason of the limit (`why`).
 */
static int read_limited(struct goal_text *reader, const char *what, uint64_t most, const char *why,
			uint64_t *number)
{
	const uint8_t *start;
	uint64_t value = 0;

	skip_blanks(reader);
	start = reader->at;
	if (!at_digit(reader))
		return unexpected(reader, what);
	for (; at_digit(reader); reader->at++) {
		uint64_t digit = *reader->at - '0';

		if (digit > most || value > (most - digit) / 10)
			return BAD(reader, start, "%s is larger than %llu%s", what,
				   (unsigned long long)most, why);
		value = value * 10 + digit;
	}
	*number = value;
	return 0;
}

static int read_text_number(struct goal_text *reader, const char *what, uint64_t most,
			    uint64_t *number)
{
	return read_limited(reader, what, most, "", number);
}

/* Read a number, or -1 for any. */
static int read_or_any(struct goal_text *reader, const char *what, uint32_t most, const char *why,
		       uint32_t *number)
{
	uint64_t value;

	skip_blanks(reader);
	if (text_skip(reader, "-1")) {
		if (at_digit(reader))
			return BAD(reader, reader->at, "%s is negative", what);
		*number = GOAL_ANY;
		return 0;
	}
	TRY(read_limited(reader, what, most, why, &value));
	*number = (uint32_t)value;
	return 0;
}

/* Read the byte after `keyword`, if the reader is at it. */
static int read_place(struct goal_text *reader, const char *keyword, uint8_t *number)
{
	uint64_t value = 0;

	skip_blanks(reader);
	if (text_skip(reader, keyword))
		TRY(read_text_number(reader, keyword, UINT8_MAX, &value));
	*number = (uint8_t)value;
	return 0;
}

/* Read the rest of a send or recv. */
static int read_message_operation(struct goal_text *reader, struct goal_new_op *op)
{
	const char *direction = op->kind == GOAL_SEND ? "to" : "from";

	TRY(read_text_number(reader, "the size of the message", UINT64_MAX, &op->size));
	skip_blanks(reader);
	if (!text_skip(reader, "b"))
		return unexpected(reader, "'b' for bytes");
	skip_blanks(reader);
	if (!text_skip(reader, direction))
		return unexpected(reader, op->kind == GOAL_SEND ? "'to'" : "'from'");
	skip_blanks(reader);
	if (op->kind == GOAL_SEND && ahead(reader, "-1"))
		return BAD(reader, reader->at, "a send needs a destination, not any rank");
	TRY(read_or_any(reader, op->kind == GOAL_SEND ? "the destination" : "the source",
			reader->rank_count - 1, ", the last rank", &op->peer));
	skip_blanks(reader);
	if (text_skip(reader, "tag"))
		TRY(read_or_any(reader, "the tag", GOAL_ANY - 1, "", &op->tag));
	TRY(read_place(reader, "cpu", &op->cpu));
	return read_place(reader, "nic", &op->nic);
}

static bool is_kind(const struct word *word, uint8_t *kind)
{
	if (word_is(word, "calc"))
		*kind = GOAL_CALC;
	else if (word_is(word, "send"))
		*kind = GOAL_SEND;
	else if (word_is(word, "recv"))
		*kind = GOAL_RECV;
	else
		return false;
	return true;
}

/*
 * Check from time to time that the rank fits in memory twice: as read, and encoded as a part of
 * the image.
 */
static int check_rank_memory(const struct goal_text *reader)
{
	enum { OPS_BETWEEN = 1 << 20 };
	const size_t ops = reader->builder.ops.count;

	if (ops % OPS_BETWEEN != 0 ||
	    memory_require(ops * 2 * GOAL_OP_BYTES, "encoding a rank", reader->err) == 0)
		return 0;
	return error_prefix(reader->err, "%s", reader->name);
}

static int read_op(struct goal_text *reader, uint8_t kind)
{
	struct goal_new_op op = {.kind = kind};

	if (kind == GOAL_CALC) {
		TRY(read_text_number(reader, "the time of the calc", UINT64_MAX, &op.size));
		TRY(read_place(reader, "cpu", &op.cpu));
	} else {
		TRY(read_message_operation(reader, &op));
	}
	if (goal_builder_add(&reader->builder, &op, NULL, reader->err) < 0)
		return name_line(reader, reader->at);
	TRY(check_rank_memory(reader));
	return end_statement(reader);
}

static int find_label(struct goal_text *reader, const struct word *label, uint32_t *op)
{
	*op = goal_labels_find(&reader->labels, label->text, (uint32_t)label->length);
	if (*op == GOAL_NO_LABEL)
		return BAD(reader, label->text, "the label '%.*s' is not defined above",
			   word_length(label), (const char *)label->text);
	return 0;
}

/* Read the rest of a dependency, after its first label. */
static int read_dependency(struct goal_text *reader, const struct word *label)
{
	uint32_t after, before;
	struct word verb, other;
	int result;

	verb = read_word(reader);
	if (!word_is(&verb, "requires") && !word_is(&verb, "irequires")) {
		reader->at = verb.text;
		return unexpected(reader, "':', 'requires' or 'irequires'");
	}
	skip_blanks(reader);
	other = read_word(reader);
	if (!other.length)
		return unexpected(reader, "a label");
	TRY(find_label(reader, label, &after));
	TRY(find_label(reader, &other, &before));
	result = word_is(&verb, "requires")
			 ? goal_builder_requires(&reader->builder, after, before, reader->err)
			 : goal_builder_irequires(&reader->builder, after, before, reader->err);
	if (result < 0)
		return name_line(reader, label->text);
	return end_statement(reader);
}

/* Read the operation after a label and a colon. */
static int read_labelled(struct goal_text *reader, const struct word *label)
{
	struct word word;
	uint8_t kind;

	if (goal_labels_find(&reader->labels, label->text, (uint32_t)label->length) !=
	    GOAL_NO_LABEL)
		return BAD(reader, label->text, "the label '%.*s' is defined a second time",
			   word_length(label), (const char *)label->text);
	TRY(goal_labels_add(&reader->labels, label->text, (uint32_t)label->length,
			    (uint32_t)reader->builder.ops.count, reader->err));
	skip_blanks(reader);
	word = read_word(reader);
	if (!is_kind(&word, &kind)) {
		reader->at = word.text;
		return unexpected(reader, "'calc', 'send' or 'recv'");
	}
	return read_op(reader, kind);
}

static int read_statement(struct goal_text *reader)
{
	struct word word = read_word(reader);
	uint8_t kind;

	if (!word.length)
		return unexpected(reader, "an operation, a dependency or '}'");
	if (is_kind(&word, &kind))
		return read_op(reader, kind);
	if (word_is(&word, "rank") || word_is(&word, "num_ranks")) {
		reader->at = word.text;
		return unexpected(reader, "'}' to end the rank");
	}
	/* Refuse a label of 4 GiB or more. */
	if (word.length > UINT32_MAX)
		return BAD(reader, word.text, "the label is too long");
	skip_blanks(reader);
	if (text_skip(reader, ":"))
		return read_labelled(reader, &word);
	return read_dependency(reader, &word);
}

int goal_text_rank(struct goal_text *reader, uint32_t rank)
{
	const uint8_t *start;
	struct word word;
	uint64_t number;

	TRY(skip_space(reader));
	start = reader->at;
	word = read_word(reader);
	if (!word_is(&word, "rank")) {
		reader->at = start;
		if (start == reader->end)
			return BAD(reader, start, "the file ends before rank %u of %u", rank,
				   reader->rank_count);
		return unexpected(reader, "'rank'");
	}
	TRY(read_text_number(reader, "the number of the rank", UINT32_MAX, &number));
	if (number != rank)
		return BAD(reader, start, "expected rank %u, not rank %llu: ranks ascend from 0"
			   " without gaps", rank, (unsigned long long)number);
	skip_blanks(reader);
	if (!text_skip(reader, "{"))
		return unexpected(reader, "'{'");
	goal_builder_clear(&reader->builder);
	goal_labels_clear(&reader->labels);
	for (;;) {
		TRY(skip_space(reader));
		if (reader->at == reader->end)
			return BAD(reader, start, "the block of rank %u that begins here is not"
				   " closed by '}'", rank);
		if (text_skip(reader, "}"))
			return 0;
		TRY(read_statement(reader));
	}
}

/* "num_ranks N" */
int goal_text_rank_count(struct goal_text *reader)
{
	/* The shortest text of a rank is "rank0{}". */
	const size_t shortest = 7;
	struct word word;
	uint64_t number;

	TRY(skip_space(reader));
	word = read_word(reader);
	if (!word_is(&word, "num_ranks")) {
		reader->at = word.text;
		return unexpected(reader, "'num_ranks', with which GOAL text begins");
	}
	TRY(read_text_number(reader, "the number of ranks", UINT32_MAX, &number));
	if (number == 0)
		return BAD(reader, word.text, "there must be at least one rank");
	if (number > (size_t)(reader->end - reader->start) / shortest)
		return BAD(reader, word.text, "the file is too short for %llu rank%s",
			   (unsigned long long)number, plural(number));
	reader->rank_count = (uint32_t)number;
	return 0;
}

int goal_text_end(struct goal_text *reader)
{
	TRY(skip_space(reader));
	if (reader->at < reader->end)
		return unexpected(reader, "the end of the file after the last rank");
	return 0;
}

void goal_text_release(struct goal_text *reader)
{
	goal_labels_release(&reader->labels);
	goal_builder_release(&reader->builder);
}
