#include "common/memory.h"

#include "common/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static uint64_t memory_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t less(uint64_t whole, uint64_t part)
{
	return part < whole ? whole - part : 0;
}

/*
 * Read the number after `key` at the beginning of a line ("MemAvailable:", or "" for a file that
 * is a number), times `unit`.  Returns `otherwise` if the file has no such number.
 */
static uint64_t read_system_number(const char *path, const char *key, uint64_t unit,
				   uint64_t otherwise)
{
	FILE *file = fopen(path, "re");
	const size_t length = strlen(key);
	uint64_t value = otherwise;
	char line[256];

	if (!file)
		return otherwise;
	while (fgets(line, sizeof line, file)) {
		char *end;
		unsigned long long number;

		if (strncmp(line, key, length) != 0)
			continue;
		number = strtoull(line + length, &end, 10);
		/* "max" is not a number */
		if (end != line + length)
			value = number > UINT64_MAX / unit ? UINT64_MAX : number * unit;
		break;
	}
	fclose(file);
	return value;
}

/* Rest of a limit: less the amount in use, which /proc/self/status states under `key`. */
static uint64_t left_of_limit(int resource, const char *key)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return less(limit.rlim_cur, read_system_number("/proc/self/status", key, 1024, 0));
}

/* Names of the files of a memory control group. */
struct group_files {
	const char *root, *limit, *usage, *reclaimable;
};

static const struct group_files version_1 = {
	"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
	"total_inactive_file ",
};
static const struct group_files version_2 = {
	"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file ",
};

static uint64_t left_of_group(const struct group_files *files, const char *group)
{
	char limit[4400], usage[4400], stat[4400];
	uint64_t most;

	snprintf(limit, sizeof limit, "%s%s/%s", files->root, group, files->limit);
	snprintf(usage, sizeof usage, "%s%s/%s", files->root, group, files->usage);
	snprintf(stat, sizeof stat, "%s%s/memory.stat", files->root, group);
	most = read_system_number(limit, "", 1, UINT64_MAX);
	if (most == UINT64_MAX)
		return UINT64_MAX;
	/* Pages of files that have not been used lately can be reclaimed. */
	return less(most, less(read_system_number(usage, "", 1, 0),
			       read_system_number(stat, files->reclaimable, 1, 0)));
}

/* Find the least rest of the limits of a group and of all groups around it.  Cuts `group`. */
static uint64_t left_of_groups(const struct group_files *files, char *group)
{
	uint64_t left = UINT64_MAX;

	for (;;) {
		char *slash;

		left = memory_least(left, left_of_group(files, group));
		slash = strrchr(group, '/');
		if (!slash)
			return left;
		*slash = '\0';
	}
}

/* Lines "0::GROUP" (version 2) and "N:memory:GROUP" (version 1). */
static uint64_t left_of_own_groups(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	uint64_t left = UINT64_MAX;
	char line[4096 + 64];

	if (!file)
		return left;
	while (fgets(line, sizeof line, file)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (!strcmp(line, "0:"))
			left = memory_least(left, left_of_groups(&version_2, group));
		else if (strstr(controllers, "memory"))
			left = memory_least(left, left_of_groups(&version_1, group));
	}
	fclose(file);
	return left;
}

uint64_t memory_available(void)
{
	uint64_t left = read_system_number("/proc/meminfo", "MemAvailable:", 1024, UINT64_MAX);

	left = memory_least(left, left_of_limit(RLIMIT_AS, "VmSize:"));
	left = memory_least(left, left_of_limit(RLIMIT_DATA, "VmData:"));
	return memory_least(left, left_of_own_groups());
}

int memory_require(uint64_t bytes, const char *what, struct error *err)
{
	char needed[UNIT_TEXT_BYTES], available[UNIT_TEXT_BYTES];
	const uint64_t left = memory_available();

	if (bytes <= left)
		return 0;
	return error_set(err, STATUS_LIMIT, "%s takes about %s of memory; %s are available", what,
			 format_bytes((double)bytes, needed),
			 format_bytes((double)left, available));
}
