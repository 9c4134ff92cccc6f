#include "common/memory.h"

#include "common/machine/control_groups.h"
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
	const char *limit, *usage, *reclaimable;
};

static const struct group_files version_1 = {
	"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file ",
};
static const struct group_files version_2 = {
	"memory.max", "memory.current", "inactive_file ",
};

static uint64_t left_of_group(const struct group_files *files, const char *folder)
{
	char limit[4500], usage[4500], stat[4500];
	uint64_t most;

	snprintf(limit, sizeof limit, "%s/%s", folder, files->limit);
	snprintf(usage, sizeof usage, "%s/%s", folder, files->usage);
	snprintf(stat, sizeof stat, "%s/memory.stat", folder);
	most = read_system_number(limit, "", 1, UINT64_MAX);
	if (most == UINT64_MAX)
		return UINT64_MAX;
	/* Pages of files that have not been used lately can be reclaimed. */
	return less(most, less(read_system_number(usage, "", 1, 0),
			       read_system_number(stat, files->reclaimable, 1, 0)));
}

/* Find the least rest of the limits of all groups. */
static void take_group(void *data, const char *folder, bool is_version_2)
{
	uint64_t *left = data;

	*left = memory_least(*left, left_of_group(is_version_2 ? &version_2 : &version_1, folder));
}

static uint64_t left_of_own_groups(void)
{
	uint64_t left = UINT64_MAX;

	control_groups_visit(OWN_CONTROL_GROUPS, CONTROL_GROUPS_ROOT, "memory", take_group, &left);
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
