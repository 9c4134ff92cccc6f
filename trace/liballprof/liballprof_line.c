#include "trace/liballprof/liballprof_line.h"

#include "common/units.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

struct cursor {
	const char *line, *at, *end;
	struct error *err;
};

/* Number of characters shown in errors, without control characters. */
enum { SHOWN = 24 };

static int expected(const struct cursor *cursor, const char *what)
{
	char shown[SHOWN + 1];
	size_t count = 0;

	for (const char *at = cursor->at; at < cursor->end && count < SHOWN; at++)
		shown[count++] = isprint((unsigned char)*at) ? *at : '?';
	shown[count] = '\0';
	if (!count)
		return error_set(cursor->err, STATUS_DATA,
				 "byte %td: the line ends where %s should be",
				 cursor->at - cursor->line + 1, what);
	return error_set(cursor->err, STATUS_DATA, "byte %td: \"%s\" is not %s",
			 cursor->at - cursor->line + 1, shown, what);
}

/* Return the byte at the cursor; '\n' after the end. */
static char here(const struct cursor *cursor)
{
	return cursor->at < cursor->end ? *cursor->at : '\n';
}

static int skip(struct cursor *cursor, char byte, const char *what)
{
	if (here(cursor) != byte)
		return expected(cursor, what);
	cursor->at++;
	return 0;
}

static int read_digits(struct cursor *cursor, uint64_t most, const char *what, uint64_t *number)
{
	const char *start = cursor->at;

	*number = 0;
	while (isdigit((unsigned char)here(cursor))) {
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(*cursor->at - '0'), number) ||
		    *number > most) {
			cursor->at = start;
			return expected(cursor, what);
		}
		cursor->at++;
	}
	return cursor->at == start ? expected(cursor, what) : 0;
}

static int read_int(struct cursor *cursor, int32_t *number)
{
	bool negative = here(cursor) == '-';
	uint64_t digits;

	cursor->at += negative;
	TRY(read_digits(cursor, (uint64_t)INT32_MAX + negative, "an int", &digits));
	*number = (int32_t)(negative ? -(int64_t)digits : (int64_t)digits);
	return 0;
}

/* Read microseconds with or without decimals. */
static int read_time(struct cursor *cursor, uint64_t *ns)
{
	uint64_t unit_ns = 1000;

	TRY(read_digits(cursor, INT64_MAX / 2000, "a time in microseconds", ns));
	*ns *= 1000;
	if (here(cursor) != '.')
		return 0;
	cursor->at++;
	if (!isdigit((unsigned char)here(cursor)))
		return expected(cursor, "a decimal of a time");
	for (; isdigit((unsigned char)here(cursor)); cursor->at++) {
		unit_ns /= 10;
		*ns += unit_ns * (uint64_t)(*cursor->at - '0');
	}
	return 0;
}

static int read_datatype(struct cursor *cursor, struct liballprof_argument *argument)
{
	uint64_t bytes, extent;

	TRY(read_digits(cursor, UINT64_MAX, "a datatype (id,size,extent)", &argument->address));
	TRY(skip(cursor, ',', "a comma and the size of a datatype"));
	TRY(read_digits(cursor, INT32_MAX, "the size of a datatype", &bytes));
	TRY(skip(cursor, ',', "a comma and the extent of a datatype"));
	argument->bytes = (uint32_t)bytes;
	return read_digits(cursor, UINT64_MAX, "the extent of a datatype", &extent);
}

static int read_comm(struct cursor *cursor, struct liballprof_argument *argument)
{
	uint64_t rank, size;
	const char *start;

	argument->address = 0;
	if (here(cursor) == '-') {	/* a handle of MPICH, an int, as Fortran prints it */
		TRY(read_int(cursor, &argument->number));
		argument->address = (uint64_t)(int64_t)argument->number;
	} else {
		TRY(read_digits(cursor, UINT64_MAX, "a communicator (handle,rank,size)",
				&argument->address));
	}
	TRY(skip(cursor, ',', "a comma and the rank in the communicator"));
	start = cursor->at;
	TRY(read_digits(cursor, INT32_MAX, "the rank in the communicator", &rank));
	TRY(skip(cursor, ',', "a comma and the size of the communicator"));
	TRY(read_digits(cursor, INT32_MAX, "the size of the communicator", &size));
	if (rank >= size) {
		cursor->at = start;
		return expected(cursor, "a rank below the size of the communicator");
	}
	argument->rank = (uint32_t)rank;
	argument->size = (uint32_t)size;
	return 0;
}

