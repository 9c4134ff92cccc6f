/* Command llamp-usage anonymise: logs for publication. */
#include "common/progress.h"
#include "usage/commands.h"
#include "usage/index/anonymise.h"

#include <stdio.h>

static struct {
	const char *folder, *key;
} given;

static int write_logs(const char *from, struct bad_logs *bad, uint64_t *written, struct error *err)
{
	struct pseudonym_key key;
	int result;

	TRY(pseudonym_key_read(&key, given.key, err));
	progress_begin("llamp-usage", "anonymising");
	result = anonymise_logs(from, given.folder, &key, bad, written, err);
	progress_end();
	return result;
}

static int cmd_anonymise(char **operands, int operand_count, struct error *err)
{
	struct bad_logs bad = {0};
	uint64_t written;
	int result;

	(void)operand_count;
	if (!given.folder)
		return error_set(err, STATUS_USAGE, "-o DIR, the new folder, is missing");
	result = write_logs(operands[0], &bad, &written, err);
	if (result == 0) {
		printf("%s: %llu logs\n", given.folder, (unsigned long long)written);
		for (size_t i = 0; i < bad.list.count; i++)
			tool_warning("llamp-usage", "%s: %s", bad.list.items[i].path,
				     bad.list.items[i].reason);
		if (bad.list.count)
			result = error_set(err, STATUS_DATA,
					   "%zu logs cannot be read and were left out",
					   bad.list.count);
	}
	bad_logs_release(&bad);
	return result;
}

static const struct option_spec anonymise_own_options[] = {
	{"output", 'o', "DIR", "write the logs to the new folder DIR", option_text, &given.folder},
	{"key", 0, "FILE",
	 "make names with this key, of at least 16 bytes: the same key makes the same names; without it "
	 "with one that nobody knows",
	 option_text, &given.key},
	{0},
};

static const struct option_spec *const anonymise_options[] = {anonymise_own_options, NULL};

static const struct help_entry anonymise_examples[] = {
	{"llamp-usage anonymise /logs/2026 -o public", "write logs that name nobody"},
	{"head -c 32 /dev/urandom >key; llamp-usage anonymise /logs/2027 -o public-2027 --key key",
	 "keep the key to make the same names next year"},
	{0},
};

const struct command anonymise_command = {
	.name = "anonymise",
	.operands = "DIR",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "write logs without names of people, programs and hosts",
	.notes =
		"Users, programs and hosts become hashes with a key. Two runs of one executable, of one user or on one host still "
		"have one name in common, so that all figures that name nobody stay as they are. Folders and names of files, "
		"ids of jobs, times, sizes and the name of the system stay.",
	.options = anonymise_options,
	.run = cmd_anonymise,
	.examples = anonymise_examples,
};
