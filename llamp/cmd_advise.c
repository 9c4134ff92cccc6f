/* Command llamp advise: which changes of a program make it faster, and by how much. */
#include "common/progress.h"
#include "common/text.h"
#include "common/units.h"
#include "llamp/commands.h"
#include "llamp/report/report_advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct {
	words_list words; /* options for schedgen */
	const char *changes, *rules, *progress;
	double at_least_percent;
	uint64_t steps;
	bool repeat;
} given = {.changes = "all", .progress = "async", .at_least_percent = 1, .steps = 5};

enum { MOST_STEPS = 20 };

/* Options of schedgen that shape the graph; the target is the name. */
static int option_word(const char *text, void *target, struct error *err)
{
	char *word;

	TRY(change_text(&word, err, "--%s=%s", (const char *)target, text));
	return array_push(&given.words, word, err);
}

static int add_flag(const char *flag, struct error *err)
{
	char *word;

	TRY(change_text(&word, err, "%s", flag));
	return array_push(&given.words, word, err);
}

/* The file is an input of schedgen, which no output may overwrite. */
static int option_rules(const char *text, void *target, struct error *err)
{
	given.rules = text;
	return option_word(text, target, err);
}

static int option_at_least(const char *text, void *target, struct error *err)
{
	TRY(parse_percent(text, target, err));
	return given.at_least_percent >= 0 && given.at_least_percent <= 100
		       ? 0
		       : error_set(err, STATUS_USAGE, "'%s' is not between 0 and 100 %%", text);
}

static int option_steps(const char *text, void *target, struct error *err)
{
	return parse_count(text, 1, MOST_STEPS, target, err);
}

static const struct option_spec advise_own_options[] = {
	{"changes", 0, "LIST",
	 "changes to try: all (default), which leaves out placement and moves no waits, or a list of algorithm, eager, balance, totals, messages, waits, barriers, progress, placement, network",
	 option_text, &given.changes},
	{"at-least", 0, "PERCENT", "leave out changes that gain less of T (default 1)",
	 option_at_least, &given.at_least_percent},
	{"steps", 0, "N", "choose up to N changes, one after the other (default 5)", option_steps,
	 &given.steps},
	{"coll", 0, "NAME=ALGORITHM[:PARAMETER=VALUE,...]",
	 "convert with this algorithm, as schedgen --coll; may be repeated", option_word,
	 (char *)"coll"},
	{"rules", 0, "FILE", "convert by these rules, as schedgen --rules", option_rules,
	 (char *)"rules"},
	{"preset", 0, "NAME", "convert as this MPI does, as schedgen --preset", option_word,
	 (char *)"preset"},
	{"progress", 0, "WHEN",
	 "when messages above -S move, as schedgen --progress: async (default), calls, calls:both, or a file",
	 option_text, &given.progress},
	{"repeat", 0, NULL,
	 "repeat the recorded iterations, as schedgen --repeat; gains are given with the limits of this estimate",
	 option_flag, &given.repeat},
	{"from", 0, "EDGE", "begin there, as schedgen --from", option_word, (char *)"from"},
	{"to", 0, "EDGE", "end there, as schedgen --to", option_word, (char *)"to"},
	{"reduce-cost", 0, "GAP", "cost of reductions per byte, as schedgen --reduce-cost",
	 option_word, (char *)"reduce-cost"},
	{0},
};

static const struct option_spec *const advise_options[] = {model_options, advise_own_options, NULL};

/* ------------------------------------------------------------------------ words */

/* The search for a placement can take longer than all other changes: it is asked for by its name. */
static int read_changes(struct change_options *options, struct error *err)
{
	options->at_least = given.at_least_percent / 100;
	options->is_all = !strcmp(given.changes, "all");
	if (options->is_all) {
		for (int kind = 0; kind < CHANGE_KINDS; kind++)
			options->kinds[kind] = kind != CHANGE_PLACEMENT;
		return 0;
	}
	for (const char *next = given.changes;; next++) {
		char name[32];
		const size_t length = strcspn(next, ",");
		int kind;

		snprintf(name, sizeof name, "%.*s", (int)length, next);
		kind = parse_choice(name, "kind of change", change_kind_names, err);
		if (kind < 0)
			return error_prefix(err, "--changes");
		options->kinds[kind] = true;
		next += length;
		if (!*next)
			return 0;
	}
}

static bool names_file(const char *progress)
{
	return strcmp(progress, "async") && strcmp(progress, "calls") &&
	       strcmp(progress, "calls:both");
}

/* Let schedgen defer the messages that use the rendezvous protocol in the model. */
static int add_progress(const struct loggps *loggps, struct error *err)
{
	char threshold[24];

	if (!strcmp(given.progress, "async"))
		return 0;
	if (loggps->S == LOGGPS_NO_RENDEZVOUS)
		return error_set(
			err, STATUS_USAGE,
			"--progress has no effect: without -S no message uses the rendezvous protocol");
	snprintf(threshold, sizeof threshold, "%" PRIu64, loggps->S);
	TRY(option_word(given.progress, (char *)"progress", err));
	return option_word(threshold, (char *)"rendezvous-threshold", err);
}

/* The texts of struct advice_commands, owned. */
struct command_texts {
	char *archive, *conversion, *parameters;
};

