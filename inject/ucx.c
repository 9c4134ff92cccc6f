#include "inject/ucx.h"

#include "inject/fail.h"
#include "inject/operation.h"

#include <dlfcn.h>

struct ucx ucx;

/* In the place of a function that this version of UCX lacks. */
static void missing(void)
{
	fail("this version of UCX lacks a function that is needed to delay messages");
}

/* MPI creates its context first of all. */
static void find_functions(void)
{
	void *library = dlopen("libucp.so.0", RTLD_LAZY);

	if (!library)
		fail("%s", dlerror());
#define UCX_FUNCTION(kind, result, name, ...)               \
	*(void **)&ucx.name = dlsym(library, "ucp_" #name); \
	if (!ucx.name)                                      \
		*(void **)&ucx.name = (void *)missing;
#include "trace/call/ucx_functions.def"
}

ucs_status_t ucp_init_version(unsigned major, unsigned minor, const ucp_params_t *params,
			      const ucp_config_t *config, ucp_context_h *context)
{
	ucp_context_attr_t attributes = {.field_mask = UCP_ATTR_FIELD_REQUEST_SIZE};
	ucs_status_t status;

	if (!ucx.init_version)
		find_functions();
	status = ucx.init_version(major, minor, params, config, context);
	/* A context without tagged messages is that of one-sided communication. */
	if (status != UCS_OK || !(params->features & UCP_FEATURE_TAG))
		return status;
	ucx.context = *context;
	ucx.workers = 0;
	if (params->field_mask & UCP_PARAM_FIELD_REQUEST_SIZE)
		ucx.request_size = params->request_size;
	if (params->field_mask & UCP_PARAM_FIELD_REQUEST_INIT)
		ucx.request_init = params->request_init;
	if (ucx.context_query(*context, &attributes) != UCS_OK ||
	    attributes.request_size < sizeof(struct handle))
		fail("the requests of this UCX are too small");
	return UCS_OK;
}

ucs_status_t ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params,
			       ucp_worker_h *worker)
{
	ucx.workers += context == ucx.context;
	return ucx.worker_create(context, params, worker);
}
