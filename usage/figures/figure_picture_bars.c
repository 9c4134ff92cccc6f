/* Pictures with a bar for each row: sums, medians with quartiles, stacked parts. */
#include "usage/figures/figure_picture_internal.h"

#include "common/draw/bars.h"
#include "common/draw/palette.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bars of a group, of a picture with one group, and bytes of the texts of a bar. */
enum { GROUP_BARS = 12, MOST_BARS = 64, TEXT_BYTES = 192 };

struct drawn_bar {
	double values[PALETTE_SERIES], range[2];
	char label[TEXT_BYTES], text[TEXT_BYTES];
};

struct picture {
	const struct figure_result *result;
	struct bar bars[MOST_BARS];
	struct drawn_bar drawn[MOST_BARS];
	struct bar_group groups[MOST_BARS];
	const char *parts[PALETTE_SERIES];
	size_t bar_count, group_count, part_count;
};

static int draw_picture(const struct picture *picture, const struct svg *svg, struct error *err)
{
	const struct figure *const figure = picture->result->figure;
	const struct bars bars = {
		.title = figure->title,
		.name = figure->axis,
		.quantity = figure->quantity == QUANTITY_PERCENT ? QUANTITY_NUMBER
								 : figure->quantity,
		.logarithmic = figure->flags & FIGURE_LOG,
		.parts = picture->part_count > 1 ? picture->parts : NULL,
		.part_count = picture->part_count,
		.groups = picture->groups,
		.group_count = picture->group_count,
	};

	return bars_draw(&bars, svg, err);
}

static int with_picture(int (*fill)(struct picture *), const struct figure_result *result,
			const struct svg *svg, struct error *err)
{
	struct picture *picture;
	int status;

	TRY(allocate(&picture, 1, sizeof *picture, err));
	picture->result = result;
	picture->part_count = 1;
	fill(picture);
	status = draw_picture(picture, svg, err);
	free(picture);
	return status;
}

/* Begin a bar in the last group.  Returns NULL if the picture or the group is full. */
static struct drawn_bar *add_bar(struct picture *picture, size_t most, const char *label)
{
	struct bar_group *const group = &picture->groups[picture->group_count - 1];
	struct drawn_bar *const drawn = &picture->drawn[picture->bar_count];
	struct bar *const bar = &picture->bars[picture->bar_count];

	if (group->count == most || picture->bar_count == MOST_BARS)
		return NULL;
	if (group->count++ == 0)
		group->bars = bar;
	picture->bar_count++;
	text_show(label ? label : "(unknown)", drawn->label, sizeof drawn->label);
	*bar = (struct bar){.label = drawn->label, .values = drawn->values};
	return drawn;
}

static void begin_group(struct picture *picture, const char *heading)
{
	if (picture->group_count < MOST_BARS)
		picture->groups[picture->group_count++].heading = heading;
}

/* ------------------------------------------------------------------------ sums */

/* Write a number of calls in few characters: 1.23e9. */
static void write_count(double value, char *text)
{
	const int power = value >= 1e6 ? (int)floor(log10(value)) : 0;

	if (power)
		snprintf(text, TEXT_BYTES, "%.3ge%d", value / pow(10, power), power);
	else
		snprintf(text, TEXT_BYTES, "%.0f", value);
}

/* Write what is beside a bar: the column `note`, or the value. */
static void write_note(const struct figure *figure, const struct figure_value *row, char *text)
{
	const int column = (figure->note ? figure->note : figure->value) - 1;
	char number[UNIT_TEXT_BYTES];

	if (isnan(row[column].number))
		*text = '\0';
	else if (figure->fields[column].kind == VALUE_SHARE)
		snprintf(text, TEXT_BYTES, "%.1f %%", 100 * row[column].number);
	else if (figure->note && figure->quantity == QUANTITY_BYTES)
		snprintf(text, TEXT_BYTES, "%s/call",
			 axis_value(QUANTITY_BYTES, row[column].number, 3, number));
	else
		write_count(row[column].number, text);
}