static int read_argument(struct cursor *cursor, char kind, bool with_counts,
			 struct liballprof_argument *argument)
{
	switch (kind) {
	case LIBALLPROF_NUMBER:
		return read_int(cursor, &argument->number);
	case LIBALLPROF_DATATYPE:
		return read_datatype(cursor, argument);
	case LIBALLPROF_COMM:
		return read_comm(cursor, argument);
	default:
		TRY(read_digits(cursor, UINT64_MAX, "an address", &argument->address));
	}
	argument->counts = NULL;
	if (kind != LIBALLPROF_COUNTS || !with_counts)
		return 0;
	TRY(skip(cursor, ':', "a colon and counts"));
	argument->counts = cursor->at;
	while (here(cursor) != ':' && here(cursor) != '\n')
		cursor->at++;
	return 0;
}

static uint32_t count_bytes(const char *at, const char *end, char byte)
{
	uint32_t count = 0;

	while (at < end && (at = memchr(at, byte, (size_t)(end - at)))) {
		count++;
		at++;
	}
	return count;
}

/*
 * Check whether counts follow the addresses of their arrays: the line then has additional fields.
 */
static bool has_counts(const struct cursor *cursor, const char *signature)
{
	return strchr(signature, LIBALLPROF_COUNTS) &&
	       count_bytes(cursor->at, cursor->end, ':') > strlen(signature);
}

static int read_arguments(struct cursor *cursor, const char *signature,
			  struct liballprof_line *parsed)
{
	bool with_counts = has_counts(cursor, signature);

	for (uint32_t i = 0; signature[i]; i++) {
		TRY(read_argument(cursor, signature[i], with_counts, &parsed->arguments[i]));
		TRY(skip(cursor, ':', "a colon and the next argument"));
	}
	return 0;
}

/* Go to the last field of the line. */
static int skip_arguments(struct cursor *cursor)
{
	const char *last = memrchr(cursor->at, ':', (size_t)(cursor->end - cursor->at));

	if (last)
		cursor->at = last + 1;
	return 0;
}

uint32_t liballprof_line_name(const char *line, const char *end)
{
	const char *at = line;

	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return at < end && *at == ':' && !isdigit((unsigned char)*line) ? (uint32_t)(at - line) : 0;
}

int liballprof_line_parse(struct liballprof_line *parsed, const char *line, const char *end,
			  const char *signature, struct error *err)
{
	struct cursor cursor = {.line = line, .end = end, .err = err};
	uint32_t name = liballprof_line_name(line, end);
	bool no_start, no_end;

	cursor.at = line + name + 1;
	no_start = here(&cursor) == '-' && name >= 8 && !memcmp(line, "MPI_Init", 8);
	if (no_start)
		cursor.at++;
	else
		TRY(read_time(&cursor, &parsed->enter_ns));
	TRY(skip(&cursor, ':', "a colon after the time of the start"));
	TRY(signature ? read_arguments(&cursor, signature, parsed) : skip_arguments(&cursor));
	no_end = here(&cursor) == '-' && name == 12 && !memcmp(line, "MPI_Finalize", 12);
	if (no_end)
		cursor.at++;
	else
		TRY(read_time(&cursor, &parsed->leave_ns));
	if (cursor.at != end)
		return expected(&cursor, "the end of the line");
	if (no_start)
		parsed->enter_ns = parsed->leave_ns;
	if (no_end)
		parsed->leave_ns = parsed->enter_ns;
	if (parsed->leave_ns < parsed->enter_ns)
		return error_set(err, STATUS_DATA, "ends before it starts");
	return 0;
}

int liballprof_line_counts(const struct liballprof_argument *argument, uint32_t size,
			   uint64_t unit_bytes, uint64_t *items, struct error *err)
{
	const char *end = argument->counts;
	struct cursor cursor = {.line = argument->counts, .at = argument->counts, .err = err};

	while (isdigit((unsigned char)*end) || *end == ',' || *end == '-')
		end++;
	cursor.end = end;
	for (uint32_t i = 0; i < size; i++) {
		uint64_t count;

		if (i && here(&cursor) != ',')
			return error_set(err, STATUS_DATA, "has %u count%s instead of %u", i,
					 plural(i), size);
		cursor.at += i > 0;
		TRY(read_digits(&cursor, INT32_MAX, "a count", &count));
		items[i] = count * unit_bytes;	/* both are below 2^31 */
	}
	if (cursor.at != end)
		return error_set(err, STATUS_DATA, "has more than %u count%s", size,
				 plural(size));
	return 0;
}
