#include "eventflow/generate/write_proxy.h"

#include "eventflow/generate/proxy_class.h"
#include "eventflow/generate/proxy_prelude.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 16, MOST_BUFFERED = 1 << 26 };

static void write_numbers(FILE *stream, const char *declaration, const int32_t *items, size_t count)
{
	fprintf(stream, "%s = {", declaration);
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "%s%d", i == 0 ? "\n\t" : i % ROW ? ", " : ",\n\t", items[i]);
	fputs(count ? "\n};\n" : "0};\n", stream);
}

/* ------------------------------------------------------------------- communicators */

/* Row of a communicator: its members, in the lists of the program. */
static int write_comm(struct replay_program *program, const struct trace_comm *comm, FILE *stream,
		      struct error *err)
{
	int64_t ranks = 0, remote = 0;

	if (comm->defined && !comm->self)
		TRY(actions_list(&program->actions, (const int32_t *)comm->ranks, comm->size,
				 &ranks, err));
	if (comm->defined && comm->inter)
		TRY(actions_list(&program->actions, (const int32_t *)comm->remote_ranks,
				 comm->remote_size, &remote, err));
	fprintf(stream, "\t{%d, %u, %u, %d, %d},\n", comm->inter,
		comm->self || !comm->defined ? 0 : comm->size, comm->inter ? comm->remote_size : 0,
		(int)ranks, (int)remote);
	return 0;
}

static int write_comms(struct replay_program *program, FILE *stream, struct error *err)
{
	const struct flow *flow = program->flow;

	fputs("/* Communicators: world ranks of both groups, as places in lists. */\n"
	      "static const struct members {\n\tint inter, size, remote_size, ranks, remote;\n} "
	      "members[] = {\n",
	      stream);
	for (uint32_t c = 0; c < flow->world.comm_count; c++)
		TRY(write_comm(program, &flow->world.comms[c], stream, err));
	fputs("};\n\n/* Those of each rank, by its own numbers. */\n"
	      "static const int numbers[RANKS][COMMS + 1] = {\n",
	      stream);
	for (uint32_t r = 0; r < flow->world.rank_count; r++) {
		struct number_list comms = {0};
		const int result = own_comms(flow, r, &comms, err);

		for (size_t c = 0; result == 0 && c <= program->needs.comms; c++)
			fprintf(stream, "%s%d", c ? ", " : "\t{",
				c < comms.count ? (int)comms.items[c] : -1);
		fputs("},\n", stream);
		array_release(&comms);
		TRY(result);
	}
	fputs("};\n\n", stream);
	return 0;
}

static int32_t self_comm(const struct flow *flow)
{
	for (uint32_t c = 0; c < flow->world.comm_count; c++)
		if (flow->world.comms[c].defined && flow->world.comms[c].self)
			return (int32_t)c;
	return -2;
}

/* --------------------------------------------------------------------------- parts */

static void write_head(const struct replay_program *program, const char *file, FILE *stream)
{
	fprintf(stream,
		"/*\n * Proxy of %s: the MPI calls of %u ranks and the time between them, without data.\n"
		" * Made by eventflow generate.  mpicc -O2 %sapp.c -o app && mpiexec -n %u ./app\n",
		file, program->flow->world.rank_count, program->threads > 1 ? "-pthread " : "",
		program->flow->world.rank_count);
	for (size_t i = 0; i < program->missing.count; i++)
		fprintf(stream, " *\n * Left out: %" PRIu64 " calls of %s, %.2f %% of the time.\n",
			program->missing.items[i].calls, program->missing.items[i].function,
			program->total_ns ? 100.0 * (double)program->missing.items[i].ns /
						    (double)program->total_ns
					  : 0.0);
	fputs(" */\n#define _GNU_SOURCE\n#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	      "#include <string.h>\n#include <sys/mman.h>\n#include <time.h>\n",
	      stream);
	if (program->threads > 1)
		fputs("#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <stdint.h>\n",
		      stream);
	fputc('\n', stream);
}

