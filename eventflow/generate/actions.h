/*
 * Actions: what a proxy program does in the place of a call, as a piece of C in which numbers are
 * left open.
 *
 * Text and numbers are separate, so that calls of one form are rows of a table where they are too
 * many to be code.  "$2$" in a text stands for number 2.  Texts, actions and lists of numbers are
 * each kept once.
 */
#ifndef EVENTFLOW_ACTIONS_H
#define EVENTFLOW_ACTIONS_H

#include "common/array.h"
#include "trace/call/string_table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { ACTION_NUMBERS = 24, ACTION_BYTES = 1000 };

/* An action that is being made.  Zero bytes are an empty one. */
struct action {
	char text[ACTION_BYTES];
	size_t length;
	int32_t numbers[ACTION_NUMBERS];
	int count;
	bool too_large; /* a number was larger than an int, or there were too many */
};

/* All actions of a program.  Zero bytes are none. */
struct actions {
	struct string_table texts;   /* forms */
	struct string_table rows;    /* bytes: number of the form, numbers */
	ARRAY(uint32_t) row_numbers; /* how many numbers each row has */
	struct string_table lists;
	ARRAY(int32_t) listed; /* all lists, one after the other */
	ARRAY(uint32_t) list_starts;
};

/* Append to the text: %s takes a text, $ a number (int64_t) that is left open. */
void action_say(struct action *action, const char *format, ...);

/* Keep an action: *number is its row. */
int actions_add(struct actions *actions, const struct action *action, uint32_t *number,
		struct error *err);

/* Keep a list of numbers: *start is its place in all lists. */
int actions_list(struct actions *actions, const int32_t *numbers, size_t count, int64_t *start,
		 struct error *err);

/* The row of an action: numbers, the first of which is its form. */
const int32_t *actions_row(const struct actions *actions, uint32_t number, uint32_t *count);

/* Write the text of an action with its numbers or, if `row` is NULL, with a[1], a[2], ... */
void actions_write(const struct actions *actions, uint32_t form, const int32_t *row, FILE *stream);

void actions_release(struct actions *actions);

#endif
