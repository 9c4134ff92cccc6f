#include "trace/liballprof/liballprof_trace.h"

#include "common/input.h"
#include "trace/call/mpi_functions.h"
#include "trace/call/string_table.h"
#include "trace/liballprof/liballprof_calls.h"
#include "trace/liballprof/liballprof_files.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Name for calls without events for this reason, whose time counts as computation. */
static const char unknown_comm[] = "(calls on communicators of unknown ranks)";

/* Name of a function missing in the table of MPI functions. */
struct name {
	struct name *next;
	char text[];
};

struct liballprof_trace {
	struct liballprof_files files;
	struct trace_world world;
	bool named_by_files;	/* all files state rank 0: take ranks from their names */
	struct trace_comm *comms;
	struct liballprof_comms made;	/* by MPI_Comm_split; empty if others are made too */
	uint32_t *ranks;	/* 0, 1, 2, ... */
	struct liballprof_match match;	/* solved; empty without wildcards */
	pthread_mutex_t lock;	/* protects `names`: threads may read ranks at the same time */
	struct name *names;
};

/* ----------------------------------------------------------------------- world */

/* Make the table of MPI_COMM_WORLD, MPI_COMM_SELF and the program's communicators. */
static int make_comms(struct liballprof_trace *trace, struct error *err)
{
	const struct liballprof_comms *made = &trace->made;
	struct trace_world *world = &trace->world;

	free(trace->comms);
	TRY(allocate(&trace->comms, FIRST_OWN_COMM_ID + made->list.count, sizeof *trace->comms,
		     err));
	trace->comms[COMM_ID_WORLD] = (struct trace_comm){
		.defined = true, .identity = true, .name = "MPI_COMM_WORLD",
		.size = world->rank_count, .ranks = trace->ranks
	};
	trace->comms[COMM_ID_SELF] = (struct trace_comm){
		.defined = true, .self = true, .name = "MPI_COMM_SELF", .size = 1
	};
	for (size_t i = 0; i < made->list.count; i++)
		trace->comms[FIRST_OWN_COMM_ID + i] = (struct trace_comm){
			.defined = true, .name = "", .size = made->list.items[i].size,
			.ranks = made->places.items + made->list.items[i].first
		};
	world->comms = trace->comms;
	world->comm_count = (uint32_t)(FIRST_OWN_COMM_ID + made->list.count);
	world->world_comm = COMM_ID_WORLD;
	return 0;
}

/*
 * Find the time at which the first call of a rank begins; UINT64_MAX if the first line is not a
 * call, which reading the rank reports.
 */
static uint64_t first_call(const struct input *input)
{
	const char *at = (const char *)input->bytes, *stop = at + input->count, *end;
	struct liballprof_line line;
	struct error ignored;

	for (; (end = memchr(at, '\n', (size_t)(stop - at))) != NULL; at = end + 1) {
		if (at == end || *at == '#')
			continue;
		if (liballprof_line_parse(&line, at, end, NULL, &ignored) < 0)
			break;
		return line.enter_ns;
	}
	return UINT64_MAX;
}

static int find_begin(struct liballprof_trace *trace, struct error *err)
{
	struct trace_world *world = &trace->world;

	world->begin_ns = UINT64_MAX;
	for (uint32_t rank = 0; rank < world->rank_count; rank++) {
		char *path = liballprof_files_path(&trace->files, rank);
		struct input input;
		uint64_t begin_ns;
		int result = path ? input_open(&input, path, err) : error_set_memory(err, 1);

		free(path);
		if (result < 0)
			return -1;
		begin_ns = first_call(&input);
		input_release(&input);
		if (begin_ns < world->begin_ns)
			world->begin_ns = begin_ns;
	}
	return 0;
}

