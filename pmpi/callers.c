#include "pmpi/callers.h"

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unwind.h>

bool callers_are_needed;

/* Beginnings of the names of bindings: MPICH, its relatives, Open MPI. */
static const char *const names[] = {"/libmpichfort.", "/libmpifort.", "/libmpi_mpifh",
				    "/libmpi_usempi"};

enum { MOST_BINDINGS = 8 };
static struct binding {
	uintptr_t begin, end;
} bindings[MOST_BINDINGS];
static size_t binding_count;

static bool is_binding(const char *path)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strstr(path, names[i]))
			return true;
	return false;
}

static int add_binding(struct dl_phdr_info *info, size_t bytes, void *nothing)
{
	struct binding *binding = &bindings[binding_count];

	(void)bytes, (void)nothing;
	if (binding_count == MOST_BINDINGS || !is_binding(info->dlpi_name))
		return 0;
	*binding = (struct binding){UINTPTR_MAX, 0};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const uintptr_t begin = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD)
			continue;
		if (begin < binding->begin)
			binding->begin = begin;
		if (begin + part->p_memsz > binding->end)
			binding->end = begin + part->p_memsz;
	}
	binding_count++;
	return 0;
}

void callers_find(void)
{
	/* Elsewhere the return address is not next to the CFA. */
#ifdef __x86_64__
	binding_count = 0;
	dl_iterate_phdr(add_binding, NULL);
	callers_are_needed = binding_count > 0;
#else
	(void)add_binding;
#endif
}

static bool in_binding(uintptr_t address)
{
	for (size_t i = 0; i < binding_count; i++)
		if (address >= bindings[i].begin && address < bindings[i].end)
			return true;
	return false;
}

/* ------------------------------------------------------------------- unwinding */

struct search {
	uintptr_t return_address, cfa;
	uintptr_t place; /* of the return address in the program, or 0 */
	bool seen;	 /* the binding's frame that called the wrapper */
};

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *data)
{
	const uintptr_t address = _Unwind_GetIP(context), cfa = _Unwind_GetCFA(context);
	struct search *search = data;

	/* The CFA is that of the frame which this one has called. */
	if (!search->seen)
		search->seen = address == search->return_address && cfa == search->cfa;
	if (!search->seen || in_binding(address))
		return _URC_NO_REASON;
	search->place = cfa - sizeof(void *);
	return _URC_END_OF_STACK;
}

/*
 * Find the distance from the CFA of the wrapper to the return address in the program; 0 if it is not
 * known.  It is small, so that a place beyond the stack is never read.
 */
static uint32_t find_distance(uintptr_t return_address, uintptr_t cfa)
{
	enum { MOST_DISTANCE = 4096 };
	struct search search = {.return_address = return_address, .cfa = cfa};

	_Unwind_Backtrace(look_at_frame, &search);
	if (search.place <= cfa || search.place - cfa > MOST_DISTANCE)
		return 0;
	return (uint32_t)(search.place - cfa);
}

/* --------------------------------------------------------------------- callers */

enum { CHECKS = 4 };

static void check(struct caller_place *place, uintptr_t cfa)
{
	const uint32_t distance = find_distance(place->return_address, cfa);

	if (place->checks++ == 0)
		place->distance = distance;
	else if (place->distance != distance)
		place->distance = 0;
	if (!place->distance)
		place->checks = CHECKS;
}

uintptr_t caller_beyond(struct caller_places *places, uintptr_t return_address, uintptr_t cfa)
{
	struct caller_place *place =
		&places->items[(return_address ^ return_address >> 7) % CALLER_PLACES];

	if (!cfa || !in_binding(return_address))
		return return_address;
	if (place->return_address != return_address)
		*place = (struct caller_place){.return_address = return_address};
	if (place->checks < CHECKS)
		check(place, cfa);
	if (!place->distance)
		return return_address;
	return *(const uintptr_t *)(cfa + place->distance);
}
