/*
 * Where a command writes its result, and in which format: its options -o FILE and --format NAME.
 *
 *	static const struct output_format formats[] = {
 *		[REPORT_TEXT] = {"text", ".txt", NULL}, [REPORT_JSON] = {"json", ".json", NULL}, {0},
 *	};
 *	static struct command_output output = {.formats = formats};
 *
 * The same rule for all commands: --format names the format.  Without it the suffix of FILE does,
 * and a name without a suffix, or stdout, gets the first format.  A suffix that contradicts
 * --format is refused, and one that no format has, unless --format is given.  What would flood a
 * terminal is refused there, unless -o - asks for it.
 */
#ifndef COMMON_COMMAND_OUTPUT_H
#define COMMON_COMMAND_OUTPUT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct output_format {
	const char *name;	/* for --format, "json"; NULL at the end of a list */
	const char *suffixes;	/* of files that have it, ".yaml .yml"; "": only --format chooses it */
	const char *flood;	/* what would flood a terminal, "a page"; NULL: nothing */
};

struct command_output {
	const struct output_format *formats;	/* the first is the default */
	const char *required;	/* what files there are, if -o has to be given, else NULL */
	bool needs_suffix;	/* a file without a suffix has no default */
	/* Refuse a path; NULL: all are good. */
	int (*check)(const char *path, struct error *err);
	/* Whether this call writes no such output, although -o is not given; NULL: never. */
	bool (*unused)(void);

	/* Options, as they are given, or NULL. */
	const char *given_path, *given_format;

	/* Set by command_output_settle. */
	const char *path;	/* "-" is stdout */
	int format;		/* number in formats */
};

/* Write the help of -o and of --format.  Both cut it to `room` bytes and return `text`. */
enum { OUTPUT_HELP_BYTES = 512 };
const char *command_output_path_help(const struct command_output *output, char *text, size_t room);
const char *command_output_format_help(const struct command_output *output, char *text, size_t room);

/* Parsers of both options, as in struct option_spec.  The target is a struct command_output. */
int option_output_path(const char *text, void *target, struct error *err);
int option_output_format(const char *text, void *target, struct error *err);

/* Find path and format after all options are read, and declare the output (common/output.h). */
int command_output_settle(struct command_output *output, struct error *err);

#endif
