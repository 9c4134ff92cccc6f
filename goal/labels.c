#include "goal/labels.h"

#include <stdbool.h>
#include <string.h>

void goal_labels_clear(struct goal_labels *labels)
{
	labels->numbered.count = 0;
	/* Clearing a table that is mostly empty would cost more than it ever held. */
	if (labels->used < labels->slot_count / 8) {
		free(labels->slots);
		labels->slots = NULL;
		labels->slot_count = 0;
	} else if (labels->slots) {
		memset(labels->slots, 0, labels->slot_count * sizeof *labels->slots);
	}
	labels->used = 0;
}

void goal_labels_release(struct goal_labels *labels)
{
	array_release(&labels->numbered);
	free(labels->slots);
	memset(labels, 0, sizeof *labels);
}

/* Whether a label is l<number> as one would print it, of at most nine digits. */
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

static uint64_t hash(const uint8_t *text, uint32_t length)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (uint32_t i = 0; i < length; i++)
		value = (value ^ text[i]) * UINT64_C(0x100000001b3);
	return value ^ value >> 29;
}

/* The slot that holds the label, or the free one where it belongs. */
static struct goal_label_slot *find_slot(const struct goal_labels *labels, const uint8_t *text,
					 uint32_t length)
{
	size_t mask = labels->slot_count - 1;
	size_t i = hash(text, length) & mask;

	while (labels->slots[i].text && (labels->slots[i].length != length ||
					 memcmp(labels->slots[i].text, text, length) != 0))
		i = (i + 1) & mask;
	return &labels->slots[i];
}

static int grow(struct goal_labels *labels, struct error *err)
{
	struct goal_labels old = *labels;

	labels->slot_count = old.slot_count ? old.slot_count * 2 : 16;
	if (allocate(&labels->slots, labels->slot_count, sizeof *labels->slots, err) < 0) {
		*labels = old;
		return -1;
	}
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].text)
			*find_slot(labels, old.slots[i].text, old.slots[i].length) = old.slots[i];
	free(old.slots);
	return 0;
}

int goal_labels_add(struct goal_labels *labels, const uint8_t *text, uint32_t length, uint32_t op,
		    struct error *err)
{
	uint32_t number;

	/* Numbers far beyond the number of operations would make the array large. */
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
	if (labels->used >= labels->slot_count / 2)
		TRY(grow(labels, err));
	*find_slot(labels, text, length) = (struct goal_label_slot){text, length, op};
	labels->used++;
	return 0;
}

uint32_t goal_labels_find(const struct goal_labels *labels, const uint8_t *text, uint32_t length)
{
	uint32_t number;

	if (is_numbered(text, length, &number) && number < labels->numbered.count &&
	    labels->numbered.items[number] != GOAL_NO_LABEL)
		return labels->numbered.items[number];
	if (labels->used == 0)
		return GOAL_NO_LABEL;
	const struct goal_label_slot *slot = find_slot(labels, text, length);

	return slot->text ? slot->op : GOAL_NO_LABEL;
}
