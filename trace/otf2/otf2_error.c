#include "trace/otf2/otf2_error.h"

int otf2_check(OTF2_ErrorCode code, const char *what, struct error *err)
{
	if (code == OTF2_SUCCESS)
		return 0;
	return error_set(err, STATUS_SYSTEM, "%s: %s", what, OTF2_Error_GetDescription(code));
}
