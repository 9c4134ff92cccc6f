#include "trace/otf2/trace_writer_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* System error that OTF2 has reported to the callback but may not return. */
static _Thread_local OTF2_ErrorCode unwritten;

/* Try to create a file in the directory: 0 or errno, which OTF2 does not return. */
static int creation_error(const char *directory)
{
	char path[4200];
	int file;

	snprintf(path, sizeof path, "%s/.llamp-trace-XXXXXX", directory);
	file = mkostemp(path, O_CLOEXEC);
	if (file < 0)
		return errno;
	close(file);
	unlink(path);
	return 0;
}

int trace_writer_check(const struct trace_writer *writer, OTF2_ErrorCode code, struct error *err)
{
	if (unwritten != OTF2_SUCCESS)
		code = unwritten;
	unwritten = OTF2_SUCCESS;
	if (code == OTF2_ERROR_INTEGRITY_FAULT || code == OTF2_ERROR_PROCESSED_WITH_FAULTS) {
		errno = creation_error(writer->directory);
		if (errno)
			return error_set_errno(err, "%s", writer->directory);
	}
	return otf2_check(code, writer->directory, err);
}

/* ------------------------------------------------------ callbacks of OTF2 */

/*
 * Answer collectives of OTF2 without communication.  Rank 0 would only broadcast whether it could
 * create the directories.  We have created them on each rank before, so the result is always 0
 * for success.
 */
