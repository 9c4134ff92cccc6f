/* Command llamp-usage anonymise: logs for publication. */
#include "common/progress.h"
#include "usage/commands.h"
#include "usage/publish/anonymise.h"

#include <stdio.h>
#include <string.h>

static struct {
	const char *folder, *key, *accounting;
	const char *tables[SITE_TABLES];
} given;

static int write_all(const struct anonymise_from *from, struct anonymised *done, struct error *err)
{
	struct pseudonym_key key;
	int result;

	TRY(pseudonym_key_read(&key, given.key, err));
	progress_begin("llamp-usage", "anonymising");
	result = anonymise(from, given.folder, &key, done, err);
	progress_end();
	return result;
}

static int report_done(const struct anonymised *done, struct error *err)
{
	printf("%s: %llu logs", given.folder, (unsigned long long)done->logs);
	if (given.accounting)
		printf(", %llu records", (unsigned long long)done->records);
	putchar('\n');
	for (size_t i = 0; i < done->bad.list.count; i++)
		tool_warning("llamp-usage", "%s: %s", done->bad.list.items[i].path,
			     done->bad.list.items[i].reason);
	if (!done->bad.list.count)
		return 0;
	return error_set(err, STATUS_DATA, "%zu %s cannot be read and were left out",
			 done->bad.list.count,
			 given.accounting ? "logs and lines of the accounting" : "logs");
}

static int cmd_anonymise(char **operands, int operand_count, struct error *err)
{
	struct anonymise_from from = {.folder = operands[0], .accounting = given.accounting};
	struct anonymised done = {0};
	int result;

	(void)operand_count;
	if (!given.folder)
		return error_set(err, STATUS_USAGE, "-o DIR, the new folder, is missing");
	memcpy(from.tables, given.tables, sizeof from.tables);
	result = write_all(&from, &done, err);
	if (result == 0)
		result = report_done(&done, err);
	bad_logs_release(&done.bad);
	return result;
}

static const struct option_spec anonymise_own_options[] = {
	{"output", 'o', "DIR", "write to the new folder DIR", option_text, &given.folder},
	{"key", 0, "FILE",
	 "make names with this key, of at least 16 bytes: the same key makes the same names; without it "
	 "with one that nobody knows",
	 option_text, &given.key},
	{"accounting", 0, "FILE",
	 "write accounting.csv, the records of the scheduler that llamp-usage index reads; - is stdin",
	 option_text, &given.accounting},
	{"programmes", 0, "FILE", "write programmes.csv, with names for the projects", option_text,
	 &given.tables[SITE_PROGRAMMES]},
	{"domains", 0, "FILE", "write domains.csv, with names for the applications and the domains",
	 option_text, &given.tables[SITE_DOMAINS]},
	{"traced", 0, "FILE", "write traced.csv, with the ids of the logs", option_text,
	 &given.tables[SITE_TRACED]},
	{0},
};

static const struct option_spec *const anonymise_options[] = {anonymise_own_options, NULL};

static const struct help_entry anonymise_examples[] = {
	{"llamp-usage anonymise /logs/2026 -o public", "write logs that name nobody"},
	{"llamp-usage anonymise /logs -o public --accounting sacct.txt --domains domains.csv",
	 "... and the scheduler's records and the domains of applications, with the same names"},
	{"head -c 32 /dev/urandom >key; llamp-usage anonymise /logs/2027 -o public-2027 --key key",
	 "keep the key to make the same names next year"},
	{0},
};

const struct command anonymise_command = {
	.name = "anonymise",
	.operands = "DIR",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "write logs and records without names of people, programs and places",
	.notes =
		"Users, programs, hosts, projects and domains become hashes with a key. Two runs of one executable, of one user or on "
		"one host still have one name in common, in logs, records and tables, so that all figures that name nobody stay as they "
		"are. llamp-usage index reads the new folder and its tables. Days, times, sizes, ids of jobs that are numbers, exit states, "
		"programmes and the name of the system stay. Of records there are the columns that the index uses, and no others.",
	.options = anonymise_options,
	.run = cmd_anonymise,
	.examples = anonymise_examples,
};
