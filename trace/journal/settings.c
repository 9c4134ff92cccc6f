#include "trace/journal/settings.h"

#include "common/options.h"
#include "common/units.h"
#include "trace/journal/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "LLAMP_TRACE_"

static const struct {
	const char *name, *fallback;
} table[SETTING_COUNT] = {
#define SETTING(name, value, help) [SETTING_##name] = {#name, value},
	SETTINGS(SETTING)
#undef SETTING
};

const char *setting_name(enum setting setting)
{
	return table[setting].name;
}

const char *setting_text(enum setting setting)
{
	char variable[64];
	const char *value;

	snprintf(variable, sizeof variable, PREFIX "%s", table[setting].name);
	value = getenv(variable);
	return value && *value ? value : table[setting].fallback;
}

/* Refuse unknown names: a misspelt setting would silently have its default. */
static int check_names(struct error *err)
{
	for (char **variable = environ; variable && *variable; variable++) {
		const size_t prefix = strlen(PREFIX), length = strcspn(*variable, "=");
		bool known = strncmp(*variable, PREFIX, prefix) != 0;

		for (int i = 0; !known && i < SETTING_COUNT; i++)
			known = prefix + strlen(table[i].name) == length &&
				!strncmp(*variable + prefix, table[i].name, length - prefix);
		if (!known)
			return error_set(err, STATUS_USAGE,
					 "unknown setting %.*s; llamp-trace --help lists them",
					 (int)length, *variable);
	}
	return 0;
}

static int read_buffer(struct settings *settings, struct error *err)
{
	if (parse_bytes(setting_text(SETTING_BUFFER), &settings->buffer_bytes, err) < 0)
		return error_prefix(err, PREFIX "BUFFER");
	if (settings->buffer_bytes < JOURNAL_LEAST_BYTES ||
	    settings->buffer_bytes > JOURNAL_MOST_BYTES)
		return error_set(err, STATUS_USAGE,
				 PREFIX "BUFFER: %s is not within 64KiB and 1GiB",
				 setting_text(SETTING_BUFFER));
	return 0;
}

/* Read a size from `least` to 1 TiB. */
static int read_size(enum setting setting, const char *least, uint64_t *bytes, struct error *err)
{
	static const uint64_t most = UINT64_C(1) << 40;
	uint64_t least_bytes = 0;

	if (parse_bytes(setting_text(setting), bytes, err) < 0) {
		char name[64];

		snprintf(name, sizeof name, PREFIX "%s", table[setting].name);
		return error_prefix(err, "%s", name);
	}
	parse_bytes(least, &least_bytes, err);
	if (*bytes < least_bytes || *bytes > most)
		return error_set(err, STATUS_USAGE, PREFIX "%s: %s is not within %s and 1TiB",
				 table[setting].name, setting_text(setting), least);
	return 0;
}

/* Read "N" or "N:FROM", both from 1; "" is neither. */
static int read_iterations(struct settings *settings, struct error *err)
{
	const char *text = setting_text(SETTING_ITERATIONS);
	const char *colon = strchr(text, ':');
	char *end = NULL;

	settings->iterations = settings->first_iteration = 0;
	if (!*text)
		return 0;
	if (*text >= '1' && *text <= '9')
		settings->iterations = strtoull(text, &end, 10);
	if (end && end == colon && colon[1] >= '1' && colon[1] <= '9')
		settings->first_iteration = strtoull(colon + 1, &end, 10);
	if (!end || *end || settings->iterations > UINT32_MAX ||
	    settings->first_iteration > UINT32_MAX)
		return error_set(
			err, STATUS_USAGE,
			"iterations: '%s' is neither a number such as 10 nor a number and the"
			" first iteration, such as 10:100",
			text);
	settings->flow = true;
	return 0;
}

static int read_phases(struct settings *settings, struct error *err)
{
	const char *text = setting_text(SETTING_PHASES);
	char *end = NULL;
	const unsigned long count = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;

	if (!count || *end || count > SETTINGS_MOST_PHASES)
		return error_set(err, STATUS_USAGE, "phases: '%s' is not a number from 1 to %d",
				 text, SETTINGS_MOST_PHASES);
	settings->phases = (unsigned)count;
	return 0;
}

static int read_switch(enum setting setting, bool *on, struct error *err)
{
	const char *text = setting_text(setting);

	*on = strcmp(text, "off") != 0;
	if (*on && strcmp(text, "on") != 0)
		return error_set(err, STATUS_USAGE, PREFIX "%s: '%s' is neither on nor off",
				 table[setting].name, text);
	return 0;
}

