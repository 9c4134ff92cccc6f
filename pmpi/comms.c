#include "pmpi/comms.h"

#include "common/hash.h"
#include "common/number_map.h"
#include "pmpi/sink.h"

#include <stdlib.h>

struct comms comms;

static int keyval = MPI_KEYVAL_INVALID;
static struct number_map count_by_members;	/* hash of them (parent, tag) */
static struct comm *last_found;		/* by comm_find: most calls are on the same one */

/* Name of a communicator, or "". */
static const char *comm_name(const struct comm *comm, char text[static MPI_MAX_OBJECT_NAME])
{
	int length;

	if (PMPI_Comm_get_name(comm->handle, text, &length) != MPI_SUCCESS)
		return "";
	return text;
}

int comm_hand_over_name(const struct comm *comm, struct error *err)
{
	char name[MPI_MAX_OBJECT_NAME];
	void *recorder;

	if (!sink.comm_name || !comm->members || comm->handle == MPI_COMM_NULL ||
	    !*comm_name(comm, name))
		return 0;
	recorder = thread_recorder(err);
	return recorder ? sink.comm_name(recorder, comm->id, name, err) : -1;
}

int comms_hand_over_names(struct error *err)
{
	for (size_t i = 0; i < comms.list.count; i++)
		if (comms.list.items[i]->alive)
			TRY(comm_hand_over_name(comms.list.items[i], err));
	return 0;
}

/* Called by MPI when the communicator is freed, in any language. */
static int comm_forget(MPI_Comm handle, int key, void *value, void *state)
{
	struct comm *comm = value;
	struct error err;

	(void)handle;
	(void)key;
	(void)state;
	/* In MPI_Finalize, after comms_release. */
	if (process.state == PROCESS_DONE)
		return MPI_SUCCESS;
	process_lock();
	if (process.state == PROCESS_ACTIVE && comm_hand_over_name(comm, &err) < 0)
		process_fail(&err);
	comm->alive = false;
	if (last_found == comm)
		last_found = NULL;
	process_unlock();
	return MPI_SUCCESS;
}

uint64_t comm_window_key(struct comm *comm)
{
	return mix64_add(mix64_add(comm->key, UINT64_MAX), comm->windows++);
}

/* ----------------------------------------------------------------- members */

/* Find the world ranks of the first `count` members.  False if one is not in MPI_COMM_WORLD. */
static bool world_ranks(MPI_Group group, int count, uint64_t *members)
{
	for (int i = 0; i < count; i++) {
		int world;

		if (PMPI_Group_translate_ranks(group, 1, &i, process.world_group, &world) !=
			    MPI_SUCCESS || world == MPI_UNDEFINED)
			return false;
		members[i] = (uint64_t)world;
	}
	return true;
}

/* Get the groups of a communicator.  *remote is MPI_GROUP_NULL for an intra-communicator. */
struct groups {
	MPI_Group local, remote;
};

static void free_groups(struct groups *groups)
{
	PMPI_Group_free(&groups->local);
	if (groups->remote != MPI_GROUP_NULL)
		PMPI_Group_free(&groups->remote);
}

static bool get_groups(const struct comm *comm, struct groups *groups)
{
	groups->remote = MPI_GROUP_NULL;
	if (PMPI_Comm_group(comm->handle, &groups->local) != MPI_SUCCESS)
		return false;
	if (comm->inter &&
	    PMPI_Comm_remote_group(comm->handle, &groups->remote) != MPI_SUCCESS) {
		PMPI_Group_free(&groups->local);
		return false;
	}
	return true;
}

/* Find the lowest world rank of the first members of both groups, the same on both sides. */
static bool first_member(const struct groups *groups, uint64_t *first)
{
	uint64_t remote;

	if (!world_ranks(groups->local, 1, first))
		return false;
	if (groups->remote == MPI_GROUP_NULL)
		return true;
	if (!world_ranks(groups->remote, 1, &remote))
		return false;
	if (remote < *first)
		*first = remote;
	return true;
}

/* Find all members.  False if one is outside MPI_COMM_WORLD, or without memory (*err is set). */
static bool all_members(struct comm *comm, const struct groups *groups, struct error *err)
{
	if (allocate(&comm->members, (size_t)comm->size, sizeof *comm->members, err) < 0 ||
	    (comm->inter &&
	     allocate(&comm->remote, (size_t)comm->peers, sizeof *comm->remote, err) < 0))
		return false;
	return world_ranks(groups->local, comm->size, comm->members) &&
	       (!comm->inter || world_ranks(groups->remote, comm->peers, comm->remote));
}

/* ---------------------------------------------------------------- creation */

static struct comm *comm_describe(MPI_Comm handle, struct error *err)
{
	struct comm *comm;
	int inter = 0;

