#include "trace/assemble/ids_words.h"

#include <string.h>

int ids_put(struct rank_message *message, uint64_t value, struct error *err)
{
	return array_push(&message->words, value, err);
}

int ids_put_all(struct rank_message *message, const uint64_t *values, size_t count,
		struct error *err)
{
	if (!count)
		return 0;
	TRY(array_reserve(&message->words, count, err));
	memcpy(message->words.items + message->words.count, values, count * sizeof *values);
	message->words.count += count;
	return 0;
}

/* Append a text, padded with at least one zero. */
int ids_put_text(struct rank_message *message, const char *text, struct error *err)
{
	size_t count = strlen(text) / 8 + 1;

	TRY(ids_put(message, count, err));
	TRY(array_reserve(&message->words, count, err));
	message->words.items[message->words.count + count - 1] = 0;
	memcpy(message->words.items + message->words.count, text, strlen(text));
	message->words.count += count;
	return 0;
}

const uint64_t *ids_get(const uint64_t **at, size_t count)
{
	const uint64_t *words = *at;

	*at += count;
	return words;
}

uint64_t ids_get_word(const uint64_t **at)
{
	return *ids_get(at, 1);
}

const char *ids_get_text(const uint64_t **at)
{
	return (const char *)ids_get(at, ids_get_word(at));
}
