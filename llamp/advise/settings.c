#include "llamp/advise/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *collective, *algorithm;
	const char *values[2]; /* by library */
} settings[] = {
#define SETTING(collective, algorithm, mpich, openmpi) {collective, algorithm, {mpich, openmpi}},
#define EAGER(library, words, more, least)
#include "llamp/advise/settings.def"
#undef SETTING
#undef EAGER
};

static const struct {
	enum setting_library library;
	const char *words;
	uint64_t more, least;
} eager_settings[] = {
#define SETTING(collective, algorithm, mpich, openmpi)
#define EAGER(library, words, more, least) {SETTING_##library, words, more, least},
#include "llamp/advise/settings.def"
#undef SETTING
#undef EAGER
};

static const char *write_mpich(const char *collective, const char *value,
			       char text[static SETTING_BYTES])
{
	char upper[32];
	size_t i = 0;

	for (; collective[i] && i < sizeof upper - 1; i++)
		upper[i] = (char)toupper(collective[i]);
	upper[i] = '\0';
	snprintf(text, SETTING_BYTES, "MPIR_CVAR_%s_INTRA_ALGORITHM=%s", upper, value);
	return text;
}

/* Write what makes messages of up to so many bytes eager. */
static const char *write_eager(const char *bytes, enum setting_library library,
			       char text[static SETTING_BYTES])
{
	const uint64_t size = strtoull(bytes, NULL, 10);
	size_t length = 0;

	for (size_t i = 0; i < sizeof eager_settings / sizeof *eager_settings; i++) {
		const uint64_t value = size + eager_settings[i].more;
		const uint64_t least = eager_settings[i].least;

		if (eager_settings[i].library != library)
			continue;
		length += (size_t)snprintf(text + length, SETTING_BYTES - length, "%s%s%" PRIu64,
					   length ? " " : "", eager_settings[i].words,
					   value < least ? least : value);
	}
	return text;
}

const char *setting_of(const struct change *change, enum setting_library library,
		       char text[static SETTING_BYTES])
{
	const char *value = NULL;

	if (change->kind == CHANGE_EAGER)
		return write_eager(change->value, library, text);
	if (change->kind != CHANGE_ALGORITHM || change->site || change->communicator)
		return NULL;
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (!strcmp(settings[i].collective, change->collective) &&
		    !strcmp(settings[i].algorithm, change->algorithm))
			value = settings[i].values[library];
	if (!value)
		return NULL;
	if (library == SETTING_MPICH)
		return write_mpich(change->collective, value, text);
	snprintf(text, SETTING_BYTES,
		 "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_%s_algorithm %s",
		 change->collective, value);
	return text;
}
