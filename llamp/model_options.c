#include "llamp/model_options.h"

#include "common/array.h"

#include <stdio.h>
#include <string.h>

/* Parameter and its value, as text. */
struct assignment {
	char name[VARIABLE_NAME_BYTES];
	const char *value;
};

/* Given options, in their order. */
static struct {
	ARRAY(const char *) params;
	ARRAY(struct assignment) assignments;
} given;

static int check_value(const char *name, const char *value, struct error *err)
{
	struct model_parameters scratch;
	int result;

	parameters_init(&scratch);
	result = parameters_set(&scratch, name, value, err);
	parameters_release(&scratch);
	return result;
}

/*
 * Store and check a value, so that a mistake is reported before a large file is read.  Variables of
 * the network have names that only the file of --params tells.
 */
static int assign(const char *name, size_t length, const char *value, struct error *err)
{
	struct assignment assignment = {.value = value};

	if (length >= sizeof assignment.name)
		length = sizeof assignment.name - 1;
	memcpy(assignment.name, name, length);
	if (parameters_know(assignment.name))
		TRY(check_value(assignment.name, value, err));
	return array_push(&given.assignments, assignment, err);
}

static int option_params(const char *text, void *target, struct error *err)
{
	(void)target;
	return array_push(&given.params, text, err);
}

/* Read the value of the parameter whose name is `target`. */
static int option_value(const char *text, void *target, struct error *err)
{
	return assign(target, strlen(target), text, err);
}

static int option_assignment(const char *text, void *target, struct error *err)
{
	const size_t length = strcspn(text, "=");

	(void)target;
	if (!text[length])
		return error_set(err, STATUS_USAGE, "'%s' is not NAME=VALUE", text);
	return assign(text, length, text + length + 1, err);
}

const struct option_spec model_options[] = {
	{"params", 0, "FILE",
	 "read parameters, parameters by message size, nodes and a topology"
	 " from a YAML file (doc/parameters.md); compare and report take several",
	 option_params, NULL},
	{"parameter", 'p', "NAME=VALUE", "set a parameter by its name: -p o=5us; may be repeated",
	 option_assignment, NULL},
	{"latency", 'L', "TIME", "network latency L (default 3us)", option_value, (char *)"L"},
	{"overhead", 0, "TIME", "CPU overhead of a message o (default 5us)", option_value,
	 (char *)"o"},
	{"gap", 'g', "TIME", "gap between messages of a rank g (default 0: off)", option_value,
	 (char *)"g"},
	{"gap-per-byte", 'G', "GAP",
	 "gap per byte G, as a time (0.018ns) or a bandwidth"
	 " (56Gbit/s); default 0.018ns",
	 option_value, (char *)"G"},
	{"rendezvous-threshold", 'S', "SIZE",
	 "messages of more bytes use the rendezvous"
	 " protocol (default none: no message does)",
	 option_value, (char *)"S"},
	{"rendezvous", 0, "PROTOCOL", "rendezvous protocol: read (default), sync or paper",
	 option_value, (char *)"rendezvous"},
	{"ranks-per-node", 0, "N",
	 "place N ranks on each node, where the file of --params has"
	 " parameters of nodes or a topology (default: nodes of the trace, or 1)",
	 option_value, (char *)"ranks-per-node"},
	{"resources", 0, "LIST",
	 "resources that do one thing at a time: none (default), or a list of"
	 " cpu, nic, link, as in cpu,nic; node-nic for NICs that the ranks of a node share",
	 option_value, (char *)"resources"},
	{0},
};

static int option_placing(const char *text, void *target, struct error *err)
{
	const size_t length = strcspn(text, "=");
	char name[VARIABLE_NAME_BYTES] = "";

	snprintf(name, sizeof name, "%.*s", (int)length, text);
	if (text[length] && !network_knows(name))
		return error_set(err, STATUS_USAGE,
				 "'%s' does not place ranks; mapping and"
				 " ranks-per-node do",
				 name);
	return option_assignment(text, target, err);
}

