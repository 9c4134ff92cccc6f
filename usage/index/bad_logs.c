#include "usage/index/bad_logs.h"

#include <string.h>

int bad_logs_add(struct bad_logs *bad, const char *path, const char *reason, struct error *err)
{
	const size_t length = strlen(path);
	struct bad_log log;

	/* The errors of most functions begin with the path. */
	if (!strncmp(reason, path, length) && reason[length] == ':')
		reason += length + 1 + (reason[length + 1] == ' ');
	TRY(array_reserve(&bad->list, 1, err));
	log.path = strdup(path);
	log.reason = strdup(reason);
	bad->list.items[bad->list.count++] = log;
	return log.path && log.reason ? 0 : error_set_memory(err, strlen(path));
}

static int compare_bad(const void *a, const void *b)
{
	return strcmp(((const struct bad_log *)a)->path, ((const struct bad_log *)b)->path);
}

void bad_logs_sort(struct bad_logs *bad)
{
	if (bad->list.count)
		qsort(bad->list.items, bad->list.count, sizeof *bad->list.items, compare_bad);
}

void bad_logs_release(struct bad_logs *bad)
{
	for (size_t i = 0; i < bad->list.count; i++) {
		free(bad->list.items[i].path);
		free(bad->list.items[i].reason);
	}
	array_release(&bad->list);
}
