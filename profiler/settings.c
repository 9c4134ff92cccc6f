#include "profiler/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum setting {
#define SETTING(name, value, help) SETTING_##name,
	USAGE_SETTINGS(SETTING)
#undef SETTING
};

static const struct {
	const char *name, *fallback;
} table[] = {
#define SETTING(name, value, help) {USAGE_SETTINGS_PREFIX #name, value},
	USAGE_SETTINGS(SETTING)
#undef SETTING
};

static const char *text_of(enum setting setting)
{
	const char *value = getenv(table[setting].name);

	return value && *value ? value : table[setting].fallback;
}

static int read_choice(enum setting setting, const char *yes, const char *no, bool *is,
		       struct error *err)
{
	const char *text = text_of(setting);

	*is = strcmp(text, yes) == 0;
	if (*is || strcmp(text, no) == 0)
		return 0;
	return error_set(err, STATUS_USAGE, "%s: '%s' is neither %s nor %s", table[setting].name,
			 text, no, yes);
}

int settings_read(struct settings *settings, struct error *err)
{
	*settings = (struct settings){.directory = text_of(SETTING_DIR),
				      .file = text_of(SETTING_FILE),
				      .partial = text_of(SETTING_PARTIAL)};
	TRY(read_choice(SETTING_QUIET, "1", "0", &settings->quiet, err));
	TRY(read_choice(SETTING_OFF, "1", "0", &settings->off, err));
	TRY(read_choice(SETTING_RANKS, "all", "4", &settings->all_ranks, err));
	TRY(read_choice(SETTING_COUNTERS, "on", "off", &settings->counters, err));
	TRY(read_choice(SETTING_CLOCK, "monotonic", "auto", &settings->monotonic, err));
	return read_choice(SETTING_USER_INFO, "on", "off", &settings->user_info, err);
}

bool settings_exclude(const char *program)
{
	const size_t length = strlen(program);

	for (const char *at = text_of(SETTING_EXCLUDE); *at;) {
		const size_t name = strcspn(at, ",");

		if (name == length && strncmp(at, program, length) == 0)
			return true;
		at += name + (at[name] == ',');
	}
	return false;
}
