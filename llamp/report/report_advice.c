#include "llamp/report/report_advice.h"

#include "common/text.h"
#include "llamp/advise/settings.h"

#include <math.h>
#include <string.h>

struct source {
	const struct model *model;
	const struct advice *advice;
	const struct advice_commands *commands;
};

enum { COMMAND_BYTES = 8192, BECAUSE_BYTES = 300 };

/* -------------------------------------------------------------------- commands */

/* The changes of a row, in order. */
struct change_set {
	const struct change *changes[64];
	size_t count;
};

/* The first `steps` chosen changes, and `more` if it is not NULL. */
static struct change_set changes_of(const struct source *source, uint32_t steps,
				    const struct change *more)
{
	const struct advised *advised = source->advice->advised.items;
	struct change_set set = {.count = 0};

	for (size_t i = 0; i < source->advice->chosen && i < steps && set.count < 63; i++)
		set.changes[set.count++] = advised[i].change;
	if (more)
		set.changes[set.count++] = more;
	return set;
}

/* Write the command that converts the archive as the changes say. */
static void write_conversion(FILE *stream, const struct source *source,
			     const struct change_set *set, const char *output)
{
	fprintf(stream, "schedgen %s%s", source->commands->archive, source->commands->conversion);
	for (size_t i = 0; i < set->count; i++)
		if (change_has_word(set->changes, set->count, i)) {
			putc(' ', stream);
			text_print_word(stream, set->changes[i]->word);
		}
	fprintf(stream, " -o %s", output);
}

/* Write a command of goal that changes the graph `from`, if a change needs it.  Returns what it writes, or `from`. */
static const char *write_graph_command(FILE *stream, const struct change_set *set,
				       enum graph_command command, const char *from)
{
	static const char *const outputs[GRAPH_COMMANDS] = {[GRAPH_MERGE] = "merged.bin",
							    [GRAPH_BALANCE] = "balanced.bin",
							    [GRAPH_MOVE] = "moved.bin"};
	bool begun = false;

	for (size_t i = 0; i < set->count; i++) {
		const struct change *change = set->changes[i];

		if (!change->is_of_graph || change->command != command)
			continue;
		if (!begun)
			fprintf(stream, " && goal %s %s", graph_command_names[command], from);
		begun = true;
		if (change->option)
			fprintf(stream, " %s", change->option);
		if (change->value_of_option) {
			fputc(' ', stream);
			text_print_word(stream, change->value_of_option);
		}
	}
	if (!begun)
		return from;
	fprintf(stream, " -o %s", outputs[command]);
	return outputs[command];
}

/* Write the commands that find where the ranks are to be, on the graph without a change. */
static bool write_placing(FILE *stream, const struct source *source, const struct change_set *set)
{
	const struct change_set none = {.count = 0};
	bool places = false;

	for (size_t i = 0; i < set->count; i++)
		places |= set->changes[i]->placed != NULL;
	if (!places)
		return false;
	write_conversion(stream, source, &none, "base.bin");
	fprintf(stream, " && llamp place base.bin%s --mapping ranks.txt -o placement.txt && ",
		source->commands->parameters);
	return true;
}

static void write_commands(FILE *stream, const struct source *source, const struct change_set *set)
{
	const bool places = write_placing(stream, source, set);
	const char *graph = "advised.bin";

	write_conversion(stream, source, set, graph);
	for (int command = 0; command < GRAPH_COMMANDS; command++)
		graph = write_graph_command(stream, set, (enum graph_command)command, graph);
	fprintf(stream, " && llamp analyze %s%s", graph, source->commands->parameters);
	for (size_t i = 0; i < set->count; i++)
		if (set->changes[i]->parameter)
			fprintf(stream, " -p %s=%s", set->changes[i]->parameter,
				set->changes[i]->value);
	if (places)
		fputs(" -p mapping=ranks.txt", stream);
}

/* The commands for a row: a chosen change with those before it, another one alone. */
static const char *commands_of(const struct source *source, const struct advised *row,
			       char text[static COMMAND_BYTES])
{
	FILE *stream = fmemopen(text, COMMAND_BYTES, "w");
	const struct change_set set = changes_of(source, row->step, row->step ? NULL : row->change);

	*text = '\0';
	if (!stream)
		return text;
	write_commands(stream, source, &set);
	fclose(stream);
	return text;
}

