/* Numbers and names by which figures are asked for. */
#include "usage/figures/figure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Skip the word that a number begins with. */
static const char *skip_word(const char *text)
{
	static const char *const words[] = {"figure", "fig.", "fig", "table"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const size_t length = strlen(words[i]);

		if (!strncasecmp(text, words[i], length)) {
			text += length;
			break;
		}
	}
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static bool is_table(const struct figure *figure)
{
	return figure->number && !strncmp(figure->number, "table", 5);
}

static bool has_number(const struct figure *figure, const char *text)
{
	const char *const number = skip_word(text);
	const bool figure_only = number != text && strncasecmp(text, "table", 5) != 0;
	const bool table_only = number != text && !figure_only;

	if (!figure->number || (is_table(figure) ? figure_only : table_only))
		return false;
	return !strcasecmp(skip_word(figure->number), number) ||
	       (figure->second && !strcasecmp(figure->second, number));
}

const struct figure *figure_find(const char *text, struct error *err)
{
	for (size_t i = 0; i < figure_count; i++)
		if (!strcmp(figures[i].name, text))
			return &figures[i];
	/* Of figure A.1 and table A.1 the word tells which is meant; without it, the figure is. */
	for (int tables = 0; tables < 2; tables++)
		for (size_t i = 0; i < figure_count; i++)
			if (is_table(&figures[i]) == tables && has_number(&figures[i], text))
				return &figures[i];
	error_set(
		err, STATUS_USAGE,
		"unknown figure '%s' (expected a number from 1 to 30, A.1, table I, table A.1 to A.3, IV-A, or a "
		"name, as the report lists them)",
		text);
	return NULL;
}

const char *figure_lack(const struct figure *figure)
{
	if (figure->lack)
		return figure->lack;
	if (figure->flags & FIGURE_RECORDS)
		return "the index has no such records of the scheduler; llamp-usage index --accounting adds them";
	if (figure->flags & FIGURE_MEASURED)
		return "the index has no such measurements; llamp-usage index --ping-pong adds them";
	return "no job has this";
}

const char *figure_numbers(const struct figure *figure, bool compared,
			   char text[static FIGURE_NUMBER_BYTES])
{
	const char *const number = figure->number;

	*text = '\0';
	if (!number)
		return text;
	snprintf(text, FIGURE_NUMBER_BYTES, "%s%s%s%s",
		 is_table(figure) || !strcmp(number, "IV-A") ? "" : "figure ", number,
		 compared && figure->second ? ", " : "",
		 compared && figure->second ? figure->second : "");
	return text;
}