/* Whether a function, a name of some length, is one that MPI 3 lacks. */
static bool is_new(const char *name, size_t length)
{
	static const char *const begins[] = {"MPI_Isendrecv", "MPI_Ps", "MPI_Pre", "MPI_Session"};

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	/* Of persistent requests only those of messages are old. */
	return length > 8 && !memcmp(name + length - 5, "_init", 5) &&
	       memcmp(name + length - 8, "end_init", 8) != 0 &&
	       memcmp(name + length - 8, "ecv_init", 8) != 0;
}

/*
 * Length of the function's name if the text calls one that MPI 3 lacks.  *large: because of its
 * large counts only.
 */
static size_t new_function(const char *text, bool *large)
{
	const size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
	const bool counts = length > 2 && !memcmp(text + length - 2, "_c", 2);
	const bool new = is_new(text, counts ? length - 2 : length);

	*large = counts && !new;
	return text[length] == '(' && !strncmp(text, "MPI_", 4) && (counts || new) ? length : 0;
}

/*
 * Make what is of MPI 4 an error with others, but for functions with large counts, which the
 * program does not need.
 */
static void write_version(const struct replay_program *program, FILE *stream)
{
	for (uint32_t t = 0; t < program->actions.texts.starts.count; t++) {
		const char *text = strstr(string_table_get(&program->actions.texts, t), "MPI_");
		bool large;
		const size_t length = text ? new_function(text, &large) : 0;

		if (!length)
			continue;
		fprintf(stream, "#if MPI_VERSION < 4%s%.*s%s\n", large ? " && !defined(" : "",
			large ? (int)length : 0, text, large ? ")" : "");
		if (large)
			fprintf(stream, "#define %.*s %.*s\n", (int)length, text, (int)length - 2,
				text);
		else
			fprintf(stream, "#error the program calls %.*s, which is of MPI 4\n",
				(int)length, text);
		fputs("#endif\n", stream);
	}
	fputc('\n', stream);
}

/* Sizes of the program's arrays; free_tag: the first tag of those by which communicators are made. */
static void write_sizes(const struct replay_program *program, uint32_t free_tag, FILE *stream)
{
	const struct replay_needs *needs = &program->needs;
	const struct flow *flow = program->flow;
	const uint64_t buffered = needs->buffered < MOST_BUFFERED ? needs->buffered : MOST_BUFFERED;

	fprintf(stream,
		"#define RANKS %u\n#define THREADS %u\n#define COMMS %zu\n#define WINDOWS %zu\n",
		flow->world.rank_count, program->threads, needs->comms, needs->windows);
	fprintf(stream, "#define FREE_TAG %u\n", free_tag);
	fprintf(stream, "#define OPEN %zu\n#define PERSISTENT %zu\n#define MESSAGES %zu\n",
		needs->open, needs->persistent, needs->messages);
	fprintf(stream,
		"#define MOST %" PRIu64 " /* bytes of a buffer */\n#define WINDOW_BYTES %" PRIu64
		"\n#define BUFFERED %" PRIu64 "\n",
		needs->bytes, needs->window_bytes < 8 ? 8 : needs->window_bytes, buffered);
	if (program->sessions)
		fputs("#define SESSIONS\n", stream);
	if (program->large_lists)
		fputs("#define LARGE_LISTS\n", stream);
	fprintf(stream, "#define WORLD %d\n#define SELF %d\n\n", (int)flow->world.world_comm,
		self_comm(flow));
}

static void write_pace(const struct proxy_classes *classes, uint32_t members, FILE *stream)
{
	fputs("/* Computation of each thread, compared with the mean of those that do the same. */\n"
	      "static const double pace[RANKS * THREADS] = {",
	      stream);
	for (uint32_t m = 0; m < members; m++)
		fprintf(stream, "%s%.4g",
			m == 0	  ? "\n\t"
			: m % ROW ? ", "
				  : ",\n\t",
			classes->pace[m]);
	fputs("\n};\n\n", stream);
}

