#include "llamp/simulate/lookahead.h"

static uint64_t least_window(const struct window_list *list)
{
	uint64_t least = list->items[0].window;

	for (size_t i = 1; i < list->count; i++)
		least = list->items[i].window < least ? list->items[i].window : least;
	return least;
}

/* Take the first list of the lowest level that has one; return NULL if no level has. */
static struct window_list *first_list(struct lookahead *windows, int *level)
{
	for (*level = 0; *level < WINDOW_LEVELS; ++*level)
		if (windows->filled[*level]) {
			const int digit = __builtin_ctz(windows->filled[*level]);

			windows->filled[*level] &= windows->filled[*level] - 1;
			return &windows->lists[*level][digit];
		}
	return NULL;
}

int lookahead_open(struct lookahead *windows, struct error *err)
{
	struct window_list *list;
	int level;

	if (windows->open)
		windows->open->count = 0;
	windows->open = NULL;
	while ((list = first_list(windows, &level))) {
		const size_t count = list->count;

		windows->base = least_window(list);
		if (level == 0) {
			windows->open = list;
			return 1;
		}
		/* Spread the list over lower levels. */
		list->count = 0;
		for (size_t i = 0; i < count; i++)
			TRY(lookahead_add(windows, list->items[i].window, list->items[i].group,
					  err));
	}
	return 0;
}

void lookahead_release(struct lookahead *windows)
{
	for (int level = 0; level < WINDOW_LEVELS; level++)
		for (int digit = 0; digit < WINDOW_DIGITS; digit++)
			array_release(&windows->lists[level][digit]);
}
