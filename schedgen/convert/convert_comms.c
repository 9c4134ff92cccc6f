/* The communicators of a rank, and its place in them. */
#include "schedgen/convert/convert_internal.h"

static bool find_rank(const uint32_t *ranks, uint32_t size, uint32_t wanted, uint32_t *found)
{
	for (uint32_t i = 0; i < size; i++) {
		if (ranks[i] == wanted) {
			*found = i;
			return true;
		}
	}
	return false;
}

int convert_own_place(struct convert *convert, uint32_t id, struct convert_comm **place,
		      struct error *err)
{
	const uint32_t stamp = convert->world_offset + convert->rank + 1;
	const struct trace_comm *comm = convert->world->comms + id;
	struct convert_comm *own = convert->comms + id;

	if (id >= convert->world->comm_count || !comm->defined)
		return error_set(err, STATUS_DATA, "communicator %u is not defined", id);
	*place = own;
	if (own->stamp == stamp)
		return 0;
	*own = (struct convert_comm){.stamp = stamp, .member = true};
	if (comm->identity)
		own->rank = convert->rank;
	else if (!comm->self && !find_rank(comm->ranks, comm->size, convert->rank, &own->rank))
		own->member = own->in_remote_group =
			comm->inter && find_rank(comm->remote_ranks, comm->remote_size,
						 convert->rank, &own->rank);
	return 0;
}
