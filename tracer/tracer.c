#include "tracer/tracer.h"

#include "launch/launcher.h"
#include "pmpi/process.h"
#include "pmpi/threads.h"
#include "pmpi/together.h"
#include "trace/journal/journal_chunks.h"
#include "trace/journal/settings.h"
#include "tracer/roll_call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tracer tracer = {.archive = true, .calls = true};

static char start_directory[2048]; /* the program may change the current one */

__attribute__((constructor)) static void tracer_load(void)
{
	if (!getcwd(start_directory, sizeof start_directory))
		strcpy(start_directory, ".");
}

struct journal *tracer_journal(struct error *err)
{
	const struct recorder *recorder = thread_recorder(err);

	return recorder ? recorder->journal : NULL;
}

struct rank_journals tracer_journals(void)
{
	return (struct rank_journals){.directory = tracer.directory,
				      .unnamed = tracer.unnamed ? tracer.nameless.items : NULL,
				      .rank = (uint32_t)process.rank,
				      .threads = tracer.journals};
}

void tracer_close_journals(void)
{
	for (size_t i = 0; i < tracer.ended.count; i++) {
		journal_chunks_close(tracer.ended.items[i]->journal);
		free(tracer.ended.items[i]);
	}
	array_release(&tracer.ended);
}

/* --------------------------------------------------------------- directory */

/* Whether MPI_Comm_spawn made these processes.  The parent may be traced, too. */
static bool is_spawned(void)
{
	MPI_Comm parent;

	return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

void tracer_choose_directory(bool together)
{
	const char *given = setting_text(SETTING_DIR), *job = getenv("SLURM_JOB_ID");
	const char *step = getenv("SLURM_STEP_ID");
	char id[64];

	if (job)
		snprintf(id, sizeof id, "%s.%s", job, step ? step : "0");
	else
		snprintf(id, sizeof id, "%d", (int)(together ? getpid() : getppid()));
	if (!*given)
		snprintf(tracer.directory, sizeof tracer.directory, "%s/llamp-trace-%s-%s",
			 start_directory, program_invocation_short_name, id);
	else if (*given == '/')
		snprintf(tracer.directory, sizeof tracer.directory, "%s", given);
	else
		snprintf(tracer.directory, sizeof tracer.directory, "%s/%s", start_directory,
			 given);
	if (together && is_spawned())
		snprintf(tracer.directory + strlen(tracer.directory),
			 sizeof tracer.directory - strlen(tracer.directory), "-spawned-%d",
			 (int)getpid());
}

const char *tracer_name(void)
{
	const size_t length = strlen(start_directory);

	return strncmp(tracer.directory, start_directory, length) == 0 &&
			       tracer.directory[length] == '/'
		       ? tracer.directory + length + 1
		       : tracer.directory;
}

/* --------------------------------------------------------------- roll call */

/* Time to wait for ranks that may not be traced. */
enum { LIMIT_S = 30 };

static int marked = -1; /* rank of the mark left by this process, or -1 */
static char marked_directory[sizeof tracer.directory];

static int mark_directory(int rank, struct error *err)
{
	TRY(roll_call_mark(tracer.directory, rank, err));
	strcpy(marked_directory, tracer.directory);
	marked = rank;
	return 0;
}

void tracer_leave_mark(void)
{
	const char *size = getenv(launcher_own_mpi()->size);
	int rank = (int)launcher_rank(launcher_own_mpi());

	if (rank < 0 || !*setting_text(SETTING_DIR) || (size && atoi(size) == 1) ||
	    !strcmp(setting_text(SETTING_ARCHIVE), "off"))
		return;
	tracer_choose_directory(false);
	mark_directory(rank, &tracer.mark_error);
}

void tracer_clear_mark(void)
{
	if (marked >= 0)
		roll_call_clear(marked_directory, marked);
	marked = -1;
}

static const char *host_name(char name[static 256])
{
	if (gethostname(name, 255) < 0)
		strcpy(name, "this host");
	name[255] = 0;
	return name;
}

static void limit_waits(void)
{
	const char *given = getenv(SETTINGS_LIMIT_S);

	if (process.size > 1)
		together_limit(given ? (unsigned)atoi(given) : LIMIT_S);
}

bool tracer_all_are_traced(void)
{
	char host[256];
	struct roll roll;

	/* Other ranks miss this rank's mark, so they will not communicate with it. */
	if (tracer.mark_error.status)
		return false;
	if (marked >= 0 && marked != process.rank)
		tracer_clear_mark();
	if (marked < 0) {
		limit_waits();
		return true;
	}
	roll = roll_call_count(tracer.directory, process.size);
	tracer.ranks = roll.present;
	tracer.first_traced = roll.first;
	/*
	 * The marks may be those of another run that has started with the same directory at the
	 * same time.
	 */
	limit_waits();
	if (roll.present == process.size)
		return true;
	if (process.rank == roll.first)
		fprintf(stderr,
			"llamp-trace: %d of %d ranks run without the tracer, with another"
			" -o, or on hosts that do not share %s with %s; the trace lacks them\n",
			process.size - roll.present, process.size, tracer.directory,
			host_name(host));
	return false;
}

/* -------------------------------------------------------------- the directory of all */

/* Check that this rank sees the mark of another rank. */
static int find_mark(int other, struct error *err)
{
	char host[256];

	TRY(mark_directory(process.rank, err));
	if (roll_call_sees(tracer.directory, other))
		return 0;
	return error_set(
		err, STATUS_DATA,
		"%s on %s is not the directory of rank %d: choose one with -o that all hosts"
		" share",
		tracer.directory, host_name(host), other);
}

/*
 * Take the directory for this run, so that of several runs with one directory at the same time one has
 * a trace, and `check` shows whether all hosts share it.
 */
static int open_directory(bool claim, bool check, struct error *err)
{
	if (claim)
		TRY(journal_claim(tracer.directory, err));
	tracer.claimed = claim;
	return check ? mark_directory(process.rank, err) : 0;
}

int tracer_share_directory(bool has_begun, struct error *err)
{
	static char directory[sizeof tracer.directory];
	const bool archive = strcmp(setting_text(SETTING_ARCHIVE), "off") != 0;
	const bool check = marked < 0 && archive;
	const uint64_t size = (uint64_t)process.size;
	uint64_t first = has_begun ? (uint64_t)process.rank : size;
	bool told = MPI_VERSION < 4 || together_least(&first, 1);
	int root = first == size ? 0 : (int)first, result = 0;

	if (process.rank == root)
		result = open_directory(archive && !has_begun, check, err);
	strcpy(directory, result == 0 ? tracer.directory : "");
	if (!told || !together_tell(directory, sizeof directory, root))
		return error_set(err, STATUS_SYSTEM, "the ranks cannot choose a common directory");
	if (!*directory)
		return result < 0 ? -1
				  : error_set(err, STATUS_DATA, "rank %d has no directory", root);
	if (has_begun && strcmp(directory, tracer.directory) != 0)
		return error_set(err, STATUS_DATA,
				 "sessions record into another directory than other ranks: choose"
				 " one with -o");
	strcpy(tracer.directory, directory);
	return check && process.rank != root ? find_mark(root, err) : 0;
}

int tracer_take_directory(struct error *err)
{
	return process.rank == 0 ? open_directory(true, true, err) : find_mark(0, err);
}
