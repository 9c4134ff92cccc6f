#include "llamp/programs.h"

#include "common/array.h"
#include "llamp/analysis_options.h"
#include "llamp/model_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- networks */

/* The variable that most of the latency of all networks is of. */
static const char *default_vary(const struct programs *programs)
{
	for (size_t i = 0; i < programs->network_count; i++)
		if (!loggps_is_of_links(&programs->networks[i].parameters.loggps))
			return "L";
	return "links";
}

/* Refuse options that have no effect on any network. */
static int programs_check_options(const struct programs *programs, struct error *err)
{
	const struct model_parameters **networks;
	bool resources = false;
	int result;

	TRY(allocate(&networks, programs->network_count, sizeof *networks, err));
	for (size_t i = 0; i < programs->network_count; i++)
		networks[i] = &programs->networks[i].parameters;
	for (size_t i = 0; i < programs->network_count; i++)
		resources |= networks[i]->loggps.resources != 0;
	result = order_options_check(resources, err);
	if (result == 0)
		result = model_options_check(networks, programs->network_count, err);
	free(networks);
	return result;
}

static int read_networks(struct programs *programs, const char *vary, struct error *err)
{
	const size_t count = model_options_networks();

	TRY(allocate(&programs->networks, count, sizeof *programs->networks, err));
	for (size_t i = 0; i < count; i++) {
		parameters_init(&programs->networks[i].parameters);
		programs->network_count++;
		TRY(model_options_network(&programs->networks[i].parameters, i, err));
	}
	TRY(programs_check_options(programs, err));
	programs->vary = vary ? vary : default_vary(programs);
	for (size_t i = 0; i < count; i++) {
		struct program_network *network = &programs->networks[i];

		if (loggps_vary(&network->parameters.loggps, programs->vary, &network->varied,
				err) < 0)
			return count > 1 ? error_prefix(err, "%s", model_options_file(i)) : -1;
	}
	return 0;
}

/* ------------------------------------------------------------------ labels */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Name of the file without its folders, unless another one has the same. */
static const char *short_name(const char *const *paths, size_t count, const char *path)
{
	if (!strcmp(path, "-"))
		return "standard input";
	for (size_t i = 0; i < count; i++)
		if (strcmp(paths[i], path) != 0 && !strcmp(last_part(paths[i]), last_part(path)))
			return path;
	return last_part(path);
}

/* Name the graph; and the network, if there are several. */
static int name_program(struct program *program, const char *const *graphs, size_t graph_count,
			const char *const *files, size_t file_count, struct error *err)
{
	const char *graph = short_name(graphs, graph_count, program->path);
	const char *network = file_count > 1 ? short_name(files, file_count, program->network) : "";
	const size_t length = strlen(graph) + strlen(network) + sizeof " on ";

	program->label = malloc(length);
	if (!program->label)
		return error_set_memory(err, length);
	snprintf(program->label, length, "%s%s%s", graph, file_count > 1 ? " on " : "", network);
	return 0;
}

static int name_programs(struct programs *programs, char **graphs, size_t graph_count,
			 struct error *err)
{
	const char **files;
	int result = 0;

	TRY(allocate(&files, programs->network_count, sizeof *files, err));
	for (size_t i = 0; i < programs->network_count; i++)
		files[i] = model_options_file(i);
	for (size_t i = 0; i < programs->count && result == 0; i++)
		result = name_program(&programs->of[i], (const char *const *)graphs, graph_count,
				      files, programs->network_count, err);
	free(files);
	return result;
}

/* ---------------------------------------------------------------- programs */

int programs_find(struct programs *programs, char **graphs, size_t graph_count, const char *vary,
		  struct error *err)
{
	*programs = (struct programs){.count = 0};
	TRY(read_networks(programs, vary, err));
	TRY(allocate(&programs->of, graph_count * programs->network_count, sizeof *programs->of,
		     err));
	for (size_t i = 0; i < graph_count * programs->network_count; i++) {
		const size_t number = i % programs->network_count;
		const struct program_network *network = &programs->networks[number];

		programs->of[programs->count++] = (struct program){
			.path = graphs[i / programs->network_count],
			.network = model_options_file(number),
			.loggps = &network->parameters.loggps,
			.varied = network->varied,
		};
		if (number && !strcmp(programs->of[i].path, "-"))
			return error_set(err, STATUS_USAGE, "the graph of stdin can be read once,"
					 " for one --params");
	}
	return name_programs(programs, graphs, graph_count, err);
}

void programs_release(struct programs *programs)
{
	for (size_t i = 0; i < programs->count; i++)
		free(programs->of[i].label);
	for (size_t i = 0; i < programs->network_count; i++)
		parameters_release(&programs->networks[i].parameters);
	free(programs->of);
	free(programs->networks);
}
