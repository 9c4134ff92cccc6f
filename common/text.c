#include "common/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int text_character_bytes(const char *text)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, bytes;
	} forms[] = {
		{0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	const unsigned char *byte = (const unsigned char *)text;

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (byte[0] < forms[i].first_low || byte[0] > forms[i].first_high)
			continue;
		if (forms[i].bytes > 1 &&
		    (byte[1] < forms[i].second_low || byte[1] > forms[i].second_high))
			continue;
		for (int at = 2; at < forms[i].bytes; at++)
			if ((byte[at] & 0xc0) != 0x80)
				return 0;
		return forms[i].bytes;
	}
	return 0;
}

/* Room for one character that is shown, with the final zero. */
enum { SHOWN_BYTES = 12 };

/* Show the character at `text`.  Returns the number of bytes of `text` that it takes. */
static int show_character(const char *text, char shown[static SHOWN_BYTES])
{
	const unsigned char *byte = (const unsigned char *)text;
	const int bytes = text_character_bytes(text);

	if (*text == '\n' || *text == '\t' || *text == '\r') {
		snprintf(shown, SHOWN_BYTES, "\\%c",
			 *text == '\n'	 ? 'n'
			 : *text == '\t' ? 't'
					 : 'r');
	} else if (bytes == 0 || byte[0] < 0x20 || byte[0] == 0x7f) {
		snprintf(shown, SHOWN_BYTES, "\\x%02x", byte[0]);
		return 1;
	} else if (byte[0] == 0xc2 && byte[1] < 0xa0) {
		/* A control character of 8 bits, such as CSI. */
		snprintf(shown, SHOWN_BYTES, "\\x%02x\\x%02x", byte[0], byte[1]);
	} else {
		memcpy(shown, text, (size_t)bytes);
		shown[bytes] = '\0';
	}
	return bytes;
}

void text_print(FILE *stream, const char *text)
{
	char shown[SHOWN_BYTES];

	while (*text) {
		text += show_character(text, shown);
		fputs(shown, stream);
	}
}

/* Print what a text begins with that CSV has as it is: the whole of most names.  Returns its bytes. */
static size_t print_plain(FILE *stream, const char *text)
{
	size_t bytes = 0;

	while (text[bytes] >= ' ' && text[bytes] <= '~' && text[bytes] != '"')
		bytes++;
	fwrite(text, 1, bytes, stream);
	return bytes;
}

void text_print_csv(FILE *stream, const char *text)
{
	const bool quoted = strpbrk(text, ",\"") != NULL;
	char shown[SHOWN_BYTES];

	if (quoted)
		putc('"', stream);
	for (;;) {
		text += print_plain(stream, text);
		if (!*text)
			break;
		if (*text == '"')
			putc('"', stream);
		text += show_character(text, shown);
		fputs(shown, stream);
	}
	if (quoted)
		putc('"', stream);
}

void text_print_word(FILE *stream, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./+=:@%^,-";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, stream);
		return;
	}
	putc('\'', stream);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", stream);
		else
			putc(*word, stream);
	putc('\'', stream);
}

const char *text_show(const char *text, char *shown, size_t room)
{
	char character[SHOWN_BYTES];
	size_t used = 0;

	while (*text) {
		size_t bytes;

		text += show_character(text, character);
		bytes = strlen(character);
		if (used + bytes >= room)
			break;
		memcpy(shown + used, character, bytes);
		used += bytes;
	}
	shown[used] = '\0';
	return shown;
}

int text_width(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

/* Number of columns of a stream, or `otherwise` if it is not known. */
static int known_columns(FILE *stream, int otherwise)
{
	enum { LEAST = 40, MOST = 10000 };
	const char *given = getenv("COLUMNS");
	const int file = fileno(stream);
	struct winsize size;
	int columns = given ? atoi(given) : 0;

	if (columns <= 0 || columns > MOST)
		columns = file >= 0 && isatty(file) && ioctl(file, TIOCGWINSZ, &size) == 0 &&
					  size.ws_col > 0
				  ? size.ws_col
				  : otherwise;
	return columns < LEAST ? LEAST : columns;
}

int text_columns(FILE *stream)
{
	return known_columns(stream, 80);
}

int text_table_columns(FILE *stream)
{
	return known_columns(stream, INT_MAX);
}

void text_print_lines(FILE *stream, const char *text, int indent)
{
	const int columns = known_columns(stream, INT_MAX);

	while (*text) {
		const size_t bytes = strcspn(text, "\n");
		char *line = columns < INT_MAX ? strndup(text, bytes) : NULL;

		if (line)
			text_wrap(stream, line, indent, columns);
		else
			fprintf(stream, "%.*s\n", (int)bytes, text);
		free(line);
		text += bytes + (text[bytes] == '\n');
	}
}

static size_t bytes_of_columns(const char *text, int columns)
{
	size_t bytes = 0;

	while (text[bytes] && columns-- > 0) {
		bytes++;
		while (((unsigned char)text[bytes] & 0xc0) == 0x80)
			bytes++;
	}
	return bytes;
}

size_t text_line(const char *text, int columns, int cut, const char **next)
{
	const size_t most = bytes_of_columns(text, columns);
	size_t end = most;

	*next = NULL;
	if (!text[most])
		return most;
	while (end > 0 && text[end] != ' ')
		end--;
	if (end == 0 && cut) {
		for (end = most; end > 0 && !strchr(",/-", text[end - 1]); end--)
			;
		if (end == 0)
			end = most;
	} else if (end == 0) {
		end = strcspn(text, " ");
	}
	*next = text + end + strspn(text + end, " ");
	if (!**next)
		*next = NULL;
	while (end > 0 && text[end - 1] == ' ')
		end--;
	return end;
}

/* Write a paragraph of `bytes` bytes, which may contain line ends. */
static void wrap_paragraph(FILE *stream, const char *text, size_t bytes, int indent, int columns)
{
	char *line = malloc(bytes + 1);
	const char *at = line, *next;

	if (!line) {
		fprintf(stream, "%.*s\n", (int)bytes, text);
		return;
	}
	memcpy(line, text, bytes);
	line[bytes] = '\0';
	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = ' ';
	for (;;) {
		const size_t length = text_line(at, columns - indent, 0, &next);

		fprintf(stream, "%.*s\n", (int)length, at);
		if (!next)
			break;
		fprintf(stream, "%*s", indent, "");
		at = next;
	}
	free(line);
}

void text_wrap(FILE *stream, const char *text, int indent, int columns)
{
	while (*text) {
		size_t bytes = strcspn(text, "\n");

		if (bytes == 0 || *text == ' ') {
			fprintf(stream, "%.*s\n", (int)bytes, text);
		} else {
			/* End a paragraph before an empty line or one that begins with a space. */
			while (text[bytes] && text[bytes + 1] && text[bytes + 1] != '\n' &&
			       text[bytes + 1] != ' ')
				bytes += 1 + strcspn(text + bytes + 1, "\n");
			wrap_paragraph(stream, text, bytes, indent, columns);
		}
		text += bytes;
		text += *text == '\n';
	}
}

void sentence_add(struct sentence *sentence, const char *format, ...)
{
	const size_t room = sizeof sentence->text - sentence->length;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(sentence->text + sentence->length, room, format, arguments);
	va_end(arguments);
	if (length > 0)
		sentence->length += (size_t)length < room ? (size_t)length : room - 1;
}
