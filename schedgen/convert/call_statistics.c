#include "schedgen/convert/call_statistics.h"

static struct function_statistics call_statistics_describe(const char *name)
{
	const struct mpi_function is = mpi_function_named(name);

	return (struct function_statistics){
		.is = {name, is.class, is.role, is.traits},
		.is_local = is.class == MPI_CLASS_LOCAL || is.class == MPI_CLASS_REQUEST,
		.is_message = is.class == MPI_CLASS_P2P || is.class == MPI_CLASS_COMPLETION ||
			      is.traits & MPI_POLLS,
	};
}

struct function_statistics *call_statistics_find(struct call_statistics *statistics,
						 const char *name, struct error *err)
{
	const uint64_t key = (uint64_t)(uintptr_t)name;
	uint32_t place = number_map_get(&statistics->places, key, 0);

	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)statistics->list.count;
		if (array_push(&statistics->list, call_statistics_describe(name), err) < 0 ||
		    number_map_add(&statistics->places, key, 0, place, err) < 0)
			return NULL;
	}
	return &statistics->list.items[place];
}

int call_statistics_take(struct call_statistics *statistics, struct call_statistics *others,
			 struct error *err)
{
	for (size_t i = 0; i < others->list.count; i++) {
		struct function_statistics *other = &others->list.items[i];
		struct function_statistics *function =
			call_statistics_find(statistics, other->is.name, err);

		if (!function)
			return -1;
		function->has_messages |= other->has_messages;
		function->calls += other->calls;
		function->not_modelled_calls += other->not_modelled_calls;
		function->not_modelled_ns += other->not_modelled_ns;
		other->calls = other->not_modelled_calls = other->not_modelled_ns = 0;
	}
	return 0;
}

uint64_t call_statistics_calls(const struct call_statistics *statistics)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < statistics->list.count; i++)
		calls += statistics->list.items[i].calls;
	return calls;
}

void call_statistics_release(struct call_statistics *statistics)
{
	array_release(&statistics->list);
	number_map_release(&statistics->places);
}
