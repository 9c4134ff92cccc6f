/* llamp-trace: start a program with the tracer loaded. */
#include "common/options.h"
#include "common/units.h"
#include "pmpi/launch_mpi.h"
#include "trace/assemble/recover.h"
#include "trace/journal/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *directory, *dead;

static const struct option_spec options[] = {
	{"output", 'o', "DIR",
	 "write the trace into DIR, which must not hold one (default llamp-trace-PROGRAM-ID)",
	 option_text, &directory},
	{"recover", 0, "DIR",
	 "build a trace from the journals of a run that ended before MPI_Finalize",
	 option_text, &dead},
	{0},
};

/* Every rank has a launcher; one of them prints messages for all. */
static bool is_first_rank(void)
{
	return launch_rank() <= 0;
}

/*
 * End ranks but the first without a message, after the first had time for its own: mpiexec may
 * end all ranks as soon as one has failed.
 */
static void end_silently(int status)
{
	if (is_first_rank())
		return;
	sleep(1);
	exit(status);
}

/* Print a warning, on the first rank. */
__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
	va_list values;

	if (!is_first_rank())
		return;
	va_start(values, format);
	fprintf(stderr, "llamp-trace: ");
	vfprintf(stderr, format, values);
	fprintf(stderr, "\n");
	va_end(values);
}

/* The library beside this program for the program's MPI, or for the default one. */
static int find_own_library(const char *program, char path[static PATH_MAX], struct error *err)
{
	const struct mpi_implementation *mpi = launch_mpi(program);
	char self[PATH_MAX - 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		return error_set_errno(err, "/proc/self/exe");
	self[length] = 0;
	*strrchr(self, '/') = 0;
	snprintf(path, PATH_MAX, "%s/../lib/libllamptrace%s%s.so", self, mpi ? "-" : "",
		 mpi ? mpi->key : "");
	if (!mpi || access(path, F_OK) == 0)
		return 0;
	end_silently(STATUS_LIMIT);
	return error_set(err, STATUS_LIMIT,
			 "%s uses %s, but %s is missing; build it with make MPICC=...", program,
			 mpi->title, path);
}

/* The tracer's library: LLAMP_TRACE_LIBRARY, or one in ../lib beside this program. */
static int find_library(const char *program, char path[static PATH_MAX], struct error *err)
{
	const char *given = setting_text(SETTING_LIBRARY);

	if (*given)
		snprintf(path, PATH_MAX, "%s", given);
	else
		TRY(find_own_library(program, path, err));
	if (access(path, R_OK) < 0)
		return error_set_errno(err, "%s", path);
	if (strpbrk(path, " :"))
		return error_set(err, STATUS_USAGE,
				 "%s: a library cannot be preloaded from a path with blanks or"
				 " colons",
				 path);
	return 0;
}

/*
 * Put the library after what is preloaded already: another tool there that wraps MPI calls gets
 * them first, and passes them on to the tracer's PMPI functions.
 */
static int set_preload(const char *program, struct error *err)
{
	const char *others = getenv("LD_PRELOAD");
	char path[PATH_MAX], *value;
	int failed;

	TRY(find_library(program, path, err));
	if (asprintf(&value, "%s%s%s", others ? others : "", others && *others ? ":" : "", path) <
	    0)
		return error_set_memory(err, PATH_MAX);
	failed = setenv("LD_PRELOAD", value, 1);
	free(value);
	return failed ? error_set_memory(err, PATH_MAX) : 0;
}

/* ------------------------------------------------------------- the directory */

/* An error if the path exists. */
static int refuse(const char *path, const char *text, struct error *err)
{
	if (access(path, F_OK) < 0)
		return 0;
	end_silently(STATUS_DATA);
	return error_set(err, STATUS_DATA, "%s: %s", directory, text);
}

/* Cut the path down to what exists of it. */
static void cut_to_existing(char *path)
{
	while (*path && access(path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR))
		*strrchr(path, '/') = 0;
	if (!*path)
		strcpy(path, "/");
}

/* A file without a name, as large as the first part of a journal. */
static int try_file(const char *folder, uint64_t bytes)
{
	int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), code = 0;
	struct rlimit limit;
	char name[PATH_MAX];

	if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
		snprintf(name, sizeof name, "%s/.llamp-trace-XXXXXX", folder);
		file = mkostemp(name, O_CLOEXEC);
		if (file >= 0)
			unlink(name);
	}
	if (file < 0)
		return errno;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < bytes)
		code = EFBIG;
	while (!code && (code = posix_fallocate(file, 0, (off_t)bytes)) == EINTR)
		code = 0;
	close(file);
	return code;
}

/* An error if no journal could be created below the path. */
static int try_directory(const char *path, uint64_t bytes, struct error *err)
{
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
	error_set_errno(err, "-o %s: no trace can be written to %s", directory, folder);
	end_silently(err->status);
	return -1;
}

/* Hand the directory on as an absolute path, for the program may change its own. */
static int set_directory(const struct settings *settings, struct error *err)
{
	char path[PATH_MAX + 16], here[PATH_MAX / 2] = "";

	if (!directory)
		return 0;
	if (!*directory)
		return error_set(err, STATUS_USAGE, "-o needs the name of a directory");
	if (*directory != '/' && !getcwd(here, sizeof here))
		return error_set_errno(err, "the current directory");
	if (snprintf(path, sizeof path, "%s%s%s/traces.otf2", here, *here ? "/" : "", directory) >=
	    (int)sizeof path)
		return error_set(err, STATUS_USAGE, "-o: the name is too long");
	TRY(refuse(path, "there is a trace already; remove it or choose another directory", err));
	strcpy(strrchr(path, '/') + 1, "journal");
	TRY(refuse(path, "there is an unfinished trace (another run may be writing it); use another"
		   " -o, or --recover once that run has ended", err));
	*strrchr(path, '/') = 0;
	TRY(try_directory(path, settings->buffer_bytes, err));
	return setenv("LLAMP_TRACE_DIR", path, 1) < 0 ? error_set_memory(err, sizeof path) : 0;
}

