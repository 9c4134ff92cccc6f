#include "usage/index/schema.h"

#include <stdbool.h>
#include <string.h>

/* The file schema.sql, character by character, with a NUL at the end. */
__asm__(".pushsection .rodata\n.globl usage_schema_sql\n.hidden usage_schema_sql\n"
	"usage_schema_sql:\n.incbin \"usage/index/schema.sql\"\n.byte 0\n.popsection\n");

static bool has(const char *name, const char *part)
{
	return strstr(name, part) != NULL;
}

const char *usage_function_mode(const struct mpi_function *function)
{
	const char *const name = function->name;

	switch (function->class) {
	case MPI_CLASS_P2P:
	case MPI_CLASS_COLLECTIVE:
	case MPI_CLASS_REQUEST:
		break;
	case MPI_CLASS_COMPLETION:
		return has(name, "MPI_Start") ? "persistent" : NULL;
	default:
		return NULL;
	}
	if (has(name, "_init") || has(name, "MPI_Pready") || has(name, "MPI_Parrived"))
		return "persistent";
	if (function->class == MPI_CLASS_REQUEST)
		return NULL;
	return !strncmp(name, "MPI_I", 5) ? "nonblocking" : "blocking";
}

const char *usage_function_form(const struct mpi_function *function)
{
	const char *name = function->name;
	size_t length = strlen(name);

	if (function->class != MPI_CLASS_COLLECTIVE)
		return usage_function_mode(function);
	if (has(name, "eighbor"))
		return "neighbour";
	if (length > 2 && !strcmp(name + length - 2, "_c"))
		length -= 2;
	if (length > 5 && !strncmp(name + length - 5, "_init", 5))
		length -= 5;
	return name[length - 1] == 'v' || name[length - 1] == 'w' ? "vector" : "scalar";
}
