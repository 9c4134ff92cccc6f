/* llamp-trace: start a program with the tracer loaded. */
#include "common/options.h"
#include "common/output.h"
#include "common/units.h"
#include "launch/launch_preload.h"
#include "launch/launcher.h"
#include "trace/assemble/recover.h"
#include "trace/call/trace_names.h"
#include "trace/journal/settings.h"
#include "tracer/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *directory, *dead;
static const char *directory_from = "-o"; /* what names the directory */
static const char *memory;
static const char *iterations, *phases, *folds;
static bool call_sites, below_mpi, flow;
static bool no_archive;

/* Ask for these reports, or for all. */
static int option_report(const char *text, void *nothing, struct error *err)
{
	(void)nothing;
	if (text && !*text)
		return error_set(err, STATUS_USAGE, "name reports, such as " ALL_REPORTS);
	return setenv("LLAMP_TRACE_REPORT", text ? text : ALL_REPORTS, 1) < 0
		       ? error_set_memory(err, sizeof ALL_REPORTS)
		       : 0;
}

static const struct option_spec tracer_options[] = {
	{"output", 'o', "DIR",
	 "write the trace into DIR, which must not hold one (default llamp-trace-PROGRAM-ID)",
	 option_text, &directory},
	{"call-sites", 0, NULL,
	 "record where in the program each call is made, for critpath and llamp path", option_flag,
	 &call_sites},
	{"flow", 0, NULL,
	 "make event flow graphs while the program runs, and no archive: a small file, DIR/flow.efg, for eventflow, critpath and schedgen",
	 option_flag, &flow},
	{"iterations", 0, "N[:FROM]",
	 "record N iterations of the main loop, FROM the given one on (from 1) or when all ranks are steady, beside event flow graphs of the whole run",
	 option_text, &iterations},
	{"phases", 0, "K",
	 "with --iterations: record N iterations of each of the first K main loops that come one after the other, 1 to 64 (default 4)",
	 option_text, &phases},
	{"fold", 0, "FIELDS",
	 "with --flow or --iterations: fields that do not tell calls apart, separated by commas: bytes, tag, peer; for loops in which they count",
	 option_text, &folds},
	{"memory", 0, "SIZE",
	 "with --flow or --iterations: memory that the graphs of a rank may take (default 64MiB)",
	 option_text, &memory},
	{"below-mpi", 0, NULL,
	 "record what MPI does below, in UCX: when it posts data, and who polls; for critpath below and view",
	 option_flag, &below_mpi},
	{"report", 0, "[=NAMES]",
	 "print in MPI_Finalize what critpath path, waits, causes and imbalance print, or those of the list"
	 " NAMES",
	 option_report, NULL},
	{"no-archive", 0, NULL,
	 "with --report: make no archive, and leave no file, if there is a report", option_flag,
	 &no_archive},
	{"recover", 0, "DIR",
	 "build a trace from the journals of a run that ended before MPI_Finalize", option_text,
	 &dead},
	{0},
};

/* ------------------------------------------------------------- the directory */

/* Refuse the directory with `text` if the path exists. */
static int refuse_existing(const char *path, const char *text, struct error *err)
{
	if (access(path, F_OK) < 0)
		return 0;
	return error_set(err, STATUS_DATA, "%s: %s", directory, text);
}

