#include "measure/mpi/cores.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

/* Whether a processor is the first one of its core, where threads of a core share it. */
static int is_first_of_core(int processor)
{
	char path[96];
	int first = processor;
	FILE *file;

	snprintf(path, sizeof path,
		 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor);
	file = fopen(path, "re");
	if (!file)
		return 1;
	if (fscanf(file, "%d", &first) != 1)
		first = processor;
	fclose(file);
	return first == processor;
}

static void list_cores(const cpu_set_t *set, struct cores *cores)
{
	cores->count = 0;
	for (int i = 0; i < CPU_SETSIZE && cores->count < MOST_CORES; i++)
		if (CPU_ISSET(i, set) && is_first_of_core(i))
			cores->processors[cores->count++] = (short)i;
}

/* Whether two ranks on these sets never meet on one core, wherever they are placed. */
static int fit(const cpu_set_t *own, const cpu_set_t *other)
{
	cpu_set_t both;

	CPU_AND(&both, own, other);
	return CPU_COUNT(&both) == 0 || CPU_EQUAL(own, other);
}

void cores_find(MPI_Comm comm, struct cores *cores)
{
	cpu_set_t own, other;

	cores->count = 0;
	MPI_Comm_rank(comm, &cores->rank);
	if (cores->rank > 1)
		return;
	CPU_ZERO(&own);
	sched_getaffinity(0, sizeof own, &own);
	MPI_Sendrecv(&own, sizeof own, MPI_BYTE, !cores->rank, 0, &other, sizeof other, MPI_BYTE,
		     !cores->rank, 0, comm, MPI_STATUS_IGNORE);
	if (CPU_COUNT(&own) > 1 && CPU_COUNT(&other) > 1 && fit(&own, &other))
		list_cores(&own, cores);
	if (cores->count < 2)
		cores->count = 0;
}

void cores_place(const struct cores *cores, unsigned placement)
{
	const int even = cores->rank, odd = cores->rank ? 0 : cores->count - 1;
	cpu_set_t set;

	if (!cores->count)
		return;
	CPU_ZERO(&set);
	CPU_SET(cores->processors[placement % 2 ? odd : even], &set);
	/* A rank that must not be moved stays where it is. */
	sched_setaffinity(0, sizeof set, &set);
}
