/* Running a tool: its command line is read by the tables of its commands, which also make help and man pages. */
#include "common/completion.h"
#include "common/input.h"
#include "common/output.h"
#include "common/text.h"
#include "common/version.h"

#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	HELP_COLUMN = 26,
	FIRST_LONG = 256, /* value of the first option in getopt_long, above all letters */
};

/* Width of help.  Lines of more than 100 columns are hard to read. */
static int help_columns(void)
{
	const int columns = text_columns(stdout);

	return columns > 100 ? 100 : columns;
}

static void before_message(const struct tool *tool, int status)
{
	if (tool->before_message)
		tool->before_message(status);
}

static void print_usage_line(FILE *stream, const struct tool *tool, const struct command *command)
{
	fprintf(stream, "usage: %s%s%s [OPTION]...%s%s\n", tool->name, *command->name ? " " : "",
		command->name, *command->operands ? " " : "", command->operands);
}

static void print_option(const struct option_spec *spec)
{
	int column = printf("  ");

	column += spec->letter ? printf("-%c, ", spec->letter) : printf("    ");
	column += printf("--%s", spec->name);
	if (spec->argument)
		column += printf("%s%s", may_lack_argument(spec) ? "" : " ", spec->argument);
	if (column > HELP_COLUMN - 2) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", HELP_COLUMN - column, "");
	text_wrap(stdout, spec->help, HELP_COLUMN, help_columns());
}

static void print_entries(const char *heading, const struct help_entry *entries)
{
	if (!entries)
		return;
	printf("\n%s:\n", heading);
	for (; entries->term; entries++) {
		printf("  %s\n      ", entries->term);
		text_wrap(stdout, entries->meaning, 6, help_columns());
	}
}

static void print_command_help(const struct tool *tool, const struct command *command)
{
	struct option_list list;

	print_usage_line(stdout, tool, command);
	printf("\n");
	text_wrap(stdout, command->summary, 0, help_columns());
	printf("\n");
	list_options(command, &list);
	for (int i = 0; i < list.count; i++)
		if (list.specs[i]->help)
			print_option(list.specs[i]);
	if (command->notes) {
		printf("\n");
		text_wrap(stdout, command->notes, 0, help_columns());
	}
	print_entries("examples", command->examples);
	print_entries("environment", command->environment);
	print_entries("files", command->files);
}

/* The commands of a tool differ in details only. */
static const char *operands_of_tool(const struct tool *tool)
{
	return *tool->commands[0]->operands ? " FILE" : "";
}

static void print_tool_help(FILE *stream, const struct tool *tool)
{
	fprintf(stream, "usage: %s COMMAND [OPTION]...%s\n\n%s\n\n", tool->name,
		operands_of_tool(tool), tool->summary);
	for (const struct command *const *command = tool->commands; *command; command++)
		fprintf(stream, "  %-12s %s\n", (*command)->name, (*command)->summary);
	fprintf(stream, "\n%s help COMMAND explains a command.\n", tool->name);
}

/* Escape requests of roff and dashes. */
static void print_roff(const char *text)
{
	bool line_start = true;

	for (; *text; text++) {
		if (line_start && (*text == '.' || *text == '\''))
			printf("\\&");
		if (*text == '-')
			printf("\\-");
		else if (*text == '\\')
			printf("\\e");
		else
			putchar(*text);
		line_start = *text == '\n';
	}
}

static const struct help_entry exit_statuses[] = {
	{"0", "done"},
	{"1", "the input or the data is wrong"},
	{"2", "the command line is wrong"},
	{"3", "a limit is exceeded or a feature is missing"},
	{"4", "the system failed: input/output, memory"},
	{0},
};

/* Variables that all commands read. */
static const struct help_entry common_environment[] = {
	{"COLUMNS", "width of text in columns; default: that of the terminal, or 80"},
	{"TMPDIR", "folder for temporary files; default: /tmp"},
	{0},
};

static void print_roff_list(const struct help_entry *entries)
{
	for (; entries && entries->term; entries++) {
		printf(".TP\n.B ");
		print_roff(entries->term);
		printf("\n");
		print_roff(entries->meaning);
		printf("\n");
	}
}

static void print_roff_entries(const char *heading, const struct help_entry *entries)
{
	if (!entries)
		return;
	printf(".SH %s\n", heading);
	print_roff_list(entries);
}

static void print_roff_environment(const struct help_entry *entries)
{
	printf(".SH ENVIRONMENT\n");
	print_roff_list(entries);
	print_roff_list(common_environment);
}

