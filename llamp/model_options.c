#include "llamp/model_options.h"

#include "common/units.h"

/* What the options of the command line gave. */
static struct {
	const char *params;
	struct optional_time latency, overhead, gap, gap_per_byte;
	const char *threshold, *rendezvous;
} given;

static int option_gap_per_byte(const char *text, void *target, struct error *err)
{
	struct optional_time *gap = target;

	TRY(parse_gap_per_byte_as(text, &gap->as, err));
	gap->given = 1;
	return 0;
}

/* Checked here, so that a mistake is reported before a large file is read. */
static int option_threshold(const char *text, void *target, struct error *err)
{
	uint64_t bytes;

	TRY(loggps_parse_threshold(text, &bytes, err));
	return option_text(text, target, err);
}

static int option_rendezvous(const char *text, void *target, struct error *err)
{
	enum rendezvous rendezvous;

	TRY(rendezvous_parse(text, &rendezvous, err));
	return option_text(text, target, err);
}

#define MODEL_OPTIONS(overhead_letter)                                                             \
	{"params", 0, "FILE", "read L, o, g, G, S and rendezvous from a YAML file",                \
	 option_text, &given.params},                                                              \
	{"latency", 'L', "TIME", "network latency L (default 3us)", option_time, &given.latency},  \
	{"overhead", overhead_letter, "TIME", "CPU overhead of a message o (default 5us)",         \
	 option_time, &given.overhead},                                                            \
	{"gap", 'g', "TIME", "gap between messages of a rank g (default 0: off)", option_time,     \
	 &given.gap},                                                                              \
	{"gap-per-byte", 'G', "GAP", "gap per byte G, as a time (0.018ns) or a bandwidth"          \
	 " (56Gbit/s); default 0.018ns", option_gap_per_byte, &given.gap_per_byte},                \
	{"rendezvous-threshold", 'S', "SIZE", "messages of more bytes use the rendezvous"          \
	 " protocol (default none: no message does)", option_threshold, &given.threshold},         \
	{"rendezvous", 0, "PROTOCOL", "rendezvous protocol: read (default), sync or paper",        \
	 option_rendezvous, &given.rendezvous},                                                    \
	{0},

const struct option_spec model_options[] = {MODEL_OPTIONS('o')};
const struct option_spec model_options_without_o[] = {MODEL_OPTIONS(0)};

int option_parameter(const char *text, void *target, struct error *err)
{
	return parameter_parse(text, target, err);
}

int parse_tolerance(const char *text, double *percent, struct error *err)
{
	TRY(parse_number(text, percent, err));
	if (*percent < 0 || (*percent > 0 && *percent < 1e-4) || *percent > 1e9)
		return error_set(err, STATUS_USAGE,
				 "a tolerance must be 0 or from 0.0001 to 1e9 percent, not %s",
				 text);
	return 0;
}

static void apply(const struct optional_time *time, int64_t *as)
{
	if (time->given)
		*as = time->as;
}

int model_options_loggps(struct loggps *loggps, struct error *err)
{
	*loggps = loggps_default;
	if (given.params)
		TRY(loggps_read(loggps, given.params, err));
	apply(&given.latency, &loggps->L);
	apply(&given.overhead, &loggps->o);
	apply(&given.gap, &loggps->g);
	apply(&given.gap_per_byte, &loggps->G);
	if (given.threshold)
		TRY(loggps_parse_threshold(given.threshold, &loggps->S, err));
	if (given.rendezvous)
		TRY(rendezvous_parse(given.rendezvous, &loggps->rendezvous, err));
	return 0;
}
