#include "profiler/places.h"

#include "common/array.h"
#include "common/hash.h"
#include "pmpi/process.h"
#include "pmpi/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct places places;

/* Number of this host, by the boot id of its kernel and its name. */
static uint64_t own_host(void)
{
	char text[320] = "";
	uint64_t hash = 0;
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
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

/* What a rank tells. */
struct told {
	uint64_t host;
	struct run_name name;
};

/* What all ranks tell, which MPI is gathering. */
static struct {
	struct told own, *all;
	MPI_Request request;
} gathering;

static void mark_here(void)
{
	places.one_node = true;
	for (int i = 0; i < process.size; i++) {
		if (gathering.all[i].host == gathering.own.host)
			places.here[i / 64] |= (uint64_t)1 << i % 64;
		else
			places.one_node = false;
	}
	places.known = true;
}

/* Sort the hosts and count different ones. */
static void count_nodes(void)
{
	for (int i = 0; i < process.size; i++)
		places.hosts[i] = gathering.all[i].host;
	qsort(places.hosts, (size_t)process.size, sizeof *places.hosts, compare_hosts);
	for (int i = 0; i < process.size; i++)
		places.nodes += i == 0 || places.hosts[i] != places.hosts[i - 1];
}

int places_ask(const struct run_name *name, struct error *err)
{
	const size_t size = (size_t)process.size;

	gathering.own = (struct told){own_host(), *name};
	TRY(allocate(&places.here, size / 64 + 1, sizeof *places.here, err));
	TRY(allocate(&places.hosts, size, sizeof *places.hosts, err));
	TRY(allocate(&gathering.all, size, sizeof *gathering.all, err));
	if (PMPI_Iallgather(&gathering.own, sizeof gathering.own, MPI_BYTE, gathering.all,
			    sizeof gathering.own, MPI_BYTE, process.comm,
			    &gathering.request) != MPI_SUCCESS) {
		free(gathering.all);
		gathering.all = NULL;
	}
	return 0;
}

void places_find(struct run_name *name)
{
	/* Memory of an operation that is not over stays. */
	if (!gathering.all || !together_wait(&gathering.request))
		return;
	*name = gathering.all[0].name;
	mark_here();
	count_nodes();
	free(gathering.all);
	if (process.rank != 0) {
		free(places.hosts);
		places.hosts = NULL;
	}
}

bool places_first(void)
{
	if (!places.known)
		return process.size == 1;
	for (int i = 0; i < process.rank; i++)
		if (places.here[i / 64] >> i % 64 & 1)
			return false;
	return true;
}
