#include "inject/fail.h"

#include "common/error.h"
#include "launch/forwarded.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void fail(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	/* Nothing of MPI, which may be in the middle of a call. */
	dprintf(STDERR_FILENO, "llamp-inject: %s\n", text);
	forwarded_wait();
	_exit(STATUS_LIMIT);
}
