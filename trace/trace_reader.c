#include "trace/trace_reader.h"

#include "common/array.h"
#include "trace/flow/recover/flow_backend.h"
#include "trace/liballprof/liballprof_trace.h"
#include "trace/otf2/otf2_backend.h"
#include "trace/trace_files.h"

#include <stdlib.h>

/* Backends in the order of probing.  The last one opens the rest, or reports why it cannot. */
static const struct trace_backend *const backends[] = {&flow_backend, &liballprof_backend,
						       &otf2_backend};

struct trace_reader {
	const struct trace_backend *backend;
	void *trace;
	/* Region to watch. */
	const char *region;
	trace_region_seen *seen;
	void *seen_data;
	bool as_measured, only_first, transfers;
	below_receive *below;
	void *below_data;
	trace_openmp_seen *openmp;
	void *openmp_data;
};

static const struct trace_backend *find_backend(const char *path)
{
	const struct trace_backend *const *backend = backends;

	while ((*backend)->probe && !(*backend)->probe(path))
		backend++;
	return *backend;
}

static int open_by(const struct trace_backend *backend, struct trace_reader **opened,
		   const char *path, struct error *err)
{
	struct trace_reader *reader;

	*opened = NULL;
	TRY(trace_note_files(path, err));
	TRY(allocate(&reader, 1, sizeof *reader, err));
	reader->backend = backend;
	if (reader->backend->open(&reader->trace, path, err) < 0) {
		free(reader);
		return -1;
	}
	*opened = reader;
	return 0;
}

int trace_reader_open(struct trace_reader **reader, const char *path, struct error *err)
{
	return open_by(find_backend(path), reader, path, err);
}

int trace_reader_open_repeated(struct trace_reader **reader, const char *path, struct error *err)
{
	return open_by(&repeat_backend, reader, path, err);
}

bool trace_reader_repeats(const struct trace_reader *reader, struct trace_repeat *figures)
{
	if (reader->backend != &repeat_backend)
		return false;
	*figures = repeat_backend_figures(reader->trace);
	return true;
}

int trace_reader_again(struct trace_reader **opened, const struct trace_reader *first,
		       struct error *err)
{
	struct trace_reader *reader;

	*opened = NULL;
	TRY(allocate(&reader, 1, sizeof *reader, err));
	reader->backend = first->backend;
	reader->as_measured = first->as_measured;
	reader->transfers = first->transfers;
	if (reader->backend->again(&reader->trace, first->trace, err) < 0) {
		free(reader);
		return -1;
	}
	*opened = reader;
	return 0;
}

const struct trace_world *trace_reader_world(const struct trace_reader *reader)
{
	return reader->backend->world(reader->trace);
}

int trace_reader_rank(struct trace_reader *reader, uint32_t rank, trace_receive *receive,
		      void *data, struct error *err)
{
	const struct trace_receiver to = {.receive = receive,
					  .data = data,
					  .region = reader->region,
					  .seen = reader->seen,
					  .seen_data = reader->seen_data,
					  .as_measured = reader->as_measured,
					  .only_first = reader->only_first,
					  .transfers = reader->transfers,
					  .openmp = reader->openmp,
					  .openmp_data = reader->openmp_data,
					  .below = reader->below,
					  .below_data = reader->below_data};

	return reader->backend->rank(reader->trace, rank, &to, err);
}

uint64_t trace_reader_events(const struct trace_reader *reader)
{
	return reader->backend->events ? reader->backend->events(reader->trace) : 0;
}

uint64_t trace_reader_events_read(const struct trace_reader *reader)
{
	return reader->backend->events_read ? reader->backend->events_read(reader->trace) : 0;
}

struct trace_left_out trace_reader_left_out(const struct trace_reader *reader)
{
	return reader->backend->left_out(reader->trace);
}

void trace_reader_watch(struct trace_reader *reader, const char *region, trace_region_seen *seen,
			void *data)
{
	reader->region = region;
	reader->seen = seen;
	reader->seen_data = data;
}

void trace_reader_as_measured(struct trace_reader *reader)
{
	reader->as_measured = true;
}

void trace_reader_with_transfers(struct trace_reader *reader)
{
	reader->transfers = true;
}

void trace_reader_only_first(struct trace_reader *reader)
{
	reader->only_first = true;
}

void trace_reader_below(struct trace_reader *reader, below_receive *below, void *data)
{
	reader->below = below;
	reader->below_data = data;
}

void trace_reader_openmp(struct trace_reader *reader, trace_openmp_seen *seen, void *data)
{
	reader->openmp = seen;
	reader->openmp_data = data;
}

uint32_t trace_reader_threads(const struct trace_reader *reader, uint32_t rank)
{
	return reader->backend->threads ? reader->backend->threads(reader->trace, rank) : 1;
}

const char *trace_reader_region_like(const struct trace_reader *reader, const char *text)
{
	return reader->backend->region_like ? reader->backend->region_like(reader->trace, text)
					    : NULL;
}

const char *trace_reader_site(const struct trace_reader *reader, uint32_t number)
{
	return reader->backend->site ? reader->backend->site(reader->trace, number) : NULL;
}

void trace_reader_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	reader->backend->close(reader->trace);
	free(reader);
}
