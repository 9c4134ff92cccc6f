/* llamp-inject: start a program whose messages take longer. */
#include "common/options.h"
#include "common/units.h"
#include "inject/delay.h"
#include "launch/launch_mpi.h"
#include "launch/launch_preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct optional_time latency;
static int64_t gap_as_per_byte;
static bool inject_add;

static int option_gap(const char *text, void *target, struct error *err)
{
	return parse_gap_per_byte_as(text, target, err);
}

static const struct option_spec inject_options[] = {
	{"latency", 'L', "TIME", "time L that each message takes from its send to its receiver",
	 option_time, &latency},
	{"gap-per-byte", 'G', "GAP",
	 "time per byte or bandwidth G: a message of s bytes takes s G longer (default 0)",
	 option_gap, &gap_as_per_byte},
	{"add", 0, NULL, "add the times to those of the network instead of setting them",
	 option_flag, &inject_add},
	{0},
};

static const struct launch_tool tool = {
	.command = "llamp-inject",
	.library = "libllampinject",
	.given = "",
	.title = "the injector",
	.result = "delay",
};

/* ------------------------------------------------------------------ settings */

static const struct setting {
	const char *mpi, *variable, *value;
	bool need;
} settings[] = {
#define SETTING(key, variable, value, need) {#key, variable, value, need},
#include "inject/settings.def"
#undef SETTING
};

enum { SETTINGS = sizeof settings / sizeof *settings };

/* Set a variable, or respect what the user has set; append the setting to `made`. */
static int make_setting(const struct setting *setting, char made[static 512], struct error *err)
{
	const char *present = getenv(setting->variable);
	const size_t length = strlen(made);

	if (!present) {
		snprintf(made + length, 512 - length, "%s%s=%s", length ? " " : "",
			 setting->variable, setting->value);
		return setenv(setting->variable, setting->value, 1) < 0
			       ? error_set_memory(err, strlen(setting->value))
			       : 0;
	}
	if (strcmp(present, setting->value) == 0)
		return 0;
	if (!setting->need)
		return 0;
	return error_set(err, STATUS_LIMIT, "%s is %s; messages can be delayed with %s only",
			 setting->variable, present, setting->value);
}

static void warn_of_setting(const struct setting *setting)
{
	const char *present = getenv(setting->variable);

	if (launch_is_first_rank() && strcmp(present, setting->value) != 0)
		tool_warning(tool.command,
			     "%s is %s instead of %s: some messages may be delayed too little",
			     setting->variable, present, setting->value);
}

static int make_settings(const struct mpi_implementation *mpi, struct error *err)
{
	char made[512] = "";

	for (size_t i = 0; i < SETTINGS; i++) {
		if (strcmp(settings[i].mpi, mpi->key) != 0)
			continue;
		TRY(make_setting(&settings[i], made, err));
		warn_of_setting(&settings[i]);
	}
	return setenv(DELAY_SETTINGS, made, 1) < 0 ? error_set_memory(err, sizeof made) : 0;
}

/* ------------------------------------------------------------------ starting */

static int pass_number(const char *variable, int64_t number, struct error *err)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)number);
	return setenv(variable, text, 1) < 0 ? error_set_memory(err, sizeof text) : 0;
}

static int pass_delay(struct error *err)
{
	TRY(pass_number(DELAY_LATENCY, (latency.as + AS_PER_NS - 1) / AS_PER_NS, err));
	TRY(pass_number(DELAY_GAP, gap_as_per_byte, err));
	return pass_number(DELAY_ADD, inject_add, err);
}

/* Refuse programs that would run without the delay. */
static int require_mpi(char **program, const struct mpi_implementation **mpi, struct error *err)
{
	const char *obstacle = launch_obstacle(program);

	*mpi = launch_mpi(program[0]);
	if (!obstacle && *mpi)
		return 0;
	return obstacle ? error_set(err, STATUS_LIMIT, "%s is %s: its messages cannot be delayed",
				    program[0], obstacle)
			: error_set(err, STATUS_LIMIT,
				    "which MPI %s uses cannot be seen; start it"
				    " below mpiexec",
				    program[0]);
}

static int run(char **operands, int operand_count, struct error *err)
{
	const struct mpi_implementation *mpi;

	(void)operand_count;
	if (!latency.given)
		return error_set(err, STATUS_USAGE, "--latency is missing");
	TRY(launch_check(&tool, operands, " --latency TIME", err));
	TRY(require_mpi(operands, &mpi, err));
	TRY(make_settings(mpi, err));
	TRY(pass_delay(err));
	TRY(launch_preload(&tool, operands, err));
	return launch_run(operands, err);
}

int main(int argc, char **argv)
{
	static const struct help_entry examples[] = {
		{"mpiexec -n 8 llamp-inject --latency 100us ./app",
		 "run with messages that take 100 us each"},
		{"mpiexec -n 8 llamp-inject --latency 100us --gap-per-byte 1GB/s ./app",
		 "run with 1 ns more for each byte"},
		{"mpiexec -n 8 llamp-inject --latency 100us --add ./app",
		 "run with messages that take 100 us longer than they do"},
		{0},
	};
	static const struct option_spec *const tables[] = {inject_options, NULL};
	static const struct command command = {
		.name = "",
		.operands = "PROGRAM [ARGUMENT]...",
		.summary = "Run an MPI program whose messages take longer.",
		.notes =
			"Start it as the ranks' program:\n\n"
			"  mpiexec -n 8 llamp-inject --latency 100us ./app\n\n"
			"Each message gets the time of its send. Its receiver gets it when that "
			"time and the delay have passed: sending and waiting take no processor "
			"time away, and a receiver that looks later loses nothing.\n\n"
			"MPI must send by UCX, as Debian's MPICH and Open MPI can. Communication "
			"that cannot be delayed ends the program, and so do ranks on several nodes. "
			"What is injected is measured at the start; one line on stderr shows it.",
		.options = tables,
		.least_operands = 1,
		.most_operands = -1,
		.operands_end_options = true,
		.run = run,
		.examples = examples,
	};
	static const struct command *const commands[] = {&command, NULL};
	static const struct tool injector = {
		.name = "llamp-inject",
		.summary = "Run an MPI program whose messages take longer.",
		.commands = commands,
		.before_message = launch_end_silently,
		.see_also = "llamp(1), llamp-trace(1)",
	};

	const int status = tool_main(&injector, argc, argv);

	if (status != 0)
		launch_end_job(status);
	return status;
}
