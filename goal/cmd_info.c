#include "common/json.h"
#include "goal/cmd.h"
#include "goal/counts.h"

#include <stdio.h>

enum { FORMAT_TEXT, FORMAT_JSON };
static struct choice format = {
	"format", (const char *const[]){"text", "json", NULL}, FORMAT_TEXT,
};

const struct option_spec info_options[] = {
	{"format", 0, "FORMAT", "print text (default) or json", option_choice, &format},
	{0},
};

struct line {
	const char *key;
	uint64_t value;
};

static void print_text(const struct line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf("%-12s %llu\n", lines[i].key, (unsigned long long)lines[i].value);
}

static void print_json(const struct line *lines, size_t count)
{
	struct json json = {.stream = stdout};

	json_begin(&json, NULL, '{', JSON_LINES);
	for (size_t i = 0; i < count; i++)
		json_integer(&json, lines[i].key, lines[i].value);
	json_end(&json);
}

int cmd_info(char **operands, int operand_count, struct error *err)
{
	struct goal_counts counts = {0};
	struct goal goal;
	int result = 0;

	(void)operand_count;
	TRY(open_graph(&goal, operands[0], err));
	for (uint32_t rank = 0; rank < goal.rank_count && result == 0; rank++)
		result = goal_count(&counts, &goal.ranks[rank], err);
	if (result == 0) {
		const struct line lines[] = {
			{"ranks", goal.rank_count},	{"operations", counts.operations},
			{"sends", counts.sends},	{"recvs", counts.recvs},
			{"calcs", counts.calcs},	{"dependencies", counts.dependencies},
			{"bytes", counts.bytes},
		};

		(format.value == FORMAT_JSON ? print_json : print_text)(lines,
								  sizeof lines / sizeof *lines);
	} else {
		error_prefix(err, "%s", operands[0]);
	}
	goal_release(&goal);
	return result;
}
