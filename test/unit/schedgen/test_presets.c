/*
 * Presets against the observed messages of MPI libraries (test/observe).  OBSERVED=FILE and
 * PRESET=NAME in the environment check another table than the one in test/unit/schedgen/rules.
 */
#include "test/unit/lib/oracle/observed.h"

#include "schedgen/collectives/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Entry of a table. */
struct entry {
	int kind;
	bool blocking;
	uint32_t size, node_ranks;	/* number of ranks; of ranks, in order, on each node */
	uint64_t bytes;
	struct observed sum;
};

static uint64_t vector[OBSERVED_RANKS];

/* The nodes of the call. */
static const struct coll_nodes *nodes_of(const struct entry *entry)
{
	static uint32_t of[OBSERVED_RANKS], first[OBSERVED_RANKS + 1], members[OBSERVED_RANKS],
		leaders[OBSERVED_RANKS];
	static struct coll_nodes nodes;

	nodes = (struct coll_nodes){0, of, first, members, leaders, true};
	for (uint32_t i = 0; i < entry->size; i++) {
		if (i % entry->node_ranks == 0) {
			leaders[nodes.count] = i;
			first[nodes.count++] = i;
		}
		of[i] = nodes.count - 1;
		members[i] = i;
	}
	first[nodes.count] = entry->size;
	return &nodes;
}

/* The call that test/observe/observe.c makes. */
static struct collective call_of(const struct entry *entry)
{
	struct collective call = {.kind = entry->kind, .size = entry->size,
				  .block_bytes = entry->bytes, .root = entry->size / 3,
				  .nodes = nodes_of(entry)};

	for (uint32_t i = 0; i < call.size; i++)
		vector[i] = entry->bytes;
	if (call.kind == COLL_ALLGATHERV || call.kind == COLL_ALLTOALLV ||
	    call.kind == COLL_ALLTOALLW)
		call.receive_bytes = vector;
	if (call.kind == COLL_REDUCE_SCATTER || call.kind == COLL_ALLTOALLV ||
	    call.kind == COLL_ALLTOALLW)
		call.send_bytes = vector;
	return call;
}

static struct observed generated(const struct coll_choice *choice, struct rules *rules,
				 bool blocking, struct collective call)
{
	ARRAY(struct observed_message) messages = {0};
	struct goal_builder builder = {0};
	struct frontier frontier = {0};
	struct observed sum;
	struct error err;

	for (call.rank = 0; call.rank < call.size; call.rank++) {
		call.parameters = choice->parameters;
		if (choice->algorithm->parameters & COLL_TAKES_NODE)
			rules_choose_levels(rules, choice->algorithm, &call, blocking);
		goal_builder_clear(&builder);
		frontier.entries.count = 0;
		if (coll_generate(choice->algorithm, &call, &builder, &frontier, &err) < 0)
			fail_msg("%s", err.text);
		for (size_t i = 0; i < builder.ops.count; i++) {
			const struct goal_new_op *op = &builder.ops.items[i];

			if (op->kind == GOAL_SEND &&
			    array_push(&messages,
				       ((struct observed_message){call.rank, op->peer, op->size}),
				       &err) < 0)
				abort();
		}
	}
	sum = observed_sum(messages.items, messages.count, call.size);
	array_release(&messages);
	goal_builder_release(&builder);
	frontier_release(&frontier);
	return sum;
}

/* Print the algorithms that would match the observation. */
static void complain(const struct entry *entry, struct rules *rules,
		     const struct coll_choice *choice, const struct observed *sum, const char *line)
{
	print_error("%.24s...: %llu bytes: %s sends %llu:%llu:%08x:%08x instead of "
		    "%llu:%llu:%08x:%08x; as seen:", line, (unsigned long long)entry->bytes,
		    choice->algorithm->name, (unsigned long long)sum->messages,
		    (unsigned long long)sum->bytes, sum->pairs, sum->shape,
		    (unsigned long long)entry->sum.messages, (unsigned long long)entry->sum.bytes,
		    entry->sum.pairs, entry->sum.shape);
	for (const struct coll_algorithm *each = coll_algorithms; each->name; each++) {
		struct coll_choice other = {.algorithm = each};
		struct observed seen;

		if ((int)each->kind != entry->kind)
			continue;
		seen = generated(&other, rules, entry->blocking, call_of(entry));
		if (seen.pairs == entry->sum.pairs)
			print_error(" %s", each->name);
		else if (seen.shape == entry->sum.shape)
			print_error(" (%s)", each->name);
	}
	print_error("\n");
}

struct tally {
	int entries, exact, renamed, rounded, longer, marked, wrong;
};

/*
 * Libraries cut vectors between elements of 8 bytes, the model between bytes: where
 * elements cannot be cut evenly, messages may differ by parts of an element.
 */
static bool is_rounded(const struct entry *entry, const struct observed *sum)
{
	const uint64_t elements = entry->bytes / 8, slack = 8 * sum->messages;
	const uint32_t power = UINT32_C(1) << (31 - __builtin_clz(entry->size));

	return (elements % entry->size || elements % (2 * power)) &&
	       sum->messages == entry->sum.messages && sum->bytes + slack >= entry->sum.bytes &&
	       sum->bytes <= entry->sum.bytes + slack;
}

/*
 * MPICH's scatter for ibcast (sched) sends too much where the subtree of a rank that receives
 * does not end with the last rank.  Nobody reads it. Within nodes, too.
 */
