#include "llamp/advise/evaluation.h"

#include "llamp/analysis/analysis.h"

#include <stdio.h>
#include <string.h>

/* A set of changes, as what is done with them. */
struct set {
	words_list words;		  /* of schedgen */
	words_list graph[GRAPH_COMMANDS]; /* of the commands of goal */
	struct loggps loggps;
};

/* Add the words of the command of goal, which begin with its name. */
static int add_graph_words(struct set *set, const struct change *change, struct error *err)
{
	words_list *words = &set->graph[change->command];

	if (!change->is_of_graph)
		return 0;
	if (!words->count)
		TRY(array_push(words, graph_command_names[change->command], err));
	if (change->option)
		TRY(array_push(words, change->option, err));
	return change->value_of_option ? array_push(words, change->value_of_option, err) : 0;
}

static int sort_changes(struct set *set, const struct change *const *changes, size_t count,
			struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *change = changes[i];

		if (change->refusal)
			return error_set(err, STATUS_DATA, "%s", change->refusal);
		if (change->placed)
			set->loggps.network = change->placed;
		if (change_has_word(changes, count, i))
			TRY(array_push(&set->words, change->word, err));
		TRY(add_graph_words(set, change, err));
		if (change->parameter)
			TRY(loggps_parse(&set->loggps, change->parameter, change->value, err));
	}
	return 0;
}

/* ---------------------------------------------------------------------- graphs */

/* Make the graph of a set.  *made is to be removed; NULL: the graph is `base`. */
static int make_graph(struct evaluation *evaluation, const struct set *set, char **made,
		      struct error *err)
{
	int result = 0;

	*made = NULL;
	if (set->words.count)
		TRY(graph_maker_make(evaluation->maker, &set->words, made, err));
	for (int command = 0; command < GRAPH_COMMANDS && result == 0; command++) {
		char *const from = *made;

		if (!set->graph[command].count)
			continue;
		result = graph_maker_change(evaluation->maker, &set->graph[command],
					    from ? from : evaluation->base, made, err);
		graph_maker_remove(from);
	}
	return result;
}

/* -------------------------------------------------------------------------- T */

static int analyse(const struct model *model, struct evaluated *found, struct error *err)
{
	const struct analysis_request request = {.engine = ENGINE_PATH, .varied = VARIABLE_L};
	struct analysis analysis;

	TRY(analysis_run(&analysis, model, &request, err));
	found->runtime_ns = analysis.runtime_ns;
	memcpy(found->lambda, analysis.lambda, sizeof found->lambda);
	analysis_release(&analysis);
	return 0;
}

/* Say that a change is at fault, not a file of the folder, which users do not know. */
static int name_change(const char *made, struct error *err)
{
	const size_t length = strlen(made);
	char text[sizeof err->text];

	if (strncmp(err->text, made, length) != 0)
		return -1;
	memcpy(text, err->text, sizeof text);
	return error_set(err, err->status, "with this change%s", text + length);
}

/* made: the graph of a set; NULL: the base. */
static int evaluate_graph(const struct evaluation *evaluation, const char *made,
			  const struct loggps *loggps, struct evaluated *found, struct error *err)
{
	struct model model;
	int result = model_open(&model, made ? made : evaluation->base, loggps, MODEL_COSTS, err);

	if (result == 0) {
		result = analyse(&model, found, err);
		model_release(&model);
	}
	return result < 0 && made ? name_change(made, err) : result;
}

static bool has_interval(const struct loggps *loggps, uint32_t variable)
{
	return loggps->variables.of[variable].most_as > 0;
}

/* Set the variables with an interval to the ends that are the bits of a number. */
static void set_extreme(struct loggps *loggps, const struct loggps *given, uint32_t extreme)
{
	for (uint32_t i = 0; i < LOGGPS_COUNT; i++) {
		const struct variable *variable = &loggps->variables.of[i];

		if (!has_interval(given, i))
			continue;
		/* A change that sets the variable leaves no interval. */
		if (has_interval(loggps, i))
			loggps_set(loggps, i, extreme & 1 ? variable->most_as : variable->least_as);
		extreme >>= 1;
	}
}

static int evaluate_extremes(const struct evaluation *evaluation, const struct set *set,
			     const char *made, struct evaluated *found, struct error *err)
{
	const struct loggps *given = evaluation->loggps;

	found->extremes = 1;
	for (uint32_t i = 0; i < LOGGPS_COUNT; i++)
		found->extremes <<= has_interval(given, i);
	if (found->extremes == 1)
		found->extremes = 0;
	for (uint32_t extreme = 0; extreme < found->extremes; extreme++) {
		struct loggps loggps = set->loggps;
		struct evaluated there;

		set_extreme(&loggps, given, extreme);
		TRY(evaluate_graph(evaluation, made, &loggps, &there, err));
		found->extreme_ns[extreme] = there.runtime_ns;
	}
	return 0;
}

static int evaluate_set(struct evaluation *evaluation, const struct set *set, bool extremes,
			struct evaluated *found, struct error *err)
{
	char *made;
	int result;

	TRY(make_graph(evaluation, set, &made, err));
	result = evaluate_graph(evaluation, made, &set->loggps, found, err);
	found->extremes = 0;
	if (result == 0 && extremes)
		result = evaluate_extremes(evaluation, set, made, found, err);
	graph_maker_remove(made);
	evaluation->runs++;
	return result;
}

static void set_release(struct set *set)
{
	array_release(&set->words);
	for (int command = 0; command < GRAPH_COMMANDS; command++)
		array_release(&set->graph[command]);
}

static int evaluate(struct evaluation *evaluation, const struct change *const *changes,
		    size_t count, bool extremes, struct evaluated *found, struct error *err)
{
	struct set set = {.words = {0}};
	int result;

	if (evaluation->evaluate) {
		evaluation->runs++;
		return evaluation->evaluate(evaluation->data, changes, count, found, err);
	}
	set.loggps = *evaluation->loggps;
	result = sort_changes(&set, changes, count, err);
	if (result == 0)
		result = evaluate_set(evaluation, &set, extremes, found, err);
	set_release(&set);
	return result;
}

int evaluate_changes(struct evaluation *evaluation, const struct change *const *changes,
		     size_t count, struct evaluated *found, struct error *err)
{
	return evaluate(evaluation, changes, count, true, found, err);
}

int evaluate_without_extremes(struct evaluation *evaluation, const struct change *const *changes,
			      size_t count, struct evaluated *found, struct error *err)
{
	return evaluate(evaluation, changes, count, false, found, err);
}

int evaluation_graph(struct evaluation *evaluation, const struct change *const *changes,
		     size_t count, char **made, struct loggps *loggps, struct error *err)
{
	struct set set = {.loggps = *evaluation->loggps};
	int result = sort_changes(&set, changes, count, err);

	*made = NULL;
	if (result == 0)
		result = make_graph(evaluation, &set, made, err);
	*loggps = set.loggps;
	set_release(&set);
	return result;
}
