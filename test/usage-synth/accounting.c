#include "test/usage-synth/accounting.h"

#include <inttypes.h>
#include <time.h>

void accounting_heading(FILE *to)
{
	fputs("JobIDRaw|Cluster|User|Account|Executable|ExitCode|Start|End|ElapsedRaw|NNodes|NTasks\n",
	      to);
}

void accounting_record(FILE *to, const struct synth_record *record)
{
	fprintf(to,
		"%u.0|%s|%s|%s|/apps/%s/bin/%s|%u:0|%" PRIu64 "|%" PRIu64 "|%" PRIu64 "|%u|%u\n",
		record->id, record->system, record->user, record->project, record->project,
		record->executable, record->exit_status, record->start_s,
		record->start_s + record->seconds, record->seconds, record->nodes, record->ranks);
}

static FILE *open_table(const char *folder, const char *name, struct error *err)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file)
		error_set_errno(err, "%s", path);
	return file;
}

int accounting_tables(const char *folder, const char *system, struct error *err)
{
	FILE *file = open_table(folder, "systems.csv", err);

	if (!file)
		return -1;
	fprintf(file, "system,cores_per_node\n%s,%d\n", system, SYNTH_CORES);
	fclose(file);
	file = open_table(folder, "programmes.csv", err);
	if (!file)
		return -1;
	fputs("project,programme\n", file);
	for (unsigned i = 0; i < 10; i++)
		fprintf(file, "project%02u,%s\n", i, i % 2 ? "ALCC" : "INCITE");
	fclose(file);
	file = open_table(folder, "domains.csv", err);
	if (!file)
		return -1;
	fputs("application,domain\n", file);
	for (unsigned i = 0; i < 110; i++) {
		char name[32];

		synth_application(i, name, sizeof name);
		fprintf(file, "%s,%s\n", name, synth_domain(i));
	}
	fclose(file);
	return 0;
}