/* Find the own rank in a file's first communicator of all ranks; -1 without one. */
static int64_t stated_rank(const struct input *input, uint32_t rank_count)
{
	const char *at = (const char *)input->bytes, *stop = at + input->count, *end;

	for (; (end = memchr(at, '\n', (size_t)(stop - at))) != NULL; at = end + 1) {
		uint32_t length = liballprof_line_name(at, end);
		const struct liballprof_function *function =
			length ? liballprof_function_find(at, length) : NULL;
		struct liballprof_line line;
		struct error ignored;

		if (!function ||
		    liballprof_line_parse(&line, at, end, function->signature, &ignored) < 0)
			continue;
		for (size_t i = 0; function->signature[i]; i++)
			if (function->signature[i] == LIBALLPROF_COMM &&
			    line.arguments[i].size == rank_count)
				return line.arguments[i].rank;
	}
	return -1;
}

/* Set named_by_files if all files state rank 0, as copies of one rank's file do. */
static int find_naming(struct liballprof_trace *trace, struct error *err)
{
	const uint32_t count = trace->world.rank_count;
	uint32_t stated = 0;

	for (uint32_t rank = 0; rank < count; rank++) {
		char *path = liballprof_files_path(&trace->files, rank);
		struct input input;
		int result = path ? input_open(&input, path, err) : error_set_memory(err, 1);
		int64_t own;

		free(path);
		if (result < 0)
			return -1;
		own = stated_rank(&input, count);
		input_release(&input);
		if (own > 0)
			return 0;
		stated += own == 0;
	}
	trace->named_by_files = stated > 1;
	return 0;
}

static int make_world(struct liballprof_trace *trace, struct error *err)
{
	struct trace_world *world = &trace->world;

	TRY(liballprof_files_count(&trace->files, &world->rank_count, err));
	TRY(find_begin(trace, err));
	TRY(find_naming(trace, err));
	TRY(allocate(&trace->ranks, world->rank_count, sizeof *trace->ranks, err));
	for (uint32_t rank = 0; rank < world->rank_count; rank++)
		trace->ranks[rank] = rank;
	return make_comms(trace, err);
}

/* ----------------------------------------------------------------------- names */

/* Store a name once, for the life of the trace; NULL without memory. */
static const char *keep_name(struct liballprof_trace *trace, const char *text)
{
	struct name *name;

	pthread_mutex_lock(&trace->lock);
	for (name = trace->names; name && strcmp(name->text, text) != 0; name = name->next)
		;
	if (!name && (name = malloc(sizeof *name + strlen(text) + 1))) {
		strcpy(name->text, text);
		name->next = trace->names;
		trace->names = name;
	}
	pthread_mutex_unlock(&trace->lock);
	return name ? name->text : NULL;
}

struct known_function {
	const char *name;
	const struct liballprof_function *function;	/* NULL: do not read its arguments */
};

/* State of reading a rank. */
struct reading {
	struct liballprof_trace *trace;
	struct liballprof_rank rank;
	char *path;
	struct string_table names;
	ARRAY(struct known_function) functions;	/* by number of name */
	uint64_t last_ns;	/* end of the previous call */
	bool ended;		/* MPI_Finalize has been read */
	trace_receive *receive;
	void *data;
	struct error *err;
};

static int find_function(struct reading *reading, const char *line, uint32_t length,
			 struct known_function *known)
{
	const struct mpi_function *function;
	uint32_t number;

	TRY(string_table_add(&reading->names, line, length, &number, reading->err));
	if (number == reading->functions.count) {
		const char *name = string_table_get(&reading->names, number);

		function = mpi_function_find(name);
		known->name = function ? function->name : keep_name(reading->trace, name);
		known->function = liballprof_function_find(name, length);
		if (!known->name)
			return error_set_memory(reading->err, length);
		TRY(array_push(&reading->functions, *known, reading->err));
	}
	*known = reading->functions.items[number];
	return 0;
}

/* ----------------------------------------------------------------------- lines */

