#include "common/machine/cpus.h"

#include "common/machine/control_groups.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- control groups */

/* Read the first `count` numbers of a file: 1 or 2.  False if it has fewer. */
static bool read_numbers(const char *folder, const char *name, int count, double *numbers)
{
	char path[4500], text[64] = "", *at = text, *end;
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof text, file))
		*text = 0;
	fclose(file);
	for (int i = 0; i < count; i++, at = end) {
		numbers[i] = strtod(at, &end);
		if (end == at)
			return false;
	}
	return true;
}

/* Limit of one group: its time in a period, 0 if it has none ("max", or -1). */
static double limit_of(const char *folder, bool version_2)
{
	double numbers[2];
	const bool found = version_2 ? read_numbers(folder, "cpu.max", 2, numbers)
				     : read_numbers(folder, "cpu.cfs_quota_us", 1, &numbers[0]) &&
				       read_numbers(folder, "cpu.cfs_period_us", 1, &numbers[1]);

	return found && numbers[0] > 0 && numbers[1] > 0 ? numbers[0] / numbers[1] : 0;
}

static void take_limit(void *data, const char *folder, bool version_2)
{
	const double limit = limit_of(folder, version_2);
	double *least = data;

	if (limit > 0 && (*least == 0 || limit < *least))
		*least = limit;
}

double cpus_limit(const char *groups, const char *root)
{
	double least = 0;

	control_groups_visit(groups, root, "cpu", take_limit, &least);
	return least;
}

/* ----------------------------------------------------------------------- text */

/* Append "first-last", or the limit; false if there is no room. */
static bool cpus_append(char text[static CPUS_TEXT_BYTES], const char *more)
{
	const size_t length = strlen(text);

	return snprintf(text + length, CPUS_TEXT_BYTES - length, "%s%s",
			length && *more != '/' ? "," : "", more) < (int)(CPUS_TEXT_BYTES - length);
}

static bool list_cpus(char text[static CPUS_TEXT_BYTES], const cpu_set_t *set, size_t bytes)
{
	char range[32];

	for (int first = 0, end; first < CPUS_MOST; first = end) {
		end = first + 1;
		if (!CPU_ISSET_S((size_t)first, bytes, set))
			continue;
		while (end < CPUS_MOST && CPU_ISSET_S((size_t)end, bytes, set))
			end++;
		snprintf(range, sizeof range, end > first + 1 ? "%d-%d" : "%d", first, end - 1);
		if (!cpus_append(text, range))
			return false;
	}
	return true;
}

void cpus_own(char text[static CPUS_TEXT_BYTES])
{
	const size_t bytes = CPU_ALLOC_SIZE(CPUS_MOST);
	const double limit = cpus_limit(OWN_CONTROL_GROUPS, CONTROL_GROUPS_ROOT);
	cpu_set_t *set = calloc(1, bytes);
	char share[32];
	bool listed;

	*text = 0;
	listed = set && sched_getaffinity(0, bytes, set) == 0 && list_cpus(text, set, bytes);
	free(set);
	snprintf(share, sizeof share, "/%.6g", limit);
	if (!listed || (limit > 0 && !cpus_append(text, share)))
		*text = 0;
}

/* ------------------------------------------------------------------------ set */

/* Parse "FIRST" or "FIRST-LAST" at *at, which moves on. */
static bool parse_range(const char **at, unsigned long *first, unsigned long *last)
{
	char *end;

	*first = *last = strtoul(*at, &end, 10);
	if (end == *at || **at == '-')
		return false;
	if (*end == '-') {
		*at = end + 1;
		*last = strtoul(*at, &end, 10);
		if (end == *at)
			return false;
	}
	*at = end;
	return *first <= *last && *last < CPUS_MOST;
}

static bool add_list(struct cpus *cpus, const char **at)
{
	unsigned long first, last;

	do {
		*at += **at == ',';
		if (!parse_range(at, &first, &last))
			return false;
		for (unsigned long i = first; i <= last; i++)
			cpus->bits[i / 64] |= UINT64_C(1) << i % 64;
	} while (**at == ',');
	return true;
}

bool cpus_add(struct cpus *cpus, const char *text)
{
	double limit = 0;
	char *end;

	if (!add_list(cpus, &text))
		return false;
	if (*text == '/') {
		limit = strtod(text + 1, &end);
		if (end == text + 1 || !(limit > 0))
			return false;
		text = end;
	}
	if (*text)
		return false;
	if (!cpus->any || limit == 0)
		cpus->limit = limit;
	else if (cpus->limit > 0 && limit > cpus->limit)
		cpus->limit = limit;
	cpus->any = true;
	return true;
}

double cpus_count(const struct cpus *cpus)
{
	unsigned count = 0;

	for (size_t i = 0; i < CPUS_MOST / 64; i++)
		count += (unsigned)__builtin_popcountll(cpus->bits[i]);
	return cpus->limit > 0 && cpus->limit < count ? cpus->limit : count;
}
