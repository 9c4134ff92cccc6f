/* Parameter files: values, sizes, nodes, mappings, topologies; what --vary names. */
#include "llamp/network/parameters.h"

#include "common/json.h"
#include "common/units.h"
#include "llamp/analysis/analysis.h"
#include "llamp/network/direction.h"
#include "llamp/network/topology.h"
#include "llamp/path/path_engine.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/check/cost_graph_check.h"
#include "test/unit/lib/along.h"
#include "test/unit/lib/damage.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/make/random_network.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static char path[128];
static struct error err;

static int make_files(void **state)
{
	if (scratch_make(state) < 0)
		return -1;
	snprintf(path, sizeof path, "%s/network.yaml", scratch);
	return 0;
}

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Read a text as a file of parameters. */
static void read_text(struct model_parameters *parameters, const char *text)
{
	write_file(text);
	parameters_init(parameters);
	MUST(parameters_read(parameters, path, &err));
}

static int64_t value(const struct model_parameters *parameters, const char *name)
{
	const int v = variables_find(&parameters->loggps.variables, name);

	if (v < 0)
		fail_msg("there is no variable %s", name);
	return loggps_value(&parameters->loggps, (uint32_t)v);
}

static void parameter_files_override_the_given_values(void **state)
{
	struct model_parameters parameters;

	(void)state;
	read_text(&parameters, "L: 1.4us\nG: 56Gbit/s\nS: 256KB\nrendezvous: sync\n");
	assert_int_equal(value(&parameters, "L"), 1400 * AS_PER_NS);
	assert_int_equal(value(&parameters, "o"), loggps_value(&loggps_default, VARIABLE_o));
	assert_int_equal(value(&parameters, "G"), (AS_PER_NS + 3) / 7); /* 7 GB/s, rounded */
	assert_int_equal(parameters.loggps.S, 256000);
	assert_int_equal(parameters.loggps.rendezvous, RENDEZVOUS_SYNC);
	assert_null(parameters.loggps.network);
	write_file("g: 0.5\nS: none\n");
	MUST(parameters_read(&parameters, path, &err));
	assert_int_equal(value(&parameters, "g"), AS_PER_NS / 2);
	assert_true(parameters.loggps.S == LOGGPS_NO_RENDEZVOUS);
	assert_int_equal(value(&parameters, "L"), 1400 * AS_PER_NS);
	parameters_release(&parameters);
}

static void sizes_and_nodes_have_variables_of_their_own(void **state)
{
	struct model_parameters parameters;
	struct message_class class;

	(void)state;
	read_text(&parameters, "sizes:\n  - {to: 4KiB, o: 0.3us, L: 1.1us}\n"
			       "  - {to: 1000000, o: 1us, L: 2us}\n  - {L: 3us, o: 2us}\n"
			       "intra-node: {L: 300ns}\nranks-per-node: 4\n");
	assert_ptr_equal(parameters.loggps.network, &parameters.network);
	assert_int_equal(value(&parameters, "o_4KiB"), 300 * AS_PER_NS);
	assert_int_equal(value(&parameters, "L_1000000B"), 2000 * AS_PER_NS);
	assert_int_equal(value(&parameters, "L_above_1000000B"), 3000 * AS_PER_NS);
	assert_int_equal(value(&parameters, "L_node"), 300 * AS_PER_NS);
	/* What is added to all sizes is 0 unless it is given. */
	assert_int_equal(value(&parameters, "L"), 0);
	assert_int_equal(value(&parameters, "o"), 0);
	assert_int_equal(value(&parameters, "G"), loggps_value(&loggps_default, VARIABLE_G));
	assert_int_equal(network_row(&parameters.network, 4096), 0);
	assert_int_equal(network_row(&parameters.network, 4097), 1);
	assert_int_equal(network_row(&parameters.network, UINT64_MAX), 2);
	class = network_class(&parameters.network, 0, 0, 1);
	assert_int_equal(class.terms[0].symbol, VARIABLE_L);
	assert_string_equal(parameters.loggps.variables.of[class.terms[0].variable].name, "L_node");
	assert_int_equal(class.terms[1].symbol, VARIABLE_o);
	parameters_release(&parameters);
}

