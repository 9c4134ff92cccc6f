/* Choice of the algorithm of a collective by rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedgen/collectives/rules.h"
#include "test/unit/lib/make/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --------------------------------------------------------------------- helpers */

/* Rules from a text by way of a file.  Returns 0 or -1. */
static int read_text(struct rules *rules, const char *text, struct error *err)
{
	char path[] = "/tmp/test_rules_XXXXXX";
	int fd = mkstemp(path);
	int result;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	result = rules_open(rules, path, err);
	unlink(path);
	return result;
}

static void read_good(struct rules *rules, const char *text)
{
	struct error err;

	*rules = (struct rules){0};
	if (read_text(rules, text, &err) < 0)
		fail_msg("%s", err.text);
}

/* Name of the chosen algorithm, or "default". */
static const char *chosen(struct rules *rules, const struct collective *call, bool blocking)
{
	const struct coll_choice *choice = rules_choose(rules, call, blocking);

	return choice ? choice->algorithm->name : "default";
}

static const char *simple(struct rules *rules, enum mpi_collective kind, uint32_t ranks,
			  uint64_t bytes)
{
	return chosen(rules,
		      &(struct collective){.kind = kind, .size = ranks, .block_bytes = bytes},
		      true);
}

/* ----------------------------------------------------------------------- rules */

static void first_rule_that_fits_counts(void **state)
{
	struct rules rules;

	(void)state;
	read_good(&rules, "- {collective: bcast, ranks: 4..8, algorithm: linear}\n"
			  "- {collective: [reduce, bcast], bytes: 1KiB.., algorithm: binomial}\n"
			  "- {collective: bcast, ranks: 5, algorithm: binary}\n"
			  "- {collective: bcast, ranks: 16, algorithm: binary}\n");
	assert_string_equal(simple(&rules, COLL_BCAST, 3, 1023), "default");
	assert_string_equal(simple(&rules, COLL_BCAST, 3, 1024), "binomial");
	assert_string_equal(simple(&rules, COLL_BCAST, 4, 1024), "linear");
	assert_string_equal(simple(&rules, COLL_BCAST, 5, 1024), "linear");
	assert_string_equal(simple(&rules, COLL_BCAST, 8, 0), "linear");
	assert_string_equal(simple(&rules, COLL_BCAST, 9, 0), "default");
	assert_string_equal(simple(&rules, COLL_BCAST, 16, 0), "binary");
	assert_string_equal(simple(&rules, COLL_REDUCE, 16, 1024), "binomial");
	assert_string_equal(simple(&rules, COLL_REDUCE, 16, 1023), "default");
	rules_release(&rules);
}

static void rules_look_at_powers_of_two_and_whether_a_call_blocks(void **state)
{
	struct collective call = {.kind = COLL_ALLREDUCE, .size = 8, .block_bytes = 8};
	struct rules rules;

	(void)state;
	read_good(&rules, "- {collective: allreduce, power_of_two: no, algorithm: ring}\n"
			  "- {collective: allreduce, blocking: no, algorithm: reduce-bcast}\n"
			  "- {collective: allreduce, power_of_two: yes, blocking: yes, "
			  "algorithm: rabenseifner}\n");
	assert_string_equal(chosen(&rules, &call, true), "rabenseifner");
	assert_string_equal(chosen(&rules, &call, false), "reduce-bcast");
	call.size = 6;
	assert_string_equal(chosen(&rules, &call, true), "ring");
	rules_release(&rules);
}