static int make_texts(struct command_texts *texts, const char *archive, struct error *err)
{
	size_t bytes;
	FILE *streams[] = {open_memstream(&texts->archive, &bytes),
			   open_memstream(&texts->conversion, &bytes),
			   open_memstream(&texts->parameters, &bytes)};
	int result = 0;

	for (int i = 0; i < 3; i++)
		if (!streams[i])
			result = error_set_memory(err, 1);
	if (result == 0) {
		/* A command takes what begins with "-" for an option. */
		if (*archive == '-')
			fputs("./", streams[0]);
		text_print_word(streams[0], archive);
		for (size_t i = 0; i < given.words.count; i++) {
			fputc(' ', streams[1]);
			text_print_word(streams[1], given.words.items[i]);
		}
		model_options_write(streams[2], text_print_word);
	}
	for (int i = 0; i < 3; i++)
		if (streams[i])
			fclose(streams[i]);
	return result;
}

/* ----------------------------------------------------------------------- command */

static int write_advice(const struct model *model, const struct advice *advice, const char *archive,
			struct error *err)
{
	struct command_texts texts = {NULL, NULL, NULL};
	struct output output;
	struct report report;
	int result = make_texts(&texts, archive, err);

	if (result == 0)
		result = output_open(&output, table_output.path, err);
	if (result == 0) {
		report = given_report(&table_output, &output);
		report_advice(&report, model, advice,
			      &(struct advice_commands){texts.archive, texts.conversion,
							texts.parameters});
		result = output_commit(&output, err);
	}
	free(texts.archive);
	free(texts.conversion);
	free(texts.parameters);
	return result;
}

/* Note what schedgen will read: no output may be one of these files. */
static int note_inputs(const char *archive, struct error *err)
{
	const char *slash = strrchr(archive, '/');
	const size_t length = strlen(archive);
	char *folder;
	int result;

	TRY(output_note_input(archive, err));
	if (given.rules)
		TRY(output_note_input(given.rules, err));
	if (names_file(given.progress))
		TRY(output_note_input(given.progress, err));
	if (length < 5 || strcmp(archive + length - 5, ".otf2") != 0)
		return 0;
	/* The files of the archive lie beside its anchor file. */
	TRY(change_text(&folder, err, "%.*s", slash ? (int)(slash - archive) + 1 : 1,
			slash ? archive : "."));
	result = output_note_input(folder, err);
	free(folder);
	return result;
}

/* Advise on the program of a graph, whose calls must be known. */
static int advise(struct evaluation *evaluation, const char *archive,
		  const struct advice_options *options, struct error *err)
{
	struct advice advice;
	struct model model;
	int result;

	TRY(open_graph(&model, evaluation->base, evaluation->loggps, MODEL_COSTS, err));
	model.path = archive;
	progress_begin("llamp", "trying changes");
	result = model.calls ? advice_find(&advice, evaluation, &model, options, err)
			     : error_set(err, STATUS_DATA,
					 "%s: the calls of its operations are not known", archive);
	progress_end();
	if (result == 0) {
		result = write_advice(&model, &advice, archive, err);
		if (result == 0 && advice.withheld.count)
			result = error_set(err, STATUS_DATA, "%s: no advice: %s", archive,
					   advice.withheld.texts[0]);
		advice_release(&advice);
	}
	model_release(&model);
	return result;
}

static int cmd_advise(char **operands, int count, struct error *err)
{
	struct graph_maker maker = {.archive = operands[0]};
	struct evaluation evaluation = {.maker = &maker};
	struct advice_options options = {.steps = (uint32_t)given.steps};
	struct loggps loggps;
	int result;

	(void)count;
	TRY(read_changes(&options.changes, err));
	if (given.repeat)
		TRY(add_flag("--repeat", err));
	TRY(model_options_loggps(&loggps, err));
	TRY(add_progress(&loggps, err));
	options.changes.are_deferred = strcmp(given.progress, "async") != 0;
	maker.words = given.words;
	evaluation.loggps = &loggps;
	TRY(note_inputs(operands[0], err));
	TRY(graph_maker_begin(&maker, err));
	progress_begin("llamp", "converting the trace");
	result = graph_maker_base(&maker, &evaluation.base, &evaluation.estimate_ns, err);
	progress_end();
	if (result == 0) {
		result = advise(&evaluation, operands[0], &options, err);
		graph_maker_remove(evaluation.base);
	}
	graph_maker_end(&maker);
	return result;
}

static const char advise_notes[] =
	"Each change is made in the model: the trace is converted again, computation is shared, or parameters are set, and T is"
	" found exactly. The change with the largest gain comes first; then all others are tried beside it, and so on. The"
	" commands behind 'check:' print the same T. Where parameters have intervals, or with --repeat, gains are intervals, and a change"
	" that may gain nothing is no step. No advice is given on runs whose ranks shared cores, whose trace is not complete, whose"
	" clocks contradict messages, whose critical path is unknown for 1 %, that recording slowed by 5 %, that spend 10 % in calls without a model, or whose T is 10 % off"
	" the traced run time: then the exit status is 1. See doc/commands.md.\n\nARCHIVE is all that schedgen(1) converts.";

static const struct help_entry advise_examples[] = {
	{"llamp advise app.trace --params cluster.yaml", "what to change first, and what it gains"},
	{"llamp advise app.trace --preset mpich --changes algorithm,eager",
	 "only what can be changed without the program's source"},
	{0},
};

const struct command advise_command = {
	.name = "advise",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "which changes make a program faster, and by how much",
	.notes = advise_notes,
	.options = advise_options,
	.output = &table_output,
	.run = cmd_advise,
	.examples = advise_examples,
};