/* Write paragraphs as text_wrap does: lines that begin with a space stay as they are. */
static void print_roff_paragraphs(const char *text)
{
	bool filled = true;

	while (*text) {
		const size_t bytes = strcspn(text, "\n");
		char line[1024];

		if (bytes > 0 && filled != (*text != ' ')) {
			filled = !filled;
			printf(filled ? ".fi\n" : ".nf\n");
		}
		snprintf(line, sizeof line, "%.*s", (int)bytes, text);
		if (bytes == 0)
			printf(".PP");
		print_roff(line);
		printf("\n");
		text += bytes;
		text += *text == '\n';
	}
	if (!filled)
		printf(".fi\n");
}

/* Write references: the tool, its commands except `except`, and pages that the tool names. */
static void print_see_also(const struct tool *tool, const struct command *except)
{
	const char *before = "";

	if (!tool->see_also && !*tool->commands[0]->name)
		return;
	printf(".SH SEE ALSO\n");
	if (except && *except->name) {
		printf("%s(1)", tool->name);
		before = ", ";
	}
	for (const struct command *const *command = tool->commands; *command; command++) {
		if (*command == except || !*(*command)->name)
			continue;
		printf("%s%s\\-%s(1)", before, tool->name, (*command)->name);
		before = ", ";
	}
	if (tool->see_also) {
		printf("%s", before);
		print_roff(tool->see_also);
	}
	printf("\n");
}

static void print_roff_title(const char *tool, const char *dash, const char *command)
{
	printf(".TH \"%s%s%s\" 1 \"\" \"%s %s\"\n.SH NAME\n", tool, dash, command, PROJECT_NAME,
	       PROJECT_VERSION);
	print_roff(tool);
	print_roff(dash);
	print_roff(command);
	printf(" \\- ");
}

static void print_man_page(const struct tool *tool, const struct command *command)
{
	struct option_list list;
	const char *dash = *command->name ? "-" : "";

	print_roff_title(tool->name, dash, command->name);
	print_roff(command->summary);
	printf("\n.SH SYNOPSIS\n.B %s%s%s\n[OPTION]... %s\n", tool->name, *dash ? " " : "",
	       command->name, command->operands);
	if (command->notes) {
		printf(".SH DESCRIPTION\n");
		print_roff_paragraphs(command->notes);
	}
	printf(".SH OPTIONS\n");
	list_options(command, &list);
	for (int i = 0; i < list.count; i++) {
		const struct option_spec *spec = list.specs[i];

		if (!spec->help)
			continue;
		printf(".TP\n");
		if (spec->letter)
			printf("\\fB\\-%c\\fR, ", spec->letter);
		printf("\\fB\\-\\-");
		print_roff(spec->name);
		printf("\\fR");
		if (spec->argument)
			printf("%s\\fI%s\\fR", may_lack_argument(spec) ? "" : " ", spec->argument);
		printf("\n");
		print_roff(spec->help);
		printf("\n");
	}
	print_roff_entries("EXAMPLES", command->examples);
	print_roff_environment(command->environment);
	print_roff_entries("FILES", command->files);
	print_roff_entries("EXIT STATUS", exit_statuses);
	print_see_also(tool, command);
}

static void print_version(const struct tool *tool)
{
	printf("%s (%s) %s\n", tool->name, PROJECT_NAME, PROJECT_VERSION);
}

static void print_tool_man_page(const struct tool *tool)
{
	print_roff_title(tool->name, "", "");
	print_roff(tool->summary);
	printf("\n.SH SYNOPSIS\n.B %s\nCOMMAND [OPTION]...%s\n.SH COMMANDS\n", tool->name,
	       operands_of_tool(tool));
	for (const struct command *const *command = tool->commands; *command; command++) {
		printf(".TP\n.BR %s\\-%s (1)\n", tool->name, (*command)->name);
		print_roff((*command)->summary);
		printf("\n");
	}
	print_roff_entries("EXAMPLES", tool->examples);
	print_roff_environment(NULL);
	print_roff_entries("EXIT STATUS", exit_statuses);
	print_see_also(tool, NULL);
}

/* Options in the form of getopt_long. */
struct getopt_tables {
	struct option longs[MOST_OPTIONS + 1];
	char letters[2 * MOST_OPTIONS + 3];
};

static void fill_getopt_tables(struct getopt_tables *tables, const struct command *command,
			       const struct option_list *list)
{
	int used = 0;

	memset(tables, 0, sizeof *tables);
	if (command->operands_end_options)
		tables->letters[used++] = '+';
	tables->letters[used++] = ':';
	for (int i = 0; i < list->count; i++) {
		const struct option_spec *spec = list->specs[i];
		struct option *option = &tables->longs[i];

		option->name = spec->name;
		option->has_arg = spec->argument ? required_argument : no_argument;
		if (!strcmp(spec->name, "help") || may_lack_argument(spec))
			option->has_arg = optional_argument;
		option->val = FIRST_LONG + i;
		if (spec->letter) {
			tables->letters[used++] = spec->letter;
			if (spec->argument)
				tables->letters[used++] = ':';
		}
	}
}