	if (allocate(&comm, 1, sizeof *comm, err) < 0)
		return NULL;
	comm->handle = handle;
	comm->alive = true;
	if (PMPI_Comm_size(handle, &comm->size) != MPI_SUCCESS ||
	    PMPI_Comm_rank(handle, &comm->rank) != MPI_SUCCESS ||
	    PMPI_Comm_test_inter(handle, &inter) != MPI_SUCCESS ||
	    (inter && PMPI_Comm_remote_size(handle, &comm->peers) != MPI_SUCCESS)) {
		error_set(err, STATUS_SYSTEM, "a communicator cannot be asked for its size");
		free(comm);
		return NULL;
	}
	comm->inter = inter;
	if (!inter)
		comm->peers = comm->size;
	return comm;
}

static int comm_hand_over(const struct comm *comm, struct error *err)
{
	struct mpi_comm definition = {
		.id = comm->id,
		.key = comm->key,
		.parent_key = comm->parent_key,
		.depth = comm->depth,
		.rank = (uint32_t)comm->rank,
		.size = (uint32_t)comm->size,
		.remote_size = comm->inter ? (uint32_t)comm->peers : 0,
		.members = comm->members,
		.remote = comm->remote,
	};
	void *recorder;

	if (!sink.comm)
		return 0;
	recorder = thread_recorder(err);
	return recorder ? sink.comm(recorder, &definition, err) : -1;
}

static int comm_attach(struct comm *comm, struct error *err)
{
	if (PMPI_Comm_set_attr(comm->handle, keyval, comm) != MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "a communicator takes no attribute");
	return 0;
}

static int comm_append(struct comm *comm, struct error *err)
{
	comm->id = NO_COMM;
	if (comm->handle != MPI_COMM_NULL)
		TRY(comm_attach(comm, err));
	comm->id = (uint32_t)comms.list.count;
	TRY(array_push(&comms.list, comm, err));
	return comm_hand_over(comm, err);
}

static struct comm *comms_fail(struct error *err)
{
	process_fail(err);
	return NULL;
}

/* Remember that the communicator has processes outside MPI_COMM_WORLD and is not recorded. */
static struct comm *comm_ignore(struct comm *comm)
{
	free(comm->members);
	free(comm->remote);
	comm->members = comm->remote = NULL;
	comm->id = NO_COMM;
	PMPI_Comm_set_attr(comm->handle, keyval, comm);
	return comm;
}

struct comm *comm_add(MPI_Comm handle, struct comm *parent, uint32_t child)
{
	struct error err = {0};
	struct groups groups;
	struct comm *comm;
	uint64_t first;
	bool inside;
	int compared = MPI_UNEQUAL;

	if (!parent || parent->id == NO_COMM)
		return comm_add_alone(handle);
	comm = comm_describe(handle, &err);
	if (!comm || !get_groups(comm, &groups))
		return comms_fail(&err);
	inside = first_member(&groups, &first);
	comm->parent_key = parent->key;
	comm->key = mix64_add(mix64_add(parent->key, child), first);
	comm->depth = parent->depth + 1;
	/* Let only the first member report, unless it may run without this library. */
	if (inside && (comm->rank == 0 || process.apart)) {
		if (parent->members && !comm->inter && !parent->inter && parent->alive)
			PMPI_Comm_compare(handle, parent->handle, &compared);
		comm->members_shared = compared == MPI_CONGRUENT;
		if (comm->members_shared)
			comm->members = parent->members;
		else
			inside = all_members(comm, &groups, &err);
	}
	free_groups(&groups);
	if (err.status)
		return comms_fail(&err);
	if (!inside)
		return comm_ignore(comm);
	return comm_append(comm, &err) < 0 ? comms_fail(&err) : comm;
}

/* Count one more communicator of these members and tag. *count is the number before. */
static int count_same(uint64_t members_key, uint32_t *count, struct error *err)
{
	*count = number_map_remove(&count_by_members, members_key, 0);
	if (*count == NUMBER_MAP_EMPTY)
		*count = 0;
	return number_map_add(&count_by_members, members_key, 0, *count + 1, err);
}

/*
 * Add a communicator made by its members.  `which` differs between communicators that they may make
 * at the same time.
 */
static struct comm *add_alone(MPI_Comm handle, uint64_t which)
{
	struct error err = {0};
	struct groups groups;
	struct comm *comm;
	uint64_t local, remote = 0, members_key;
	uint32_t before;
	bool inside;

	/* Another thread may have called MPI_Finalize, as a session lets this one go on. */
	if (process.state != PROCESS_ACTIVE)
		return NULL;
	comm = comm_describe(handle, &err);
	if (!comm || !get_groups(comm, &groups))
		return comms_fail(&err);
	inside = all_members(comm, &groups, &err);
	free_groups(&groups);
	if (err.status)
		return comms_fail(&err);
	if (!inside)
		return comm_ignore(comm);
	local = hash_numbers(comm->members, comm->size);
	if (comm->inter)
		remote = hash_numbers(comm->remote, comm->peers);
	/* Combine symmetrically, since the two sides must agree. */
	members_key = mix64_add(mix64_add(local + remote, local ^ remote), which);
	if (count_same(members_key, &before, &err) < 0)
		return comms_fail(&err);
	comm->key = mix64_add(members_key, ~(uint64_t)before);
	comm->parent_key = comms.list.items[COMM_ID_WORLD]->key;
	comm->depth = 1;
	return comm_append(comm, &err) < 0 ? comms_fail(&err) : comm;
}

