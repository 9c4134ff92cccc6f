/*
 * The functions of UCX that the MPI library calls: these are found first, record, and call those of libucp, or of
 * llamp-inject.
 */
#ifdef WITH_UCX
#include "pmpi/call.h"
#include "tracer/below.h"

#include <dlfcn.h>
#include <ucp/api/ucp.h>
#include <ucp/api/ucp_compat.h>

/* Bytes of the data of a post, where UCX knows them: other types have functions that pack. */
#define NO_BYTES 0
#define TYPE_BYTES(count, type) type_bytes(count, type)
#define PARAM_BYTES(count, param) type_bytes(count, param_type(param))

static inline uint64_t type_bytes(size_t count, ucp_datatype_t type)
{
	return (type & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG
		       ? count * (type >> UCP_DATATYPE_SHIFT)
		       : BELOW_UNKNOWN;
}

static inline ucp_datatype_t param_type(const ucp_request_param_t *param)
{
	return param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE ? param->datatype
								: ucp_dt_make_contig(1);
}

/* Whether an operation goes on after the function: of a status or of a pointer to a request. */
#define IS_PENDING(result) UCS_PTR_IS_PTR((ucs_status_ptr_t)(intptr_t)(result))

/* Find the next function of that name: libraries that Open MPI loads are not among the next ones. */
static void *ucx_find(const char *name)
{
	void *next = dlsym(RTLD_NEXT, name), *library;

	if (next)
		return next;
	library = dlopen("libucp.so.0", RTLD_LAZY);
	return library ? dlsym(library, name) : NULL;
}

#define FIND_NEXT(name)                      \
	static __typeof__(ucp_##name) *next; \
                                             \
	if (__builtin_expect(!next, 0))      \
		*(void **)&next = ucx_find("ucp_" #name);

#define RECORDED(result_type, name, parameters, arguments, bytes, pending, found) \
	EXPORT result_type ucp_##name parameters                                  \
	{                                                                         \
		result_type result;                                               \
		FIND_NEXT(name)                                                   \
		if (!below_records || !below_enter(BELOW_##name, bytes))          \
			return next arguments;                                    \
		result = next arguments;                                          \
		below_leave(pending, found);                                      \
		return result;                                                    \
	}

#define RECORDED_PROCEDURE(name, parameters, arguments)                             \
	EXPORT void ucp_##name parameters                                           \
	{                                                                           \
		const bool records = below_records && below_enter(BELOW_##name, 0); \
		FIND_NEXT(name)                                                     \
		next arguments;                                                     \
		if (records)                                                        \
			below_leave(false, 0);                                      \
	}

#define WRAP_POST(type, name, parameters, arguments, bytes) \
	RECORDED(type, name, parameters, arguments, bytes, IS_PENDING(result), 0)
#define WRAP_POLL(type, name, parameters, arguments, bytes) \
	RECORDED(type, name, parameters, arguments, bytes, false, (uint64_t)(uintptr_t)result)
#define WRAP_FLUSH WRAP_OTHER
#define WRAP_MEMORY WRAP_OTHER
#define WRAP_CONNECTION WRAP_OTHER
#define WRAP_REQUEST WRAP_OTHER
#define WRAP_OTHER(type, name, parameters, arguments, bytes) \
	RECORDED(type, name, parameters, arguments, bytes, false, 0)
#define WRAP_QUIET(...)
#define UCX_FUNCTION(kind, ...) WRAP_##kind(__VA_ARGS__)

#define PROCEDURE_QUIET(...)
#define PROCEDURE_MEMORY PROCEDURE_OTHER
#define PROCEDURE_CONNECTION PROCEDURE_OTHER
#define PROCEDURE_REQUEST PROCEDURE_OTHER
#define PROCEDURE_OTHER(type, name, parameters, arguments, bytes) \
	RECORDED_PROCEDURE(name, parameters, arguments)
#define UCX_PROCEDURE(kind, ...) PROCEDURE_##kind(__VA_ARGS__)

#include "trace/call/ucx_functions.def"
#endif
