/*
 * Completion of a tool's command line in shells, from the tables of its options.
 */
#ifndef COMMON_COMPLETION_H
#define COMMON_COMPLETION_H

#include "common/options.h"

#include <stdbool.h>

enum { MOST_OPTIONS = 64, MOST_OUTPUT_FORMATS = 8 };

/* The options of a command in one list, common ones last. */
struct option_list {
	const struct option_spec *specs[MOST_OPTIONS];
	int count;
	/* -o and --format of the command, if it has them. */
	struct option_spec output[2];
	char output_help[2][OUTPUT_HELP_BYTES];
	const char *format_names[MOST_OUTPUT_FORMATS];
};

/* The list points into itself, so it must not be copied. */
void list_options(const struct command *command, struct option_list *list);

/* Whether the argument of an option may be left out. */
bool may_lack_argument(const struct option_spec *spec);

/*
 * Print what a shell, "bash" or "zsh", reads to complete the tool's commands, options and their words.
 * Returns -1 for another shell.
 */
int print_completion(const struct tool *tool, const char *shell);

#endif
