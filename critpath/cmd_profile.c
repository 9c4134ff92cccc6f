/* Command critpath profile: time, messages and bytes by function, rank, size and pair of ranks. */
#include "critpath/commands.h"
#include "critpath/report/run_report_profile.h"

static const char *const tables[] = {
	[PROFILE_FUNCTIONS] = "functions", [PROFILE_RANKS] = "ranks", [PROFILE_BY_SIZE] = "sizes",
	[PROFILE_PAIRS] = "pairs",	   [PROFILE_SITES] = "sites", NULL};
static struct choice table = {"table", tables, PROFILE_FUNCTIONS};

static const struct option_spec profile_own_options[] = {
	{"table", 0, "NAME",
	 "rows of --format csv: functions of each rank (default), ranks, sizes of messages, pairs of"
	 " sender and receiver, or (call) sites",
	 option_choice, &table},
	{0},
};

static const struct option_spec *const profile_options[] = {profile_own_options, slice_options,
							    strict_options, NULL};

static int write_profile(struct study *study, struct error *err)
{
	struct output output;
	struct report report;
	struct profile profile;
	int result;

	if (table.value == PROFILE_SITES && !study->found.run->site_count)
		return no_sites(study->found.path, err);
	TRY(study_waits(study, err));
	TRY(profile_find(&profile, study->found.waits, study->dist, err));
	result = commands_open(&output, &report, err);
	if (result == 0 && study->dist->rank == 0)
		run_report_profile(&report, (enum profile_table)table.value, &study->found,
				   &profile);
	if (result == 0)
		result = commands_commit(&output, 0, err);
	profile_release(&profile);
	return result;
}

static int cmd_profile(char **operands, int count, struct error *err)
{
	(void)count;
	if (table.value != PROFILE_FUNCTIONS && given_format() != REPORT_CSV)
		return error_set(err, STATUS_USAGE, "--table is for --format csv only");
	return with_study(operands[0], false, write_profile, err);
}

static const struct help_entry profile_examples[] = {
	{"critpath profile llamp-trace-app-42",
	 "the functions with most time, and the largest pairs"
	 " of ranks"},
	{"critpath profile app.trace --format csv --table pairs", "the communication matrix"},
	{0},
};

const struct command profile_command = {
	.name = "profile",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "time in MPI functions, sizes of messages, who sends to whom",
	.notes = input_notes,
	.options = profile_options,
	.output = &table_output,
	.run = cmd_profile,
	.examples = profile_examples,
};