static void rules_look_at_call_sites_and_communicators(void **state)
{
	struct collective call = {.kind = COLL_BCAST, .size = 4};
	struct rules rules;

	(void)state;
	read_good(&rules,
		  "- {collective: bcast, site: \"a.c:1\", communicator: rows, algorithm: linear}\n"
		  "- {collective: bcast, site: /src/a.c:1, algorithm: binary}\n"
		  "- {collective: bcast, site: \"a+0x1\", algorithm: chain}\n"
		  "- {collective: bcast, communicator: rows, algorithm: knomial}\n");
	assert_true(rules.by_site);
	assert_string_equal(chosen(&rules, &call, true), "default");
	call.place.communicator = "rows";
	assert_string_equal(chosen(&rules, &call, true), "knomial");
	call.place.site = "/src/a+0x1";
	call.place.site_name = "/src/a.c:1";
	assert_string_equal(chosen(&rules, &call, true), "linear");
	call.place.communicator = NULL;
	assert_string_equal(chosen(&rules, &call, true), "binary");
	assert_string_equal(rules_unused(&rules)->site, "a+0x1");
	call.place.site = "a+0x1";
	call.place.site_name = "/src/b.c:1";
	assert_string_equal(chosen(&rules, &call, true), "chain");
	assert_null(rules_unused(&rules));
	rules_release(&rules);
}

static void sizes_are_blocks_totals_and_pieces(void **state)
{
	const uint64_t vector[6] = {10, 0, 5, 0, 0, 2};
	struct collective call = {.kind = COLL_ALLGATHER, .size = 6, .block_bytes = 7};
	struct rule_sizes sizes = rules_sizes(&call);

	(void)state;
	assert_true(sizes.known && sizes.block == 7 && sizes.total == 42 && sizes.piece == 10);
	call.kind = COLL_ALLREDUCE;
	sizes = rules_sizes(&call);
	assert_true(sizes.known && sizes.block == 7 && sizes.total == 7 && sizes.piece == 1);
	call.kind = COLL_ALLTOALL;
	call.block_bytes = UINT64_MAX / 2;
	assert_true(rules_sizes(&call).total == UINT64_MAX);
	call.kind = COLL_ALLGATHERV;
	call.receive_bytes = vector;
	sizes = rules_sizes(&call);
	assert_true(sizes.known && sizes.block == 2 && sizes.total == 17 && sizes.piece == 4);
	call.kind = COLL_REDUCE_SCATTER;
	call.send_bytes = vector;
	call.receive_bytes = NULL;
	assert_true(rules_sizes(&call).total == 17);
}

static void sizes_that_one_rank_alone_knows_do_not_count(void **state)
{
	const uint64_t vector[4] = {1 << 20, 0, 0, 0};
	struct collective call = {.kind = COLL_ALLTOALLV, .size = 4, .send_bytes = vector,
				  .receive_bytes = vector};
	struct rules rules;
	struct error err;

	(void)state;
	assert_false(rules_sizes(&call).known);
	call.kind = COLL_GATHERV;
	assert_false(rules_sizes(&call).known);
	/* No vector in the trace: the guesses of the ranks may differ. */
	call = (struct collective){.kind = COLL_ALLGATHERV, .size = 4, .block_bytes = 9};
	assert_false(rules_sizes(&call).known);
	read_good(&rules, "- {collective: allgatherv, bytes: 0.., algorithm: ring}\n"
			  "- {collective: allgatherv, ranks: 4, algorithm: bruck}\n");
	assert_string_equal(chosen(&rules, &call, true), "bruck");
	call.receive_bytes = vector;
	assert_string_equal(chosen(&rules, &call, true), "ring");
	rules_release(&rules);
	rules = (struct rules){0};
	assert_int_equal(read_text(&rules, "- {collective: gatherv, bytes: 8, algorithm: linear}",
				   &err), -1);
	rules_release(&rules);
}

/* The root's group has 2 ranks, the other one 5. */
static const struct collective at_root = {
	.kind = COLL_INTER_SCATTER, .size = 2, .remote_size = 5, .root_place = COLL_ROOT_SELF,
	.first_group = true
};
static const struct collective at_leaf = {
	.kind = COLL_INTER_SCATTER, .size = 5, .remote_size = 2, .root_place = COLL_ROOT_REMOTE
};

/* Choose for both groups, and fail if the choices differ. */
static const char *between_groups(struct rules *rules, uint64_t bytes)
{
	struct collective root = at_root, leaf = at_leaf;

	root.block_bytes = leaf.block_bytes = bytes;
	assert_string_equal(chosen(rules, &root, true), chosen(rules, &leaf, true));
	return chosen(rules, &root, true);
}