/* ---------------------------------------------------------------------- answer */

/* What is different on the critical path. */
static const char *because(const struct advice *advice, const struct advised *row,
			   char text[static BECAUSE_BYTES])
{
	const double *before = advice->base.lambda, *after = row->alone.lambda;

	if (after[VARIABLE_L] < before[VARIABLE_L])
		snprintf(text, BECAUSE_BYTES,
			 ", as the critical path has %.0f latencies instead of %.0f",
			 after[VARIABLE_L], before[VARIABLE_L]);
	else if (after[VARIABLE_G] < before[VARIABLE_G])
		snprintf(text, BECAUSE_BYTES,
			 ", as the critical path has %.0f bytes instead of %.0f", after[VARIABLE_G],
			 before[VARIABLE_G]);
	else if (after[VARIABLE_o] < before[VARIABLE_o])
		snprintf(text, BECAUSE_BYTES,
			 ", as the critical path has %.0f overheads instead of %.0f",
			 after[VARIABLE_o], before[VARIABLE_o]);
	else
		snprintf(text, BECAUSE_BYTES,
			 ", as the critical path has less computation or waiting");
	return text;
}

/* "9.8 to 12.9 %, " for a gain that is not exactly known, else "". */
static const char *interval_of(const struct advised *advised, char text[static UNIT_TEXT_BYTES])
{
	*text = '\0';
	if (advised->least_gain < advised->most_gain)
		snprintf(text, UNIT_TEXT_BYTES, "%.3g to %.3g %%, ", 100 * advised->least_gain,
			 100 * advised->most_gain);
	return text;
}

static const char *summary_of(const struct advice *advice, char text[static 2 * BECAUSE_BYTES])
{
	const struct advised *first = advice->advised.items;
	char before[UNIT_TEXT_BYTES], after[UNIT_TEXT_BYTES], interval[UNIT_TEXT_BYTES];
	char reason[BECAUSE_BYTES];

	if (advice->is_pair)
		snprintf(
			text, 2 * BECAUSE_BYTES,
			"Do two changes together: %.150s, and %.150s. They gain %.3g %% (T from %s to %s), and neither alone"
			" gains enough.",
			first[0].change->name, first[1].change->name,
			100 * (first[0].gain_then + first[1].gain_then),
			report_time(advice->base.runtime_ns, before),
			report_time(first[1].then.runtime_ns, after));
	else if (advice->withheld.count)
		snprintf(text, 2 * BECAUSE_BYTES, "No advice: %.400s.", advice->withheld.texts[0]);
	else if (!advice->chosen)
		snprintf(text, 2 * BECAUSE_BYTES, "No change that was tried gains enough.");
	else
		snprintf(
			text, 2 * BECAUSE_BYTES,
			"Do this first: %.150s. It gains %.3g %% (%sT from %s to %s, %s, confidence %s)%s.",
			first->change->name, 100 * first->gain_alone, interval_of(first, interval),
			report_time(advice->base.runtime_ns, before),
			report_time(first->alone.runtime_ns, after),
			change_class_names[change_class(first->change->kind)],
			confidence_names[first->confidence], because(advice, first, reason));
	return text;
}

/* How to make the change, if a library has a setting. */
static void print_settings(FILE *stream, const struct change *change)
{
	static const char *const names[] = {"MPICH", "Open MPI"};
	char text[SETTING_BYTES];

	for (int library = SETTING_MPICH; library <= SETTING_OPENMPI; library++)
		if (setting_of(change, (enum setting_library)library, text))
			fprintf(stream, "with %s: %s\n", names[library], text);
}

static void print_answer(const struct report *report, const struct source *source)
{
	const struct advice *advice = source->advice;
	char text[2 * BECAUSE_BYTES], command[COMMAND_BYTES];

	if (report->format != REPORT_TEXT)
		return;
	text_print(report->stream, summary_of(advice, text));
	fputc('\n', report->stream);
	for (size_t i = 1; i < advice->withheld.count; i++) {
		fputs("Nor: ", report->stream);
		text_print(report->stream, advice->withheld.texts[i]);
		fputs(".\n", report->stream);
	}
	if (advice->chosen) {
		for (size_t i = 0; i < 1 + (size_t)advice->is_pair; i++)
			print_settings(report->stream, advice->advised.items[i].change);
		fprintf(report->stream, "check: %s\n",
			commands_of(source, advice->advised.items + advice->is_pair, command));
	}
	fputc('\n', report->stream);
}