struct comm *comm_add_alone(MPI_Comm handle)
{
	return add_alone(handle, 0);
}

struct comm *comm_add_group(MPI_Comm handle, MPI_Comm parent_handle, int tag)
{
	const struct comm *parent = comm_find(parent_handle);

	return add_alone(handle, mix64_add(parent ? parent->key : 0, (uint64_t)tag));
}

struct comm *comm_add_from_groups(MPI_Comm handle, const char *tag)
{
	uint64_t hash = 0;

	while (*tag)
		hash = mix64_add(hash, (unsigned char)*tag++);
	return add_alone(handle, hash);
}

/* Add MPI_COMM_WORLD or MPI_COMM_SELF, before their handles are known. */
static int add_own(int rank, int size, uint64_t key, struct error *err)
{
	struct comm *comm;

	TRY(allocate(&comm, 1, sizeof *comm, err));
	*comm = (struct comm){.handle = MPI_COMM_NULL, .alive = true, .rank = rank, .size = size,
			      .peers = size, .key = key};
	return comm_append(comm, err);
}

int comms_start(struct error *err)
{
	struct comm *world;

	TRY(comms_enter_sessions(err));
	TRY(add_own(process.rank, process.size, mix64_add(0, UINT64_MAX), err));
	/* MPI_COMM_SELF is another communicator on each rank. */
	TRY(add_own(0, 1, mix64_add(0, (uint64_t)process.rank), err));
	if (process.rank != 0)
		return 0;
	world = comms.list.items[COMM_ID_WORLD];
	TRY(allocate(&world->members, (size_t)world->size, sizeof *world->members, err));
	for (int i = 0; i < world->size; i++)
		world->members[i] = (uint64_t)i;
	return 0;
}

int comms_meet_world(struct error *err)
{
	comms.list.items[COMM_ID_WORLD]->handle = MPI_COMM_WORLD;
	comms.list.items[COMM_ID_SELF]->handle = MPI_COMM_SELF;
	if (PMPI_Comm_group(MPI_COMM_WORLD, &process.world_group) != MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "MPI_COMM_WORLD has no group");
	TRY(comm_attach(comms.list.items[COMM_ID_WORLD], err));
	return comm_attach(comms.list.items[COMM_ID_SELF], err);
}

int comms_enter_sessions(struct error *err)
{
	if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_forget, &keyval, NULL) !=
	    MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "no attribute for communicators");
	return 0;
}

void comms_leave_sessions(void)
{
	for (size_t i = FIRST_OWN_COMM_ID; i < comms.list.count; i++)
		comms.list.items[i]->alive = false;
	last_found = NULL;
	if (keyval != MPI_KEYVAL_INVALID)
		PMPI_Comm_free_keyval(&keyval);
}

void comms_release(void)
{
	for (size_t i = 0; i < comms.list.count; i++) {
		struct comm *comm = comms.list.items[i];

		/* MPI itself deletes the attributes of MPI_COMM_WORLD and MPI_COMM_SELF. */
		if (comm->alive && i >= FIRST_OWN_COMM_ID)
			PMPI_Comm_delete_attr(comm->handle, keyval);
		if (!comm->members_shared)
			free(comm->members);
		free(comm->remote);
		neighbours_free(comm->neighbours);
		free(comm);
	}
	array_release(&comms.list);
	number_map_release(&count_by_members);
	last_found = NULL;
	if (keyval != MPI_KEYVAL_INVALID)
		PMPI_Comm_free_keyval(&keyval);
}

/*
 * Find the communicator of a handle, or NULL.  *known is false if the handle is valid but new.
 */
static struct comm *comm_look_up(MPI_Comm handle, bool *known)
{
	void *value;
	int found;

	*known = true;
	if (last_found && last_found->handle == handle)
		return last_found;
	if (handle == MPI_COMM_NULL || process.state != PROCESS_ACTIVE ||
	    PMPI_Comm_get_attr(handle, keyval, &value, &found) != MPI_SUCCESS)
		return NULL;
	*known = found;
	return found ? last_found = value : NULL;
}

struct comm *comm_find_known(MPI_Comm handle)
{
	bool known;

	return comm_look_up(handle, &known);
}

struct comm *comm_find(MPI_Comm handle)
{
	bool known;
	struct comm *comm = comm_look_up(handle, &known);

	return known ? comm : comm_add_alone(handle);
}