static void groups_choose_alike_by_the_ranks_of_both(void **state)
{
	struct rules rules;

	(void)state;
	read_good(&rules, "- {collective: inter_scatter, ranks: 7, power_of_two: no, "
			  "total_bytes: 100, algorithm: linear}\n"
			  "- {collective: inter_scatter, ranks: 2, algorithm: linear}\n"
			  "- {collective: inter_scatter, ranks: 5, algorithm: linear}\n"
			  "- {collective: inter_scatter, piece_bytes: 75.., algorithm: linear}\n");
	assert_string_equal(between_groups(&rules, 20), "linear");
	assert_string_equal(between_groups(&rules, 21), "default");
	assert_string_equal(between_groups(&rules, 59), "default");
	/* 5 times 60 are 4 times 75. */
	assert_string_equal(between_groups(&rules, 60), "linear");
	rules_release(&rules);
}

static void invalid_rules_are_refused_with_their_line(void **state)
{
	static const char *const bad[][2] = {
		{"a: b", ":1:1: expected a list of rules"},
		{"- ring", ":1:3: expected a rule"},
		{"- collective: allreduce", ":1:3: the rule has no 'algorithm'"},
		{"- {algorithm: ring}", ":1:3: the rule has no 'collective'"},
		{"- {collective: allreduce, algorithm: fast}", "recursive-doubling, rabenseifner"},
		{"- {collective: allreduce, algorithm: ring:batch=2}", ":1:27: allreduce=ring has no"},
		{"- {collective: bcast, algorithm: chain:segment=0}", "at least one byte"},
		{"- {collective: megareduce, algorithm: ring}", "unknown collective 'megareduce'"},
		{"- {collective: [allreduce, bcast], algorithm: ring}",
		 "unknown algorithm 'ring' of bcast"},
		{"- {collective: [[bcast]], algorithm: ring}", "must be a name"},
		{"- {collective: [], algorithm: ring}", ":1:4: 'collective' wants a name or a list"},
		{"- {collective: {a: bcast}, algorithm: ring}", ":1:4: 'collective' wants a name"},
		{"- collective: bcast\n  algorithm: linear\n  colour: red",
		 ":3:3: a rule has no 'colour'"},
		{"- collective: bcast\n  algorithm: [linear]", ":2:3: 'algorithm' wants a single"},
		{"- collective: bcast\n  ranks: ..\n  algorithm: linear",
		 ":2:3: 'ranks' wants a range"},
		{"- collective: bcast\n  ranks: 9..8\n  algorithm: linear",
		 ":2:3: the range of 'ranks'"},
		{"- collective: bcast\n  ranks: many\n  algorithm: linear", ":2:3: ranks: "},
		{"- collective: bcast\n  ranks: 1..x\n  algorithm: linear", ":2:3: ranks: "},
		{"- collective: bcast\n  ranks: -1\n  algorithm: linear", ":2:3: ranks: "},
		{"- collective: bcast\n  bytes: 3 lines\n  algorithm: linear", ":2:3: bytes: "},
		{"- collective: bcast\n  bytes: [1]\n  algorithm: linear",
		 ":2:3: 'bytes' wants a single"},
		{"- collective: bcast\n  blocking: maybe\n  algorithm: linear",
		 ":2:3: 'blocking' wants yes"},
		{"- collective: barrier\n  bytes: 1\n  algorithm: linear",
		 ":1:3: barrier has no size"},
		{"- {collective: inter_alltoall, bytes: 1, algorithm: linear}",
		 ":1:4: inter_alltoall has no"},
		{"- {collective: bcast, algorithm: linear", ":2:1: "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct rules rules = {0};
		struct error err;

		if (read_text(&rules, bad[i][0], &err) == 0)
			fail_msg("taken: %s", bad[i][0]);
		assert_int_equal(err.status, STATUS_DATA);
		if (!strstr(err.text, bad[i][1]))
			fail_msg("'%s' lacks '%s'", err.text, bad[i][1]);
		rules_release(&rules);
	}
}

/* --------------------------------------------------------------------- presets */

static FILE *open_table(const char *name)
{
	const char *source = getenv("SOURCE");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof path, "%s/test/unit/schedgen/rules/%s", source ? source : ".", name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("cannot open %s", path);
	return file;
}

static void presets_are_rules_that_choose_for_every_size(void **state)
{
	(void)state;
	for (const struct preset *preset = presets; preset->name; preset++) {
		struct rules rules = {0};
		struct error err;

		if (rules_preset(&rules, preset->name, &err) < 0)
			fail_msg("%s", err.text);
		for (int kind = 0; kind < COLL_KINDS; kind++) {
			size_t count = rules.of[kind].count;
			struct rule last;

			if (!coll_name(kind) || !strcmp(preset->name, "paper") ||
			    kind >= (int)COLL_NEIGHBOR_ALLGATHER)
				continue;
			assert_true(count > 0);
			last = rules.of[kind].items[count - 1];
			assert_true(!last.sized && last.ranks.least == 0 &&
				    last.ranks.most == UINT64_MAX && !last.blocking &&
				    !last.power_of_two);
		}
		rules_release(&rules);
	}
}

static void preset_mpich_counts_elements_between_groups(void **state)
{
	struct rules rules = {0};
	struct error err;

	(void)state;
	assert_int_equal(rules_preset(&rules, "mpich", &err), 0);
	/* As MPICH 4.0.2 did with doubles: of 5 times 409 and 410 elements, the latter are 2048. */
	assert_string_equal(between_groups(&rules, 409 * 8), "default");
	assert_string_equal(between_groups(&rules, 410 * 8), "linear");
	rules_release(&rules);
}

/* The algorithms of Open MPI's tuned component by number, as they are called here. */
static const char *const tuned[][10] = {
	[COLL_BARRIER] = {NULL, "linear", NULL, "recursive-doubling", "dissemination", NULL,
			  "binomial"},
	[COLL_BCAST] = {NULL, "linear", "chain", "chain", "split-binary", "binary",
			"binomial-doubling", "knomial", "scatter-recursive-doubling-allgather",
			"scatter-ring-allgather"},
	[COLL_GATHER] = {NULL, "linear", "binomial", "linear-sync"},
	[COLL_SCATTER] = {NULL, "linear", "binomial", "linear"},
	[COLL_ALLGATHER] = {NULL, NULL, "bruck", "recursive-doubling", "ring",
			    "neighbor-exchange", "recursive-doubling"},
	[COLL_ALLGATHERV] = {NULL, "gather-bcast", "bruck", "ring", "neighbor-exchange", "ring"},
	[COLL_ALLTOALL] = {NULL, "linear", "pairwise", "bruck", "linear", "pairwise"},
	[COLL_ALLTOALLV] = {NULL, "linear", "pairwise"},
	[COLL_ALLREDUCE] = {NULL, NULL, "reduce-bcast", "recursive-doubling", "ring", "ring",
			    "rabenseifner-halves"},
	[COLL_REDUCE] = {NULL, "linear", "chain", "chain", "binary", "binomial",
			 "in-order-binary", "reduce-scatter-gather-halves"},
	[COLL_REDUCE_SCATTER] = {NULL, "reduce-scatterv", "recursive-halving", "ring",
				 "butterfly"},
	[COLL_REDUCE_SCATTER_BLOCK] = {NULL, "reduce-scatterv", "recursive-doubling",
				       "recursive-halving", "butterfly"},
};

/* Name of the algorithm, or of its fallback with fewer elements of 8 bytes than ranks. */
static const char *tuned_name(int kind, uint32_t ranks, uint64_t bytes, int number)
{
	const char *name = tuned[kind][number];

	if (kind == COLL_ALLREDUCE && !strcmp(name, "ring") && bytes / 8 < ranks)
		return "recursive-doubling";
	if (kind == COLL_REDUCE && number == 7 && bytes < 8)
		return "linear";
	return name;
}

static void expect_tuned(struct rules *rules, int kind, uint32_t ranks, uint64_t bytes, int number)
{
	uint64_t *vector = calloc(ranks, sizeof *vector);
	struct collective call = {.kind = kind, .size = ranks, .block_bytes = bytes};

	assert_non_null(vector);
	if (kind == COLL_ALLGATHERV) {
		vector[0] = bytes * ranks;
		call.receive_bytes = vector;
	}
	if (kind == COLL_REDUCE_SCATTER) {
		vector[ranks - 1] = bytes;
		call.send_bytes = vector;
	}
	if (strcmp(chosen(rules, &call, true), tuned_name(kind, ranks, bytes, number)) != 0)
		fail_msg("%s, %u ranks, %llu bytes: %s instead of %s", coll_name(kind), ranks,
			 (unsigned long long)bytes, chosen(rules, &call, true),
			 tuned_name(kind, ranks, bytes, number));
	free(vector);
}

static void preset_openmpi_chooses_as_open_mpi_does(void **state)
{
	FILE *file = open_table("openmpi.txt");
	struct rules rules = {0};
	struct error err;
	char line[4096];
	int checked = 0;

	(void)state;
	assert_int_equal(rules_preset(&rules, "openmpi", &err), 0);
	while (fgets(line, sizeof line, file)) {
		char *place = line, *word = strsep(&place, " ");
		int number = 0, next;
		unsigned long long from;
		uint32_t ranks;
		int kind;

		if (*line == '#')
			continue;
		kind = coll_find_kind(word, strlen(word));
		assert_true(kind >= 0);
		ranks = (uint32_t)strtoul(strsep(&place, " "), NULL, 10);
		while ((word = strsep(&place, " ")) != NULL) {
			assert_int_equal(sscanf(word, "%d@%llu", &next, &from), 2);
			if (from)
				expect_tuned(&rules, kind, ranks, from - 1, number);
			expect_tuned(&rules, kind, ranks, from, next);
			number = next;
			checked++;
		}
		expect_tuned(&rules, kind, ranks, UINT64_C(1) << 24, number);
	}
	assert_true(checked > 800);
	fclose(file);
	rules_release(&rules);
}

/* Messages that all ranks send in a call. */
static uint64_t messages_of(const struct coll_choice *choice, struct collective call)
{
	struct goal_builder builder = {0};
	struct frontier frontier = {0};
	uint64_t messages = 0;
	struct error err;

	call.parameters = choice->parameters;
	for (call.rank = 0; call.rank < call.size; call.rank++) {
		goal_builder_clear(&builder);
		frontier.entries.count = 0;
		if (coll_generate(choice->algorithm, &call, &builder, &frontier, &err) < 0)
			fail_msg("%s", err.text);
		for (size_t i = 0; i < builder.ops.count; i++)
			messages += builder.ops.items[i].kind == GOAL_SEND;
	}
	goal_builder_release(&builder);
	frontier_release(&frontier);
	return messages;
}

static void preset_mpich_sends_as_many_messages_as_mpich_does(void **state)
{
	FILE *file = open_table("mpich.txt");
	struct rules rules = {0};
	char line[256], name[64];
	struct error err;
	int checked = 0, wrong = 0;

	(void)state;
	assert_int_equal(rules_preset(&rules, "mpich", &err), 0);
	while (fgets(line, sizeof line, file)) {
		unsigned long long bytes, expected;
		struct collective call = {0};
		uint64_t messages;
		bool blocking;
		int kind;

		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%63s %u %llu %llu", name, &call.size, &bytes,
					&expected), 4);
		blocking = coll_find_kind(name, strlen(name)) >= 0;
		kind = coll_find_kind(name + !blocking, strlen(name + !blocking));
		assert_true(kind >= 0);
		call.kind = kind;
		call.block_bytes = bytes;
		messages = messages_of(rules_choose(&rules, &call, blocking), call);
		/* MPICH's ranks send their own block to themselves as well. */
		if (kind == COLL_ALLTOALL && !strcmp(chosen(&rules, &call, blocking), "linear"))
			messages += call.size;
		if (messages != expected) {
			print_error("%llu messages by %s instead of: %s",
				    (unsigned long long)messages,
				    chosen(&rules, &call, blocking), line);
			wrong++;
		}
		checked++;
	}
	fclose(file);
	rules_release(&rules);
	assert_true(checked > 300);
	assert_int_equal(wrong, 0);
}

