#include "llamp/advise/run_quality.h"

#include "common/yaml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- question */

/* Options of schedgen that critpath knows, too. */
static bool is_slice(const char *word)
{
	return !strncmp(word, "--from=", 7) || !strncmp(word, "--to=", 5);
}

/* Ask a question of critpath, which is one word or two. */
static int ask(const struct graph_maker *maker, const char *question, const char *more,
	       FILE *answer, FILE *errors, struct error *err)
{
	words_list words = {0};
	int result = array_push(&words, question, err);

	if (result == 0 && more)
		result = array_push(&words, more, err);
	if (result == 0)
		result = array_push(&words, "--format=json", err);
	for (size_t i = 0; i < maker->words.count && result == 0; i++)
		if (is_slice(maker->words.items[i]))
			result = array_push(&words, maker->words.items[i], err);
	if (result == 0)
		result = array_push(&words, "--", err);
	if (result == 0)
		result = array_push(&words, maker->archive, err);
	if (result == 0)
		result = companion_run("critpath", &words, answer, errors, err);
	array_release(&words);
	return result;
}

/* ---------------------------------------------------------------------- answer */

static const struct yaml_entry *entry_of(const struct yaml_entry *of, const char *key)
{
	const struct yaml_entry *entry = of ? of->first : NULL;

	while (entry && strcmp(entry->key, key) != 0)
		entry = entry->next;
	return entry;
}

static uint64_t count_of(const struct yaml_entry *of, const char *key)
{
	const struct yaml_entry *entry = entry_of(of, key);

	return entry && entry->text ? strtoull(entry->text, NULL, 10) : 0;
}

static void read_facts(struct run_quality *quality, const struct yaml_entry *facts)
{
	*quality = (struct run_quality){
		.iterations = UINT64_MAX,
		.runtime_ns = count_of(facts, "runtime_ns"),
		.unknown_ns = count_of(entry_of(facts, "categories"), "unknown"),
		.begins_later = count_of(facts, "slice_start_ns") > 0,
		.ended_early = entry_of(facts, "ended_early") != NULL,
		.unmatched_sends = count_of(facts, "unmatched_sends"),
		.unmatched_receives = count_of(facts, "unmatched_receives"),
		.lacking = count_of(facts, "collectives_lacking_participants"),
		.incomplete = count_of(facts, "incomplete_requests"),
		.unfinished = count_of(facts, "unfinished_calls"),
	};
}

/* Copy the facts, which come before the segments of the path: there may be millions. */
static int copy_facts(FILE *answer, FILE *facts, struct error *err)
{
	char *line = NULL;
	size_t bytes = 0;

	rewind(answer);
	while (getline(&line, &bytes, answer) > 0 && !strstr(line, "\"segments\": "))
		fputs(line, facts);
	fputc('}', facts);
	free(line);
	return ferror(answer) ? error_set_errno(err, "answer of critpath") : 0;
}

static int read_quality(struct run_quality *quality, FILE *answer, struct error *err)
{
	struct yaml_file file;
	char *text = NULL;
	size_t bytes;
	FILE *facts = open_memstream(&text, &bytes);
	int result;

	if (!facts)
		return error_set_memory(err, 1);
	result = copy_facts(answer, facts, err);
	if (fclose(facts) != 0 && result == 0)
		result = error_set_memory(err, bytes);
	if (result == 0)
		result = yaml_text_open(&file, "critpath", text, err);
	if (result == 0) {
		read_facts(quality, file.root);
		yaml_file_release(&file);
	}
	free(text);
	return result;
}

/*
 * A repeated trace is whole, and schedgen checks that by its event flow graph.  Where its windows cut messages in half,
 * critpath cannot know that the other half is repeated.
 */
static bool is_repeated(const struct graph_maker *maker, struct run_quality *quality)
{
	bool found = false;

	*quality = (struct run_quality){.iterations = UINT64_MAX};
	for (size_t i = 0; i < maker->words.count; i++) {
		found |= !strcmp(maker->words.items[i], "--repeat");
		quality->begins_later |= !strncmp(maker->words.items[i], "--from=", 7);
	}
	return found;
}

/* Whether graphs are made of a slice: critpath counts iterations of whole runs. */
static bool is_sliced(const struct graph_maker *maker)
{
	for (size_t i = 0; i < maker->words.count; i++)
		if (is_slice(maker->words.items[i]))
			return true;
	return false;
}

static int ask_and_read(struct run_quality *quality, const struct graph_maker *maker, FILE *answer,
			FILE *errors, struct error *err)
{
	*quality = (struct run_quality){.iterations = UINT64_MAX};
	if (ask(maker, "path", NULL, answer, errors, err) == 0)
		return read_quality(quality, answer, err);
	if (err->status != STATUS_DATA)
		return -1;
	memcpy(quality->refusal, err->text, sizeof quality->refusal);
	return 0;
}

/* Count the iterations of the main loop, whose rows are lines. */
static uint64_t read_iterations(FILE *answer)
{
	char *line = NULL;
	size_t bytes = 0;
	uint64_t most = 0, number;

	rewind(answer);
	while (getline(&line, &bytes, answer) > 0)
		if (sscanf(line, " {\"iteration\": %" SCNu64, &number) == 1 && number > most)
			most = number;
	free(line);
	return most;
}

static int ask_iterations(struct run_quality *quality, const struct graph_maker *maker,
			  FILE *answer, FILE *errors, struct error *err)
{
	if (ask(maker, "imbalance", "--by=iteration", answer, errors, err) == 0) {
		quality->iterations = read_iterations(answer);
		return 0;
	}
	/* The path is known, and with it what is wrong with the trace. */
	return err->status == STATUS_SYSTEM ? -1 : 0;
}

/* What is asked, with streams for the answer and for what critpath says. */
typedef int question(struct run_quality *quality, const struct graph_maker *maker, FILE *answer,
		     FILE *errors, struct error *err);

static int with_streams(struct run_quality *quality, struct graph_maker *maker, question *asks,
			struct error *err)
{
	FILE *answer, *errors;
	int result;

	TRY(graph_maker_stream(maker, &answer, err));
	result = graph_maker_stream(maker, &errors, err);
	if (result == 0) {
		result = asks(quality, maker, answer, errors, err);
		fclose(errors);
	}
	fclose(answer);
	return result;
}

int run_quality_ask(struct run_quality *quality, struct graph_maker *maker, struct error *err)
{
	if (is_repeated(maker, quality))
		return 0;
	TRY(with_streams(quality, maker, ask_and_read, err));
	return is_sliced(maker) ? 0 : with_streams(quality, maker, ask_iterations, err);
}
