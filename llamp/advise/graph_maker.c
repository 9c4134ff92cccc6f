#include "llamp/advise/graph_maker.h"

#include "common/output.h"
#include "common/units.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int graph_maker_begin(struct graph_maker *maker, struct error *err)
{
	return output_folder(&maker->folder, "llamp-advise", err);
}

void graph_maker_end(struct graph_maker *maker)
{
	output_folder_remove(maker->folder);
}

int graph_maker_file(struct graph_maker *maker, const char *suffix, char **path, struct error *err)
{
	if (asprintf(path, "%s/%u%s", maker->folder, ++maker->made, suffix) >= 0)
		return 0;
	*path = NULL;
	return error_set_memory(err, PATH_MAX);
}

int graph_maker_stream(struct graph_maker *maker, FILE **stream, struct error *err)
{
	char *path;
	int result;

	TRY(graph_maker_file(maker, ".out", &path, err));
	*stream = fopen(path, "w+");
	result = *stream ? 0 : error_set_errno(err, "%s", path);
	if (*stream)
		unlink(path);
	free(path);
	return result;
}

void graph_maker_remove(char *path)
{
	char side[PATH_MAX];

	if (!path)
		return;
	unlink(path);
	if (snprintf(side, sizeof side, "%s.calls", path) < (int)sizeof side)
		unlink(side);
	free(path);
}

/* ---------------------------------------------------------------------- graphs */

static int append_words(words_list *words, const words_list *more, struct error *err)
{
	for (size_t i = 0; more && i < more->count; i++)
		TRY(array_push(words, more->items[i], err));
	return 0;
}

static int append_files(words_list *words, const char *output, const char *input, struct error *err)
{
	TRY(array_push(words, "-o", err));
	TRY(array_push(words, output, err));
	TRY(array_push(words, "--", err));
	return array_push(words, input, err);
}

/* Run a command, and let `read` have what it said, if it is not NULL. */
static int run_command(struct graph_maker *maker, const char *command, const words_list *words,
		       FILE *output, void (*read)(FILE *said, void *data), void *data,
		       struct error *err)
{
	FILE *said;
	int result;

	TRY(graph_maker_stream(maker, &said, err));
	result = companion_run(command, words, output, said, err);
	if (result == 0 && read)
		read(said, data);
	fclose(said);
	return result;
}

/* Make a graph from `input` by a command, whose words but for the files are in `words`. */
static int make_by(struct graph_maker *maker, const char *command, words_list *words,
		   const char *input, char **path, void (*read)(FILE *said, void *data), void *data,
		   struct error *err)
{
	int result;

	TRY(graph_maker_file(maker, ".bin", path, err));
	result = append_files(words, *path, input, err);
	if (result == 0)
		result = run_command(maker, command, words, stdout, read, data, err);
	if (result < 0) {
		graph_maker_remove(*path);
		*path = NULL;
	}
	return result;
}

static int make_from(struct graph_maker *maker, const words_list *more, char **path,
		     void (*read)(FILE *said, void *data), void *data, struct error *err)
{
	words_list words = {0};
	int result = append_words(&words, &maker->words, err);

	if (result == 0)
		result = append_words(&words, more, err);
	if (result == 0)
		result = make_by(maker, "schedgen", &words, maker->archive, path, read, data, err);
	array_release(&words);
	return result;
}

int graph_maker_make(struct graph_maker *maker, const words_list *more, char **path,
		     struct error *err)
{
	return make_from(maker, more, path, NULL, NULL, err);
}

/* Name the archive in an error, not a file of the folder, which users do not know. */
static int name_archive(const struct graph_maker *maker, const char *file, struct error *err)
{
	char text[sizeof err->text];
	const char *at = strstr(err->text, file);

	if (!at || strncmp(at + strlen(file), ".calls: ", 8) != 0)
		return -1;
	memcpy(text, err->text, sizeof text);
	text[at - err->text] = '\0';
	return error_set(err, err->status, "%.100s%.200s: %.400s", text, maker->archive,
			 text + (at - err->text) + strlen(file) + 8);
}

int graph_maker_change(struct graph_maker *maker, const words_list *command, const char *from,
		       char **path, struct error *err)
{
	words_list words = {0};
	int result = append_words(&words, command, err);

	if (result == 0)
		result = make_by(maker, "goal", &words, from, path, NULL, NULL, err) < 0
				 ? name_archive(maker, from, err)
				 : 0;
	else
		*path = NULL;
	array_release(&words);
	return result;
}

/* What schedgen/convert/summary.c says of a conversion. */
struct summary {
	double estimate_ns; /* how far T of a repeated trace may be off */
	double not_modelled_percent;
};

static void read_estimate(const char *line, struct summary *summary)
{
	char text[32];
	struct error none;
	int64_t as;

	if (sscanf(line, "schedgen: T is that of the run within %31[^b]by estimate", text) != 1)
		return;
	text[strcspn(text, "\n") - 1] = '\0';
	if (parse_time_as(text, &as, &none) == 0)
		summary->estimate_ns = (double)as / AS_PER_NS;
}

/* Add a line of calls without a model.  Local functions are left out: they do compute. */
static void read_not_modelled(const char *line, struct summary *summary)
{
	static const char begin[] = "schedgen: counted as computation: ";
	const char *name = line + sizeof begin - 1, *share = strrchr(line, '(');

	if (strncmp(line, begin, sizeof begin - 1) != 0 || !share)
		return;
	if (strncmp(name, "local functions,", 16) != 0 &&
	    strncmp(name, "other local functions,", 22) != 0)
		summary->not_modelled_percent += strtod(share + 1, NULL);
}

static void read_summary(FILE *said, void *data)
{
	char line[1024];

	rewind(said);
	while (fgets(line, sizeof line, said)) {
		read_estimate(line, data);
		read_not_modelled(line, data);
	}
}

int graph_maker_base(struct graph_maker *maker, char **path, double *estimate_ns, struct error *err)
{
	struct summary summary = {0};

	TRY(make_from(maker, NULL, path, read_summary, &summary, err));
	*estimate_ns = summary.estimate_ns;
	maker->not_modelled = summary.not_modelled_percent / 100;
	return 0;
}

static int read_algorithms(FILE *stream, algorithm_list *found, struct error *err)
{
	char line[1024];

	rewind(stream);
	while (fgets(line, sizeof line, stream)) {
		struct algorithm_name name;

		if (sscanf(line, "%31s %47s", name.collective, name.algorithm) == 2)
			TRY(array_push(found, name, err));
	}
	return 0;
}

int graph_maker_algorithms(struct graph_maker *maker, algorithm_list *found, struct error *err)
{
	const char *question[] = {"--coll", "help"};
	const words_list words = {question, 2, 0};
	FILE *stream;
	int result;

	TRY(graph_maker_stream(maker, &stream, err));
	result = run_command(maker, "schedgen", &words, stream, NULL, NULL, err);
	if (result == 0)
		result = read_algorithms(stream, found, err);
	fclose(stream);
	return result;
}