/* Some ranks of a communicator on one node. */
static const uint32_t node_of[] = {0, 0, 1, 0}, node_first[] = {0, 3, 4},
		      node_members[] = {0, 1, 3, 2}, node_leaders[] = {0, 2};
static const struct coll_nodes two_nodes = {2, node_of, node_first, node_members, node_leaders,
					    false};

static void rules_look_at_whether_ranks_share_a_node(void **state)
{
	static const uint32_t own[] = {0, 1, 2, 3, 4};
	static const struct coll_nodes four_nodes = {4, own, own, own, own, true};
	struct collective call = {.kind = COLL_BARRIER, .size = 4};
	struct rules rules;

	(void)state;
	read_good(&rules, "- {collective: barrier, algorithm: linear, shared_nodes: yes}\n"
			  "- {collective: barrier, algorithm: binomial, shared_nodes: no}\n");
	assert_true(rules.by_nodes);
	assert_string_equal(chosen(&rules, &call, true), "binomial");
	call.nodes = &four_nodes;
	assert_string_equal(chosen(&rules, &call, true), "binomial");
	call.nodes = &two_nodes;
	assert_string_equal(chosen(&rules, &call, true), "linear");
	rules_release(&rules);
	read_good(&rules, "- {collective: barrier, algorithm: linear}\n");
	assert_false(rules.by_nodes);
	rules_release(&rules);
}