/* Fill the error for getopt_long's answers ':' and '?'. */
static int option_error(const struct option_list *list, int answer, char **argv, struct error *err)
{
	if (answer == ':')
		return error_set(err, STATUS_USAGE, "option '%s' needs an argument",
				 argv[optind - 1]);
	if (optopt >= FIRST_LONG)
		return error_set(err, STATUS_USAGE, "option '--%s' takes no argument",
				 list->specs[optopt - FIRST_LONG]->name);
	if (optopt > 0)
		return error_set(err, STATUS_USAGE, "unknown option '-%c'", optopt);
	return error_set(err, STATUS_USAGE, "unknown option '%s'", argv[optind - 1]);
}

enum parse_result { PARSE_RUN, PARSE_DONE, PARSE_FAILED };

/* Refuse given options that have no effect. */
static int check_conditions(const struct command *command, const struct option_list *list,
			    const bool given[MOST_OPTIONS], struct error *err)
{
	for (const struct option_condition *each = command->conditions; each && each->option;
	     each++) {
		for (int i = 0; i < list->count; i++) {
			char option[64];
			const char *why;

			if (!given[i] || (strcmp(each->option, "*") != 0 &&
					  strcmp(list->specs[i]->name, each->option) != 0))
				continue;
			why = each->unused(list->specs[i]->name);
			snprintf(option, sizeof option, "--%s", list->specs[i]->name);
			if (why)
				return option_unused(option, why, err);
		}
	}
	return 0;
}

/* Check the options together, after each has been read. */
static enum parse_result options_check_options(const struct command *command,
					       const struct option_list *list,
					       const bool given[MOST_OPTIONS], struct error *err)
{
	/* Some options have an effect with some formats only. */
	if ((command->output && command_output_settle(command->output, err) < 0) ||
	    check_conditions(command, list, given, err) < 0)
		return PARSE_FAILED;
	return PARSE_RUN;
}

static int index_of(const struct option_list *list, int answer)
{
	if (answer >= FIRST_LONG)
		return answer - FIRST_LONG;
	for (int i = 0; i < list->count; i++)
		if (list->specs[i]->letter == answer)
			return i;
	return 0;
}

static enum parse_result parse_options(const struct tool *tool, const struct command *command,
				       int argc, char **argv, struct error *err)
{
	struct option_list list;
	struct getopt_tables tables;
	bool given[MOST_OPTIONS] = {false};

	list_options(command, &list);
	fill_getopt_tables(&tables, command, &list);
	opterr = 0;
	optind = 0; /* with glibc this also resets its internal state */
	for (;;) {
		int answer = getopt_long(argc, argv, tables.letters, tables.longs, NULL);
		const struct option_spec *spec;
		int number;

		if (answer == -1)
			return options_check_options(command, &list, given, err);
		if (answer == ':' || answer == '?') {
			option_error(&list, answer, argv, err);
			return PARSE_FAILED;
		}
		number = index_of(&list, answer);
		given[number] = true;
		spec = list.specs[number];
		if (spec->parse == NULL)
			before_message(tool, STATUS_OK);
		if (!strcmp(spec->name, "help")) {
			if (optarg && !strcmp(optarg, "man"))
				print_man_page(tool, command);
			else if (!optarg || print_completion(tool, optarg) < 0)
				print_command_help(tool, command);
			return PARSE_DONE;
		}
		if (!strcmp(spec->name, "version")) {
			print_version(tool);
			return PARSE_DONE;
		}
		if (spec->parse(optarg, spec->target, err) < 0) {
			error_prefix(err, "--%s", spec->name);
			return PARSE_FAILED;
		}
	}
}

static void print_message(const char *tool, const char *kind, const char *text)
{
	/* A character that is shown takes at most 4 bytes for each of its own. */
	char shown[4 * sizeof((struct error *)0)->text], line[sizeof shown + 64];

	text_show(text, shown, sizeof shown);
	snprintf(line, sizeof line, "%s: %s%s\n", tool, kind, shown);
	text_print_lines(stderr, line, (int)strlen(tool) + 2);
}

void tool_warning(const char *tool, const char *format, ...)
{
	char text[sizeof((struct error *)0)->text];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	print_message(tool, "warning: ", text);
}