static int liballprof_deliver(struct reading *reading, const char *function, uint64_t enter_ns,
			      uint64_t leave_ns)
{
	struct mpi_call call = {
		.function = function, .enter_ns = enter_ns, .leave_ns = leave_ns,
		.events = reading->rank.events.items,
		.event_count = (uint32_t)reading->rank.events.count
	};

	if (reading->rank.unknown && !call.event_count)
		call.function = unknown_comm;
	return reading->rank.marking ? 0 :
	       reading->receive(reading->data, &call, reading->err);
}

/* Complete all active requests at MPI_Finalize, as an MPI_Waitall before it. */
static int liballprof_trace_finish(struct reading *reading, const struct liballprof_line *line)
{
	reading->ended = true;
	TRY(liballprof_call_finish(&reading->rank, reading->err));
	if (reading->rank.events.count)
		TRY(liballprof_deliver(reading, mpi_functions[CALL_Waitall].name, line->enter_ns,
				       line->enter_ns));
	reading->rank.events.count = 0;
	reading->rank.unknown = false;
	return 0;
}

/* Set the rank in communicators of all ranks to the rank in the file's name. */
static void name_by_file(const struct reading *reading, const struct liballprof_function *function,
			 struct liballprof_line *line)
{
	for (size_t i = 0; function->signature[i]; i++)
		if (function->signature[i] == LIBALLPROF_COMM &&
		    line->arguments[i].size == reading->rank.rank_count)
			line->arguments[i].rank = reading->rank.rank;
}

static int read_call(struct reading *reading, const char *at, const char *end, uint32_t length)
{
	struct known_function known;
	struct liballprof_line line;

	TRY(find_function(reading, at, length, &known));
	TRY(liballprof_line_parse(&line, at, end, known.function ? known.function->signature : NULL,
				  reading->err));
	if (known.function && reading->trace->named_by_files)
		name_by_file(reading, known.function, &line);
	if (reading->ended)
		return error_set(reading->err, STATUS_DATA, "is called after MPI_Finalize");
	if (line.enter_ns < reading->last_ns)
		return error_set(reading->err, STATUS_DATA, "starts before the previous call ends");
	reading->last_ns = line.leave_ns;
	reading->rank.events.count = 0;
	reading->rank.unknown = false;
	if (known.function)
		TRY(liballprof_call_events(&reading->rank, known.function, &line, reading->err));
	if (known.name == mpi_functions[CALL_Finalize].name)
		TRY(liballprof_trace_finish(reading, &line));
	return liballprof_deliver(reading, known.name, line.enter_ns, line.leave_ns);
}

static int liballprof_trace_read_line(struct reading *reading, const char *at, const char *end)
{
	uint32_t length;

	if (at == end || *at == '#')
		return 0;
	length = liballprof_line_name(at, end);
	if (!length)
		return error_set(reading->err, STATUS_DATA,
				 "byte 1: expected the name of an MPI function and a colon");
	if (read_call(reading, at, end, length) < 0)
		return reading->err->status == STATUS_SYSTEM ? -1 :
		       error_prefix(reading->err, "%.*s", (int)(length < 80 ? length : 80), at);
	return 0;
}

static int liballprof_trace_read_lines(struct reading *reading, const struct input *input)
{
	const char *at = (const char *)input->bytes, *stop = at + input->count;

	reading->last_ns = 0;
	reading->ended = false;
	while (at < stop) {
		const char *end = memchr(at, '\n', (size_t)(stop - at));

		reading->rank.line++;
		if (!end)
			return error_set(reading->err, STATUS_DATA, "the last line is truncated");
		TRY(liballprof_trace_read_line(reading, at, end));
		at = end + 1;
	}
	return reading->ended ? 0 : error_set(reading->err, STATUS_DATA,
					      "the file ends before MPI_Finalize");
}