/* Shorten the path to its existing part. */
static void cut_to_existing(char *path)
{
	while (*path && access(path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
		*strrchr(path, '/') = 0;
	if (!*path)
		strcpy(path, "/");
}

/* Try to create an unnamed file of `bytes`, the size of a journal's first segment: 0 or errno. */
static int try_file(const char *folder, uint64_t bytes)
{
	int file = scratch_file(folder), code = 0;
	struct rlimit limit;

	if (file < 0)
		return errno;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
		code = EFBIG;
	while (!code && (code = posix_fallocate(file, 0, (off_t)bytes)) == EINTR)
		code = 0;
	close(file);
	return code;
}

/* Whether only room is missing, which is no mistake of the user. */
static bool lacks_room(int code)
{
	return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

/*
 * Refuse a path below which no journal can be created.  If room is missing, refuse it only if a trace
 * is required; else say so and set *room to false: the program runs, as it does if room runs out
 * later.
 */
static int try_directory(const char *path, const struct settings *settings, bool *room,
			 struct error *err)
{
	const uint64_t bytes = settings->buffer_bytes;
	char folder[PATH_MAX + 16];
	struct stat status;

	snprintf(folder, sizeof folder, "%s", path);
	cut_to_existing(folder);
	errno = 0;
	if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
		errno = ENOTDIR;
	else if (!errno && access(folder, W_OK | X_OK) == 0)
		errno = try_file(folder, bytes);
	if (!errno)
		return 0;
	*room = settings->required || !lacks_room(errno);
	error_set_errno(err, "%s %s: no trace can be written to %s", directory_from, directory,
			folder);
	if (*room)
		return -1;
	if (launch_is_first_rank())
		fprintf(stderr, "llamp-trace: %s; the program runs without a trace\n", err->text);
	return 0;
}

/* Refuse the directory `path` if it holds a trace. */
static int refuse_traces(const char *path, struct error *err)
{
	char name[PATH_MAX + 32];

	snprintf(name, sizeof name, "%s/traces.otf2", path);
	TRY(refuse_existing(name, "there is a trace already; remove it or choose another directory",
			    err));
	snprintf(name, sizeof name, "%s/" FLOW_FILE_NAME, path);
	TRY(refuse_existing(name, "there is a trace already; remove it or choose another directory",
			    err));
	snprintf(name, sizeof name, "%s/journal", path);
	return refuse_existing(name,
			       "there is an unfinished trace (another run may be writing it);"
			       " use another -o, or --recover once that run has ended",
			       err);
}

/* Pass the directory on as an absolute path, as the program may change its current directory. */
static int set_directory(const struct settings *settings, bool *room, struct error *err)
{
	const char *setting = setting_text(SETTING_DIR);
	char path[PATH_MAX], here[PATH_MAX / 2] = "";
	const bool given = directory;

	if (!given && *setting) {
		directory = setting;
		directory_from = "LLAMP_TRACE_DIR";
	}
	if (!directory)
		return 0;
	if (!*directory)
		return error_set(err, STATUS_USAGE, "-o needs the name of a directory");
	if (*directory != '/' && !getcwd(here, sizeof here))
		return error_set_errno(err, "the current directory");
	if (snprintf(path, sizeof path, "%s%s%s", here, *here ? "/" : "", directory) >=
	    (int)sizeof path)
		return error_set(err, STATUS_USAGE, "%s: the name is too long", directory_from);
	/* The programs of a script inherit the setting, and may follow each other. */
	if (given)
		TRY(refuse_traces(path, err));
	TRY(try_directory(path, settings, room, err));
	return setenv("LLAMP_TRACE_DIR", path, 1) < 0 ? error_set_memory(err, sizeof path) : 0;
}

static int set_call_sites(struct error *err)
{
	return call_sites && setenv("LLAMP_TRACE_CALL_SITES", "on", 1) < 0
		       ? error_set_memory(err, sizeof "on")
		       : 0;
}

static int set_flow(struct error *err)
{
	if (memory && setenv("LLAMP_TRACE_MEMORY", memory, 1) < 0)
		return error_set_memory(err, strlen(memory));
	if (folds && setenv("LLAMP_TRACE_FOLD", folds, 1) < 0)
		return error_set_memory(err, strlen(folds));
	if (iterations && !*iterations)
		return error_set(err, STATUS_USAGE, "--iterations needs a number");
	if (iterations && setenv("LLAMP_TRACE_ITERATIONS", iterations, 1) < 0)
		return error_set_memory(err, strlen(iterations));
	if (phases && setenv("LLAMP_TRACE_PHASES", *phases ? phases : "none", 1) < 0)
		return error_set_memory(err, strlen(phases));
	return flow && setenv("LLAMP_TRACE_FLOW", "on", 1) < 0 ? error_set_memory(err, sizeof "on")
							       : 0;
}

static int set_below_mpi(struct error *err)
{
#ifndef WITH_UCX
	if (below_mpi)
		return error_set(err, STATUS_LIMIT,
				 "--below-mpi: this llamp-trace was built without"
				 " the headers of UCX");
#endif
	return below_mpi && setenv("LLAMP_TRACE_BELOW_MPI", "on", 1) < 0
		       ? error_set_memory(err, sizeof "on")
		       : 0;
}

/* ---------------------------------------------------------------- recovering */

static void print_rank(uint32_t number, const struct recovered_rank *rank)
{
	printf("rank %u: ", number);
	if (rank->missing) {
		printf("nothing was recorded\n");
		return;
	}
	printf("%llu call%s", (unsigned long long)rank->calls, plural(rank->calls));
	if (rank->duration_ns)
		printf(", %.6f s", (double)rank->duration_ns / 1e9);
	printf("%s%s%s%s\n", rank->finished ? ", up to its end" : "",
	       rank->cut ? ", up to a lost communicator" : "",
	       rank->damaged ? "; the journal is damaged after that" : "",
	       rank->left_out ? "; its graphs use a lost communicator and are left out" : "");
}

/*
 * A launcher that was given the command by mistake starts it several times, and ends all processes as
 * soon as one fails: the others wait until the first has made the trace and printed what it has found.
 */
static int recover_trace(struct error *err)
{
	const bool launched = launcher_rank(NULL) >= 0;
	const struct recover_options how = {.wait = launched};
	struct recovered result;

	TRY(recover(dead, &how, &result, err));
	for (size_t i = 0; i < result.ranks.count; i++)
		print_rank((uint32_t)i, &result.ranks.items[i]);
	if (result.archive)
		printf("left out, as another rank has not recorded its part: %llu send%s, %llu receive%s, "
		       "%llu part%s of collectives\n",
		       (unsigned long long)result.sends, plural(result.sends),
		       (unsigned long long)result.receives, plural(result.receives),
		       (unsigned long long)result.collectives, plural(result.collectives));
	recovered_release(&result);
	return 0;
}

/* ------------------------------------------------------------------ starting */

/* Tell the tracer in which process to report that it has seen no call. */
static int name_process(struct error *err)
{
	char process[24];

	if (!launch_is_first_rank())
		return 0;
	snprintf(process, sizeof process, "%d", (int)getpid());
	return setenv(SETTINGS_PROCESS, process, 1) < 0 ? error_set_memory(err, sizeof process) : 0;
}

static int leave_no_archive(struct error *err)
{
	if (directory)
		return error_set(err, STATUS_USAGE, "--no-archive takes no -o");
	if (!*setting_text(SETTING_REPORT))
		return error_set(err, STATUS_USAGE,
				 "--no-archive without --report records nothing");
	return setenv("LLAMP_TRACE_ARCHIVE", "off", 1) < 0 ? error_set_memory(err, 4) : 0;
}

static const char *recovers(const char *option)
{
	(void)option;
	return dead ? "--recover takes the calls as they were recorded" : NULL;
}

static const char *has_no_archive(const char *option)
{
	if (no_archive && !dead)
		return "without an archive nothing below MPI is kept";
	return recovers(option);
}

static const char *makes_graphs(const char *option)
{
	return (flow || iterations) && !dead
		       ? "event flow graphs do not keep each call with its times"
		       : recovers(option);
}

static const char *makes_no_graphs(const char *option)
{
	if (!flow && strcmp(setting_text(SETTING_FLOW), "on") != 0 && !iterations &&
	    !*setting_text(SETTING_ITERATIONS) && !dead)
		return "only --flow and --iterations make graphs";
	return recovers(option);
}

static const char *records_all(const char *option)
{
	if (!iterations && !*setting_text(SETTING_ITERATIONS) && !dead)
		return "only --iterations looks for them";
	return recovers(option);
}

static const char *has_below(const char *option)
{
	return (flow || iterations) && !dead
		       ? "event flow graphs have nothing of what MPI does below"
		       : has_no_archive(option);
}

static const struct option_condition conditions[] = {
	{"call-sites", recovers},    {"below-mpi", has_below},
	{"report", makes_graphs},    {"no-archive", makes_graphs},
	{"flow", recovers},	     {"iterations", recovers},
	{"phases", records_all},     {"fold", makes_no_graphs},
	{"memory", makes_no_graphs}, {0},
};

static int run_traced(char **operands, int operand_count, struct error *err)
{
	const struct launch_tool tool = {
		.command = "llamp-trace",
		.library = "libllamptrace",
		.given = setting_text(SETTING_LIBRARY),
		.title = "the tracer",
		.result = "trace",
		/* What llamp-inject does in MPI_Init is then a part of MPI_Init in the trace. */
		.below = "libllampinject-",
	};
	char own_options[PATH_MAX + 8] = "";
	struct settings settings;
	bool room = true;

	if (dead && (operand_count || directory))
		return error_set(err, STATUS_USAGE, "--recover takes no program and no -o");
	if (dead)
		return recover_trace(err);
	if (!operand_count)
		return error_set(err, STATUS_USAGE, "PROGRAM is missing");
	if (directory)
		snprintf(own_options, sizeof own_options, " -o %s", directory);
	TRY(launch_check(&tool, operands, own_options, err));
	TRY(set_call_sites(err));
	TRY(set_below_mpi(err));
	TRY(set_flow(err));
	if (no_archive)
		TRY(leave_no_archive(err));
	TRY(settings_read(&settings, err));
	if (settings.archive)
		TRY(set_directory(&settings, &room, err));
	if (!room)
		return launch_run(operands, err);
	TRY(launch_preload(&tool, operands, err));
	TRY(name_process(err));
	if (settings.reports && launch_is_first_rank())
		watcher_start();
	return launch_run(operands, err);
}

int main(int argc, char **argv)
{
	static const struct help_entry examples[] = {
		{"mpiexec -n 8 llamp-trace -o app.trace ./app", "trace a run of 8 ranks"},
		{"mpiexec -n 8 llamp-trace --report --no-archive ./app",
		 "print what determined the run time, and leave no file"},
		{"mpiexec -n 8 llamp-trace --flow -o app.trace ./app",
		 "make event flow graphs of the run, a small file, and no archive"},
		{"llamp-trace --recover app.trace",
		 "build the archive of a run that ended before MPI_Finalize"},
		{0},
	};
	static const struct help_entry files[] = {
		{"DIR/traces.otf2", "the anchor file of the archive, which schedgen reads"},
		{"DIR/" FLOW_FILE_NAME, "event flow graphs, with --flow"},
		{0},
	};
	static const struct help_entry environment[] = {
		SETTINGS_HELP{"TMPDIR",
			      "the folder of files without names, for --no-archive; default: /tmp"},
		{0},
	};
	static const struct option_spec *const tables[] = {tracer_options, NULL};
	static const struct command command = {
		.name = "",
		.operands = "PROGRAM [ARGUMENT]...",
		.summary = "Run an MPI program and record its MPI calls in an OTF2 archive.",
		.notes =
			"Start it as the ranks' program:\n\n"
			"  mpiexec -n 8 llamp-trace ./app\n\n"
			"The archive is DIR/traces.otf2. It is written in MPI_Finalize. If a run "
			"ends before, `llamp-trace --recover DIR` builds the archive. The last line on "
			"stderr names the archive, its ranks and the cores that they had to share, "
			"its calls and its size; LLAMP_TRACE_QUIET=1 leaves it out.\n\n"
			"With --report rank 0 prints, to stderr, what `critpath path`, `waits`, `causes` and "
			"`imbalance` print of the archive. If that takes longer than "
			"LLAMP_TRACE_BUDGET or more memory than there is, one line says so, and the "
			"archive is made as without it. If the run ends early, one line says what to "
			"type to get the report. With --no-archive calls are recorded into "
			"files without names in TMPDIR (default /tmp), which vanish with the "
			"program, however it ends. If there is no report then, for example as it takes "
			"too long, the archive is made after all, and the line names it.\n\n"
			"With --flow event flow graphs are made while the program runs, "
			"and no archive: DIR/flow.efg, which eventflow, critpath and schedgen read. Each "
			"rank needs at most the memory of --memory. A run that ends early leaves its graphs "
			"but for the last moments: `llamp-trace --recover DIR` makes the file.\n\n"
			"--below-mpi needs an MPI that sends by UCX: MPICH built for it, on one "
			"node with MPIR_CVAR_NOLOCAL=1, or Open MPI with `--mca pml ucx`. Polls in a "
			"row that find nothing become one region with their number. `critpath below` "
			"counts the regions, `critpath view` shows them, other commands pass over "
			"them.\n\n"
			"The tracer's library is that for the MPI that PROGRAM is linked with. For "
			"a script or an interpreter it is that of the mpiexec that started it.\n\n"
			"If several programs share MPI_COMM_WORLD, start all of them with "
			"llamp-trace and the same -o DIR.",
		.options = tables,
		.conditions = conditions,
		.least_operands = 0,
		.most_operands = -1,
		.operands_end_options = true,
		.run = run_traced,
		.examples = examples,
		.files = files,
		.environment = environment,
	};
	static const struct command *const commands[] = {&command, NULL};
	static const struct tool tool = {
		.name = "llamp-trace",
		.summary = "Run an MPI program and record its MPI calls in an OTF2 archive.",
		.commands = commands,
		.before_message = launch_end_silently,
		.see_also = "critpath(1), schedgen(1), llamp(1), goal(1)",
	};

	const int status = tool_main(&tool, argc, argv);

	if (status != 0 && !dead)
		launch_end_job(status);
	return status;
}
