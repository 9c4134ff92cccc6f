#include "test/unit/lib/check/svg_check.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/draw/extent.h"
#include "common/draw/palette.h"

enum { MOST_DEPTH = 32, MOST_TEXTS = 1000 };

struct name {
	const char *begin;
	size_t length;
};

static struct name read_name(const char *at)
{
	struct name name = {at, 0};

	while (isalnum((unsigned char)at[name.length]) || strchr("-:", at[name.length]))
		name.length += at[name.length] ? 1 : 0;
	return name;
}

static void check_content(const char *at, const char *end)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	for (; at < end; at++) {
		int known = 0;

		assert_true((unsigned char)*at >= 0x20 || *at == '\n' || *at == '\t');
		if (*at != '&')
			continue;
		for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
			known |= strncmp(at, entities[i], strlen(entities[i])) == 0;
		assert_true(known);
	}
}

/* Check the attributes up to the end of a tag, which is returned. */
static const char *check_attributes(const char *at)
{
	for (;;) {
		const char *end;

		at += strspn(at, " \n");
		if (*at == '>' || (at[0] == '/' && at[1] == '>'))
			return at;
		at += read_name(at).length;
		assert_true(at[0] == '=' && at[1] == '"');
		end = strchr(at + 2, '"');
		assert_non_null(end);
		assert_null(memchr(at + 2, '<', (size_t)(end - at - 2)));
		check_content(at + 2, end);
		at = end + 1;
	}
}

static int is_void(struct name name)
{
	return strncmp(name.begin, "meta", name.length) == 0 ||
	       strncmp(name.begin, "link", name.length) == 0 ||
	       strncmp(name.begin, "wbr", name.length) == 0;
}

void check_markup(const char *text, int html)
{
	struct name open[MOST_DEPTH];
	int depth = 0;

	while (*text) {
		const char *end = strchr(text, '<');
		const int closes = end && end[1] == '/';
		struct name name;

		end = end ? end : text + strlen(text);
		if (!depth || strncmp(open[depth - 1].begin, "style", 5) != 0)
			check_content(text, end);
		if (!*end)
			break;
		if (html && !strncmp(end, "<!DOCTYPE html>", 15)) {
			text = end + 15;
			continue;
		}
		name = read_name(end + 1 + closes);
		assert_true(name.length > 0);
		text = check_attributes(name.begin + name.length);
		if (closes) {
			assert_true(depth > 0 && open[depth - 1].length == name.length);
			assert_memory_equal(open[--depth].begin, name.begin, name.length);
		} else if (*text != '/' && !(html && is_void(name))) {
			assert_true(depth < MOST_DEPTH);
			open[depth++] = name;
		}
		text = strchr(text, '>') + 1;
	}
	assert_int_equal(depth, 0);
}

double attribute_number(const char *element, const char *name, double missing)
{
	char pattern[64];
	const char *at, *end = strchr(element, '>');

	snprintf(pattern, sizeof pattern, " %s=\"", name);
	at = strstr(element, pattern);
	return at && at < end ? atof(at + strlen(pattern)) : missing;
}

size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		count++;
	return count;
}

/* Content of a text, without elements and with its entities resolved. */
static void read_content(const char *element, char *content, size_t room)
{
	static const struct {
		const char *entity;
		char character;
	} entities[] = {
		{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
	const char *at = strchr(element, '>') + 1;
	size_t length = 0;

	while (strncmp(at, "</text>", 7) != 0 && length + 1 < room) {
		size_t i;

		if (*at == '<') {
			at = strchr(at, '>') + 1;
			continue;
		}
		for (i = 0; i < 5; i++)
			if (!strncmp(at, entities[i].entity, strlen(entities[i].entity)))
				break;
		content[length++] = i < 5 ? entities[i].character : *at;
		at += i < 5 ? strlen(entities[i].entity) : 1;
	}
	content[length] = '\0';
}

struct box {
	double left, right, top, bottom;
	char text[256];
};

static void find_box(const char *element, struct box *box)
{
	const char *end = strchr(element, '>');
	const char *small = strstr(element, "small"), *anchor = strstr(element, "text-anchor=\"");
	const double size = small && small < end ? PALETTE_SMALL_PX : PALETTE_FONT_PX;
	double width;

	read_content(element, box->text, sizeof box->text);
	width = text_extent(box->text, size);
	box->left = attribute_number(element, "x", 0);
	if (anchor && anchor < end)
		box->left -= anchor[13] == 'm' ? width / 2 : width;
	box->right = box->left + width;
	/* Ascent and descent of DejaVu Sans. */
	box->bottom = attribute_number(element, "y", 0) + 0.24 * size;
	box->top = attribute_number(element, "y", 0) - 0.93 * size;
}

size_t check_texts(const char *svg)
{
	static struct box boxes[MOST_TEXTS];
	const char *view = strstr(svg, "viewBox=\"0 0 "), *end = strstr(svg, "</svg>");
	double width, height;
	size_t count = 0;

	assert_non_null(view);
	assert_int_equal(sscanf(view, "viewBox=\"0 0 %lf %lf", &width, &height), 2);
	for (const char *at = svg; (at = strstr(at, "<text")) && at < end; at++) {
		struct box *box = &boxes[count++];

		assert_true(count <= MOST_TEXTS);
		find_box(at, box);
		if (box->left < -0.01 || box->right > width + 0.01 || box->top < -0.01 ||
		    box->bottom > height + 0.01)
			fail_msg("\"%s\" leaves the picture", box->text);
		for (size_t i = 0; i + 1 < count; i++)
			if (box->left < boxes[i].right && boxes[i].left < box->right &&
			    box->top < boxes[i].bottom && boxes[i].top < box->bottom)
				fail_msg("\"%s\" is on \"%s\"", box->text, boxes[i].text);
	}
	return count;
}
