#include "common/completion.h"

#include <stdio.h>
#include <string.h>

/* The words of an option's argument, or NULL if it is a file or anything. */
static const char *const *words_of(const struct option_list *list, const struct option_spec *spec)
{
	if (spec->parse == option_output_format)
		return list->format_names;
	return spec->parse == option_choice ? ((const struct choice *)spec->target)->names : NULL;
}

static bool has_commands(const struct tool *tool)
{
	return *tool->commands[0]->name != 0;
}

static void print_words(const char *const *words)
{
	for (int i = 0; words[i]; i++)
		printf("%s%s", i ? " " : "", words[i]);
}

/* Print the name of a shell function: that of the tool with _ for -. */
static void print_function(const struct tool *tool)
{
	putchar('_');
	for (const char *text = tool->name; *text; text++)
		putchar(*text == '-' ? '_' : *text);
}

/* ------------------------------------------------------------------ bash */

/* Print the cases of a command: for each option with words these words, for --format and -f alike. */
static void print_bash_words(const struct command *command)
{
	struct option_list list;

	list_options(command, &list);
	for (int i = 0; i < list.count; i++) {
		const struct option_spec *spec = list.specs[i];
		const char *const *words = words_of(&list, spec);

		if (!words || !spec->help)
			continue;
		printf("\t'%s --%s'", command->name, spec->name);
		if (spec->letter)
			printf(" | '%s -%c'", command->name, spec->letter);
		printf(") words='");
		print_words(words);
		printf("' ;;\n");
	}
}

static void print_bash_options(const struct command *command)
{
	struct option_list list;

	printf("\t\t'%s') words='", command->name);
	list_options(command, &list);
	for (int i = 0; i < list.count; i++)
		if (list.specs[i]->help)
			printf("%s--%s", i ? " " : "", list.specs[i]->name);
	printf("' ;;\n");
}

/* Return if the word is behind the program that the command starts. */
static void print_bash_program(const struct tool *tool, const struct command *command)
{
	if (!command->operands_end_options)
		return;
	printf("\tfor ((i = %d; i < COMP_CWORD; i++)); do\n"
	       "\t\t# What follows the program belongs to it.\n",
	       has_commands(tool) ? 2 : 1);
	if (has_commands(tool))
		printf("\t\t[ \"$command\" = %s ] || break\n", command->name);
	printf("\t\tcase ${COMP_WORDS[i]} in -* | = | */* | '') ;; *) [ -z \"$(type -P \"${COMP_WORDS[i]}\")\" ] || return ;; esac\n"
	       "\tdone\n");
}

static void print_bash(const struct tool *tool)
{
	printf("# Completion of %s for bash.\n", tool->name);
	print_function(tool);
	printf("()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' i\n"
	       "\t# bash takes --format=json for three words.\n"
	       "\t[ \"$word\" != = ] || word=''\n"
	       "\t[ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n");
	if (has_commands(tool))
		printf("\t[ \"$COMP_CWORD\" -eq 1 ] || command=${COMP_WORDS[1]}\n");
	for (const struct command *const *command = tool->commands; *command; command++)
		print_bash_program(tool, *command);
	printf("\tcase $command\\ $before in\n");
	for (const struct command *const *command = tool->commands; *command; command++)
		print_bash_words(*command);
	printf("\t*)\n\t\tcase $word in -*) ;; *) [ -z \"$command\" ] || return ;; esac\n"
	       "\t\tcase $command in\n");
	if (has_commands(tool)) {
		printf("\t\t'') words='");
		for (const struct command *const *command = tool->commands; *command; command++)
			printf("%s ", (*command)->name);
		printf("help --help --version' ;;\n");
	}
	for (const struct command *const *command = tool->commands; *command; command++)
		print_bash_options(*command);
	printf("\t\tesac ;;\n\tesac\n"
	       "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	       "}\ncomplete -o default -F ");
	print_function(tool);
	printf(" %s\n", tool->name);
}

/* ------------------------------------------------------------------- zsh */

/* Print text within '...' of a specification of _arguments. */
static void print_zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\'");
		else if (strchr("[]:\\", *text))
			putchar('\\');
		putchar(*text == '\n' ? ' ' : *text);
	}
}

static void print_zsh_argument(const struct option_list *list, const struct option_spec *spec)
{
	if (!spec->argument)
		return;
	printf("%s:", may_lack_argument(spec) ? ":" : "");
	print_zsh_text(may_lack_argument(spec) ? "argument" : spec->argument);
	if (words_of(list, spec)) {
		printf(":(");
		print_words(words_of(list, spec));
		printf(")");
	} else {
		printf(":_files");
	}
}

static void print_zsh_options(const struct command *command)
{
	struct option_list list;

	printf("_arguments -s %s", command->operands_end_options ? "-A '-*' " : "");
	list_options(command, &list);
	for (int i = 0; i < list.count; i++) {
		const struct option_spec *spec = list.specs[i];

		for (int letter = 0; spec->help && letter <= (spec->letter != 0); letter++) {
			if (letter)
				printf("\\\n\t\t'*-%c%s[", spec->letter, spec->argument ? "+" : "");
			else
				printf("\\\n\t\t'*--%s%s[", spec->name,
				       may_lack_argument(spec) ? "=-"
				       : spec->argument	       ? "="
							       : "");
			print_zsh_text(spec->help);
			printf("]");
			print_zsh_argument(&list, spec);
			printf("' ");
		}
	}
	printf("\\\n\t\t'*%s:%s'\n", command->operands_end_options ? ":" : "",
	       command->operands_end_options ? "program:_normal" : "file:_files");
}

static void print_zsh(const struct tool *tool)
{
	printf("#compdef %s\n# Completion of %s for zsh.\n", tool->name, tool->name);
	print_function(tool);
	printf("()\n{\n\t");
	if (!has_commands(tool)) {
		print_zsh_options(tool->commands[0]);
	} else {
		printf("local -a commands=(\n");
		for (const struct command *const *command = tool->commands; *command; command++) {
			printf("\t\t'%s:", (*command)->name);
			print_zsh_text((*command)->summary);
			printf("'\n");
		}
		printf("\t\t'help:explain a command'\n\t)\n"
		       "\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
		       "\tshift words\n\t((CURRENT -= 1))\n\tcase $words[1] in\n");
		for (const struct command *const *command = tool->commands; *command; command++) {
			printf("\t%s)\n\t\t", (*command)->name);
			print_zsh_options(*command);
			printf("\t\t;;\n");
		}
		printf("\tesac\n");
	}
	printf("}\n");
	print_function(tool);
	printf(" \"$@\"\n");
}

int print_completion(const struct tool *tool, const char *shell)
{
	if (!strcmp(shell, "bash"))
		print_bash(tool);
	else if (!strcmp(shell, "zsh"))
		print_zsh(tool);
	else
		return -1;
	return 0;
}