int settings_read_clock(bool *counter, struct error *err)
{
	const char *text = setting_text(SETTING_CLOCK);

	*counter = strcmp(text, "monotonic") != 0;
	if (*counter && strcmp(text, "auto") != 0)
		return error_set(err, STATUS_USAGE, PREFIX "CLOCK: '%s' is neither auto nor monotonic",
				 text);
	if (strcmp(setting_text(SETTING_BELOW_MPI), "on") == 0)
		*counter = false;
	return 0;
}

static int read_digit(enum setting setting, bool *on, struct error *err)
{
	const char *text = setting_text(setting);

	*on = strcmp(text, "0") != 0;
	if (*on && strcmp(text, "1") != 0)
		return error_set(err, STATUS_USAGE, PREFIX "%s: '%s' is neither 0 nor 1",
				 table[setting].name, text);
	return 0;
}

/* Read names with commas between them; *bits has those of their numbers. */
static int read_names(enum setting setting, const char *what, const char *const *names,
		      unsigned *bits, struct error *err)
{
	const char *text = setting_text(setting);
	char name[64];

	*bits = 0;
	while (*text) {
		const int length = (int)strcspn(text, ",");
		int number;

		snprintf(name, sizeof name, "%.*s", length, text);
		number = parse_choice(name, what, names, err);
		if (number < 0) {
			snprintf(name, sizeof name, PREFIX "%s", table[setting].name);
			return error_prefix(err, "%s", name);
		}
		*bits |= 1U << number;
		text += length + (text[length] == ',');
	}
	return 0;
}

static int read_reports(unsigned *reports, struct error *err)
{
	static const char *const names[] = {[REPORT_PATH] = "path",
					    [REPORT_WAITS] = "waits",
					    [REPORT_CAUSES] = "causes",
					    [REPORT_IMBALANCE] = "imbalance",
					    NULL};

	return read_names(SETTING_REPORT, "report", names, reports, err);
}

static int read_folds(unsigned *folds, struct error *err)
{
	static const char *const names[] = {"bytes", "tag", "peer", NULL};

	return read_names(SETTING_FOLD, "field", names, folds, err);
}

static int read_budget(struct settings *settings, struct error *err)
{
	const char *text = setting_text(SETTING_BUDGET);
	char *end;

	settings->budget_share = strtod(text, &end) / 100;
	if (end > text && !strcmp(end, "%") && settings->budget_share >= 0)
		return 0;
	settings->budget_share = -1;
	if (parse_time_ns(text, &settings->budget_ns, err) == 0)
		return 0;
	return error_set(err, STATUS_USAGE,
			 PREFIX "BUDGET: '%s' is neither a time such as 5s nor a share such as 2%%",
			 text);
}

/* Refuse what needs the calls, which graphs do not keep. */
static int check_flow(const struct settings *settings, struct error *err)
{
	if (!settings->flow)
		return 0;
	if (settings->reports)
		return error_set(err, STATUS_USAGE,
				 "event flow graphs take no reports: these need"
				 " all calls with their times");
	if (settings->below_mpi)
		return error_set(err, STATUS_USAGE,
				 "event flow graphs have nothing of what MPI does"
				 " below");
	return 0;
}

int settings_read(struct settings *settings, struct error *err)
{
	bool counter;

	TRY(check_names(err));
	TRY(read_buffer(settings, err));
	TRY(read_digit(SETTING_REQUIRED, &settings->required, err));
	TRY(read_digit(SETTING_QUIET, &settings->quiet, err));
	TRY(read_switch(SETTING_RECORD, &settings->record, err));
	TRY(read_switch(SETTING_CALL_SITES, &settings->call_sites, err));
	TRY(read_switch(SETTING_BELOW_MPI, &settings->below_mpi, err));
	TRY(settings_read_clock(&counter, err));
	TRY(read_switch(SETTING_ARCHIVE, &settings->archive, err));
	TRY(read_switch(SETTING_FLOW, &settings->flow, err));
	TRY(read_size(SETTING_MEMORY, "1MiB", &settings->memory_bytes, err));
	TRY(read_folds(&settings->folds, err));
	TRY(read_iterations(settings, err));
	TRY(read_phases(settings, err));
	TRY(read_size(SETTING_RING, "256KiB", &settings->ring_bytes, err));
	TRY(read_reports(&settings->reports, err));
	TRY(check_flow(settings, err));
	if (!settings->archive && !settings->reports)
		return error_set(err, STATUS_USAGE,
				 "without an archive, ask for a report:"
				 " --report or " PREFIX "REPORT");
	return read_budget(settings, err);
}