static int report_error(const struct tool *tool, const struct command *command,
			const struct error *err)
{
	before_message(tool, (int)err->status);
	print_message(tool->name, "", err->text);
	if (err->status == STATUS_USAGE && command)
		fprintf(stderr, "%s: try '%s%s%s --help'\n", tool->name, tool->name,
			*command->name ? " " : "", command->name);
	return err->status;
}

/* Exit status after all output: an error if stdout did not take it. */
static int finish_stdout(const struct tool *tool)
{
	struct error err;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return STATUS_OK;
	error_set_errno(&err, "cannot write to stdout");
	return report_error(tool, NULL, &err);
}

static int run_command(const struct tool *tool, const struct command *command, int argc,
		       char **argv)
{
	struct error err = {0};
	int count;

	switch (parse_options(tool, command, argc, argv, &err)) {
	case PARSE_DONE:
		break;
	case PARSE_FAILED:
		return report_error(tool, command, &err);
	case PARSE_RUN:
		count = argc - optind;
		if (count < command->least_operands)
			error_set(&err, STATUS_USAGE, "%s is missing",
				  command->least_operands == 1 ? command->operands : "an operand");
		else if (command->most_operands >= 0 && count > command->most_operands)
			error_set(&err, STATUS_USAGE, "unexpected operand '%s'",
				  argv[optind + command->most_operands]);
		else if (command->run(argv + optind, count, &err) == 0)
			break;
		return report_error(tool, command, &err);
	}
	return finish_stdout(tool);
}

/*
 * Keep files from taking the numbers of closed streams, such as stdout.  A program that is started
 * still finds the streams closed.
 */
static void keep_places_of_streams(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
		if (fcntl(file, F_GETFD) < 0)
			open("/dev/null", (file == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* --------------------------------------------------------- truncated inputs */

static const char *tool_of_process;

static void write_text(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/* Memory of a mapped file vanishes if the file is truncated: say so, and leave no output. */
static void end_truncated(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != BUS_ADRERR) {
		signal(number, SIG_DFL);
		return;
	}
	output_remove_temporary();
	write_text(tool_of_process);
	write_text(": ");
	write_text(input_at(info->si_addr));
	write_text(": the file was truncated while it was read\n");
	_exit(STATUS_DATA);
}

static void catch_truncated(const char *tool)
{
	struct sigaction action = {.sa_sigaction = end_truncated, .sa_flags = SA_SIGINFO};

	tool_of_process = tool;
	sigaction(SIGBUS, &action, NULL);
}

static const struct command *find_command(const struct tool *tool, const char *name)
{
	for (const struct command *const *command = tool->commands; *command; command++)
		if (!strcmp((*command)->name, name))
			return *command;
	return NULL;
}

static int unknown_command(const struct tool *tool, const char *name)
{
	before_message(tool, STATUS_USAGE);
	fprintf(stderr, "%s: unknown command '", tool->name);
	text_print(stderr, name);
	fprintf(stderr, "'\n%s: try '%s --help'\n", tool->name, tool->name);
	return STATUS_USAGE;
}

/* `llamp help [COMMAND]` */
static int print_help(const struct tool *tool, int argc, char **argv)
{
	const struct command *command = argc > 2 ? find_command(tool, argv[2]) : NULL;

	before_message(tool, STATUS_OK);
	if (argc > 2 && !command)
		return unknown_command(tool, argv[2]);
	if (argc > 3) {
		print_message(tool->name, "help explains one command, not also ", argv[3]);
		return STATUS_USAGE;
	}
	if (command)
		print_command_help(tool, command);
	else
		print_tool_help(stdout, tool);
	return finish_stdout(tool);
}

int tool_main(const struct tool *tool, int argc, char **argv)
{
	const struct command *command;

	keep_places_of_streams();
	output_watch();
	catch_truncated(tool->name);
	if (!*tool->commands[0]->name)
		return run_command(tool, tool->commands[0], argc, argv);
	if (argc < 2) {
		before_message(tool, STATUS_USAGE);
		print_tool_help(stderr, tool);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "help"))
		return print_help(tool, argc, argv);
	command = find_command(tool, argv[1]);
	if (command)
		return run_command(tool, command, argc - 1, argv + 1);
	before_message(tool, STATUS_OK);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		print_tool_help(stdout, tool);
	else if (!strcmp(argv[1], "--help=man"))
		print_tool_man_page(tool);
	else if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		print_version(tool);
	else if (!strncmp(argv[1], "--help=", 7) && print_completion(tool, argv[1] + 7) == 0)
		;
	else
		return unknown_command(tool, argv[1]);
	return finish_stdout(tool);
}
