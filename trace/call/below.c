#include "trace/call/below.h"

#include <string.h>

const struct below_function below_functions[BELOW_FUNCTION_COUNT] = {
	{"ucp_worker_progress (nothing)", BELOW_POLL},
#define UCX_FUNCTION(kind, result, name, ...) {"ucp_" #name, BELOW_##kind},
#include "trace/call/ucx_functions.def"
};

unsigned below_function_find(const char *name)
{
	unsigned i = 0;

	while (i < BELOW_FUNCTION_COUNT && strcmp(below_functions[i].name, name) != 0)
		i++;
	return i;
}