const struct option_spec placing_options[] = {
	{"parameter", 'p', "NAME=VALUE",
	 "with --load: place ranks as for llamp analyze, by"
	 " mapping=cyclic, mapping=FILE or ranks-per-node=N",
	 option_placing, NULL},
	{"ranks-per-node", 0, "N",
	 "with --load: place N ranks on each host (default: as FILE says, as in"
	 " the trace, or 1)",
	 option_value, (char *)"ranks-per-node"},
	{0},
};

int parse_tolerance(const char *text, double *percent, struct error *err)
{
	TRY(parse_percent(text, percent, err));
	if (*percent < 0 || (*percent > 0 && *percent < 1e-4) || *percent > 1e9)
		return error_set(err, STATUS_USAGE,
				 "a tolerance must be 0 or from 0.0001 to 1e9 percent, not %s",
				 text);
	return 0;
}

size_t model_options_networks(void)
{
	return given.params.count ? given.params.count : 1;
}

const char *model_options_file(size_t network)
{
	return given.params.count ? given.params.items[network] : NULL;
}

int model_options_read(struct model_parameters *parameters, const char *path, struct error *err)
{
	if (path)
		TRY(parameters_read(parameters, path, err));
	for (size_t i = 0; i < given.assignments.count; i++)
		TRY(parameters_set(parameters, given.assignments.items[i].name,
				   given.assignments.items[i].value, err));
	return 0;
}

int model_options_network(struct model_parameters *parameters, size_t network, struct error *err)
{
	const char *file = model_options_file(network);

	TRY(model_options_read(parameters, file, err));
	return parameters_check_known(parameters, err) < 0 ? error_prefix(err, "%s", file) : 0;
}

bool model_options_set(const char *name)
{
	for (size_t i = 0; i < given.assignments.count; i++)
		if (!strcmp(given.assignments.items[i].name, name))
			return true;
	return false;
}

void model_options_write(FILE *stream, void (*write_word)(FILE *stream, const char *word))
{
	for (size_t i = 0; i < given.params.count; i++) {
		fputs(" --params ", stream);
		write_word(stream, given.params.items[i]);
	}
	for (size_t i = 0; i < given.assignments.count; i++) {
		fprintf(stream, " -p %s=", given.assignments.items[i].name);
		write_word(stream, given.assignments.items[i].value);
	}
}

static bool uses_rendezvous(const struct model_parameters *network)
{
	return network->loggps.S != LOGGPS_NO_RENDEZVOUS;
}

static bool uses_places(const struct model_parameters *network)
{
	return network_has_places(&network->network) ||
	       network->loggps.resources & RESOURCE_NODE_NIC;
}

int model_options_check(const struct model_parameters *const *networks, size_t count,
			struct error *err)
{
	bool rendezvous = false, places = false;

	for (size_t i = 0; i < count; i++) {
		rendezvous |= uses_rendezvous(networks[i]);
		places |= uses_places(networks[i]);
	}
	if (model_options_set("rendezvous") && !rendezvous)
		return option_unused("--rendezvous",
				     "without -S no message uses the rendezvous"
				     " protocol",
				     err);
	if (model_options_set("ranks-per-node") && !places)
		return option_unused("--ranks-per-node",
				     "all ranks are equally far from each other;"
				     " a file of --params may have nodes or a topology",
				     err);
	return 0;
}

int model_options_loggps(struct loggps *loggps, struct error *err)
{
	static struct model_parameters parameters;

	if (given.params.count > 1)
		return error_set(err, STATUS_USAGE,
				 "--params is given %zu times: only llamp compare"
				 " and llamp report take several networks",
				 given.params.count);
	parameters_release(&parameters);
	parameters_init(&parameters);
	TRY(model_options_network(&parameters, 0, err));
	*loggps = parameters.loggps;
	return model_options_check(&(const struct model_parameters *){&parameters}, 1, err);
}
