/*
 * Functions that are recorded with their time only, one or more of each group.  Some may be called
 * before MPI_Init and after MPI_Finalize.
 */
#include "trace_log.h"

#define DO(name, ...)                                     \
	do {                                              \
		if (MPI_##name(__VA_ARGS__))              \
			did("MPI_" #name " has failed");  \
		did("MPI_" #name ":");                    \
	} while (0)

static void types(void)
{
	MPI_Datatype type, other;
	MPI_Count extent, low;
	char name[MPI_MAX_OBJECT_NAME];
	int bytes, length;

	DO(Type_vector, 2, 3, 4, MPI_INT, &type);
	DO(Type_commit, &type);
	DO(Type_size, type, &bytes);
	DO(Type_get_extent_x, type, &low, &extent);
	DO(Type_dup, type, &other);
	DO(Type_set_name, other, "other");
	DO(Type_get_name, other, name, &length);
	DO(Type_free, &type);
	DO(Type_free, &other);
}

static void groups(void)
{
	MPI_Group all, one, none;
	int range[1][3] = {{0, 0, 1}}, zero = 0, found;

	DO(Comm_group, MPI_COMM_WORLD, &all);
	DO(Group_range_incl, all, 1, range, &one);
	DO(Group_difference, one, one, &none);
	DO(Group_translate_ranks, all, 1, &zero, one, &found);
	DO(Group_free, &all);
	DO(Group_free, &one);
}

static int copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	int inside;

	(void)key, (void)extra, (void)in, (void)out;
	MPI_Comm_size(comm, &inside);	/* inside of MPI_Comm_dup: not recorded */
	*flag = 0;
	return MPI_SUCCESS;
}

static void attributes(void)
{
	MPI_Comm comm;
	int key, flag, count;
	void *value;

	DO(Comm_create_keyval, copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	DO(Comm_set_attr, MPI_COMM_WORLD, key, NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	did("MPI_Comm_dup: create comm2 | coll CREATE_HANDLE none 0 0 MPI_COMM_WORLD");
	DO(Comm_size, comm, &count);
	MPI_Comm_free(&comm);
	did("MPI_Comm_free: destroy comm2 | coll DESTROY_HANDLE none 0 0 comm2");
	DO(Comm_get_attr, MPI_COMM_WORLD, key, &value, &flag);
	DO(Comm_delete_attr, MPI_COMM_WORLD, key);
	DO(Comm_free_keyval, &key);
}

static void others(void)
{
	MPI_Info info;
	MPI_Status status;
	char packed[64];
	int count = 0, one = 1, sum = 1, dims[2] = {0, 0}, position = 0;
	void *memory;

	DO(Info_create, &info);
	DO(Info_set, info, "key", "value");
	DO(Info_free, &info);
	DO(Dims_create, 6, 2, dims);
	DO(Pack, dims, 2, MPI_INT, packed, sizeof packed, &position, MPI_COMM_SELF);
	DO(Reduce_local, &one, &sum, 1, MPI_INT, MPI_SUM);
	DO(Alloc_mem, 64, MPI_INFO_NULL, &memory);
	DO(Free_mem, memory);
	DO(Status_set_elements, &status, MPI_INT, 3);
	DO(Get_count, &status, MPI_INT, &count);
	if (count != 3 || sum != 2 || dims[0] != 3)
		did("the results are wrong");
}

int main(int argc, char **argv)
{
	int flag, version, subversion;
	MPI_Info info;

	MPI_Initialized(&flag);
	MPI_Get_version(&version, &subversion);
	if (version >= 4) {	/* allowed before MPI_Init, but not recorded there */
		MPI_Info_create(&info);
		MPI_Info_free(&info);
	}
	begin(&argc, &argv);
	did("MPI_Comm_size:");	/* called by begin */
	types();
	groups();
	attributes();
	others();
	flag = end();
	MPI_Finalized(&version);
	return !version || flag;
}
