/*
 * Errors as values.
 *
 * Libraries never print and never exit.  A function that can fail takes a `struct error *`, which
 * must not be NULL, fills it, and returns -1.  On success it returns 0 unless its header says
 * otherwise.  A command prints the text once and exits with the status.
 */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

/* Kinds of errors.  The values are the exit statuses of all commands. */
enum status {
	STATUS_OK = 0,
	STATUS_DATA = 1,	/* the input or the data is wrong */
	STATUS_USAGE = 2,	/* the command line is wrong */
	STATUS_LIMIT = 3,	/* a limit is exceeded or a feature is missing */
	STATUS_SYSTEM = 4,	/* the system failed: input/output, memory */
};

struct error {
	enum status status;
	char text[1024];	/* one line without the final newline */
};

/* Fill `err` and return -1, so that `return error_set(err, ...)` works. */
int error_set(struct error *err, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Fill `err` for a failed system call: append ": " and the text of errno.  Returns -1. */
int error_set_errno(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Fill `err` for memory that could not be allocated.  Returns -1. */
int error_set_memory(struct error *err, unsigned long long bytes);

/* Put "format: " before the text of an error.  Returns -1. */
int error_prefix(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Pass an error on to the caller. */
#define TRY(call)                        \
	do {                             \
		if ((call) < 0)          \
			return -1;       \
	} while (0)

#endif
