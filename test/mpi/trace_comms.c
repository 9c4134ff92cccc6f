/* Communicators: made in many ways, named, freed, made again with the same handle. */
#include "trace_log.h"

/* Name a communicator, and send on it from its last rank to its first. */
static void use(MPI_Comm comm, const char *name)
{
	int mine, count, value = 0;

	MPI_Comm_set_name(comm, name);
	MPI_Comm_rank(comm, &mine);
	MPI_Comm_size(comm, &count);
	if (count == 1)
		return;
	if (mine == count - 1) {
		MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
		did("MPI_Send: send 0 1 4 %s", name);
	} else if (mine == 0) {
		MPI_Recv(&value, 1, MPI_INT, count - 1, 1, comm, no_status);
		did("MPI_Recv: recv %d 1 4 %s", count - 1, name);
	}
}

static void drop(MPI_Comm *comm, const char *name)
{
	MPI_Comm_free(comm);
	did("MPI_Comm_free: destroy %s | coll DESTROY_HANDLE none 0 0 %s", name, name);
}

static void made(const char *function, const char *name, const char *parent)
{
	did("MPI_%s: create %s | coll CREATE_HANDLE none 0 0 %s", function, name, parent);
}

static void splits(void)
{
	MPI_Comm half, some, node;
	const char *name = rank % 2 ? "odd" : "even";

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	made("Comm_split", name, "MPI_COMM_WORLD");
	use(half, name);
	/* Make a child of each half, at the same time. */
	MPI_Comm_dup(half, &some);
	made("Comm_dup", rank % 2 ? "odd child" : "even child", name);
	use(some, rank % 2 ? "odd child" : "even child");
	drop(&half, name);
	drop(&some, rank % 2 ? "odd child" : "even child");
	MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &some);
	if (rank == 0) {
		did("MPI_Comm_split: coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	} else {
		made("Comm_split", "rest", "MPI_COMM_WORLD");
		use(some, "rest");
		drop(&some, "rest");
	}
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	made("Comm_split_type", "node", "MPI_COMM_WORLD");
	use(node, "node");
	drop(&node, "node");
}

/* Make communicators with reused handles; some stay until the end. */
static void again(void)
{
	for (int i = 0; i < 20; i++) {
		MPI_Comm comm;
		char name[32];

		sprintf(name, "round %d", i);
		MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
		made("Comm_dup_with_info", name, "MPI_COMM_WORLD");
		use(comm, name);
		if (i % 5)
			drop(&comm, name);
	}
}

static void groups(void)
{
	MPI_Group world, group;
	MPI_Comm comm;
	int last[2] = {size - 1, 0};

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 2, last, &group);
	MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
	if (comm == MPI_COMM_NULL) {
		did("MPI_Comm_create: coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	} else {
		made("Comm_create", "ends", "MPI_COMM_WORLD");
		use(comm, "ends");
		drop(&comm, "ends");
		for (int i = 0; i < 2; i++) {
			MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
			made("Comm_create_group", i ? "ends 2" : "ends 1", i ? "ends 2" : "ends 1");
			use(comm, i ? "ends 2" : "ends 1");
			drop(&comm, i ? "ends 2" : "ends 1");
		}
	}
	MPI_Group_free(&group);
	MPI_Group_free(&world);
}

static void topologies(void)
{
	int dims[1] = {size}, periodic[1] = {1}, remain[1] = {1}, value = rank;
	MPI_Comm ring, row, self;

	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &ring);
	made("Cart_create", "ring", "MPI_COMM_WORLD");
	use(ring, "ring");
	MPI_Cart_sub(ring, remain, &row);
	made("Cart_sub", "row", "ring");
	use(row, "row");
	drop(&row, "row");
	drop(&ring, "ring");
	MPI_Comm_dup(MPI_COMM_SELF, &self);
	made("Comm_dup", "own", "MPI_COMM_SELF");
	MPI_Comm_set_name(self, "own");
	MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 3, 0, 3, self, no_status);
	did("MPI_Sendrecv_replace: send 0 3 4 own | recv 0 3 4 own");
	drop(&self, "own");
}

static void duplicate_later(void)
{
	MPI_Comm comm;
	MPI_Request request;

	MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
	did("MPI_Comm_idup: icoll #0");
	MPI_Wait(&request, no_status);
	did("MPI_Wait: create later | completed CREATE_HANDLE none 0 0 MPI_COMM_WORLD #0");
	use(comm, "later");
	drop(&comm, "later");
}

/* Make an inter-communicator between even and odd ranks. */
static void between(void)
{
	MPI_Comm half, inter, merged;
	const char *name = rank % 2 ? "odds" : "evens";
	int others = rank % 2 ? (size + 1) / 2 : size / 2, value = 0, mine;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	made("Comm_split", name, "MPI_COMM_WORLD");
	MPI_Comm_set_name(half, name);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
	made("Intercomm_create", "inter", name);
	MPI_Comm_set_name(inter, "inter");
	MPI_Comm_rank(half, &mine);
	if (mine == 0) {
		MPI_Sendrecv_replace(&value, 1, MPI_INT, others - 1, 2, MPI_ANY_SOURCE, 3, inter,
				     no_status);
		did("MPI_Sendrecv_replace: send %d 2 4 inter | recv %d 3 4 inter posted=1",
		    others - 1, others - 1);
	}
	if (mine == (rank % 2 ? size / 2 : (size + 1) / 2) - 1) {
		MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 3, 0, 2, inter, no_status);
		did("MPI_Sendrecv_replace: send 0 3 4 inter | recv 0 2 4 inter");
	}
	MPI_Bcast(&value, 1, MPI_INT, rank % 2 ? 0 : mine ? MPI_PROC_NULL : MPI_ROOT, inter);
	did("MPI_Bcast: coll BCAST %s %d %d inter", rank % 2 ? "0" : mine ? "group" : "self",
	    rank % 2 || mine ? 0 : 4 * others, rank % 2 ? 4 : 0);
	MPI_Allgather(&value, 1, MPI_INT, (int[16]){0}, 1, MPI_INT, inter);
	did("MPI_Allgather: coll ALLGATHER none %d %d inter", 4 * others, 4 * others);
	MPI_Intercomm_merge(inter, rank % 2, &merged);
	made("Intercomm_merge", "merged", "inter");
	use(merged, "merged");
	drop(&merged, "merged");
	drop(&inter, "inter");
	drop(&half, name);
}

int main(int argc, char **argv)
{
	begin(&argc, &argv);
	splits();
	again();
	groups();
	topologies();
	duplicate_later();
	if (size >= 4)
		between();
	return end();
}
