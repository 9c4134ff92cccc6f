#include "common/command_output.h"

#include "common/output.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------- lists */

static int format_count(const struct command_output *output)
{
	int count = 0;

	while (output->formats[count].name)
		count++;
	return count;
}

/* What comes before item `number` of a list of `count`: "a, b or c". */
static const char *before_item(int number, int count)
{
	return number == 0 ? "" : number + 1 < count ? ", " : " or ";
}

static void command_output_append(char *text, size_t room, const char *before, const char *prefix,
				  const char *item, int length)
{
	const size_t used = strlen(text);

	snprintf(text + used, room - used, "%s%s%.*s", before, prefix, length, item);
}

/* Number of formats that a suffix chooses: others are chosen by --format only. */
static int suffixed_count(const struct command_output *output)
{
	int count = 0;

	for (const struct output_format *format = output->formats; format->name; format++)
		count += *format->suffixes != '\0';
	return count;
}

/* "FILE.csv, FILE.json or FILE.dot": the first suffix of each format. */
static void list_suffixes(const struct command_output *output, const char *prefix, char *text,
			  size_t room)
{
	const int count = suffixed_count(output);
	int listed = 0;

	*text = '\0';
	for (const struct output_format *format = output->formats; format->name; format++)
		if (*format->suffixes)
			command_output_append(text, room, before_item(listed++, count), prefix,
					      format->suffixes,
					      (int)strcspn(format->suffixes, " "));
}

static void list_names(const struct command_output *output, const char *after_first, char *text,
		       size_t room)
{
	const int count = format_count(output);

	*text = '\0';
	for (int i = 0; i < count; i++) {
		command_output_append(text, room, before_item(i, count), "",
				      output->formats[i].name, 64);
		if (i == 0)
			command_output_append(text, room, "", "", after_first, 64);
	}
}

/* ----------------------------------------------------------------------- help */

const char *command_output_path_help(const struct command_output *output, char *text, size_t room)
{
	char files[OUTPUT_HELP_BYTES];

	list_suffixes(output, "FILE", files, sizeof files);
	if (output->required)
		snprintf(text, room, "write %s, whole or not at all; - is stdout", files);
	else
		snprintf(text, room, "write to FILE, whole or not at all (default -: stdout)");
	return text;
}

const char *command_output_format_help(const struct command_output *output, char *text, size_t room)
{
	char names[OUTPUT_HELP_BYTES], suffixes[OUTPUT_HELP_BYTES];

	list_names(output, output->needs_suffix || format_count(output) == 1 ? "" : " (default)", names, sizeof names);
	list_suffixes(output, "", suffixes, sizeof suffixes);
	if (format_count(output) == 1)
		snprintf(text, room, "%s, the only format: for a FILE that does not end in %s", names,
			 suffixes);
	else
		snprintf(text, room, "%s; without this option the name of FILE says it: %s", names,
			 suffixes);
	return text;
}

/* -------------------------------------------------------------------- parsing */

int option_output_path(const char *text, void *target, struct error *err)
{
	struct command_output *output = target;

	output->given_path = text;
	if (!*text)
		return error_set(err, STATUS_USAGE, "the name of the output file is empty");
	return output->check ? output->check(text, err) : 0;
}

static int find_name(const struct command_output *output, const char *name)
{
	for (int i = 0; output->formats[i].name; i++)
		if (!strcmp(output->formats[i].name, name))
			return i;
	return -1;
}

int option_output_format(const char *text, void *target, struct error *err)
{
	struct command_output *output = target;
	char names[OUTPUT_HELP_BYTES];

	output->given_format = text;
	if (find_name(output, text) >= 0)
		return 0;
	list_names(output, "", names, sizeof names);
	return error_set(err, STATUS_USAGE, "unknown format '%s' (expected %s)", text, names);
}

/* --------------------------------------------------------------------- suffixes */

/*
 * Suffix of the name of a file: a dot and what follows, beginning with a letter, as ".json" and
 * unlike the end of "L1.5us".  Returns NULL without one.
 */
static const char *suffix_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return dot && dot > name && isalpha((unsigned char)dot[1]) ? dot : NULL;
}

static bool has_suffix(const struct output_format *format, const char *suffix)
{
	const size_t length = strlen(suffix);

	for (const char *at = format->suffixes; *at; at += strspn(at, " ")) {
		const size_t bytes = strcspn(at, " ");

		if (bytes == length && !strncasecmp(at, suffix, length))
			return true;
		at += bytes;
	}
	return false;
}

static int find_suffix(const struct command_output *output, const char *suffix)
{
	for (int i = 0; output->formats[i].name; i++)
		if (has_suffix(&output->formats[i], suffix))
			return i;
	return -1;
}

/* Find the format by --format, which the suffix must not contradict. */
static int format_by_name(struct command_output *output, const char *suffix, struct error *err)
{
	const int by_suffix = suffix ? find_suffix(output, suffix) : -1;

	output->format = find_name(output, output->given_format);
	if (by_suffix < 0 || !*output->formats[output->format].suffixes ||
	    has_suffix(&output->formats[output->format], suffix))
		return 0;
	return error_set(err, STATUS_USAGE, "--format %s contradicts the name of the output '%s'",
			 output->given_format, output->path);
}

static int format_by_suffix(struct command_output *output, const char *suffix, struct error *err)
{
	char suffixes[OUTPUT_HELP_BYTES];

	output->format = suffix ? find_suffix(output, suffix) : output->needs_suffix ? -1 : 0;
	if (output->format >= 0)
		return 0;
	list_suffixes(output, "", suffixes, sizeof suffixes);
	return error_set(err, STATUS_USAGE,
			 "the output '%s' must end in %s, or --format must say what to write",
			 output->path, suffixes);
}

/* A device or a pipe has a name of its own kind. */
static bool is_device(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

static int find_format(struct command_output *output, struct error *err)
{
	const char *suffix = is_device(output->path) ? NULL : suffix_of(output->path);

	return output->given_format ? format_by_name(output, suffix, err)
				    : format_by_suffix(output, suffix, err);
}

int command_output_settle(struct command_output *output, struct error *err)
{
	const char *flood;

	output->path = output->given_path ? output->given_path : "-";
	output->format = 0;
	if (!output->given_path && output->unused && output->unused())
		return 0;
	if (!output->given_path && output->required)
		return error_set(err, STATUS_USAGE, "-o FILE is missing: %s", output->required);
	TRY(find_format(output, err));
	flood = output->formats[output->format].flood;
	if (flood && !output->given_path && isatty(STDOUT_FILENO))
		return error_set(err, STATUS_USAGE,
				 "-o FILE is missing: %s would flood the terminal (-o - writes it"
				 " there)", flood);
	return output_declare(output->path, err);
}
