#include "common/draw/markup.h"

#include "common/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Characters U+FFFE and U+FFFF, which XML forbids. */
static int is_forbidden(const char *text)
{
	return memcmp(text, "\xef\xbf\xbe", 3) == 0 || memcmp(text, "\xef\xbf\xbf", 3) == 0;
}

static void print_shown(FILE *stream, const char *text, int bytes)
{
	char one[8], shown[32];

	memcpy(one, text, (size_t)bytes);
	one[bytes] = '\0';
	fputs(text_show(one, shown, sizeof shown), stream);
}

size_t markup_print_character(FILE *stream, const char *text)
{
	const int bytes = text_character_bytes(text);

	if (*text == '&')
		fputs("&amp;", stream);
	else if (*text == '<')
		fputs("&lt;", stream);
	else if (*text == '>')
		fputs("&gt;", stream);
	else if (*text == '"')
		fputs("&quot;", stream);
	else if (*text == '\'')
		fputs("&#39;", stream);
	else if (bytes == 3 && is_forbidden(text))
		fputs("\xef\xbf\xbd", stream);
	else
		print_shown(stream, text, bytes ? bytes : 1);
	return bytes ? (size_t)bytes : 1;
}

void markup_print(FILE *stream, const char *text)
{
	while (*text)
		text += markup_print_character(stream, text);
}

size_t markup_index(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length = 3;

	/* U+0391 to U+03C9 */
	if ((at[0] != 0xce && at[0] != 0xcf) || at[1] < 0x80 || at[2] != '_' || !isalnum(at[3]))
		return 0;
	while (isalnum(at[length]) || (at[length] && strchr("_-+*", at[length]) && isalnum(at[length + 1])))
		length++;
	return length - 2;
}

void markup_px(FILE *stream, double px)
{
	/* Beyond any picture, and for what is no number. */
	const double most = 1e7, bounded = px >= -most && px <= most ? px : px > 0 ? most : 0;
	const long hundredths = lround(bounded * 100), size = labs(hundredths);

	fprintf(stream, "%s%ld", hundredths < 0 ? "-" : "", size / 100);
	if (size % 10)
		fprintf(stream, ".%02ld", size % 100);
	else if (size % 100)
		fprintf(stream, ".%ld", size % 100 / 10);
}