/* Check whether calls test requests, so that only later calls show which ones completed. */
static bool needs_marks(const struct input *input)
{
	static const char *const names[] = {"MPI_Test", "MPI_Waitany:", "MPI_Waitsome:"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (memmem(input->bytes, input->count, names[i], strlen(names[i])))
			return true;
	return false;
}

static int read_file(struct reading *reading, struct trace_left_out *left_out)
{
	struct input input;
	int result = 0;

	TRY(input_open(&input, reading->path, reading->err));
	reading->rank.marking = needs_marks(&input);
	if (reading->rank.marking) {
		result = liballprof_trace_read_lines(reading, &input);
		if (!result)
			liballprof_rank_restart(&reading->rank);
	}
	if (!result)
		result = liballprof_trace_read_lines(reading, &input);
	input_release(&input);
	left_out->guessed_comms += reading->rank.handles.guessed;
	left_out->guessed_sources += reading->rank.guessed_sources;
	left_out->guessed_completions += reading->rank.guessed;
	left_out->moved_requests += reading->rank.moved;
	left_out->renamed_ranks += reading->trace->named_by_files && reading->rank.rank;
	if (result < 0 && reading->err->status != STATUS_SYSTEM)
		error_prefix(reading->err, "%s:%llu", reading->path,
			     (unsigned long long)reading->rank.line);
	return result;
}

static int liballprof_trace_read_rank(struct liballprof_trace *trace, uint32_t rank, int stage,
				      trace_receive *receive, void *data,
				      struct trace_left_out *left_out, struct error *err)
{
	struct reading reading = {
		.trace = trace, .receive = receive, .data = data, .err = err,
		.rank = {.rank = rank, .rank_count = trace->world.rank_count,
			 .stage = stage, .comms = &trace->made, .match = &trace->match,
			 .world = &trace->world},
		.path = liballprof_files_path(&trace->files, rank)
	};
	int result = reading.path ? read_file(&reading, left_out) : error_set_memory(err, 1);

	liballprof_rank_release(&reading.rank);
	string_table_release(&reading.names);
	array_release(&reading.functions);
	free(reading.path);
	return result;
}

/* --------------------------------------------------------------------- opening */

static int pass_over(void *data, const struct mpi_call *call, struct error *err)
{
	(void)data, (void)call, (void)err;
	return 0;
}

/* Check whether the file of any rank contains one of the texts. */
static bool has_text(const struct liballprof_trace *trace, const char *const *texts)
{
	bool found = false;

	for (uint32_t rank = 0; rank < trace->world.rank_count && !found; rank++) {
		char *path = liballprof_files_path(&trace->files, rank);
		struct input input;
		struct error ignored;

		if (path && input_open(&input, path, &ignored) == 0) {
			for (const char *const *text = texts; *text && !found; text++)
				found = memmem(input.bytes, input.count, *text, strlen(*text));
			input_release(&input);
		}
		free(path);
	}
	return found;
}

/* Find the members of communicators made by MPI_Comm_split. */
static int survey_comms(struct liballprof_trace *trace, struct error *err)
{
	struct trace_left_out none = {0};

	for (uint32_t rank = 0; rank < trace->world.rank_count; rank++) {
		TRY(liballprof_comms_begin_rank(&trace->made, err));
		TRY(liballprof_trace_read_rank(trace, rank, LIBALLPROF_SURVEY_COMMS, pass_over,
					       NULL, &none, err));
	}
	TRY(liballprof_comms_solve(&trace->made, err));
	return make_comms(trace, err);
}

/* Note the messages of all ranks, and match receives with wildcards. */
static int survey_messages(struct liballprof_trace *trace, struct error *err)
{
	struct trace_left_out none = {0};

	for (uint32_t rank = 0; rank < trace->world.rank_count; rank++) {
		TRY(liballprof_match_begin_rank(&trace->match, err));
		TRY(liballprof_trace_read_rank(trace, rank, LIBALLPROF_SURVEY_MESSAGES, pass_over,
					       NULL, &none, err));
	}
	return liballprof_match_solve(&trace->match, err);
}

static int survey_trace(struct liballprof_trace *trace, struct error *err)
{
	static const char *const splits[] = {"MPI_Comm_split:", NULL};
	/* Functions that make communicators of unknown members, and perhaps unknown handles. */
	static const char *const others[] = {
		"MPI_Comm_create", "MPI_Comm_split_type:", "MPI_Cart_sub:", "MPI_Intercomm_",
		"MPI_Comm_spawn", "MPI_Comm_accept:", "MPI_Comm_connect:", "MPI_Comm_join:",
		"MPI_Comm_idup", NULL
	};
	/* These are MPI_PROC_NULL too. */
	static const char *const wildcards[] = {":-1:", ":-2:", NULL};

	if (has_text(trace, splits) && !has_text(trace, others))
		TRY(survey_comms(trace, err));
	return has_text(trace, wildcards) ? survey_messages(trace, err) : 0;
}

static void close_trace(struct liballprof_trace *trace)
{
	while (trace->names) {
		struct name *next = trace->names->next;

		free(trace->names);
		trace->names = next;
	}
	pthread_mutex_destroy(&trace->lock);
	liballprof_files_release(&trace->files);
	liballprof_match_release(&trace->match);
	liballprof_comms_release(&trace->made);
	free(trace->comms);
	free(trace->ranks);
	free(trace);
}

static int find_files(struct liballprof_trace *trace, const char *path, struct error *err)
{
	TRY(liballprof_files_find(&trace->files, path, err));
	return trace->files.prefix ? 0 : error_set(err, STATUS_DATA, "%s: not a trace", path);
}

static int open_trace(struct liballprof_trace **opened, const char *path, struct error *err)
{
	struct liballprof_trace *trace;

	TRY(allocate(&trace, 1, sizeof *trace, err));
	pthread_mutex_init(&trace->lock, NULL);
	if (find_files(trace, path, err) < 0 || make_world(trace, err) < 0 ||
	    survey_trace(trace, err) < 0) {
		close_trace(trace);
		return -1;
	}
	*opened = trace;
	return 0;
}

/* ----------------------------------------------------------------- the backend */

/* Reader of one thread. */
struct reader {
	struct liballprof_trace *trace;
	bool shares;		/* another reader owns the trace */
	struct trace_left_out left_out;
};

static void liballprof_close(void *opened)
{
	struct reader *reader = opened;

	if (!reader->shares)
		close_trace(reader->trace);
	free(reader);
}

static int liballprof_open(void **opened, const char *path, struct error *err)
{
	struct reader *reader;

	TRY(allocate(&reader, 1, sizeof *reader, err));
	if (open_trace(&reader->trace, path, err) < 0) {
		free(reader);
		return -1;
	}
	*opened = reader;
	return 0;
}

static int liballprof_open_again(void **opened, const void *first, struct error *err)
{
	struct reader *reader;

	TRY(allocate(&reader, 1, sizeof *reader, err));
	reader->trace = ((const struct reader *)first)->trace;
	reader->shares = true;
	*opened = reader;
	return 0;
}

/*
 * Check whether the path names a text trace.  Two traces in a folder count as one: open reports
 * them.
 */
static bool liballprof_probe(const char *path)
{
	struct liballprof_files files;
	struct error err;
	int result = liballprof_files_find(&files, path, &err);
	bool found = result < 0 || files.prefix;

	if (result == 0)
		liballprof_files_release(&files);
	return found;
}

static const struct trace_world *liballprof_world(const void *opened)
{
	return &((const struct reader *)opened)->trace->world;
}

static int read_one(void *opened, uint32_t rank, const struct trace_receiver *to,
		    struct error *err)
{
	struct reader *reader = opened;

	return liballprof_trace_read_rank(reader->trace, rank, LIBALLPROF_CONVERT, to->receive,
					  to->data, &reader->left_out, err);
}

static struct trace_left_out liballprof_left_out(const void *opened)
{
	return ((const struct reader *)opened)->left_out;
}

const struct trace_backend liballprof_backend = {
	.probe = liballprof_probe,
	.open = liballprof_open,
	.again = liballprof_open_again,
	.world = liballprof_world,
	.rank = read_one,
	.left_out = liballprof_left_out,
	.close = liballprof_close,
};
