#include "trace/otf2/otf2_error.h"

#include <stdarg.h>
#include <stdio.h>

int otf2_check(OTF2_ErrorCode code, const char *what, struct error *err)
{
	if (code == OTF2_SUCCESS)
		return 0;
	return error_set(err, STATUS_SYSTEM, "%s: %s", what, OTF2_Error_GetDescription(code));
}

static _Thread_local char kept_text[256];
static _Thread_local OTF2_ErrorCode kept_code;	/* code of the kept text */

/* Keep the first error only, which causes the following ones. */
static OTF2_ErrorCode keep_error(void *data, const char *file, uint64_t line,
				 const char *function, OTF2_ErrorCode code, const char *format,
				 va_list arguments)
{
	size_t used;

	(void)data, (void)file, (void)line, (void)function;
	if (!*kept_text) {
		kept_code = code;
		used = (size_t)snprintf(kept_text, sizeof kept_text, "%s",
					OTF2_Error_GetDescription(code));
		if (format && *format && used < sizeof kept_text - 3) {
			used += (size_t)snprintf(kept_text + used, sizeof kept_text - used, ": ");
			vsnprintf(kept_text + used, sizeof kept_text - used, format, arguments);
		}
	}
	return code;
}

void otf2_error_listen(void)
{
	OTF2_Error_RegisterCallback(keep_error, NULL);
}

void otf2_error_clear(void)
{
	*kept_text = '\0';
}

const char *otf2_error_text(OTF2_ErrorCode code)
{
	return *kept_text ? kept_text : OTF2_Error_GetDescription(code);
}

OTF2_ErrorCode otf2_error_code(void)
{
	return *kept_text ? kept_code : OTF2_SUCCESS;
}
