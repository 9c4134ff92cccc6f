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

/* Sort the hosts and count different ones. */
static void count_nodes(uint64_t *hosts)
{
	qsort(hosts, (size_t)process.size, sizeof *hosts, compare_hosts);
	for (int i = 0; i < process.size; i++)
		places.nodes += i == 0 || hosts[i] != hosts[i - 1];
}

static void mark_here(const uint64_t *hosts, uint64_t own)
{
	places.one_node = true;
	for (int i = 0; i < process.size; i++) {
		if (hosts[i] == own)
			places.here[i / 64] |= (uint64_t)1 << i % 64;
		else
			places.one_node = false;
	}
	places.known = true;
}

/* Hosts of all ranks, which MPI is gathering. */
static struct {
	uint64_t own, *hosts;
	MPI_Request request;
} gathering;

int places_ask(struct error *err)
{
	const size_t size = (size_t)process.size;

	gathering.own = own_host();
	TRY(allocate(&places.here, size / 64 + 1, sizeof *places.here, err));
	TRY(allocate(&gathering.hosts, size, sizeof *gathering.hosts, err));
	if (PMPI_Iallgather(&gathering.own, 1, MPI_UINT64_T, gathering.hosts, 1, MPI_UINT64_T,
			    process.comm, &gathering.request) != MPI_SUCCESS) {
		free(gathering.hosts);
		gathering.hosts = NULL;
	}
	return 0;
}

void places_find(void)
{
	/* Memory of an operation that is not over stays. */
	if (!gathering.hosts || !together_wait(&gathering.request))
		return;
	mark_here(gathering.hosts, gathering.own);
	count_nodes(gathering.hosts);
	if (process.rank == 0)
		places.hosts = gathering.hosts;
	else
		free(gathering.hosts);
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
