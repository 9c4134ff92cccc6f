/* Command eventflow build: event flow graphs of a trace, as a file. */
#include "eventflow/commands.h"

#include <string.h>

static const char *const times_names[] = {
	[FLOW_TIMES_NONE] = "none", [FLOW_TIMES_STATS] = "stats", [FLOW_TIMES_ALL] = "all", NULL};
static const char *const level_names[] = {
	[FLOW_BY_FUNCTION] = "function", [FLOW_BY_CALL] = "call", [FLOW_BY_SITE] = "site", NULL};

static struct {
	struct choice times, level;
	unsigned folds;
} given = {
	.times = {"times", times_names, FLOW_TIMES_ALL},
	.level = {"signature", level_names, FLOW_BY_SITE},
};

static int option_folds(const char *text, void *target, struct error *err)
{
	static const char *const names[] = {"bytes", "tag", "peer", NULL};
	unsigned *folds = target;

	while (*text) {
		const size_t length = strcspn(text, ",");
		char name[16];
		int found;

		snprintf(name, sizeof name, "%.*s", (int)length, text);
		found = parse_choice(name, "field", names, err);
		TRY(found);
		*folds |= 1U << found;
		text += length + (text[length] == ',');
	}
	return 0;
}

static const struct option_spec build_own_options[] = {
	{"times", 0, "TIMES",
	 "keep the times of each call (all, by default), statistics for each node and edge (stats), or none",
	 option_choice, &given.times},
	{"signature", 0, "FIELDS",
	 "what tells nodes apart: the function, all of the call, or its site in the program too (site, by "
	 "default; it is as call if the trace has no call sites)",
	 option_choice, &given.level},
	{"fold", 0, "FIELDS",
	 "fields that do not tell nodes apart, separated by commas: bytes, tag, peer", option_folds,
	 &given.folds},
	{0},
};

static const struct output_format build_formats[] = {{"efg", ".efg", "a binary file"}, {0}};
static struct command_output build_output = {.formats = build_formats, .required = "FILE.efg"};

static int cmd_build(char **operands, int operand_count, struct error *err)
{
	const struct flow_options options = {.times = (enum flow_times)given.times.value,
					     .level = (enum flow_level)given.level.value,
					     .folds = given.folds};

	(void)operand_count;
	return commands_build_file(operands[0], &options, build_output.path, err);
}

static const struct option_spec *const build_options[] = {build_own_options, NULL};

static const struct help_entry build_examples[] = {
	{"eventflow build app.trace -o app.efg", "keep all calls and their times"},
	{"eventflow build app.trace -o app.efg --times stats",
	 "keep the order of calls and statistics of times"},
	{0},
};

const struct command build_command = {
	.name = "build",
	.operands = "TRACE",
	.least_operands = 1,
	.most_operands = 1,
	.summary =
		"write the event flow graphs of a trace to a file, from which all its calls can be recovered",
	.notes =
		"TRACE is an OTF2 archive, by its folder or its file traces.otf2, a trace of liballprof, or an "
		"event flow file, of which another one with fewer times or other signatures is made. All programs "
		"that read traces read the output.\n\n"
		"Whatever tells nodes apart, the output has all fields of all calls; what nodes do not tell is kept "
		"for each visit.",
	.options = build_options,
	.output = &build_output,
	.run = cmd_build,
	.examples = build_examples,
};
