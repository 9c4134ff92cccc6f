#include "trace/journal/settings.h"

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

static int read_switch(enum setting setting, bool *on, struct error *err)
{
	const char *text = setting_text(setting);

	*on = strcmp(text, "off") != 0;
	if (*on && strcmp(text, "on") != 0)
		return error_set(err, STATUS_USAGE, PREFIX "%s: '%s' is neither on nor off",
				 table[setting].name, text);
	return 0;
}

int settings_read(struct settings *settings, struct error *err)
{
	const char *required = setting_text(SETTING_REQUIRED);

	TRY(check_names(err));
	if (parse_bytes(setting_text(SETTING_BUFFER), &settings->buffer_bytes, err) < 0)
		return error_prefix(err, "LLAMP_TRACE_BUFFER");
	if (settings->buffer_bytes < JOURNAL_LEAST_BYTES ||
	    settings->buffer_bytes > JOURNAL_MOST_BYTES)
		return error_set(err, STATUS_USAGE,
				 "LLAMP_TRACE_BUFFER: %s is not within 64KiB and 1GiB",
				 setting_text(SETTING_BUFFER));
	if (strcmp(required, "0") != 0 && strcmp(required, "1") != 0)
		return error_set(err, STATUS_USAGE,
				 "LLAMP_TRACE_REQUIRED: '%s' is neither 0 nor 1", required);
	TRY(read_switch(SETTING_RECORD, &settings->record, err));
	return read_switch(SETTING_CALL_SITES, &settings->call_sites, err);
}
