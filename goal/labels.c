#include "goal/labels.h"

#include <stdbool.h>
#include <string.h>

void goal_labels_clear(struct goal_labels *labels)
{
	labels->numbered.count = 0;
	string_map_clear(&labels->others);
}

void goal_labels_release(struct goal_labels *labels)
{
	array_release(&labels->numbered);
	string_map_release(&labels->others);
}

/* Whether a label is l<number>, without leading zeros and with at most nine digits. */
static bool is_numbered(const uint8_t *text, uint32_t length, uint32_t *number)
{
	if (text[0] != 'l' || length < 2 || length > 10 || (text[1] == '0' && length > 2))
		return false;
	*number = 0;
	for (uint32_t i = 1; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*number = *number * 10 + (uint32_t)(text[i] - '0');
	}
	return true;
}

int goal_labels_add(struct goal_labels *labels, const uint8_t *text, uint32_t length, uint32_t op,
		    struct error *err)
{
	uint32_t number;

	/* Put larger numbers into the hash table, as the array would be large. */
	if (is_numbered(text, length, &number) && number < 4 * (uint64_t)op + 64) {
		if (number >= labels->numbered.count) {
			size_t more = number + 1 - labels->numbered.count;

			TRY(array_reserve(&labels->numbered, more, err));
			memset(labels->numbered.items + labels->numbered.count, 0xff,
			       more * sizeof *labels->numbered.items);
			labels->numbered.count += more;
		}
		labels->numbered.items[number] = op;
		return 0;
	}
	return string_map_add(&labels->others, (const char *)text, length, op, err);
}

uint32_t goal_labels_find(const struct goal_labels *labels, const uint8_t *text, uint32_t length)
{
	uint32_t number;

	if (is_numbered(text, length, &number) && number < labels->numbered.count &&
	    labels->numbered.items[number] != GOAL_NO_LABEL)
		return labels->numbered.items[number];
	return string_map_get(&labels->others, (const char *)text, length);
}
