#include "trace/trace_files.h"

#include "common/output.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Are two names equal except for digits, as the names of the ranks' files? */
static bool differ_in_digits_only(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, "0123456789");
		b += strspn(b, "0123456789");
		if (*a != *b || !*a)
			return *a == *b;
		a++;
		b++;
	}
}

/* Refuse the output if it is, or lies in, the file or folder `name` in the folder of `path`. */
static int refuse_beside(const char *output, const char *path, const char *name,
			 const char *ending, struct error *err)
{
	char *beside;
	int result;

	if (asprintf(&beside, "%.*s%.*s%s", (int)(name_of(path) - path), path,
		     (int)strcspn(name, "."), name, ending) < 0)
		return error_set_memory(err, strlen(path));
	result = output_refuse_input(output, beside, err);
	free(beside);
	return result;
}

int trace_refuse_output(const char *output, const char *trace, struct error *err)
{
	const char *name = name_of(trace);

	TRY(output_refuse_input(output, trace, err));
	/* NAME.otf2 has NAME.def and the folder NAME beside it. */
	TRY(refuse_beside(output, trace, name, ".def", err));
	TRY(refuse_beside(output, trace, name, "", err));
	/* A text trace has a file for each rank. */
	if (!differ_in_digits_only(name_of(output), name))
		return 0;
	return refuse_beside(output, trace, name_of(output), strchrnul(name_of(output), '.'), err);
}
