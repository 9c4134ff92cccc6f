#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, enum status status, const char *format, ...)
{
	va_list arguments;

	err->status = status;
	va_start(arguments, format);
	vsnprintf(err->text, sizeof err->text, format, arguments);
	va_end(arguments);
	return -1;
}

int error_set_errno(struct error *err, const char *format, ...)
{
	int number = errno;
	va_list arguments;
	size_t used;

	err->status = STATUS_SYSTEM;
	va_start(arguments, format);
	vsnprintf(err->text, sizeof err->text, format, arguments);
	va_end(arguments);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(number));
	return -1;
}

int error_set_memory(struct error *err, unsigned long long bytes)
{
	return error_set(err, STATUS_SYSTEM, "out of memory: %llu bytes are needed", bytes);
}

int error_prefix(struct error *err, const char *format, ...)
{
	char text[sizeof err->text];
	va_list arguments;
	size_t used;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	used = strlen(text);
	snprintf(text + used, sizeof text - used, ": %.*s",
		 (int)(sizeof text - used), err->text);
	memcpy(err->text, text, sizeof text);
	return -1;
}
