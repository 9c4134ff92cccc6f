#include "common/draw/extent.h"

#include "common/text.h"

#include <stdio.h>
#include <string.h>

/* Thousandths of the size for the characters from the space on. */
static const unsigned short widths[] = {
	318,  401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337,
	637,  637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557,
	1016, 685, 687, 723, 771, 667, 611, 778, 752, 295, 295, 667, 558, 863, 749, 788,
	667,  788, 723, 667, 611, 732, 685, 989, 686, 667, 686, 391, 337, 391, 838, 557,
	500,  613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612,
	635,  635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
};
/* Of Latin, Greek and Cyrillic letters beyond ASCII, and of all other characters. */
enum { WIDTH_LETTER = 790, WIDTH_OTHER = 1010 };

static unsigned character_width(const char *text)
{
	const unsigned char first = (unsigned char)*text;

	if (first >= ' ' && first - ' ' < (int)(sizeof widths / sizeof *widths))
		return widths[first - ' '];
	return first >= 0xc2 && first < 0xd4 ? WIDTH_LETTER : WIDTH_OTHER;
}

static size_t character_bytes(const char *text)
{
	const int bytes = text_character_bytes(text);

	return bytes ? (size_t)bytes : 1;
}

double text_extent(const char *text, double size)
{
	double sum = 0;

	for (; *text; text += character_bytes(text))
		sum += character_width(text);
	return sum * size / 1000;
}

/* Bytes of the longest begin of `text` within `width`. */
static size_t begin_within(const char *text, double size, double width)
{
	size_t bytes = 0;
	double sum = 0;

	while (text[bytes]) {
		sum += character_width(text + bytes) * size / 1000;
		if (sum > width)
			break;
		bytes += character_bytes(text + bytes);
	}
	return bytes;
}

const char *text_fit(const char *text, double size, double width, char *fitted, size_t room)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	double left = width - text_extent(ellipsis, size);
	size_t begin, end;

	if (text_extent(text, size) <= width && strlen(text) < room)
		return strcpy(fitted, text);
	begin = begin_within(text, size, left / 2);
	for (end = begin; text[end] && text_extent(text + end, size) > left / 2;)
		end += character_bytes(text + end);
	if (begin + strlen(ellipsis) + strlen(text + end) + 1 > room)
		end += strlen(text + end);
	snprintf(fitted, room, "%.*s%s%s", (int)begin, text, ellipsis, text + end);
	return fitted;
}