static int fill_sums(struct picture *picture)
{
	const struct figure_result *const result = picture->result;
	const struct figure *const figure = result->figure;
	const char *group = NULL;

	for (size_t i = 0; i < figure_rows(result); i++) {
		const struct figure_value *const row = figure_row(result, i);
		const char *const own = figure->group ? row[figure->group - 1].text : NULL;
		struct drawn_bar *drawn;

		if (i == 0 || own != group)
			begin_group(picture, own);
		group = own;
		drawn = add_bar(picture, figure->group ? GROUP_BARS : 2 * GROUP_BARS,
				row[figure->label - 1].text);
		if (!drawn)
			continue;
		*drawn->values = figure_shown(figure, figure->value - 1,
					      row[figure->value - 1].number);
		write_note(figure, row, drawn->text);
		picture->bars[picture->bar_count - 1].text = drawn->text;
	}
	return 0;
}

int figure_draw_bars(const struct figure_result *result, const struct svg *svg, struct error *err)
{
	return with_picture(fill_sums, result, svg, err);
}

/* ------------------------------------------------------------------- quartiles */

static int fill_quartiles(struct picture *picture)
{
	const struct figure_result *const result = picture->result;

	begin_group(picture, NULL);
	for (size_t i = 0; i < result->summaries.count && i < MOST_BARS; i++) {
		const struct figure_summary *const of = &result->summaries.items[i];
		char label[TEXT_BYTES];
		struct drawn_bar *drawn;

		snprintf(label, sizeof label, "%.120s%s%.60s%s", of->label, of->domain ? " (" : "",
			 of->domain ? of->domain : "", of->domain ? ")" : "");
		drawn = add_bar(picture, MOST_BARS, label);
		*drawn->values = 100 * of->median;
		drawn->range[0] = 100 * of->low;
		drawn->range[1] = 100 * of->high;
		snprintf(drawn->text, sizeof drawn->text, "n = %.0f", of->jobs);
		picture->bars[i].text = drawn->text;
		picture->bars[i].range = drawn->range;
	}
	return 0;
}

int figure_draw_quartiles(const struct figure_result *result, const struct svg *svg,
			  struct error *err)
{
	return with_picture(fill_quartiles, result, svg, err);
}

/* --------------------------------------------------------------------- stacked */

/* Core-hours of a part in all rows. */
static double part_sum(const struct figure_result *result, const char *part)
{
	double sum = 0;

	for (size_t i = 0; i < figure_rows(result); i++)
		if (figure_row(result, i)[1].text == part)
			sum += figure_row(result, i)[3].number;
	return sum;
}

/* Parts by their order in the rows or, if there are too many, the largest and others. */
static void find_parts(struct picture *picture)
{
	const struct figure_result *const result = picture->result;
	const char *parts[256];
	double sums[256];
	size_t count = 0;

	for (size_t i = 0; i < figure_rows(result) && count < 256; i++) {
		const char *const part = figure_row(result, i)[1].text;
		size_t at = 0;

		while (at < count && parts[at] != part)
			at++;
		if (at < count)
			continue;
		parts[count] = part;
		sums[count++] = part_sum(result, part);
	}
	picture->part_count = count < PALETTE_SERIES ? count : PALETTE_SERIES;
	for (size_t i = 0; i < picture->part_count; i++) {
		size_t best = i;

		for (size_t j = i; j < count && count > PALETTE_SERIES; j++)
			if (sums[j] > sums[best])
				best = j;
		picture->parts[i] = parts[best];
		parts[best] = parts[i];
		sums[best] = sums[i];
	}
	if (count > PALETTE_SERIES)
		picture->parts[PALETTE_SERIES - 1] = "others";
}

static size_t number_of_part(const struct picture *picture, const char *part)
{
	size_t number = 0;

	while (number + 1 < picture->part_count && picture->parts[number] != part)
		number++;
	return number;
}

static int fill_stacked(struct picture *picture)
{
	const struct figure_result *const result = picture->result;
	struct drawn_bar *drawn = NULL;
	const char *label = NULL;

	find_parts(picture);
	begin_group(picture, NULL);
	for (size_t i = 0; i < figure_rows(result); i++) {
		const struct figure_value *const row = figure_row(result, i);

		if (!drawn || row[0].text != label) {
			drawn = add_bar(picture, MOST_BARS, row[0].text);
			label = row[0].text;
			if (!drawn)
				break;
			snprintf(drawn->text, sizeof drawn->text, "n = %.0f", row[4].number);
			picture->bars[picture->bar_count - 1].text = drawn->text;
		}
		if (!isnan(row[2].number))
			drawn->values[number_of_part(picture, row[1].text)] += 100 * row[2].number;
	}
	return 0;
}

int figure_draw_stacked(const struct figure_result *result, const struct svg *svg,
			struct error *err)
{
	return with_picture(fill_stacked, result, svg, err);
}
