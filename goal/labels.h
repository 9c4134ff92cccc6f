/*
 * Labels of one rank of GOAL text, and their operations.
 *
 * Labels of the form l<number>, as generators write them, are looked up by their number, and all
 * others in a hash table.  A table refers to the text of its labels, which must outlive it.  Zero
 * bytes are an empty table.  Private to goal/.
 */
#ifndef GOAL_LABELS_H
#define GOAL_LABELS_H

#include "common/array.h"
#include "common/string_map.h"

#include <stdint.h>

#define GOAL_NO_LABEL STRING_MAP_EMPTY

struct goal_labels {
	ARRAY(uint32_t) numbered;	/* operation of l<index>, or GOAL_NO_LABEL */
	struct string_map others;
};

/* Remove all labels, in time proportional to their number. */
void goal_labels_clear(struct goal_labels *labels);
void goal_labels_release(struct goal_labels *labels);

/* Add a new label for the operation `op`.  Returns 0 or -1. */
int goal_labels_add(struct goal_labels *labels, const uint8_t *text, uint32_t length, uint32_t op,
		    struct error *err);

/* Find the operation of a label, or GOAL_NO_LABEL. */
uint32_t goal_labels_find(const struct goal_labels *labels, const uint8_t *text, uint32_t length);

#endif