static bool is_longer(const struct entry *entry, const struct coll_choice *choice,
		      const struct observed *sum)
{
	const bool scatters = !strncmp(choice->algorithm->name, "scatter-", 8) ||
			      (!strcmp(choice->algorithm->name, "two-level") &&
			       (entry->node_ranks >= 8 || nodes_of(entry)->count >= 8) &&
			       entry->bytes >= 12288);

	return (entry->kind == COLL_BCAST || entry->kind == COLL_SCAN) && !entry->blocking &&
	       entry->size >= 8 && scatters && sum->messages == entry->sum.messages &&
	       sum->bytes < entry->sum.bytes;
}

/*
 * MPICH's two-level barrier releases the ranks of a node by messages of one byte, which has none
 * here.  Its blocking scan broadcasts an integer in each node.
 */
static bool is_marked(const struct entry *entry, const struct coll_choice *choice,
		      const struct observed *sum)
{
	const uint32_t released = entry->size - nodes_of(entry)->count;

	if (strcmp(choice->algorithm->name, "two-level") != 0)
		return false;
	if (entry->kind == COLL_BARRIER)
		return sum->messages == entry->sum.messages && released == entry->sum.bytes;
	return entry->kind == COLL_SCAN && entry->blocking &&
	       sum->messages + released == entry->sum.messages &&
	       sum->bytes + 4 * released == entry->sum.bytes;
}

static void check_line(struct rules *rules, char *line, struct tally *tally)
{
	char copy[64], *place = line, *word;
	struct entry entry;

	snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
	word = strsep(&place, " ");
	entry.blocking = coll_find_kind(word, strlen(word)) >= 0;
	entry.kind = coll_find_kind(word + !entry.blocking, strlen(word + !entry.blocking));
	assert_true(entry.kind >= 0);
	word = strsep(&place, " ");
	entry.node_ranks = 1;
	assert_true(sscanf(word, "%" SCNu32 "/%" SCNu32, &entry.size, &entry.node_ranks) >= 1);
	assert_true(entry.size && entry.size <= OBSERVED_RANKS && entry.node_ranks);
	while ((word = strsep(&place, " \n")) != NULL) {
		unsigned long long bytes, messages, sent;
		const struct coll_choice *choice;
		struct collective call;
		struct observed sum;

		if (!*word)
			continue;
		assert_int_equal(sscanf(word, "%llu:%llu:%llu:%x:%x", &bytes, &messages, &sent,
					&entry.sum.pairs, &entry.sum.shape), 5);
		entry.bytes = bytes;
		entry.sum.messages = messages;
		entry.sum.bytes = sent;
		call = call_of(&entry);
		choice = rules_choose(rules, &call, entry.blocking);
		assert_non_null(choice);
		sum = generated(choice, rules, entry.blocking, call);
		tally->entries++;
		if (sum.pairs == entry.sum.pairs) {
			tally->exact++;
		} else if (sum.shape == entry.sum.shape) {
			tally->renamed++;
		} else if (is_rounded(&entry, &sum)) {
			tally->rounded++;
		} else if (is_longer(&entry, choice, &sum)) {
			tally->longer++;
		} else if (is_marked(&entry, choice, &sum)) {
			tally->marked++;
		} else {
			tally->wrong++;
			complain(&entry, rules, choice, &sum, copy);
		}
	}
}

static struct tally check_table(const char *preset, const char *path)
{
	struct rules rules = {0};
	struct tally tally = {0};
	struct error err;
	size_t room = 0;
	char *line = NULL;
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("cannot open %s", path);
	if (rules_preset(&rules, preset, &err) < 0)
		fail_msg("%s", err.text);
	while (getline(&line, &room, file) >= 0) {
		if (*line != '#')
			check_line(&rules, line, &tally);
	}
	free(line);
	fclose(file);
	rules_release(&rules);
	print_message("%s: %d entries, %d exact, %d with other places for ranks, "
		      "%d cut between other bytes, %d longer, %d without marks, %d wrong\n", preset,
		      tally.entries, tally.exact, tally.renamed, tally.rounded, tally.longer,
		      tally.marked, tally.wrong);
	return tally;
}

static struct tally check_preset(const char *preset)
{
	const char *source = getenv("SOURCE"), *other = getenv("OBSERVED");
	char path[4096];

	snprintf(path, sizeof path, "%s/test/unit/schedgen/rules/observed-%s.txt", source ? source : ".",
		 preset);
	return check_table(preset, other ? other : path);
}

static void preset_mpich_has_the_messages_observed_of_mpich(void **state)
{
	struct tally tally;

	(void)state;
	if (getenv("PRESET") && strcmp(getenv("PRESET"), "mpich") != 0)
		skip();
	tally = check_preset("mpich");
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.entries > (getenv("OBSERVED") ? 0 : 1000));
}

static void preset_openmpi_has_the_messages_observed_of_open_mpi(void **state)
{
	struct tally tally;

	(void)state;
	if (getenv("PRESET") && strcmp(getenv("PRESET"), "openmpi") != 0)
		skip();
	tally = check_preset("openmpi");
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.entries > (getenv("OBSERVED") ? 0 : 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preset_mpich_has_the_messages_observed_of_mpich),
		cmocka_unit_test(preset_openmpi_has_the_messages_observed_of_open_mpi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
