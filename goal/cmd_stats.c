#include "common/units.h"
#include "goal/cmd.h"
#include "goal/counts.h"

#include <stdio.h>

static int print_ranks(const struct goal *goal, struct error *err)
{
	printf("%8s %12s %12s %12s %12s %12s %16s %10s\n", "rank", "operations", "sends", "recvs",
	       "calcs", "dependencies", "bytes", "compute");
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		struct goal_counts c = {0};
		char compute[UNIT_TEXT_BYTES];

		TRY(goal_count(&c, &goal->ranks[rank], err));
		printf("%8u %12llu %12llu %12llu %12llu %12llu %16llu %10s\n", rank,
		       (unsigned long long)c.operations, (unsigned long long)c.sends,
		       (unsigned long long)c.recvs, (unsigned long long)c.calcs,
		       (unsigned long long)c.dependencies, (unsigned long long)c.bytes,
		       format_time((double)c.calc_ns, 4, compute));
	}
	return 0;
}

/* Classes from the smallest to the largest message, empty ones in between too. */
static void print_sizes(const struct goal_size_class *classes)
{
	int first = 0, last = GOAL_SIZE_CLASSES - 1;

	while (last >= 0 && !classes[last].messages)
		last--;
	while (first < last && !classes[first].messages)
		first++;
	if (last < 0)
		return;
	printf("\n%20s %20s %12s %16s\n", "bytes from", "to", "messages", "bytes");
	for (int k = first; k <= last; k++) {
		uint64_t from = k ? UINT64_C(1) << (k - 1) : 0;

		printf("%20llu %20llu %12llu %16llu\n", (unsigned long long)from,
		       (unsigned long long)(k ? from + (from - 1) : 0),
		       (unsigned long long)classes[k].messages,
		       (unsigned long long)classes[k].bytes);
	}
}

int cmd_stats(char **operands, int operand_count, struct error *err)
{
	struct goal_size_class classes[GOAL_SIZE_CLASSES] = {{0, 0}};
	struct goal goal;
	struct goal_counts total = {0};
	int result = 0;

	(void)operand_count;
	TRY(open_graph(&goal, operands[0], err));
	/* First see that all sums fit, so that an error comes before any output. */
	for (uint32_t rank = 0; rank < goal.rank_count && result == 0; rank++) {
		result = goal_count(&total, &goal.ranks[rank], err);
		goal_count_sizes(classes, &goal.ranks[rank]);
	}
	if (result == 0)
		result = print_ranks(&goal, err);
	if (result == 0)
		print_sizes(classes);
	else
		error_prefix(err, "%s", operands[0]);
	goal_release(&goal);
	return result;
}
