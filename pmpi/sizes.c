#include "pmpi/sizes.h"

_Static_assert(KEPT_SIZES == 8, "sizes_place takes 3 bits");
_Static_assert(sizeof(MPI_Status) % sizeof(int) == 0, "a status is words");

atomic_uint types_generation = 1, comms_generation = 1;

static void raise_generation(atomic_uint *generation)
{
	/* 0 means that nothing is kept. */
	if (atomic_fetch_add(generation, 1) + 1 == 0)
		atomic_fetch_add(generation, 1);
}

void sizes_forget_types(void)
{
	raise_generation(&types_generation);
}

void sizes_forget_comms(void)
{
	raise_generation(&comms_generation);
}

struct sizes *sizes_own(void)
{
	struct error err;

	if (!own_thread->sizes &&
	    allocate(&own_thread->sizes, 1, sizeof *own_thread->sizes, &err) < 0)
		process_fail(&err);
	return own_thread->sizes;
}

uint64_t sizes_of_kept_type(MPI_Datatype type)
{
	return sizes_of_type(type);
}

uint64_t received_bytes(const MPI_Status *status)
{
	return sizes_of_status(status);
}

uint64_t sizes_ask_type(struct type_size *kept, MPI_Datatype type)
{
	const unsigned generation = types_generation;
	MPI_Count bytes = 0;

	if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS || bytes < 0)
		return 0;
	*kept = (struct type_size){type, generation, (uint64_t)bytes};
	return kept->bytes;
}

uint64_t sizes_ask_status(struct status_size *kept, const MPI_Status *status)
{
	MPI_Count bytes;

	if (PMPI_Get_elements_x(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
		return 0;
	for (size_t i = 0; i < STATUS_WORDS; i++)
		kept->words[i] = sizes_status_word(status, i);
	kept->kept = true;
	kept->bytes = (uint64_t)bytes;
	return kept->bytes;
}

struct comm *sizes_ask_comm(struct comm_size *kept, MPI_Comm handle)
{
	const unsigned generation = comms_generation;
	struct comm comm = {.id = NO_COMM, .handle = handle};
	int inter = 0;

	if (handle == MPI_COMM_NULL || PMPI_Comm_size(handle, &comm.size) != MPI_SUCCESS ||
	    PMPI_Comm_rank(handle, &comm.rank) != MPI_SUCCESS ||
	    PMPI_Comm_test_inter(handle, &inter) != MPI_SUCCESS ||
	    (inter && PMPI_Comm_remote_size(handle, &comm.peers) != MPI_SUCCESS))
		return NULL;
	comm.inter = inter;
	if (!inter)
		comm.peers = comm.size;
	neighbours_free(kept->comm.neighbours);
	*kept = (struct comm_size){comm, generation};
	return &kept->comm;
}
