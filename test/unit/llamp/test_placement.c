/* runs: only-long */
/* Placement of ranks: all mappings of small programs, a stencil, and what launchers read. */
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include "common/units.h"
#include "llamp/network/parameters.h"
#include "llamp/placement/placement.h"
#include "llamp/report/report_placement.h"
#include "llamp/simulate/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { GRAPHS = 20 };
#else
enum { GRAPHS = 100 };
#endif

static const struct placement_options options = {.random_starts = 4, .seed = 1, .tries = 16};

/* How the ranks of a node differ from others. */
enum differs { BY_LATENCY, BY_NIC, BY_BOTH };

/* A program on nodes with several ranks each. */
struct program {
	struct model_parameters parameters;
	struct model model;
	struct placement_task task;
};

/* Give messages within a node a small latency. */
static void add_node(struct model_parameters *parameters)
{
	struct variables *variables = &parameters->loggps.variables;

	parameters->network.node_L = variables->count;
	variables->of[variables->count] = variables->of[VARIABLE_L];
	variables->of[variables->count++].value_as = 100 * AS_PER_NS;
}

static int open_program(struct program *program, const char *ranks_per_node,
			enum differs differs, struct error *err)
{
	struct model_parameters *parameters = &program->parameters;
	struct model *model = &program->model;

	parameters_init(parameters);
	TRY(parameters_set(parameters, "ranks-per-node", ranks_per_node, err));
	if (differs != BY_NIC)
		add_node(parameters);
	if (differs != BY_LATENCY) {
		TRY(parameters_set(parameters, "resources", "node-nic", err));
		TRY(parameters_set(parameters, "G", "2ns", err));
	}
	parameters->loggps.network = &parameters->network;
	model->path = "program";
	model->loggps = parameters->loggps;
	if (graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps, err) < 0)
		return -1;
	return placement_task_init(&program->task, model, err);
}

static void close_program(struct program *program)
{
	placement_task_release(&program->task);
	cost_graph_release(&program->model.graph);
	execution_graph_release(&program->model.execution);
	goal_release(&program->model.goal);
	parameters_release(&program->parameters);
}

/* Find the smallest T of all mappings of the ranks from `rank` on. */
static void try_all(const struct placement_task *task, uint32_t *hosts, uint32_t *used,
		    uint32_t rank, __int128 *least)
{
	struct error err = {0};
	__int128 runtime;

	if (rank == task->model->goal.rank_count) {
		MUST(placement_runtime(task, hosts, &runtime, &err));
		*least = runtime < *least ? runtime : *least;
		return;
	}
	for (uint32_t host = 0; host < task->host_count; host++) {
		if (used[host] == task->slots)
			continue;
		used[host]++;
		hosts[rank] = host;
		try_all(task, hosts, used, rank + 1, least);
		used[host]--;
	}
}

static void check_best(const struct placements *placements, const struct placement_task *task)
{
	const struct placement *best = &placements->list.items[placements->best];
	const size_t baselines = placements->list.count / 2;
	struct error err = {0};
	__int128 runtime;

	for (size_t i = 0; i < placements->list.count; i++) {
		assert_true(best->runtime_as <= placements->list.items[i].runtime_as);
		MUST(placement_runtime(task, placements->list.items[i].hosts, &runtime, &err));
		assert_true(runtime == placements->list.items[i].runtime_as);
	}
	for (size_t i = 0; i < baselines; i++)
		assert_true(placements->list.items[baselines + i].runtime_as <=
			    placements->list.items[i].runtime_as);
}

/* Numbers of programs whose best mapping was found, and which gain by it. */
struct found {
	int best, improved;
};

static struct found place_random_programs(enum differs differs, int count)
{
	struct found found = {0};
	uint64_t numbers = 3;
	int programs = 0;

	while (programs < count) {
		struct program program = {0};
		struct placements placements;
		struct error err = {0};
		uint32_t hosts[16], used[16] = {0};
		__int128 least = (__int128)1 << 100;

		random_graph(&program.model.goal, &numbers, 6, 60);
		if (program.model.goal.rank_count < 5 ||
		    open_program(&program, "2", differs, &err) < 0) {
			close_program(&program);
			continue;
		}
		programs++;
		MUST(placements_find(&placements, &program.task, &options, &err));
		check_best(&placements, &program.task);
		try_all(&program.task, hosts, used, 0, &least);
		assert_true(least <= placements.list.items[placements.best].runtime_as);
		found.best += placements.list.items[placements.best].runtime_as == least;
		found.improved += least < placements.list.items[0].runtime_as;
		placements_release(&placements);
		close_program(&program);
	}
	print_message("the best mapping was found for %d of %d programs, of which %d gain by it\n",
		      found.best, programs, found.improved);
	return found;
}

static void the_best_of_all_mappings_is_mostly_found_and_no_baseline_is_better(void **state)
{
	const struct found found = place_random_programs(BY_LATENCY, GRAPHS);

	(void)state;
	assert_true(found.improved > GRAPHS / 4);
	assert_true(found.best * 100 >= GRAPHS * 95);
}

static void with_shared_nics_no_baseline_is_better_either(void **state)
{
	(void)state;
	for (enum differs differs = BY_NIC; differs <= BY_BOTH; differs++) {
		const struct found found = place_random_programs(differs, GRAPHS / 2);

		assert_true(found.improved > GRAPHS / 20);
		assert_true(found.best * 100 >= GRAPHS / 2 * 80);
	}
}