static void links_and_switches_are_variables(void **state)
{
	struct model_parameters parameters;
	struct message_class class;

	(void)state;
	read_text(&parameters, "o: 1us\ntopology:\n  kind: fat-tree\n  radix: 4\n  levels: 2\n"
			       "  links: {wire: 274ns}\n  switch: 108ns\n");
	assert_int_equal(value(&parameters, "l_wire"), 274 * AS_PER_NS);
	assert_int_equal(value(&parameters, "d_switch"), 108 * AS_PER_NS);
	assert_int_equal(value(&parameters, "L"), 0);
	assert_int_equal(value(&parameters, "o"), 1000 * AS_PER_NS);
	/* Host 0 to host 7: up and down two levels, 4 links and 3 switches. */
	class = network_class(&parameters.network, 0, 7, 0);
	assert_int_equal(class.terms[0].variable, VARIABLE_L);
	assert_int_equal(class.terms[1].variable, parameters.network.first_link);
	assert_int_equal(class.terms[1].count, 4);
	assert_int_equal(class.terms[2].variable, parameters.network.switch_variable);
	assert_int_equal(class.terms[2].count, 3);
	parameters_release(&parameters);
}

static void wrong_parameters_are_refused_and_change_nothing(void **state)
{
	static const struct {
		const char *yaml;
		const char *place, *text;
	} wrong[] = {
		{"L: 1us\nl: 2us\n", "2:1",
		 "unknown parameter 'l' (expected L, o, g, G, O, S, rendezvous,"
		 " resources, sizes, intra-node, ranks-per-node, mapping, topology,"
		 " unknown or intervals)"},
		{"L: 1us\nintervals: {L: [2us, 3us]}\n", "2:13",
		 "L: its value is not in the interval"},
		{"L: 1us\nintervals: {L: 2us}\n", "2:13", "L: expected an interval such as"},
		{"L: 1us\nintervals: {L: [1us]}\n", "2:13", "L: expected an interval such as"},
		{"L: 1us\nintervals: {L: [0, 2 kg]}\n", "2:13", "L: '2 kg' is not a time"},
		{"intervals: {S: [1, 2]}\n", "1:13", "intervals: unknown key 'S'"},
		{"intervals: [1, 2]\n", "1:1", "intervals: expected some"},
		{"unknown: l\n", "1:1", "unknown: expected L, o, g, G, O"},
		{"L: 1us\nunknown: L\n", "2:1", "unknown: L has a value"},
		{"L: 1us\nG: 3 bytes\n", "2:1", "G: '3 bytes' is neither"},
		{"L: -1\n", "1:1", "L: '-1' is not a time"},
		{"L: 1us\n\no:\n", "3:1", "o: '' is not a time"},
		{"L: [1us]\n", "1:1", "L: expected a value"},
		{"L: 1us\nS: {none: 1}\n", "2:1", "S: expected a value"},
		{"S: lots\n", "1:1", "S: 'lots' is not a size"},
		{"rendezvous: eager\n", "1:1", "rendezvous: unknown rendezvous protocol 'eager'"},
		{"- L\n", "1:1", "expected 'parameter: value' lines"},
		{"L: 10s\n", "1:1", "L: '10s' is too long"},
		{"l_wire: 1ns\n", "1:1", "unknown parameter 'l_wire'"},
		{"sizes: 3\n", "1:1", "sizes: expected a list of rows"},
		{"sizes: []\n", "1:1", "sizes: expected a list of rows"},
		{"sizes: [4]\n", "1:9", "sizes: expected rows such as"},
		{"sizes: [{to: 4, L: 1}]\n", "1:9", "the last row is for all larger messages"},
		{"sizes:\n  - {L: 1}\n  - {L: 2}\n", "2:5", "a row before the last one needs"},
		{"sizes:\n  - {to: 4, L: 1}\n  - {to: 4, L: 2}\n  - {L: 3}\n", "3:5",
		 "ascending order"},
		{"sizes:\n  - {to: 4, L: 1}\n  - {o: 2}\n", "3:5",
		 "o must be in all rows or in none"},
		{"sizes:\n  - {to: 4, L: 1 kg}\n  - {L: 2}\n", "2:13", "L: '1 kg' is not a time"},
		{"sizes:\n  - {to: 4 kg, L: 1}\n  - {L: 2}\n", "2:6", "to: '4 kg' is not a size"},
		{"sizes:\n  - {to: 4, g: 1}\n", "2:13",
		 "sizes: unknown key 'g' (expected to, o, L or G)"},
		{"intra-node: {}\n", "1:1", "intra-node: expected values"},
		{"intra-node: {S: 4}\n", "1:14",
		 "intra-node: unknown key 'S' (expected o, L or G)"},
		{"intra-node: {L: [1]}\n", "1:14", "L: expected a value"},
		{"ranks-per-node: 0\n", "1:1", "ranks-per-node: "},
		{"ranks-per-node: many\n", "1:1", "ranks-per-node: "},
		{"mapping: none-such\n", "1:1", "/none-such: cannot be opened"},
		{"topology: {kind: ring}\n", "1:12", "ring"},
		{"sizes: [{L: 1us}]\ntopology: {kind: torus, size: [2], links: {wire: 1ns}}\n",
		 "1:1", "sizes: L is not allowed beside a topology"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct model_parameters parameters;
		char place[192];

		write_file(wrong[i].yaml);
		parameters_init(&parameters);
		assert_int_equal(parameters_read(&parameters, path, &err), -1);
		assert_int_equal(err.status, STATUS_DATA);
		snprintf(place, sizeof place, "%s:%s: ", path, wrong[i].place);
		if (strncmp(err.text, place, strlen(place)) != 0 ||
		    !strstr(err.text, wrong[i].text))
			fail_msg("'%s' instead of '%s %s'", err.text, place, wrong[i].text);
		assert_int_equal(parameters.loggps.variables.count, LOGGPS_COUNT);
		assert_int_equal(value(&parameters, "L"),
				 loggps_value(&loggps_default, VARIABLE_L));
		assert_true(network_is_plain(&parameters.network));
		parameters_release(&parameters);
	}
}

static void most_rows_and_all_link_classes_fit(void **state)
{
	struct model_parameters parameters;
	char text[4096], *at = text;

	(void)state;
	at += sprintf(at, "sizes:\n");
	for (int i = 0; i < SIZES_MOST; i++)
		at += sprintf(at,
			      i + 1 < SIZES_MOST ? "- {to: %d, o: 1, L: 1, G: 1}\n"
						 : "- {o: 1, L: 1, G: 1}\n",
			      i);
	read_text(&parameters, text);
	assert_int_equal(parameters.loggps.variables.count, LOGGPS_COUNT + 3 * SIZES_MOST);
	parameters_release(&parameters);
	memmove(strchr(text, '-') + 30, strchr(text, '-'), strlen(strchr(text, '-')) + 1);
	memcpy(strchr(text, '\n') + 1, "- {to: 0, o: 1, L: 1, G: 1}  \n", 30);
	write_file(text);
	parameters_init(&parameters);
	assert_int_equal(parameters_read(&parameters, path, &err), -1);
	parameters_release(&parameters);
}

/* ----------------------------------------------------------------- placement */

static void check_place(const char *yaml, uint32_t ranks, const uint32_t *expected)
{
	struct model_parameters parameters;
	uint32_t *hosts;

	read_text(&parameters, yaml);
	MUST(network_place(&parameters.network, ranks, &hosts, &err));
	for (uint32_t rank = 0; rank < ranks; rank++)
		assert_int_equal(hosts[rank], expected[rank]);
	free(hosts);
	parameters_release(&parameters);
}

static void ranks_are_placed_in_blocks_in_turn_or_by_a_list(void **state)
{
	static const uint32_t block[] = {0, 0, 0, 1, 1, 1, 2}, cyclic[] = {0, 1, 2, 0, 1, 2, 0},
			      one[] = {0, 1, 2, 3}, list[] = {5, 0, 7};
	char hosts[128], yaml[256];
	FILE *file;

	(void)state;
	check_place("ranks-per-node: 3\n", 7, block);
	check_place("ranks-per-node: 3\nmapping: cyclic\n", 7, cyclic);
	check_place("mapping: block\n", 4, one);
	check_place("mapping: cyclic\n", 4, one);
	snprintf(hosts, sizeof hosts, "%s/hosts", scratch);
	file = fopen(hosts, "w");
	assert_non_null(file);
	fputs("# host of each rank\n5\n  0 # rank 1\n\n7", file);
	fclose(file);
	snprintf(yaml, sizeof yaml, "mapping: %s\n", hosts);
	check_place(yaml, 3, list);
}

static void refuse_place(const char *yaml, uint32_t ranks, const char *text)
{
	struct model_parameters parameters;
	uint32_t *hosts;

	read_text(&parameters, yaml);
	assert_int_equal(network_place(&parameters.network, ranks, &hosts, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	if (!strstr(err.text, text))
		fail_msg("'%s' instead of '%s'", err.text, text);
	parameters_release(&parameters);
}

static void ranks_without_a_host_or_a_latency_are_refused(void **state)
{
	(void)state;
	refuse_place("topology: {kind: torus, size: [3], links: {wire: 1ns}}\n", 4,
		     "rank 3 is on host 3 (counted from 0), but the topology has 3 hosts");
	refuse_place("ranks-per-node: 2\ntopology: {kind: torus, size: [3], links: {wire: 1ns}}\n",
		     4, "ranks 0 and 1 are on host 0: the parameters need 'intra-node: {L: TIME}'");
}

/* ------------------------------------------------------------ the same model */

/* The cost graphs are the same, edge by edge, and T is the same function of both variables. */
static void check_same(const struct goal *goal, const struct loggps *plain,
		       const struct loggps *other, const char *name)
{
	const uint32_t v = (uint32_t)variables_find(&other->variables, name);
	struct cost_graph a, b;
	int cyclic = cost_graph_build(&a, goal, plain, &err);

	assert_int_equal(cost_graph_build(&b, goal, other, &err), cyclic);
	if (cyclic < 0)
		return;
	assert_int_equal(a.vertex_count, b.vertex_count);
	assert_true(a.edge_count == b.edge_count);
	assert_memory_equal(a.slots, b.slots, a.vertex_count * sizeof *a.slots);
	check_same_edges(&a, &b);
	for (int64_t at = 0; at < 5; at++) {
		const struct rational p = {at * 7777 * AS_PER_NS, 3};
		struct line lines[2];

		MUST(path_evaluate(&a, ALONG(plain, VARIABLE_L), p, SIDE_RIGHT, &lines[0], NULL,
				   &err));
		MUST(path_evaluate(&b, ALONG(other, v), p, SIDE_RIGHT, &lines[1], NULL, &err));
		assert_true(lines_same(lines[0], lines[1]));
	}
	cost_graph_release(&a);
	cost_graph_release(&b);
}

/* Parameters with the values of `plain`, whose latency has another name: it is between two texts. */
static void check_one_class(const struct goal *goal, const struct loggps *plain, const char *before,
			    const char *after, const char *name)
{
	struct model_parameters parameters;
	char text[512], L[NUMBER_TEXT_BYTES];

	snprintf(text, sizeof text, "%s%s%s", before,
		 attoseconds_text(loggps_value(plain, VARIABLE_L), L), after);
	write_file(text);
	parameters_init(&parameters);
	parameters.loggps = *plain;
	MUST(parameters_read(&parameters, path, &err));
	check_same(goal, plain, &parameters.loggps, name);
	parameters_release(&parameters);
}

static void one_class_with_the_value_of_L_is_the_plain_model(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 120; seed++) {
		uint64_t numbers = seed;
		struct loggps loggps;
		struct goal goal;

		random_graph(&goal, &numbers, 6, 200);
		random_loggps(&loggps, &numbers);
		loggps.resources = (unsigned)random_below(&numbers, 4);
		loggps_set(&loggps, VARIABLE_O, 0);
		check_one_class(&goal, &loggps, "sizes: [{L: ", "}]\n", "L_all");
		/* All on one node, where messages need no NIC. */
		loggps.resources &= RESOURCE_CPU;
		check_one_class(&goal, &loggps, "intra-node: {L: ", "}\nranks-per-node: 8\n",
				"L_node");
		goal_release(&goal);
	}
}

/* ------------------------------------------------------------------ directions */

static const char small[] =
	"L: 5ns\ntopology:\n  kind: dragonfly\n  groups: 3\n  routers: 2\n  hosts: 2\n"
	"  links: {tc: 100ns, intra: 150ns, inter: 500ns}\n  switch: 10ns\n";

static void links_scale_in_proportion(void **state)
{
	struct model_parameters parameters;
	struct direction direction;
	struct loggps loggps;
	uint32_t varied;

	(void)state;
	read_text(&parameters, small);
	loggps = parameters.loggps;
	MUST(loggps_vary(&loggps, "links", &varied, &err));
	direction = direction_of(&loggps.variables, varied);
	assert_string_equal(loggps.variables.of[varied].name, "links");
	assert_int_equal(direction.start_as, AS_PER_NS);
	for (uint32_t v = 0; v < parameters.loggps.variables.count; v++) {
		const bool link = loggps.variables.of[v].name[0] == 'l';

		assert_true(direction.origin_as[v] + direction.weight[v] * direction.start_as ==
			    loggps_value(&loggps, v));
		assert_int_equal(direction.weight[v] > 0, link);
	}
	assert_int_equal(direction.weight[parameters.network.first_link + 2], 500);
	parameters_release(&parameters);
}

static void sums_are_added_with_their_weights(void **state)
{
	struct model_parameters parameters;
	struct direction direction;
	struct loggps loggps;
	uint32_t varied;

	(void)state;
	read_text(&parameters, small);
	loggps = parameters.loggps;
	MUST(loggps_vary(&loggps, "l_tc+3*l_inter", &varied, &err));
	direction = direction_of(&loggps.variables, varied);
	assert_int_equal(direction.start_as, 0);
	for (uint32_t v = 0; v < parameters.loggps.variables.count; v++) {
		const char *name = loggps.variables.of[v].name;

		assert_int_equal(direction.origin_as[v], loggps_value(&loggps, v));
		assert_int_equal(direction.weight[v], !strcmp(name, "l_tc")	 ? 1
						      : !strcmp(name, "l_inter") ? 3
										 : 0);
	}
	parameters_release(&parameters);
}

static void wrong_directions_are_refused(void **state)
{
	static const struct {
		const char *vary, *text;
	} wrong[] = {
		{"l", "unknown variable 'l' (expected one of L, o, g, l_tc, l_intra, l_inter,"},
		{"l_tc+", "unknown variable ''"},
		{"0*l_tc", "'0*l_tc' is not NUMBER*VARIABLE"},
		{"x*l_tc", "'x*l_tc' is not NUMBER*VARIABLE"},
		{"1.5*l_tc", "'1.5*l_tc' is not NUMBER*VARIABLE"},
		{"99999999999999999999*l_tc", "is not NUMBER*VARIABLE"},
		{"l_tc+l_tc", "l_tc is named twice"},
		{"l_tc+G", "different units"},
		{"l_tc+g", "g is switched off"},
		{"1*l_tc+2*l_intra+3*l_inter+00000000000000000001*L", "more than"},
	};
	struct model_parameters parameters;
	uint32_t varied;

	(void)state;
	read_text(&parameters, small);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct loggps loggps = parameters.loggps;

		assert_int_equal(loggps_vary(&loggps, wrong[i].vary, &varied, &err), -1);
		assert_int_equal(err.status, STATUS_USAGE);
		if (!strstr(err.text, wrong[i].text))
			fail_msg("'%s' instead of '%s'", err.text, wrong[i].text);
	}
	parameters_release(&parameters);
	read_text(&parameters, "o: 1us\n");
	assert_int_equal(loggps_vary(&parameters.loggps, "links", &varied, &err), -1);
	assert_non_null(strstr(err.text, "unknown variable 'links'"));
	parameters_release(&parameters);
}

/* T where all variables of a direction have moved by p. */
static double moved_ns(const struct model *model, uint32_t varied, int64_t p_as)
{
	const struct direction direction = direction_of(&model->loggps.variables, varied);
	struct loggps there = model->loggps;
	struct rational at;
	struct line line;

	for (uint32_t v = 0; v < direction.count; v++)
		loggps_set(&there, v, direction.origin_as[v] + direction.weight[v] * p_as);
	at = rational_from(loggps_value(&there, VARIABLE_L));
	MUST(path_evaluate(&model->graph, ALONG(&there, VARIABLE_L), at, SIDE_RIGHT, &line, NULL,
			   &err));
	return line_runtime_ns(&line, at);
}

/* GLPK confirms all answers, and T reaches its bound where the tolerance says. */
static void check_group(const struct model *model, uint32_t varied, uint32_t *bounded)
{
	static const double percents[] = {1, 20};
	struct analysis analysis;

	MUST(analysis_run(&analysis, model,
			  &(struct analysis_request){
				  .engine = ENGINE_LP,
				  .varied = varied,
				  .percents = percents,
				  .percent_count = 2,
				  .frozen_order = true,
			  },
			  &err));
	for (size_t i = 0; i < 2; i++) {
		const struct tolerance *tolerance = &analysis.tolerance.items[i];
		const double bound_ns = analysis.runtime_ns * (1 + tolerance->percent / 100);

		if (tolerance->unbounded || tolerance->value_ns > 1e9)
			continue;
		assert_true(
			fabs(moved_ns(model, varied, (int64_t)(tolerance->value_ns * AS_PER_NS)) -
			     bound_ns) <= 1e-6 * bound_ns);
		++*bounded;
	}
	analysis_release(&analysis);
}

static void both_engines_answer_for_groups_of_random_networks(void **state)
{
	uint32_t links = 0, sums = 0, bounded = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct model model = {.path = "random graph"};
		struct model_parameters parameters;
		uint64_t numbers = seed;
		struct loggps plain;
		uint32_t varied;

		random_graph(&model.goal, &numbers, 6, 150);
		random_loggps(&plain, &numbers);
		plain.resources = (unsigned)random_below(&numbers, 4);
		random_network(&parameters, &plain, &numbers);
		model.loggps = parameters.loggps;
		if (graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps,
				 &err) == 0) {
			if (loggps_vary(&model.loggps, "links", &varied, &err) == 0) {
				check_group(&model, varied, &bounded);
				links++;
			} else if (loggps_vary(&model.loggps, "L+2*o", &varied, &err) == 0) {
				check_group(&model, varied, &bounded);
				sums++;
			}
			execution_graph_release(&model.execution);
			cost_graph_release(&model.graph);
		}
		parameters_release(&parameters);
		goal_release(&model.goal);
	}
	assert_true(links > 30 && sums > 30 && bounded > 50);
}

