#include "schedgen/convert/functions.h"

#include "trace/call/mpi_functions.h"

#include <string.h>

/* Functions that return at once whether or not something has happened. */
static const char *const polls[] = {
	"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe",
	"MPI_Parrived", "MPI_Request_get_status", "MPI_Win_test", NULL
};

static const char *const buffering[] = {
	"MPI_Bsend", "MPI_Bsend_c", "MPI_Ibsend", "MPI_Ibsend_c", NULL
};

/* Functions that the ranks of the communicator call that they make, and nobody else. */
static const char *const among_made[] = {
	"MPI_Comm_create_group", "MPI_Comm_create_from_group", "MPI_Intercomm_create",
	"MPI_Intercomm_create_from_groups", NULL
};

/* What of messages and requests leaves no record in any trace; so does what makes requests. */
static const char *const without_records[] = {
	"MPI_Probe", "MPI_Mprobe", "MPI_Iprobe", "MPI_Improbe", "MPI_Cancel", "MPI_Request_free",
	"MPI_Request_get_status", "MPI_Win_test", NULL
};

/*
 * Functions that concern no other rank and are not in the table of those that
 * we trace, but that others may trace; a "*" at the end stands for any rest.
 */
static const char *const locals[] = {
	"MPI_Abi_*", "MPI_Aint_*", "MPI_Attr_*", "MPI_Comm_get_*", "MPI_Comm_set_*",
	"MPI_Errhandler_*", "MPI_Finalized", "MPI_Get_library_version", "MPI_Get_version",
	"MPI_Group_*", "MPI_Info_*", "MPI_Initialized", "MPI_Is_thread_main", "MPI_Pcontrol",
	"MPI_Query_thread", "MPI_Remove_error_*", "MPI_Request_c2f", "MPI_Request_f2c",
	"MPI_Status_*", "MPI_Type_*", "MPI_Wtick", "MPI_Wtime", NULL
};

static bool is_listed(const char *const *list, const char *name)
{
	for (; *list; list++) {
		size_t length = strlen(*list) - 1;

		if ((*list)[length] == '*' ? !strncmp(*list, name, length) : !strcmp(*list, name))
			return true;
	}
	return false;
}

static enum function_class class_of(const char *name)
{
	const struct mpi_function *function = mpi_function_find(name);

	if (!strcmp(name, "MPI_Init") || !strcmp(name, "MPI_Init_thread") ||
	    !strcmp(name, "MPI_Session_init"))
		return FUNCTION_INIT;
	if (!strcmp(name, "MPI_Finalize") || !strcmp(name, "MPI_Session_finalize"))
		return FUNCTION_FINALIZE;
	if (is_listed(polls, name))
		return FUNCTION_POLL;
	if (!function)
		return is_listed(locals, name) ? FUNCTION_LOCAL : FUNCTION_OTHER;
	switch (function->class) {
	case MPI_CLASS_P2P:
	case MPI_CLASS_COMPLETION:
		return FUNCTION_MESSAGE;
	case MPI_CLASS_COLLECTIVE:
		return FUNCTION_COLLECTIVE;
	case MPI_CLASS_LOCAL:
		return FUNCTION_LOCAL;
	case MPI_CLASS_RMA:
		return FUNCTION_ONE_SIDED;
	default:
		return FUNCTION_OTHER;
	}
}

static bool leaves_records(const char *name, enum function_class class)
{
	return (class == FUNCTION_MESSAGE || class == FUNCTION_POLL) &&
	       !is_listed(without_records, name) && !strstr(name, "_init");
}

struct function *functions_find(struct functions *functions, const char *name, struct error *err)
{
	uint64_t key = (uint64_t)(uintptr_t)name;
	uint32_t place = number_map_get(&functions->places, key, 0);

	if (place == NUMBER_MAP_EMPTY) {
		struct function new_function = {
			.name = name, .class = class_of(name),
			.records = leaves_records(name, class_of(name)),
			.buffers = is_listed(buffering, name),
			.frees = !strcmp(name, "MPI_Request_free"),
			.among_made = is_listed(among_made, name),
			.of_session = !strncmp(name, "MPI_Session_", strlen("MPI_Session_")),
		};

		place = (uint32_t)functions->list.count;
		if (array_push(&functions->list, new_function, err) < 0 ||
		    number_map_add(&functions->places, key, 0, place, err) < 0)
			return NULL;
	}
	return &functions->list.items[place];
}

int functions_take(struct functions *functions, struct functions *others, struct error *err)
{
	for (size_t i = 0; i < others->list.count; i++) {
		struct function *other = &others->list.items[i];
		struct function *function = functions_find(functions, other->name, err);

		if (!function)
			return -1;
		function->calls += other->calls;
		function->not_modelled_calls += other->not_modelled_calls;
		function->not_modelled_ns += other->not_modelled_ns;
		other->calls = other->not_modelled_calls = other->not_modelled_ns = 0;
	}
	return 0;
}

uint64_t functions_count_calls(const struct functions *functions)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < functions->list.count; i++)
		calls += functions->list.items[i].calls;
	return calls;
}

void functions_release(struct functions *functions)
{
	array_release(&functions->list);
	number_map_release(&functions->places);
}