/* Write a stencil of side x side ranks, whose neighbours are given by a permutation. */
static void write_stencil(char *text, uint32_t side, const uint32_t *rank_at)
{
	const uint32_t count = side * side;
	char *end = text + sprintf(text, "num_ranks %u\n", count);

	for (uint32_t rank = 0; rank < count; rank++) {
		uint32_t place = 0, label = 0;

		while (rank_at[place] != rank)
			place++;
		end += sprintf(end, "rank %u {\n", rank);
		for (int step = 0; step < 3; step++) {
			const uint32_t before = label;

			for (int direction = 0; direction < 4; direction++) {
				static const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
				const int x = (int)(place % side) + dx[direction];
				const int y = (int)(place / side) + dy[direction];
				uint32_t other;

				if (x < 0 || y < 0 || x >= (int)side || y >= (int)side)
					continue;
				other = rank_at[(uint32_t)y * side + (uint32_t)x];
				end += sprintf(end, "l%u: send 100b to %u\nl%u: recv 100b from %u\n",
					       label, other, label + 1, other);
				if (before)
					end += sprintf(end, "l%u requires l%u\nl%u requires l%u\n",
						       label, before - 1, label + 1, before - 1);
				label += 2;
			}
			end += sprintf(end, "l%u: calc 1000\n", label);
			for (uint32_t i = before; i < label; i++)
				end += sprintf(end, "l%u requires l%u\n", label, i);
			label++;
		}
		end += sprintf(end, "}\n");
	}
}

/* Open a program on a torus of 4 x 4 hosts. */
static int open_on_torus(struct program *program, struct error *err)
{
	struct model *model = &program->model;
	char path[128];
	FILE *file;

	snprintf(path, sizeof path, "%s/torus.yaml", scratch);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("o: 200ns\ntopology: {kind: torus, size: [4, 4], links: {wire: 500ns}, switch: 50ns}\n",
	      file);
	fclose(file);
	parameters_init(&program->parameters);
	TRY(parameters_read(&program->parameters, path, err));
	model->path = "program";
	model->loggps = program->parameters.loggps;
	TRY(graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps, err));
	return placement_task_init(&program->task, model, err);
}

static void a_scattered_stencil_regains_what_placement_can_give(void **state)
{
	enum { SIDE = 4, COUNT = SIDE * SIDE };
	static char text[1 << 18];
	static const struct placement_options more = {.random_starts = 16, .seed = 1, .tries = 16};
	uint32_t in_place[COUNT], scattered[COUNT], order[COUNT], hosts[COUNT];
	__int128 best, worst;
	double regained;
	struct program program = {0};
	struct placements placements;
	struct error err = {0};
	uint64_t numbers = 5;

	(void)state;
	for (uint32_t i = 0; i < COUNT; i++)
		order[i] = i;
	for (uint32_t i = COUNT; i-- > 1;) {
		const uint32_t k = (uint32_t)random_below(&numbers, i + 1), old = order[i];

		order[i] = order[k];
		order[k] = old;
	}
	memcpy(scattered, order, sizeof order);
	write_stencil(text, SIDE, scattered);
	MUST(make_goal(&program.model.goal, text, &err));
	MUST(open_on_torus(&program, &err));
	for (uint32_t place = 0; place < COUNT; place++)
		in_place[scattered[place]] = place;
	MUST(placement_runtime(&program.task, in_place, &best, &err));
	for (uint32_t rank = 0; rank < COUNT; rank++)
		hosts[rank] = rank;
	MUST(placement_runtime(&program.task, hosts, &worst, &err));
	MUST(placements_find(&placements, &program.task, &more, &err));
	assert_true(worst > best);
	regained = (double)(worst - placements.list.items[placements.best].runtime_as) /
		   (double)(worst - best);
	print_message("%.1f %% of the possible gain\n", 100 * regained);
	assert_true(regained >= 0.95);
	placements_release(&placements);
	close_program(&program);
}

static void a_network_whose_pairs_are_alike_is_refused(void **state)
{
	struct placement_task task;
	struct error err = {0};
	struct model model = {.loggps = loggps_default};

	(void)state;
	assert_int_equal(placement_task_init(&task, &model, &err), -1);
	assert_int_equal(err.status, STATUS_USAGE);
}

static void mappings_are_written_as_launchers_read_them(void **state)
{
	static const uint32_t hosts[] = {1, 0, 0, 1, 1};
	static const char *const names[] = {"a", "b"};
	static const char *const expected[] = {
		[MAPPING_FORM_LLAMP] = "1\n0\n0\n1\n1\n",
		[MAPPING_FORM_MPICH] = "b:1\na:2\nb:2\n",
		[MAPPING_FORM_OPENMPI] = "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=a slot=1\n"
					 "rank 3=b slot=1\nrank 4=b slot=2\n",
		[MAPPING_FORM_SLURM] = "b\na\na\nb\nb\n",
	};

	(void)state;
	for (int form = MAPPING_FORM_LLAMP; form <= MAPPING_FORM_SLURM; form++) {
		char *text = NULL;
		size_t bytes;
		FILE *stream = open_memstream(&text, &bytes);

		assert_non_null(stream);
		report_mapping(stream, (enum mapping_form)form, hosts, 5,
			       form == MAPPING_FORM_LLAMP ? NULL : names);
		fclose(stream);
		assert_string_equal(text, expected[form]);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_of_all_mappings_is_mostly_found_and_no_baseline_is_better),
		cmocka_unit_test(with_shared_nics_no_baseline_is_better_either),
		cmocka_unit_test(a_scattered_stencil_regains_what_placement_can_give),
		cmocka_unit_test(a_network_whose_pairs_are_alike_is_refused),
		cmocka_unit_test(mappings_are_written_as_launchers_read_them),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