/* ---------------------------------------------------------------- recovering */

static void print_rank(uint32_t number, const struct recovered_rank *rank)
{
	printf("rank %u: ", number);
	if (rank->missing) {
		printf("nothing was recorded\n");
		return;
	}
	printf("%llu call%s, %.6f s%s%s%s\n", (unsigned long long)rank->calls, plural(rank->calls),
	       (double)rank->duration_ns / 1e9, rank->finished ? ", up to its end" : "",
	       rank->cut ? ", up to a communicator that is lost" : "",
	       rank->damaged ? "; the journal is damaged behind" : "");
}

static int recover_trace(struct error *err)
{
	struct recovered result;

	TRY(recover(dead, false, &result, err));
	for (size_t i = 0; i < result.ranks.count; i++)
		print_rank((uint32_t)i, &result.ranks.items[i]);
	printf("left out, for another rank has not recorded its part: %llu send%s, %llu receive%s, "
	       "%llu part%s of collectives\n", (unsigned long long)result.sends,
	       plural(result.sends), (unsigned long long)result.receives, plural(result.receives),
	       (unsigned long long)result.collectives, plural(result.collectives));
	recovered_release(&result);
	return 0;
}

/* ------------------------------------------------------------------ starting */

/* Tell the tracer in which process to report that it has seen no call. */
static int name_process(struct error *err)
{
	char process[24];

	if (!is_first_rank())
		return 0;
	snprintf(process, sizeof process, "%d", (int)getpid());
	return setenv(SETTINGS_PROCESS, process, 1) < 0 ? error_set_memory(err, sizeof process) : 0;
}

/* Append words, up to `end` or NULL, as far as there is room. */
static void add_words(char line[static 512], char *const *words, char *const *end)
{
	for (; words != end && *words; words++) {
		size_t length = strlen(line);

		snprintf(line + length, 512 - length, " %s", *words);
	}
}

/* llamp-trace and mpiexec are in the wrong order: show the right one. */
static int refuse_launcher(char **operands, struct error *err)
{
	char **program = launch_find_program(operands + 1);
	char line[512] = "";

	add_words(line, operands, program);
	if (program)
		snprintf(line + strlen(line), sizeof line - strlen(line), " llamp-trace%s%s",
			 directory ? " -o " : "", directory ? directory : "");
	if (program)
		add_words(line, program, NULL);
	return error_set(err, STATUS_USAGE, "start llamp-trace below %s:%s", operands[0],
			 program ? line : " mpiexec [OPTION]... llamp-trace PROGRAM");
}

static int run(char **operands, int operand_count, struct error *err)
{
	struct settings settings;
	const char *obstacle;

	if (dead && (operand_count || directory))
		return error_set(err, STATUS_USAGE, "--recover takes no program and no -o");
	if (dead)
		return recover_trace(err);
	if (!operand_count)
		return error_set(err, STATUS_USAGE, "PROGRAM is missing");
	if (launch_is_launcher(operands[0]))
		return refuse_launcher(operands, err);
	TRY(settings_read(&settings, err));
	TRY(set_directory(&settings, err));
	obstacle = launch_obstacle(operands);
	if (obstacle)
		warn("%s is %s: the tracer cannot be loaded into it, and there will be no trace",
		     operands[0], obstacle);
	TRY(set_preload(operands[0], err));
	TRY(name_process(err));
	execvp(operands[0], operands);
	return error_set(err, STATUS_DATA, "%s: %s", operands[0], strerror(errno));
}

int main(int argc, char **argv)
{
	static const struct help_entry examples[] = {
		{"mpiexec -n 8 llamp-trace -o app.trace ./app", "trace a run of 8 ranks"},
		{"llamp-trace --recover app.trace",
		 "build the archive of a run that ended before MPI_Finalize"},
		{0},
	};
	static const struct help_entry files[] = {
		{"DIR/traces.otf2", "the anchor file of the archive, which schedgen reads"},
		{0},
	};
	static const struct option_spec *const tables[] = {options, NULL};
	static const struct command commands[] = {
		{.name = "", .operands = "PROGRAM [ARGUMENT]...",
		 .summary = "Run an MPI program and record its MPI calls in an OTF2 archive.",
		 .notes = "Start it as the ranks' program:\n\n"
			  "  mpiexec -n 8 llamp-trace ./app\n\n"
			  "The archive is DIR/traces.otf2; it is written in MPI_Finalize. If a run "
			  "ends before, `llamp-trace --recover DIR` builds the archive.\n\n"
			  "The tracer's library is that for the MPI that PROGRAM is linked with; for "
			  "a script or an interpreter, that of the mpiexec that started it.\n\n"
			  "If several programs share MPI_COMM_WORLD, start all of them with "
			  "llamp-trace and the same -o DIR.\n\n"
			  "Settings, which are read from the environment:\n\n" SETTINGS_HELP,
		 .options = tables, .least_operands = 0, .most_operands = -1, .run = run,
		 .examples = examples, .files = files},
		{0},
	};
	static const struct tool tool = {
		.name = "llamp-trace",
		.summary = "Run an MPI program and record its MPI calls in an OTF2 archive.",
		.commands = commands,
		.operands_end_options = 1,
		.see_also = "schedgen(1), llamp(1), goal(1)",
	};

	return tool_main(&tool, argc, argv);
}