/* Write the function of each thread: a call, or a choice; the rank may have no such thread. */
static int write_perform(const struct proxy_classes *classes, uint32_t members, bool threads,
			 FILE *stream, struct error *err)
{
	int32_t *numbers;

	if (classes->classes.count == 1 && !threads) {
		fprintf(stream, "static void perform(void)\n{\n\t%s();\n}\n\n",
			classes->classes.items[0].name);
		return 0;
	}
	TRY(allocate(&numbers, members, sizeof *numbers, err));
	for (uint32_t m = 0; m < members; m++)
		numbers[m] = (int32_t)classes->of[m];
	write_numbers(stream, "static const int does[RANKS * THREADS]", numbers, members);
	free(numbers);
	fputs("\nstatic void perform(void)\n{\n\tswitch (does[SELF_THREAD]) {\n", stream);
	for (size_t c = 0; c < classes->classes.count; c++)
		fprintf(stream, "\tcase %zu:\n\t\t%s();\n\t\tbreak;\n", c,
			classes->classes.items[c].name);
	fputs("\t}\n}\n\n", stream);
	return 0;
}

static void write_main(const struct proxy_classes *classes, const struct replay_program *program,
		       FILE *stream)
{
	const bool sessions = program->sessions;

	fputs("int main(int argc, char **argv)\n{\n", stream);
	fputs(sessions ? "\t(void)argc;\n\t(void)argv;\n"
	      : classes->level
		      ? "\tint level;\n\n\tMPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);\n"
		      : "\tMPI_Init(&argc, &argv);\n",
	      stream);
	fputs(program->threads > 1 ? "\tset_up();\n\tperform_all(perform, does);\n"
				   : "\tset_up();\n\tperform();\n",
	      stream);
	if (!sessions)
		fputs("\tMPI_Finalized(&flag);\n\tif (!flag)\n\t\tMPI_Finalize();\n", stream);
	/* MPI kills the ranks of a program that leaves one open, as it does at an exit without MPI_Finalize. */
	if (sessions)
		fputs("\t/* Those that were open when the trace ended. */\n"
		      "\twhile (session_count > 0)\n\t\tclose_session();\n",
		      stream);
	fputs("\treturn 0;\n}\n", stream);
}

/* ---------------------------------------------------------------------------- all */

static int write_all(struct replay_program *program, const char *file,
		     struct proxy_classes *classes, FILE *stream, struct error *err)
{
	const uint32_t members = program->flow->world.rank_count * program->threads;
	char *comms = NULL;
	size_t size;
	FILE *memory = open_memstream(&comms, &size);
	uint32_t free_tag = 0;
	int result = memory ? write_comms(program, memory, err) : error_set_memory(err, 1);

	if (memory && fclose(memory) != 0 && result == 0)
		result = error_set_memory(err, size);
	if (result == 0)
		result = free_tags_find(&program->tags, program->flow->world.comm_count, &free_tag,
					err);
	if (result == 0) {
		write_head(program, file, stream);
		write_version(program, stream);
		write_sizes(program, free_tag, stream);
		write_numbers(stream,
			      "/* Lists of ranks, counts, positions and places of blocks. */\n"
			      "static const int lists[]",
			      program->actions.listed.items, program->actions.listed.count);
		fputc('\n', stream);
		fputs(comms, stream);
		write_pace(classes, members, stream);
		write_numbers(
			stream,
			"/* Calls whose arguments differ from visit to visit. */\nstatic const int records[]",
			classes->records.items, classes->records.count);
		fputs(proxy_prelude, stream);
		fputs("\n", stream);
		fputs(classes->tables, stream);
		proxy_write_calls(program, classes, stream);
		fputs(classes->code, stream);
		result = write_perform(classes, members, program->threads > 1, stream, err);
		write_main(classes, program, stream);
	}
	free(comms);
	return result;
}

int write_proxy(struct replay_program *program, const char *file, bool matched, FILE *stream,
		struct error *err)
{
	struct proxy_classes classes = {0};
	int64_t start;
	int result;

	program->matched = matched;
	result = actions_list(&program->actions, (const int32_t *)program->flow->identity,
			      program->flow->world.rank_count, &start, err);
	if (result == 0)
		result = grids_find(&program->grids, program->flow, err);
	if (result == 0)
		result = proxy_classes_make(&classes, program, err);
	if (result == 0)
		result = write_all(program, file, &classes, stream, err);
	proxy_classes_release(&classes);
	return result;
}