/* ---------------------------------------------------------------------- tables */

static const struct report_field advised_fields[] = {
	{"step", "step", VALUE_COUNT, .width = 4, .flags = FIELD_NULL | FIELD_POSITIVE,
	 .meaning = "When to make the change; null: not at all"},
	{"change", "change", VALUE_NAME, .width = 30},
	{"kind", NULL, VALUE_NAME, .values = change_kind_names},
	{"class", "gain is", VALUE_NAME, .width = 7, .values = change_class_names,
	 .meaning =
		 "Whether T with the change is exact in the model, the least that the change could reach (of totals and messages an"
		 " estimate of it), or of a program that may be wrong"},
	{"gain_alone", "alone", VALUE_SHARE, .width = 9, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "Share of T that the change gains alone; null: it could not be evaluated"},
	{"gain_then", "then", VALUE_SHARE, .width = 9, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning =
		 "Share that it gains beside the changes of the steps before, or beside all of them if it has no step"},
	{"gain_low", NULL, VALUE_SHARE, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning =
		 "The least of it within the intervals of the parameters, and of the times of a repeated trace"},
	{"gain_high", NULL, VALUE_SHARE, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "The most of it"},
	{"unsure", NULL, VALUE_TRUTH,
	 .meaning =
		 "Whether the change is no step because it may gain nothing within these intervals"},
	{"bound", NULL, VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning =
		 "The most that it can gain alone; null: not known. Without a gain it was not evaluated, as this is too little"},
	{"runtime_ns", "T", VALUE_NS, .width = 12, .flags = FIELD_NULL,
	 .meaning =
		 "T with it and the changes of the steps before, or with it alone if it has no step"},
	{"lambda_L", NULL, VALUE_LONG_NUMBER, .flags = FIELD_NULL,
	 .meaning = "Latencies on the critical path with the change alone"},
	{"replaced", NULL, VALUE_TRUTH,
	 .meaning = "Whether chosen changes took half of its gain, or more"},
	{"confidence", "confidence", VALUE_NAME, .values = confidence_names},
	{"mpich", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning =
		 "Setting of the environment by which MPICH makes the change; null: there is none"},
	{"openmpi", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Options of mpiexec by which Open MPI makes the change; null: there are none"},
	{"check", NULL, VALUE_NAME, .flags = FIELD_NULL, .meaning = "Commands that print this T"},
	{"failure", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Why it could not be evaluated"},
	{0},
};

static void advised_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct advised *advised = &source->advice->advised.items[number];
	const bool failed = advised->failure || advised->is_skipped;
	char command[COMMAND_BYTES], setting[SETTING_BYTES];

	put_count_or_none(row, advised->step, advised->step != 0);
	put_name(row, advised->change->name);
	put_name(row, change_kind_names[advised->change->kind]);
	put_name(row, change_class_names[change_class(advised->change->kind)]);
	put_number(row, failed ? NAN : advised->gain_alone);
	put_number(row, failed || advised->change->is_no_step ? NAN : advised->gain_then);
	for (int i = 0; i < 2; i++)
		put_number(row, failed || advised->change->is_no_step ? NAN
				: i				      ? advised->most_gain
								      : advised->least_gain);
	put_truth(row, advised->is_unsure && !advised->step);
	put_number(row, isinf(advised->bound) ? NAN : advised->bound);
	put_number(row, failed		? NAN
			: advised->step ? advised->then.runtime_ns
					: advised->alone.runtime_ns);
	put_number(row, failed ? NAN : advised->alone.lambda[VARIABLE_L]);
	put_truth(row, advised->is_replaced);
	put_name(row, confidence_names[advised->confidence]);
	put_name(row, setting_of(advised->change, SETTING_MPICH, setting));
	put_name(row, setting_of(advised->change, SETTING_OPENMPI, setting));
	put_name(row, failed ? NULL : commands_of(source, advised, command));
	put_name(row, advised->failure);
}

/* In text the chosen changes come first, and of the others those that gain. */
static size_t shown_rows(const struct advice *advice)
{
	size_t count = 0;

	while (count < advice->advised.count && !advice->advised.items[count].failure &&
	       !advice->advised.items[count].is_skipped &&
	       (advice->advised.items[count].step || advice->advised.items[count].gain_alone > 0))
		count++;
	return count;
}

static const struct report_field fact_fields[] = {
	{"summary", NULL, .kind = VALUE_NAME},
	{"runtime_ns", "T", VALUE_NS, .unit = "ns", .quantity = "runtime"},
	{"error", NULL, VALUE_LONG_NUMBER, .flags = FIELD_NULL | FIELD_SIGNED,
	 .meaning = "T / traced run time - 1; null: the traced run time is not known"},
	{"tried", NULL, VALUE_COUNT, .meaning = "Changes that were tried"},
	{"evaluations", NULL, VALUE_COUNT, .meaning = "Graphs and networks whose T was found"},
	{"withheld", NULL, VALUE_NAMES, .meaning = "Why no advice is given; empty: it is",
	 .flags = FIELD_JSON},
	{0},
};

static size_t tried_count(const struct advice *advice)
{
	size_t count = 0;

	for (size_t i = 0; i < advice->advised.count; i++)
		count += !advice->advised.items[i].is_skipped;
	return count;
}

static void advice_facts(struct report_row *row, const void *data, size_t number)
{
	const struct advice *advice = ((const struct source *)data)->advice;
	char text[2 * BECAUSE_BYTES];

	(void)number;
	put_name(row, summary_of(advice, text));
	put_number(row, advice->base.runtime_ns);
	put_number(row, advice->error);
	put_count(row, tried_count(advice));
	put_count(row, advice->runs);
	put_names(row, (const char *const *)advice->withheld.texts, advice->withheld.count);
}

static void print_count(FILE *stream, size_t count, const char *more, const char *what)
{
	if (count)
		fprintf(stream, "%zu%s change%s %s\n", count, more, plural(count), what);
}

static void print_rest(const struct report *report, const struct advice *advice, size_t shown)
{
	size_t failed = 0, skipped = 0, unsure = 0, useless = 0;

	for (size_t i = 0; i < advice->advised.count; i++) {
		const struct advised *each = &advice->advised.items[i];
		const bool is_unsure = each->is_unsure && !each->step;

		failed += each->failure != NULL;
		skipped += each->is_skipped;
		unsure += is_unsure;
		useless += i >= shown && !each->failure && !each->is_skipped && !is_unsure;
	}
	if (report->format != REPORT_TEXT || advice->withheld.count ||
	    (shown == advice->advised.count && !unsure))
		return;
	fputc('\n', report->stream);
	print_count(
		report->stream, unsure, "",
		"may gain nothing within the intervals of parameters and times, and no step therefore");
	print_count(report->stream, useless, " more", "would gain nothing");
	print_count(report->stream, skipped, " more",
		    "not tried, as too little of the critical path is in the calls");
	print_count(report->stream, failed, "", "could not be evaluated; --format json says why");
}

void report_advice(struct report *report, const struct model *model, const struct advice *advice,
		   const struct advice_commands *commands)
{
	const struct source source = {model, advice, commands};
	const size_t shown = shown_rows(advice);
	const bool text = report->format == REPORT_TEXT;
	const struct report_columns columns = {.model = model, .engine = ENGINE_PATH};

	report->rows = "changes";
	report->first_columns = report_first_columns;
	report->first_data = &columns;
	print_answer(report, &source);
	report_begin_model(report, "llamp-advise-1", model, VARIABLE_L, NULL, ENGINE_PATH);
	report_facts(report, &(struct report_facts){.fields = fact_fields,
						    .row = advice_facts,
						    .data = &source});
	report_table(
		report,
		&(struct report_table){
			"changes", .title = "what each change gains, as a share of T",
			.meaning =
				"Steps in order, then the others by their gain; those that failed last",
			.fields = advised_fields, .row = advised_row, .data = &source,
			.count = text ? shown : advice->advised.count});
	print_rest(report, advice, shown);
	report_end(report);
}