/* --------------------------------------------------------------------- damage */

static bool read_damaged(void *data)
{
	struct model_parameters parameters;
	bool readable;

	(void)data;
	parameters_init(&parameters);
	readable = parameters_read(&parameters, path, &err) == 0;
	if (!readable && err.status != STATUS_DATA && err.status != STATUS_LIMIT &&
	    err.status != STATUS_SYSTEM)
		fail_msg("status %d: %s", err.status, err.text);
	parameters_release(&parameters);
	return readable;
}

static void damaged_files_are_read_or_refused(void **state)
{
	uint32_t unreadable = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		uint64_t numbers = seed;
		char mapping[128];
		FILE *file;

		snprintf(mapping, sizeof mapping, "%s/mapping", scratch);
		file = fopen(path, "w");
		assert_non_null(file);
		random_network_write(file, mapping, &numbers);
		fclose(file);
		assert_true(read_damaged(NULL));
		damage_cut(path, 3, read_damaged, NULL);
		unreadable += damage_some(path, 30, &numbers, read_damaged, NULL);
	}
	assert_true(unreadable > 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameter_files_override_the_given_values),
		cmocka_unit_test(sizes_and_nodes_have_variables_of_their_own),
		cmocka_unit_test(links_and_switches_are_variables),
		cmocka_unit_test(wrong_parameters_are_refused_and_change_nothing),
		cmocka_unit_test(most_rows_and_all_link_classes_fit),
		cmocka_unit_test(ranks_are_placed_in_blocks_in_turn_or_by_a_list),
		cmocka_unit_test(ranks_without_a_host_or_a_latency_are_refused),
		cmocka_unit_test(one_class_with_the_value_of_L_is_the_plain_model),
		cmocka_unit_test(links_scale_in_proportion),
		cmocka_unit_test(sums_are_added_with_their_weights),
		cmocka_unit_test(wrong_directions_are_refused),
		cmocka_unit_test(both_engines_answer_for_groups_of_random_networks),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, make_files, scratch_remove);
}
