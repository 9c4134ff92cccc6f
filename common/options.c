#include "common/options.h"

#include "common/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int option_flag(const char *text, void *target, struct error *err)
{
	(void)text;
	(void)err;
	*(bool *)target = true;
	return 0;
}

int option_text(const char *text, void *target, struct error *err)
{
	(void)err;
	*(const char **)target = text;
	return 0;
}

int option_time(const char *text, void *target, struct error *err)
{
	struct optional_time *time = target;

	TRY(parse_time_as(text, &time->as, err));
	time->given = 1;
	return 0;
}

int option_ns(const char *text, void *target, struct error *err)
{
	return parse_time_ns(text, target, err);
}

int option_number(const char *text, void *target, struct error *err)
{
	return parse_number(text, target, err);
}

int parse_choice(const char *text, const char *kind, const char *const *names, struct error *err)
{
	char list[256] = "";
	size_t used = 0;

	for (int i = 0; names[i]; i++) {
		if (!strcmp(text, names[i]))
			return i;
		if (used < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
						 i == 0		? ""
						 : names[i + 1] ? ", "
								: " or ",
						 names[i]);
	}
	return error_set(err, STATUS_USAGE, "unknown %s '%s' (expected %s)", kind, text, list);
}

int option_choice(const char *text, void *target, struct error *err)
{
	struct choice *choice = target;
	const int index = parse_choice(text, choice->kind, choice->names, err);

	TRY(index);
	choice->value = index;
	return 0;
}

static const struct option_spec common_options[] = {
	{"help", 'h', NULL, "print this help (--help=man: as a man page) and exit", NULL, NULL},
	{"version", 'V', NULL, "print the version and exit", NULL, NULL},
	{0},
};

/* -o and --format of a command. */
static void list_output(struct command_output *output, struct option_list *list)
{
	list->output[0] = (struct option_spec){
		"output", 'o', "FILE",
		command_output_path_help(output, list->output_help[0], OUTPUT_HELP_BYTES),
		option_output_path, output};
	list->output[1] = (struct option_spec){
		"format", 0, "NAME",
		command_output_format_help(output, list->output_help[1], OUTPUT_HELP_BYTES),
		option_output_format, output};
	for (int i = 0; i < 2; i++)
		list->specs[list->count++] = &list->output[i];
	for (int i = 0; output->formats[i].name && i < MOST_OUTPUT_FORMATS - 1; i++) {
		list->format_names[i] = output->formats[i].name;
		list->format_names[i + 1] = NULL;
	}
}

void list_options(const struct command *command, struct option_list *list)
{
	list->count = 0;
	for (const struct option_spec *const *table = command->options; table && *table; table++)
		for (const struct option_spec *spec = *table; spec->name; spec++)
			if (list->count < MOST_OPTIONS - 4)
				list->specs[list->count++] = spec;
	if (command->output)
		list_output(command->output, list);
	for (const struct option_spec *spec = common_options; spec->name; spec++)
		list->specs[list->count++] = spec;
}

bool may_lack_argument(const struct option_spec *spec)
{
	return spec->argument && spec->argument[0] == '[';
}

int option_unused(const char *option, const char *why, struct error *err)
{
	return error_set(err, STATUS_USAGE, "%s has no effect: %s", option, why);
}
