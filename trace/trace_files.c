#include "trace/trace_files.h"

#include "common/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Note what has the name of the trace, with another ending, in its folder. */
static int note_beside(const char *path, const char *ending, struct error *err)
{
	const char *name = name_of(path);
	char *beside;
	int result;

	if (asprintf(&beside, "%.*s%.*s%s", (int)(name - path), path, (int)strcspn(name, "."), name,
		     ending) < 0)
		return error_set_memory(err, strlen(path));
	result = output_note_input(beside, err);
	free(beside);
	return result;
}

int trace_note_files(const char *trace, struct error *err)
{
	struct stat status;

	TRY(output_note_input(trace, err));
	if (!strchr(name_of(trace), '.') || stat(trace, &status) < 0 || S_ISDIR(status.st_mode))
		return 0;
	/* NAME.otf2 has NAME.def and the folder NAME beside it. */
	TRY(note_beside(trace, ".def", err));
	return note_beside(trace, "", err);
}
