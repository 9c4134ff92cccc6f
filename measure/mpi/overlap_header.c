#include "measure/mpi/overlap_header.h"

#include "common/array.h"
#include "common/machine/cpus.h"
#include "measure/mpi/place.h"

#include <string.h>

extern char **environ;

/* Beginnings of names of variables that change what MPI libraries do. */
static const char *const setting_prefixes[] = {"MPIR_CVAR_", "MPICH_", "UCX_", "OMPI_MCA_",
					       "FI_",	     "I_MPI_", "MV2_", "PSM2_"};

/* Those of launchers, which differ from run to run, and tell nothing. */
static const char *const launcher_prefixes[] = {
	"OMPI_MCA_orte_",
	"OMPI_MCA_ess",
	"OMPI_MCA_initial_wdir",
	"OMPI_MCA_pmix",
	"OMPI_MCA_shmem_RUNTIME_QUERY_hint",
	"MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
	"OMPI_MCA_plm",
};

static bool begins_with_one_of(const char *text, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static bool is_setting(const char *variable)
{
	return begins_with_one_of(variable, setting_prefixes,
				  sizeof setting_prefixes / sizeof *setting_prefixes) &&
	       !begins_with_one_of(variable, launcher_prefixes,
				   sizeof launcher_prefixes / sizeof *launcher_prefixes);
}

static int copy_text(char **to, const char *from, size_t length, struct error *err)
{
	TRY(allocate(to, length + 1, 1, err));
	memcpy(*to, from, length);
	return 0;
}

static int copy_whole(char **to, const char *from, struct error *err)
{
	return copy_text(to, from, strlen(from), err);
}

static int compare_settings(const void *a, const void *b)
{
	return strcmp(((const struct cells_setting *)a)->name,
		      ((const struct cells_setting *)b)->name);
}

static int find_settings(struct cells_header *header, struct error *err)
{
	for (char **variable = environ; *variable; variable++) {
		const size_t length = strcspn(*variable, "=");
		struct cells_setting setting = {0};

		if (!is_setting(*variable) || !(*variable)[length])
			continue;
		TRY(array_push(&header->settings, setting, err));
		TRY(copy_text(&header->settings.items[header->settings.count - 1].name, *variable,
			      length, err));
		TRY(copy_whole(&header->settings.items[header->settings.count - 1].value,
			       *variable + length + 1, err));
	}
	if (header->settings.count)
		qsort(header->settings.items, header->settings.count,
		      sizeof *header->settings.items, compare_settings);
	return 0;
}

/* What carries messages, as far as the environment tells. */
static int find_transport(struct cells_header *header, struct error *err)
{
	static const struct {
		const char *variable, *title;
	} rows[] = {{"OMPI_MCA_btl", "Open MPI"}, {"UCX_TLS", "UCX"}, {"FI_PROVIDER", "libfabric"}};
	char text[256];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (getenv(rows[i].variable)) {
			snprintf(text, sizeof text, "%s %s", rows[i].title,
				 getenv(rows[i].variable));
			return copy_whole(&header->transport, text, err);
		}
	if (header->one_host && !getenv("MPIR_CVAR_NOLOCAL") && !getenv("MPIR_CVAR_CH4_NOLOCAL"))
		return copy_whole(&header->transport, "shared memory", err);
	return copy_whole(&header->transport, "", err);
}

static int copy_place(struct cells_header *header, const struct place *place, struct error *err)
{
	TRY(copy_whole(&header->hosts[0], place->hosts[0], err));
	TRY(copy_whole(&header->hosts[1], place->hosts[1], err));
	TRY(copy_whole(&header->mpi, place->mpi, err));
	TRY(copy_whole(&header->processor, place->processor, err));
	TRY(copy_whole(&header->start, place->date, err));
	header->one_host = place->one_host;
	header->processors = (unsigned)place->processors;
	header->load = place->load;
	return 0;
}

static const char *level_name(int level)
{
	return level == MPI_THREAD_SINGLE     ? "MPI_THREAD_SINGLE"
	       : level == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED"
	       : level == MPI_THREAD_MULTIPLE ? "MPI_THREAD_MULTIPLE"
					      : "MPI_THREAD_SERIALIZED";
}

int overlap_header_find(const struct overlap_port *port, int thread_level,
			struct cells_header *header, struct error *err)
{
	char cores[2][CPUS_TEXT_BYTES] = {""};
	struct place place;

	memset(header, 0, sizeof *header);
	place_find(port->all, &place);
	cpus_own(cores[0]);
	if (port->rank == 1)
		MPI_Send(cores[0], sizeof cores[0], MPI_BYTE, 0, 0, port->all);
	if (port->rank != 0)
		return 0;
	MPI_Recv(cores[1], sizeof cores[1], MPI_BYTE, 1, 0, port->all, MPI_STATUS_IGNORE);
	TRY(copy_place(header, &place, err));
	TRY(copy_whole(&header->cores[0], cores[0], err));
	TRY(copy_whole(&header->cores[1], cores[1], err));
	TRY(copy_whole(&header->thread_level, level_name(thread_level), err));
	header->ranks = (unsigned)port->ranks;
	header->pairs = (unsigned)port->ranks / 2;
	header->pinned = port->pin;
	header->work_ns = port->kernels.operation_ns[KERNEL_WORK];
	TRY(find_settings(header, err));
	return find_transport(header, err);
}