/* The parameters of a two-level call among 24 ranks, 3 or 8 of each on one node. */
static struct coll_parameters levels(struct rules *rules, enum mpi_collective kind, uint64_t bytes,
				     uint32_t node_ranks)
{
	const struct coll_choice *choice;
	struct collective call = {.kind = kind, .size = 24, .block_bytes = bytes,
				  .nodes = &two_nodes};

	choice = rules_choose(rules, &call, false);
	assert_string_equal(choice->algorithm->name, "two-level");
	call.parameters.node_ranks = node_ranks;
	rules_choose_levels(rules, choice->algorithm, &call, false);
	return call.parameters;
}

static void preset_mpich_makes_two_levels_and_chooses_for_each(void **state)
{
	struct collective scan = {.kind = COLL_SCAN, .size = 4, .block_bytes = 8,
				  .nodes = &two_nodes};
	struct coll_parameters parameters;
	struct rules rules = {0};
	struct error err;

	(void)state;
	assert_int_equal(rules_preset(&rules, "mpich", &err), 0);
	assert_string_equal(chosen(&rules, &scan, true), "two-level");
	scan.kind = COLL_BCAST;
	assert_string_equal(chosen(&rules, &scan, true), "binomial");
	parameters = levels(&rules, COLL_BCAST, 20000, 3);
	assert_string_equal(parameters.leaders->name, "scatter-recursive-doubling-allgather");
	assert_string_equal(parameters.inside->name, "binomial");
	parameters = levels(&rules, COLL_BCAST, 1000000, 8);
	assert_string_equal(parameters.leaders->name, "binomial");
	assert_string_equal(parameters.inside->name, "scatter-ring-allgather");
	parameters = levels(&rules, COLL_REDUCE, 2049, 8);
	assert_string_equal(parameters.leaders->name, "reduce-scatter-gather");
	assert_string_equal(parameters.inside->name, "reduce-scatter-gather");
	parameters = levels(&rules, COLL_SCAN, 8, 8);
	assert_string_equal(parameters.leaders->name, "recursive-doubling");
	assert_ptr_equal(parameters.inside, coll_find(COLL_BCAST, "binomial"));
	rules_release(&rules);
}