static OTF2_CallbackCode get_size(void *data, OTF2_CollectiveContext *context, uint32_t *size)
{
	(void)context;
	*size = ((struct trace_writer *)data)->place.ranks;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode get_rank(void *data, OTF2_CollectiveContext *context, uint32_t *rank)
{
	(void)context;
	*rank = ((struct trace_writer *)data)->place.rank;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode broadcast(void *data, OTF2_CollectiveContext *context, void *values,
				   uint32_t count, OTF2_Type type, uint32_t root)
{
	(void)data;
	(void)context;
	(void)root;
	if (count != 1 || type > OTF2_TYPE_INT64)
		return OTF2_CALLBACK_ERROR;
	memset(values, 0, (size_t)1 << (type - 1) % 4);	/* types 1 to 4, 5 to 8: 1 to 8 bytes */
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode barrier(void *data, OTF2_CollectiveContext *context)
{
	(void)data;
	(void)context;
	return OTF2_CALLBACK_SUCCESS;
}

/* Required functions that the POSIX substrate never calls. */

static OTF2_CallbackCode create_local_comm(void *data, OTF2_CollectiveContext **local,
					   OTF2_CollectiveContext *global, uint32_t global_rank,
					   uint32_t global_size, uint32_t local_rank,
					   uint32_t local_size, uint32_t file, uint32_t files)
{
	(void)data, (void)local, (void)global, (void)global_rank, (void)global_size;
	(void)local_rank, (void)local_size, (void)file, (void)files;
	return OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode free_local_comm(void *data, OTF2_CollectiveContext *local)
{
	(void)data, (void)local;
	return OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode gather(void *data, OTF2_CollectiveContext *context, const void *in,
				void *out, uint32_t count, OTF2_Type type, uint32_t root)
{
	(void)data, (void)context, (void)in, (void)out, (void)count, (void)type, (void)root;
	return OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode gatherv(void *data, OTF2_CollectiveContext *context, const void *in,
				 uint32_t in_count, void *out, const uint32_t *out_counts,
				 OTF2_Type type, uint32_t root)
{
	(void)data, (void)context, (void)in, (void)in_count, (void)out, (void)out_counts;
	(void)type, (void)root;
	return OTF2_CALLBACK_ERROR;
}

static OTF2_CallbackCode scatterv(void *data, OTF2_CollectiveContext *context, const void *in,
				  const uint32_t *in_counts, void *out, uint32_t out_count,
				  OTF2_Type type, uint32_t root)
{
	(void)data, (void)context, (void)in, (void)in_counts, (void)out, (void)out_count;
	(void)type, (void)root;
	return OTF2_CALLBACK_ERROR;
}

static const OTF2_CollectiveCallbacks collectives = {
	.otf2_get_size = get_size,
	.otf2_get_rank = get_rank,
	.otf2_create_local_comm = create_local_comm,
	.otf2_free_local_comm = free_local_comm,
	.otf2_barrier = barrier,
	.otf2_bcast = broadcast,
	.otf2_gather = gather,
	.otf2_gatherv = gatherv,
	.otf2_scatter = gather,
	.otf2_scatterv = scatterv,
};

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
				void *caller, bool final)
{
	(void)data;
	(void)type;
	(void)location;
	(void)caller;
	(void)final;
	return OTF2_FLUSH;
}

/* Callbacks of flushes.  Their times are not recorded: the program has ended. */
static const OTF2_FlushCallbacks flush_callbacks = {pre_flush, NULL};

/* Chunk of definitions, in the list of its buffer. */
struct chunk {
	struct chunk *next;
	uint64_t data[];
};

/* Allocate a chunk.  NULL for too many event chunks makes OTF2 flush.  Definitions are small. */
static void *allocate_chunk(void *data, OTF2_FileType type, OTF2_LocationRef location,
			    void **own, uint64_t bytes)
{
	struct trace_writer *writer = data;
	struct trace_writer_thread *thread;
	unsigned most = location >> 32 ? 1 : MOST_CHUNKS;
	struct chunk *chunk;

	if (type != OTF2_FILETYPE_EVENTS) {
		chunk = malloc(sizeof *chunk + bytes);
		if (!chunk)
			return NULL;
		chunk->next = *own;
		*own = chunk;
		return chunk->data;
	}
	thread = &writer->threads[location >> 32];
	if (thread->chunks_used == most || (thread->chunks_used + 1) * bytes > BUFFER_BYTES)
		return NULL;
	if (!thread->chunks[thread->chunks_used])
		thread->chunks[thread->chunks_used] = malloc(bytes);
	if (!thread->chunks[thread->chunks_used])
		return NULL;
	return thread->chunks[thread->chunks_used++];
}

static void free_chunks(void *data, OTF2_FileType type, OTF2_LocationRef location, void **own,
			bool final)
{
	(void)final;
	if (type == OTF2_FILETYPE_EVENTS) {
		((struct trace_writer *)data)->threads[location >> 32].chunks_used = 0;
		return;
	}
	for (struct chunk *chunk = *own, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*own = NULL;
}

static const OTF2_MemoryCallbacks memory_callbacks = {allocate_chunk, free_chunks};

/* Keep OTF2 from printing errors, as the caller reports them.  Note system errors only. */
static OTF2_ErrorCode keep_silent(void *data, const char *file, uint64_t line,
				  const char *function, OTF2_ErrorCode code, const char *format,
				  va_list arguments)
{
	(void)data;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)arguments;
	if (code == OTF2_ERROR_ENOSPC || code == OTF2_ERROR_EFBIG || code == OTF2_ERROR_EDQUOT ||
	    code == OTF2_ERROR_EIO)
		unwritten = code;
	return code;
}

/* -------------------------------------------------------- giving up */

static void remove_file(void *nothing, const char *path)
{
	(void)nothing;
	if (unlink(path) < 0 && (errno == EISDIR || errno == EPERM))
		rmdir(path);
}

static void add_bytes(void *sum, const char *path)
{
	struct stat status;

	if (stat(path, &status) == 0)
		*(uint64_t *)sum += (uint64_t)status.st_size;
}

typedef void file_seen(void *data, const char *path);

/* Visit the files of a rank, and for rank 0 the common ones. */
static void visit_files(const char *directory, uint32_t rank, uint32_t threads, file_seen *seen,
			void *data)
{
	static const char *const kinds[] = {"evt", "def"}, *const common[] = {"otf2", "def"};
	char path[4200];

	for (uint32_t i = 0; i < 2 * threads; i++) {
		snprintf(path, sizeof path, "%s/traces/%llu.%s", directory,
			 (unsigned long long)trace_location_id(rank, i / 2), kinds[i % 2]);
		seen(data, path);
	}
	for (uint32_t i = 0; rank == 0 && i < 2; i++) {
		snprintf(path, sizeof path, "%s/traces.%s", directory, common[i]);
		seen(data, path);
	}
}

uint64_t trace_writer_bytes(const char *directory, uint32_t rank, uint32_t threads)
{
	uint64_t sum = 0;

	visit_files(directory, rank, threads, add_bytes, &sum);
	return sum;
}

void trace_writer_remove(const char *directory, uint32_t rank, uint32_t threads)
{
	char path[4200];

	visit_files(directory, rank, threads, remove_file, NULL);
	snprintf(path, sizeof path, "%s/traces", directory);
	remove_file(NULL, path);
	rmdir(directory);
}

/* ------------------------------------------------------- opening, closing */

static int make_directory(const char *path, struct error *err)
{
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return error_set_errno(err, "%s", path);
	return 0;
}

static int trace_writer_make_directories(const char *directory, struct error *err)
{
	char path[4096];

	if (snprintf(path, sizeof path, "%s/traces.otf2", directory) >= (int)sizeof path)
		return error_set(err, STATUS_DATA, "%s: the name is too long", directory);
	if (access(path, F_OK) == 0)
		return error_set(err, STATUS_DATA, "%s: there is a trace already", directory);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		TRY(make_directory(path, err));
		*slash = '/';
	}
	path[strlen(path) - strlen(".otf2")] = 0;
	TRY(make_directory(path, err));
	if (access(path, W_OK | X_OK) < 0)
		return error_set_errno(err, "%s", path);
	return 0;
}

/* Report a failure of OTF2 without an error code: the system error if one was noted, or `text`. */
static int trace_writer_refuse(struct trace_writer *writer, const char *text, struct error *err)
{
	TRY(trace_writer_check(writer, OTF2_SUCCESS, err));
	return error_set(err, STATUS_SYSTEM, "%s: %s", writer->directory, text);
}

static int open_threads(struct trace_writer *writer, struct error *err)
{
	for (uint32_t i = 0; i < writer->place.threads; i++) {
		struct trace_writer_thread *thread = &writer->threads[i];

		thread->last_ns = writer->begin_ns;
		thread->events = OTF2_Archive_GetEvtWriter(
			writer->archive, trace_location_id(writer->place.rank, i));
		if (!thread->events)
			return trace_writer_refuse(writer, "OTF2 cannot write events", err);
	}
	return trace_writer_check(writer, OTF2_EvtWriter_ProgramBegin(
		writer->threads[0].events, NULL, writer->begin_ns, OTF2_UNDEFINED_STRING, 0, NULL),
		err);
}

static int open_archive(struct trace_writer *writer, struct error *err)
{
	TRY(trace_writer_make_directories(writer->directory, err));
	writer->archive = OTF2_Archive_Open(writer->directory, "traces", OTF2_FILEMODE_WRITE,
					    CHUNK_BYTES, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
					    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!writer->archive)
		return trace_writer_refuse(writer, "OTF2 cannot create an archive", err);
	TRY(trace_writer_check(writer, OTF2_Archive_SetFlushCallbacks(
		writer->archive, &flush_callbacks, writer), err));
	TRY(trace_writer_check(writer, OTF2_Archive_SetMemoryCallbacks(
		writer->archive, &memory_callbacks, writer), err));
	TRY(trace_writer_check(writer, OTF2_Archive_SetCollectiveCallbacks(
		writer->archive, &collectives, writer, (OTF2_CollectiveContext *)writer, NULL),
		err));
	TRY(trace_writer_check(writer, OTF2_Archive_OpenEvtFiles(writer->archive), err));
	writer->attributes = OTF2_AttributeList_New();
	if (!writer->attributes)
		return error_set(err, STATUS_SYSTEM, "%s: OTF2 cannot write events",
				 writer->directory);
	return open_threads(writer, err);
}

static void free_event_chunks(struct trace_writer *writer)
{
	for (uint32_t thread = 0; thread < writer->place.threads; thread++) {
		for (int i = 0; i < MOST_CHUNKS; i++) {
			free(writer->threads[thread].chunks[i]);
			writer->threads[thread].chunks[i] = NULL;
		}
		array_release(&writer->threads[thread].held);
	}
}

static void free_writer(struct trace_writer *writer)
{
	if (writer->attributes)
		OTF2_AttributeList_Delete(writer->attributes);
	if (writer->threads)
		free_event_chunks(writer);
	free(writer->threads);
	free(writer->counts);
	string_table_release(&writer->strings);
	array_release(&writer->text);
	free(writer->directory);
	free(writer);
}

static int make_writer(struct trace_writer *writer, const char *directory, struct error *err)
{
	writer->directory = strdup(directory);
	if (!writer->directory)
		return error_set_memory(err, strlen(directory));
	TRY(allocate(&writer->threads, writer->place.threads, sizeof *writer->threads, err));
	return allocate(&writer->counts, writer->place.threads, sizeof *writer->counts, err);
}

int trace_writer_open(struct trace_writer **pointer, const char *directory,
		      const struct trace_place *place, uint64_t time_ns, struct error *err)
{
	struct trace_writer *writer;

	TRY(allocate(&writer, 1, sizeof *writer, err));
	writer->place = *place;
	writer->begin_ns = time_ns;
	if (make_writer(writer, directory, err) < 0) {
		free_writer(writer);
		return -1;
	}
	OTF2_Error_RegisterCallback(keep_silent, NULL);
	if (open_archive(writer, err) < 0) {
		/* Do not close the archive: OTF2 may abort on one that is half open. */
		if (writer->archive)
			trace_writer_remove(directory, place->rank, place->threads);
		else
			free_writer(writer);
		return -1;
	}
	*pointer = writer;
	return 0;
}

void trace_writer_set_clock(struct trace_writer *writer, const struct trace_clock *clock)
{
	writer->clock = *clock;
}

int trace_writer_end(struct trace_writer *writer, uint64_t time_ns, struct trace_rank *summary,
		     struct error *err)
{
	for (uint32_t i = 0; i < writer->place.threads; i++)
		if (time_ns < writer->threads[i].last_ns)
			time_ns = writer->threads[i].last_ns;
	TRY(trace_writer_check(writer, OTF2_EvtWriter_ProgramEnd(
		writer->threads[0].events, NULL, time_ns, OTF2_UNDEFINED_INT64), err));
	summary->begin_ns = trace_clock_apply(&writer->clock, writer->begin_ns);
	summary->end_ns = trace_clock_apply(&writer->clock, time_ns);
	summary->threads = writer->place.threads;
	summary->events = writer->counts;
	summary->preemptions = (struct preemptions){0};
	for (uint32_t i = 0; i < writer->place.threads; i++) {
		OTF2_EvtWriter *events = writer->threads[i].events;

		TRY(trace_writer_check(writer, OTF2_EvtWriter_GetNumberOfEvents(
			events, &writer->counts[i]), err));
		TRY(trace_writer_check(writer, OTF2_Archive_CloseEvtWriter(
			writer->archive, events), err));
	}
	TRY(trace_writer_check(writer, OTF2_Archive_CloseEvtFiles(writer->archive), err));
	free_event_chunks(writer);
	return 0;
}

int trace_writer_close(struct trace_writer *writer, struct error *err)
{
	int result = trace_writer_check(writer, OTF2_Archive_Close(writer->archive), err);

	free_writer(writer);
	return result;
}

int trace_writer_add_string(struct trace_writer *writer, OTF2_AttributeRef attribute,
			    const char *text, size_t bytes, struct error *err)
{
	uint32_t number;

	TRY(string_table_add(&writer->strings, text, bytes, &number, err));
	return trace_writer_check(writer,
				  OTF2_AttributeList_AddStringRef(writer->attributes, attribute,
								  number),
				  err);
}

int trace_writer_add_operation(struct trace_writer *writer, const struct mpi_event *event,
			       struct error *err)
{
	return event->operation
		       ? trace_writer_add_string(writer, ATTRIBUTE_REDUCE_OPERATION,
						 event->operation, strlen(event->operation), err)
		       : 0;
}
