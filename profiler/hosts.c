#include "profiler/hosts.h"

#include "common/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uint64_t hosts_own(void)
{
	char text[320] = "";
	uint64_t hash = 0;
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t length = file ? fread(text, 1, 64, file) : 0;

	if (file)
		fclose(file);
	gethostname(text + length, sizeof text - length - 1);
	for (const char *at = text; *at; at++)
		hash = mix64_add(hash, (unsigned char)*at);
	return hash;
}

static int compare_hosts(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int hosts_set_nodes(struct job_log *log, uint64_t *hosts, size_t count, struct error *err)
{
	log->nodes = 0;
	qsort(hosts, count, sizeof *hosts, compare_hosts);
	for (size_t i = 0, end; i < count; i = end, log->nodes++) {
		for (end = i + 1; end < count && hosts[end] == hosts[i]; end++)
			;
		TRY(job_log_count_node(log, (uint32_t)(end - i), err));
	}
	return 0;
}
