#include "llamp/advise/graph_maker.h"

#include "common/output.h"

#include <limits.h>
#include <stdio.h>
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

static int all_words(const struct graph_maker *maker, const words_list *more, const char *output,
		     words_list *words, struct error *err)
{
	for (size_t i = 0; i < maker->words.count; i++)
		TRY(array_push(words, maker->words.items[i], err));
	for (size_t i = 0; more && i < more->count; i++)
		TRY(array_push(words, more->items[i], err));
	TRY(array_push(words, "-o", err));
	TRY(array_push(words, output, err));
	TRY(array_push(words, "--", err));
	return array_push(words, maker->archive, err);
}

int graph_maker_make(struct graph_maker *maker, const words_list *more, char **path,
		     struct error *err)
{
	words_list words = {0};
	int result;

	TRY(graph_maker_file(maker, ".bin", path, err));
	result = all_words(maker, more, *path, &words, err);
	if (result == 0)
		result = companion_run("schedgen", &words, stdout, err);
	array_release(&words);
	if (result < 0) {
		graph_maker_remove(*path);
		*path = NULL;
	}
	return result;
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

int graph_maker_algorithms(algorithm_list *found, struct error *err)
{
	const char *question[] = {"--coll", "help"};
	const words_list words = {question, 2, 0};
	FILE *stream = tmpfile();
	int result;

	if (!stream)
		return error_set_errno(err, "temporary file");
	result = companion_run("schedgen", &words, stream, err);
	if (result == 0)
		result = read_algorithms(stream, found, err);
	fclose(stream);
	return result;
}
