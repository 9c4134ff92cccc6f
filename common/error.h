/*
 * Errors as values.
 *
 * Libraries never print and never exit: a function that can fail takes a
 * `struct error *`, fills it, and returns -1 (functions that succeed return 0
 * unless their header says otherwise).  A command prints the text once and
 * exits with the status.  The error must not be NULL.
 */
#ifndef COMMON_ERROR_H
#define COMMON_ERROR_H

/* Kinds of errors; the values are the exit statuses of all commands. */
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

/* The same for a failed system call: appends ": " and the text of errno. */
int error_set_errno(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for memory that could not be allocated. */
int error_set_memory(struct error *err, unsigned long long bytes);

/* Put "format: " before the text of an error; returns -1. */
int error_prefix(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Pass an error on to the caller. */
#define TRY(call)                        \
	do {                             \
		if ((call) < 0)          \
			return -1;       \
	} while (0)

#endif
