/*
 * Command-line tools as tables.  The parser, --help, the man page and completion come from one table.
 *
 *	static struct { const char *output; bool force; } given;
 *
 *	static const struct option_spec options[] = {
 *		{"output", 'o', "FILE", "write to FILE; - is stdout", option_text, &given.output},
 *		{"force", 0, NULL, "overwrite", option_flag, &given.force},
 *		{0},
 *	};
 *
 * Every tool accepts -h, --help, --help=man, --help=bash, --help=zsh and -V, --version.  A tool with several commands also
 * accepts `help [COMMAND]`.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "common/command_output.h"
#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

struct option_spec {
	const char *name; /* long name without "--", NULL at the end of a table */
	char letter;	  /* short name, 0 for none */
	/* Name of the argument in the help, NULL for none; "[=NAMES]" may be left out. */
	const char *argument;
	/* One sentence, with the default; NULL: an old name, which no list shows. */
	const char *help;
	/* Read the argument (NULL if there is none) into *target.  Returns 0 or -1. */
	int (*parse)(const char *text, void *target, struct error *err);
	void *target;
};

/*
 * Find `text` among `names`, a list that ends with NULL.  Returns its index, or -1 with an error
 * such as "unknown format 'xml' (expected text, json or csv)", in which `kind` is "format".
 */
int parse_choice(const char *text, const char *kind, const char *const *names, struct error *err);

/* Target of option_choice: one of several words. */
struct choice {
	const char *kind; /* as for parse_choice */
	const char *const *names;
	int value; /* index in names, initially the default */
};

/* Parsers for option_spec.  The comment names the type of the target. */
int option_choice(const char *text, void *target, struct error *err); /* struct choice */
int option_flag(const char *text, void *target, struct error *err);   /* bool: set to true */
int option_text(const char *text, void *target, struct error *err);   /* const char * */
int option_time(const char *text, void *target, struct error *err);   /* struct optional_time */
int option_ns(const char *text, void *target, struct error *err);     /* uint64_t: whole ns */
int option_number(const char *text, void *target, struct error *err); /* double */

struct optional_time {
	int64_t as;
	int given;
};

/* Line of a list in the help: an example or a file, and its description. */
struct help_entry {
	const char *term, *meaning; /* NULL at the end of the list */
};

/*
 * Why an option has no effect in this call, or NULL if it has one.  Asked for options that are given,
 * after all of them are read: an option without effect is refused.
 */
struct option_condition {
	const char *option; /* "seed", "*" for all; NULL at the end of a list */
	const char *(*unused)(const char *option);
};

/* The error for an option without effect that is found later.  Returns -1. */
int option_unused(const char *option, const char *why, struct error *err);

/* Command.  A tool without sub-commands has one command with an empty name. */
struct command {
	const char *name;     /* "analyze", "" for the tool itself */
	const char *operands; /* "FILE", "ARCHIVE", "" */
	const char *summary;  /* one line */
	const char *notes;    /* more text for --help and the man page, as for text_wrap, or NULL */
	const struct option_spec *const *options;  /* NULL-terminated list of tables */
	struct command_output *output;		   /* for -o and --format, or NULL */
	const struct option_condition *conditions; /* or NULL */
	int least_operands, most_operands;	   /* no limit if most < 0 */
	/* Stop at the first operand, as later options belong to the program to start. */
	bool operands_end_options;
	/* Do the work.  Returns 0, or -1 with *err filled. */
	int (*run)(char **operands, int operand_count, struct error *err);
	const struct help_entry *examples, *files; /* or NULL */
	const struct help_entry *environment;	   /* variables of this command only, or NULL */
};

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

struct tool {
	const char *name; /* "llamp" */
	const char *summary;
	const struct command *const *commands; /* ends with NULL */
	const char *see_also;		       /* man pages, "goal(1), schedgen(1)", or NULL */
	const struct help_entry *examples;     /* of a tool with several commands, or NULL */
	/*
	 * NULL, or called before help or an error is printed, and may end the process: many processes
	 * with the same command line say the same.
	 */
	void (*before_message)(int status);
};

/* Print "llamp: warning: " and the text to stderr, control characters shown. */
void tool_warning(const char *tool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Parse the command line, run the command, print its error ("llamp: text") to stderr, and
 * return the exit status.  Failing to write to stdout is an error.  From now on no output may be
 * an input (common/output.h), and an input that is truncated while it is read is an error.
 */
int tool_main(const struct tool *tool, int argc, char **argv);

#endif
