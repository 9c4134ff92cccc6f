#include "goal/change/call_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In key_of: the key was not looked for yet. */
#define NOT_FOUND (GOAL_NO_KEY - 1)

int goal_call_key_order(const struct goal_call_key *one, const struct goal_call_key *other)
{
	const int order = strcmp(one->function, other->function);

	return order ? order : strcmp(one->site ? one->site : "", other->site ? other->site : "");
}

int goal_call_keys_only(struct goal_call_keys *keys, const struct goal_call_key *given,
			size_t count, struct source_lines *lines, struct error *err)
{
	keys->are_given = true;
	keys->lines = lines;
	for (size_t i = 0; i < count; i++)
		TRY(array_push(&keys->list, given[i], err));
	return 0;
}

void goal_call_keys_release(struct goal_call_keys *keys)
{
	for (size_t i = 0; i < keys->texts.count; i++)
		free(keys->texts.items[i]);
	array_release(&keys->list);
	array_release(&keys->texts);
	array_release(&keys->key_of);
	string_map_release(&keys->numbers);
}

void goal_call_keys_start(struct goal_call_keys *keys)
{
	keys->key_of.count = 0;
}

/* Find the first given key that a call fits. */
static int first_fit(const struct goal_call_keys *keys, const struct goal_call *call,
		     uint32_t *found, struct error *err)
{
	const char *name = call->site;

	if (name && keys->lines)
		TRY(source_lines_name(keys->lines, call->site, &name, err));
	for (size_t i = 0; i < keys->list.count; i++) {
		const struct goal_call_key *key = &keys->list.items[i];

		if (strcmp(key->function, call->function) != 0)
			continue;
		if (!key->site || (name && call_site_is(key->site, call->site, name))) {
			*found = (uint32_t)i;
			return 0;
		}
	}
	*found = GOAL_NO_KEY;
	return 0;
}

/* Find or add the key of a call. */
static int key_number(struct goal_call_keys *keys, const struct goal_call *call, uint32_t *number,
		      struct error *err)
{
	const struct goal_call_key added = {call->function, call->site};
	const size_t bytes = strlen(call->function) + (call->site ? strlen(call->site) : 0) + 2;
	char *text = malloc(bytes);

	if (!text)
		return error_set_memory(err, bytes);
	snprintf(text, bytes, "%s@%s", call->function, call->site ? call->site : "");
	*number = string_map_get(&keys->numbers, text, (uint32_t)bytes - 1);
	if (*number != STRING_MAP_EMPTY) {
		free(text);
		return 0;
	}
	if (array_push(&keys->texts, text, err) < 0) {
		free(text);
		return -1;
	}
	*number = (uint32_t)keys->list.count;
	TRY(string_map_add(&keys->numbers, text, (uint32_t)bytes - 1, *number, err));
	return array_push(&keys->list, added, err);
}

int goal_call_keys_find(struct goal_call_keys *keys, const struct goal_calls_cursor *cursor,
			const struct goal_call *call, uint32_t *key, struct error *err)
{
	while (keys->key_of.count <= cursor->function)
		TRY(array_push(&keys->key_of, NOT_FOUND, err));
	*key = keys->key_of.items[cursor->function];
	if (*key != NOT_FOUND)
		return 0;
	if (keys->are_given)
		TRY(first_fit(keys, call, key, err));
	else
		TRY(key_number(keys, call, key, err));
	keys->key_of.items[cursor->function] = *key;
	return 0;
}

bool goal_call_receives(const struct goal_call *call)
{
	/* MPI_Recv, MPI_Irecv, MPI_Sendrecv, MPI_Mrecv ... */
	return strstr(call->function, "ecv") != NULL;
}

int goal_call_key_parse(char *text, struct goal_call_key *key, struct error *err)
{
	char *at = strchr(text, '@');

	if (!*text || at == text || (at && !at[1]))
		return error_set(err, STATUS_USAGE, "'%s' is not FUNCTION or FUNCTION@SITE", text);
	if (at)
		*at = '\0';
	*key = (struct goal_call_key){text, at ? at + 1 : NULL};
	return 0;
}
