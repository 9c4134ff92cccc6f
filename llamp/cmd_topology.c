/* Command llamp topology: hosts, links, distances, routes and load of a topology. */
#include "common/progress.h"
#include "llamp/commands.h"
#include "llamp/network/parameters.h"
#include "llamp/pictures/pictures.h"
#include "llamp/report/report_links.h"
#include "llamp/report/report_topology.h"

#include <string.h>

static struct {
	const char *route, *load;
} given;

static const struct option_spec topology_own_options[] = {
	{"route", 0, "HOST,HOST", "print the links between two hosts, which are counted from 0",
	 option_text, &given.route},
	{"load", 0, "GRAPH", "print the messages and bytes of a GOAL graph on each link",
	 option_text, &given.load},
	{0},
};

static const struct option_spec *const topology_options[] = {topology_own_options, placing_options,
							     NULL};

static const char *placing_unused(const char *option)
{
	(void)option;
	return given.load ? NULL : "ranks are placed for --load only";
}

static const struct option_condition topology_conditions[] = {
	{"parameter", placing_unused}, {"ranks-per-node", placing_unused}, {0},
};

/* Read the topology of a parameter file. */
static int open_topology(struct topology *topology, const char *path, struct error *err)
{
	const struct yaml_entry *entry;
	struct yaml_file file;
	int result;

	TRY(yaml_file_open(&file, path, err));
	entry = file.root->kind == YAML_MAPPING ? file.root->first : NULL;
	while (entry && strcmp(entry->key, "topology") != 0)
		entry = entry->next;
	result = entry ? topology_read(topology, &file, entry, err)
		       : yaml_error(&file, file.root, err, "there is no 'topology:'");
	yaml_file_release(&file);
	return result;
}

static int topology_draw(const char *path, const struct topology *topology, struct error *err)
{
	struct svg svg = {.place = SVG_FILE, .width = SVG_WIDE_PX};
	struct output output;

	(void)path;
	TRY(output_open(&output, picture_output.path, err));
	svg.stream = output.stream;
	if (picture_topology(&svg, topology, err) == 0)
		return output_commit(&output, err);
	output_discard(&output);
	return -1;
}

static int write_survey(const char *path, const struct topology *topology,
			const struct topology_survey *survey, struct error *err)
{
	struct output output;
	struct report report;

	TRY(output_open(&output, picture_output.path, err));
	report = given_report(&picture_output, &output);
	report.file = path;
	report_topology(&report, topology, survey);
	return output_commit(&output, err);
}

/* Survey and report. */
static int survey_routes(const char *path, const struct topology *topology, struct error *err)
{
	struct topology_survey survey;
	int result;

	progress_begin("llamp", "looking at the routes");
	result = topology_survey_find(&survey, topology, err);
	progress_end();
	if (result == 0) {
		result = write_survey(path, topology, &survey, err);
		topology_survey_release(&survey);
	}
	return result;
}

/* ----------------------------------------------------------------- one route */

/* Read the two hosts of --route. */
static int parse_hosts(const struct topology *topology, uint64_t hosts[2], struct error *err)
{
	const char *comma = strchr(given.route, ',');
	char first[32];

	if (!comma || (size_t)(comma - given.route) >= sizeof first)
		return error_set(err, STATUS_USAGE, "--route: '%s' is not two hosts such as 0,5",
				 given.route);
	memcpy(first, given.route, (size_t)(comma - given.route));
	first[comma - given.route] = '\0';
	if (parse_count(first, 0, topology->host_count - 1, &hosts[0], err) == 0 &&
	    parse_count(comma + 1, 0, topology->host_count - 1, &hosts[1], err) == 0)
		return 0;
	return error_prefix(err, "--route");
}

static int print_route(const char *path, const struct topology *topology, struct error *err)
{
	struct output output;
	struct report report;
	uint64_t hosts[2];

	TRY(parse_hosts(topology, hosts, err));
	TRY(output_open(&output, picture_output.path, err));
	report = given_report(&picture_output, &output);
	report.file = path;
	if (report_route(&report, topology, (uint32_t)hosts[0], (uint32_t)hosts[1], err) == 0)
		return output_commit(&output, err);
	output_discard(&output);
	return -1;
}

