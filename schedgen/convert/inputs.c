#include "schedgen/convert/inputs.h"

#include "common/output.h"
#include "goal/calls.h"
#include "goal/goal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *inputs_name(const char *path)
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

	if (asprintf(&beside, "%.*s%.*s%s", (int)(inputs_name(path) - path), path,
		     (int)strcspn(name, "."), name, ending) < 0)
		return error_set_memory(err, strlen(path));
	result = output_refuse_input(output, beside, err);
	free(beside);
	return result;
}

static int refuse_output(const char *output, const char *archive, const char *rules,
			 struct error *err)
{
	const char *name = inputs_name(archive);

	TRY(output_refuse_input(output, archive, err));
	TRY(output_refuse_input(output, rules, err));
	/* NAME.otf2 has NAME.def and the folder NAME beside it. */
	TRY(refuse_beside(output, archive, name, ".def", err));
	TRY(refuse_beside(output, archive, name, "", err));
	/* A text trace has a file for each rank. */
	if (!differ_in_digits_only(inputs_name(output), name))
		return 0;
	return refuse_beside(output, archive, inputs_name(output),
			     strchrnul(inputs_name(output), '.'), err);
}

int inputs_refuse_output(const char *output, const char *archive, const char *rules,
			 struct error *err)
{
	char *calls = goal_calls_path(output);
	int result;

	if (!calls)
		return error_set_memory(err, strlen(output));
	result = refuse_output(output, archive, rules, err);
	if (result == 0)
		result = refuse_output(calls, archive, rules, err);
	free(calls);
	return result;
}

int inputs_explain(const char *archive, struct error *err)
{
	struct error none;
	struct goal goal;

	if (err->status != STATUS_DATA || goal_open(&goal, archive, &none) < 0)
		return -1;
	goal_release(&goal);
	return error_set(err, STATUS_DATA, "%s: this is a GOAL graph already: analyze it with llamp",
			 archive);
}
