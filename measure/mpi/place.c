#include "measure/mpi/place.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void copy_line(char *to, size_t room, const char *from)
{
	size_t length = strcspn(from, "\n\r,");

	if (length >= room)
		length = room - 1;
	memcpy(to, from, length);
	to[length] = 0;
	for (; *to; to++)
		if (*to == '\t')
			*to = ' ';
}

static void place_find_mpi(struct place *place)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length;

	MPI_Get_library_version(version, &length);
	copy_line(place->mpi, sizeof place->mpi, version);
}

static void find_processor(struct place *place)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512], *colon;

	strcpy(place->processor, "unknown processor");
	while (file && fgets(line, sizeof line, file)) {
		colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) != 0 || !colon)
			continue;
		copy_line(place->processor, sizeof place->processor,
			  colon + 1 + strspn(colon + 1, " "));
		break;
	}
	if (file)
		fclose(file);
}

/* Exchange names, and find out whether ranks 0 and 1 share memory. */
static void find_hosts(MPI_Comm comm, struct place *place)
{
	char name[sizeof place->hosts[0]] = "";
	MPI_Group whole, shared;
	MPI_Comm node;
	const int other = 1;
	int rank, in_node;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Comm_group(comm, &whole);
	MPI_Comm_group(node, &shared);
	MPI_Group_translate_ranks(whole, 1, &other, shared, &in_node);
	place->one_host = in_node != MPI_UNDEFINED;
	MPI_Group_free(&whole);
	MPI_Group_free(&shared);
	MPI_Comm_free(&node);

	gethostname(name, sizeof name - 1);
	if (rank == 1)
		MPI_Send(name, sizeof name, MPI_BYTE, 0, 0, comm);
	if (rank != 0)
		return;
	strcpy(place->hosts[0], name);
	MPI_Recv(place->hosts[1], sizeof name, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE);
	/* A library may have been told not to use shared memory. */
	place->one_host |= strcmp(place->hosts[0], place->hosts[1]) == 0;
}

void place_find(MPI_Comm comm, struct place *place)
{
	const time_t now = time(NULL);
	struct tm date;

	memset(place, 0, sizeof *place);
	find_hosts(comm, place);
	place_find_mpi(place);
	find_processor(place);
	place->processors = sysconf(_SC_NPROCESSORS_ONLN);
	if (getloadavg(&place->load, 1) < 1)
		place->load = -1;
	strftime(place->date, sizeof place->date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &date));
}
