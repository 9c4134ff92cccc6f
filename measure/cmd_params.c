/* llamp-measure params */
#include "common/units.h"
#include "measure/commands.h"
#include "pmpi/launch/launch_program.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S UINT64_C(1000000000)

static uint64_t limit_ns = 10 * NS_PER_S;

static int option_limit(const char *text, void *target, struct error *err)
{
	uint64_t *ns = target;

	TRY(parse_time_ns(text, ns, err));
	if (*ns < NS_PER_S / 10 || *ns > 3600 * NS_PER_S)
		return error_set(err, STATUS_USAGE, "'%s' is not between 100 ms and 3600 s", text);
	return 0;
}

static const struct option_spec options[] = {
	{"time-limit", 0, "TIME",
	 "measure for about this time (default 10s)", option_limit,
	 &limit_ns},
	{0},
};

const struct option_spec *const params_options[] = {options, NULL};

static const struct output_format formats[] = {{"yaml", ".yaml .yml", NULL}, {0}};
struct command_output params_output = {.formats = formats};

int cmd_params(char **operands, int operand_count, struct error *err)
{
	char limit[24], name[] = "llamp-measure", command[] = "params";
	char *words[] = {name, command, (char *)params_output.path, limit, NULL};

	(void)operands;
	(void)operand_count;
	snprintf(limit, sizeof limit, "%" PRIu64, limit_ns);
	return launch_program(name, words, err);
}
