#include "llamp/advise/change.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const change_kind_names[CHANGE_KINDS + 1] = {
	[CHANGE_ALGORITHM] = "algorithm", [CHANGE_EAGER] = "eager",
	[CHANGE_BALANCE] = "balance",	  [CHANGE_TOTALS] = "totals",
	[CHANGE_MESSAGES] = "messages",	  [CHANGE_WAITS] = "waits",
	[CHANGE_BARRIERS] = "barriers",	  [CHANGE_PROGRESS] = "progress",
	[CHANGE_PLACEMENT] = "placement", [CHANGE_NETWORK] = "network",
};

const char *const change_class_names[] = {
	[CHANGE_EXACT] = "exact",
	[CHANGE_BOUND] = "bound",
	[CHANGE_UNSAFE] = "unsafe",
	NULL,
};

const char *const graph_command_names[GRAPH_COMMANDS] = {
	[GRAPH_MERGE] = "merge", [GRAPH_BALANCE] = "balance", [GRAPH_MOVE] = "move"};

const char threshold_word[] = "--rendezvous-threshold=";

/* Threshold that a change gives to schedgen, in bytes; 0: none. */
static uint64_t threshold_of(const struct change *change)
{
	const size_t length = strlen(threshold_word);

	if (!change->word || strncmp(change->word, threshold_word, length) != 0)
		return 0;
	return strtoull(change->word + length, NULL, 10);
}

/* The calls that an option of a command of goal is for: of "50%:MPI_Recv@a.c:5" those of MPI_Recv at a.c:5. */
static const char *calls_of(const struct change *change)
{
	const char *share = change->value_of_option ? strstr(change->value_of_option, "%:") : NULL;

	return share ? share + 2 : change->value_of_option;
}

/* Whether a change is for all calls of a function, and the other one for those at a site. */
static bool is_for_sites_of(const struct change *one, const struct change *other)
{
	const char *all = calls_of(one), *site = calls_of(other);
	const size_t length = all ? strlen(all) : 0;

	return all && site && !strncmp(all, site, length) && site[length] == '@';
}

bool change_excludes(const struct change *one, const struct change *other)
{
	if (one->kind == other->kind)
		return one->group == other->group || is_for_sites_of(one, other) ||
		       is_for_sites_of(other, one);
	return (one->kind == CHANGE_TOTALS && other->kind == CHANGE_BALANCE) ||
	       (one->kind == CHANGE_BALANCE && other->kind == CHANGE_TOTALS);
}

bool change_has_word(const struct change *const *set, size_t count, size_t number)
{
	const uint64_t threshold = threshold_of(set[number]);

	for (size_t i = 0; threshold && i < count; i++) {
		const uint64_t other = threshold_of(set[i]);

		if (other > threshold || (other == threshold && i < number))
			return false;
	}
	return set[number]->word != NULL;
}

enum change_class change_class(enum change_kind kind)
{
	switch (kind) {
	case CHANGE_BALANCE:
	case CHANGE_TOTALS:
	case CHANGE_MESSAGES:
	case CHANGE_WAITS:
	case CHANGE_PROGRESS:
		return CHANGE_BOUND;
	case CHANGE_BARRIERS:
		return CHANGE_UNSAFE;
	default:
		return CHANGE_EXACT;
	}
}

bool is_form_of(const char *function, const char *collective)
{
	const size_t length = strlen(collective);

	if (strncmp(function, "MPI_", 4) != 0)
		return false;
	function += 4;
	function += *function == 'I' && tolower(function[1]) == *collective &&
		    !strncasecmp(function + 1, collective, length);
	return !strncasecmp(function, collective, length) &&
	       (!function[length] || !strcmp(function + length, "_init") ||
		!strcmp(function + length, "_c"));
}

void change_release(const struct change *change)
{
	free(change->name);
	free(change->word);
	free(change->value_of_option);
	free(change->parameter);
	free(change->value);
	if (change->placed)
		free(change->placed->hosts);
	free(change->placed);
	free(change->refusal);
}

int change_add(change_list *changes, const struct change *change, struct error *err)
{
	if (array_push(changes, *change, err) == 0)
		return 0;
	change_release(change);
	return -1;
}

void change_list_release(change_list *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		change_release(&changes->items[i]);
	array_release(changes);
}

int change_text(char **text, struct error *err, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		return 0;
	*text = NULL;
	return error_set_memory(err, 1);
}
