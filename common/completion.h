/*
 * Completion of a tool's command line in shells, from the tables of its options.
 */
#ifndef COMMON_COMPLETION_H
#define COMMON_COMPLETION_H

#include "common/options.h"

/*
 * Print what a shell, "bash" or "zsh", reads to complete the tool's commands, options and their words.
 * Returns -1 for another shell.
 */
int print_completion(const struct tool *tool, const char *shell);

#endif