static void given_levels_are_kept_and_no_level_is_two_level_again(void **state)
{
	struct collective call = {.kind = COLL_BCAST, .size = 8, .block_bytes = 8};
	struct coll_choice choice;
	struct rules rules;
	struct error err;

	(void)state;
	read_good(&rules, "- {collective: bcast, ranks: 2, algorithm: chain}\n"
			  "- {collective: bcast, algorithm: two-level}\n");
	assert_int_equal(coll_choice_parse(&choice, COLL_BCAST, "two-level:node=4", &err), 0);
	call.parameters = choice.parameters;
	rules_choose_levels(&rules, choice.algorithm, &call, true);
	assert_string_equal(call.parameters.leaders->name, "chain");
	assert_null(call.parameters.inside);
	assert_int_equal(coll_choice_parse(&choice, COLL_BCAST,
					   "two-level:node=4,leaders=linear,inside=binary", &err),
			 0);
	call.parameters = choice.parameters;
	rules_choose_levels(&rules, choice.algorithm, &call, true);
	assert_string_equal(call.parameters.leaders->name, "linear");
	assert_string_equal(call.parameters.inside->name, "binary");
	rules_release(&rules);
}

/* ------------------------------------------------------------------ convert */

static void convert_follows_the_rules_and_counts(void **state)
{
	struct convert_options options = {.compute_scale = 1};
	struct mpi_event call = COLLECTIVE(COLL_ALLTOALL, 0),
			 done = ICOLL_DONE(COLL_ALLTOALL, 0, 7);
	const struct coll_count *counts;
	struct rules rules;
	struct feed feed;

	(void)state;
	read_good(&rules, "- {collective: alltoall, blocking: no, algorithm: bruck}\n"
			  "- {collective: alltoall, bytes: ..9, algorithm: linear}\n"
			  "- {collective: alltoall, algorithm: pairwise}\n");
	options.rules = &rules;
	feed_init(&feed, &options);
	feed_begin(&feed, 0);
	call.bytes_sent = call.bytes_received = 4 * 10;
	done.bytes_sent = done.bytes_received = 4 * 10;
	feed_ok(&feed, 0, "MPI_Alltoall", call);
	feed_ok(&feed, 0, "MPI_Alltoall", call);
	feed_ok(&feed, 0, "MPI_Ialltoall", ICOLL(7));
	feed_ok(&feed, 0, "MPI_Wait", done);
	feed_end(&feed);
	counts = feed.convert.counts +
		 2 * (coll_find(COLL_ALLTOALL, "pairwise") - coll_algorithms);
	assert_true(counts[1].calls == 2 && counts[1].messages == 6 && counts[1].bytes == 60);
	assert_true(counts[0].calls == 0);
	counts = &feed.convert.counts[2 * (coll_find(COLL_ALLTOALL, "bruck") - coll_algorithms)];
	assert_true(counts[0].calls == 1 && counts[0].messages == 2 && counts[0].bytes == 40);
	feed_release(&feed);

	options.choices[COLL_ALLTOALL].algorithm = coll_find(COLL_ALLTOALL, "linear");
	feed_init(&feed, &options);
	feed_begin(&feed, 0);
	feed_ok(&feed, 0, "MPI_Alltoall", call);
	counts = &feed.convert.counts[2 * (coll_find(COLL_ALLTOALL, "linear") - coll_algorithms)];
	assert_true(counts[1].calls == 1);
	feed_release(&feed);
	rules_release(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_rule_that_fits_counts),
		cmocka_unit_test(rules_look_at_powers_of_two_and_whether_a_call_blocks),
		cmocka_unit_test(rules_look_at_call_sites_and_communicators),
		cmocka_unit_test(sizes_are_blocks_totals_and_pieces),
		cmocka_unit_test(sizes_that_one_rank_alone_knows_do_not_count),
		cmocka_unit_test(groups_choose_alike_by_the_ranks_of_both),
		cmocka_unit_test(invalid_rules_are_refused_with_their_line),
		cmocka_unit_test(presets_are_rules_that_choose_for_every_size),
		cmocka_unit_test(preset_mpich_counts_elements_between_groups),
		cmocka_unit_test(preset_openmpi_chooses_as_open_mpi_does),
		cmocka_unit_test(preset_mpich_sends_as_many_messages_as_mpich_does),
		cmocka_unit_test(rules_look_at_whether_ranks_share_a_node),
		cmocka_unit_test(preset_mpich_makes_two_levels_and_chooses_for_each),
		cmocka_unit_test(given_levels_are_kept_and_no_level_is_two_level_again),
		cmocka_unit_test(convert_follows_the_rules_and_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