/* ---------------------------------------------------------------------- load */

static int write_load(const char *path, const struct topology *topology,
		      const struct link_load *load, struct error *err)
{
	struct output output;
	struct report report;

	TRY(output_open(&output, picture_output.path, err));
	report = given_report(&picture_output, &output);
	report.file = path;
	report_load(&report, given.load, topology, load);
	return output_commit(&output, err);
}

/* Place the ranks of a graph and find the load; the side file may know their nodes. */
static int find_load(struct link_load *load, const struct goal *goal,
		     const struct model_parameters *parameters, struct error *err)
{
	const struct network *network = &parameters->network;
	struct goal_calls calls = {0};
	struct network of_trace;
	struct error ignored = {0};
	const bool has_calls = goal_calls_open(&calls, goal, given.load, &ignored) == 0;
	int used = 0, result;

	if (has_calls && calls.nodes)
		used = network_use_nodes(&of_trace, network, parameters->loggps.resources,
					 calls.nodes, goal->rank_count, err);
	result = used < 0 ? -1 : link_load_find(load, goal, used ? &of_trace : network, err);
	if (has_calls)
		goal_calls_release(&calls);
	return result < 0 ? error_prefix(err, "%s", given.load) : 0;
}

static int print_load_of(const char *path, const struct model_parameters *parameters,
			 struct error *err)
{
	struct link_load load;
	struct goal goal;
	int result;

	TRY(goal_open(&goal, given.load, err));
	progress_begin("llamp", "sending the messages");
	result = find_load(&load, &goal, parameters, err);
	progress_end();
	if (result == 0) {
		result = write_load(path, parameters->network.topology, &load, err);
		link_load_release(&load);
	}
	goal_release(&goal);
	return result;
}

static int print_load(const char *path, const struct topology *topology, struct error *err)
{
	struct model_parameters parameters;
	int result;

	(void)topology;
	parameters_init(&parameters);
	result = model_options_read(&parameters, path, err);
	if (result == 0)
		result = print_load_of(path, &parameters, err);
	parameters_release(&parameters);
	return result;
}

/* ------------------------------------------------------------------- command */

typedef int answer(const char *path, const struct topology *topology, struct error *err);

/* Find out what is asked. */
static int find_answer(answer **found, struct error *err)
{
	const bool drawn = picture_output.format == OUTPUT_SVG;

	if (given.route && given.load)
		return error_set(err, STATUS_USAGE, "--route and --load are two questions: give one");
	if (drawn && (given.route || given.load))
		return error_set(err, STATUS_USAGE, "--format svg draws the whole network, not a"
				 " route or a load");
	*found = given.route  ? print_route
		 : given.load ? print_load
		 : drawn      ? topology_draw
			      : survey_routes;
	return 0;
}

static int cmd_topology(char **operands, int count, struct error *err)
{
	struct topology topology;
	answer *found = NULL;
	int result;

	(void)count;
	TRY(find_answer(&found, err));
	TRY(open_topology(&topology, operands[0], err));
	result = found(operands[0], &topology, err);
	topology_release(&topology);
	return result;
}

static const char topology_notes[] =
	"FILE is a parameter file with a topology (doc/parameters.md). Routes are those of all pairs "
	"of hosts; the bisection is the least number of links that separate the first half of the "
	"hosts from the others.";

static const struct help_entry topology_examples[] = {
	{"llamp topology examples/params/dragonfly.yaml", "size, diameter, bisection and routes"},
	{"llamp topology examples/params/dragonfly.yaml --route 0,100", "links between two hosts"},
	{"llamp topology cluster.yaml --load app.bin", "what passes each link"},
	{"llamp topology cluster.yaml --load app.bin -p mapping=app.hosts", "the same with the hosts that llamp"
	 " place has found"},
	{0},
};

const struct command topology_command = {
	.name = "topology", .operands = "FILE", .least_operands = 1, .most_operands = 1,
	.summary = "hosts, switches and routes of a network",
	.notes = topology_notes, .options = topology_options, .output = &picture_output,
	.conditions = topology_conditions, .run = cmd_topology,
	.examples = topology_examples,
};
